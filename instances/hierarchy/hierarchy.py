"""A tree of departments, teams and jobs that share the resources of a cluster.

It is stored as arrays, so that a million nodes take megabytes and depth costs nothing. `hierarchy`
builds small trees from plain objects; `from_graph` and `Hierarchy.graph` convert from and to
networkx.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import InputError
from ..views import Plottable, Tabular
from .dropped_limits import EVERY_QUEUE, DroppedLimit

if TYPE_CHECKING:
    import networkx as nx


UNBOUNDED = float("inf")
"""Task limit of a leaf that can always use more."""


@dataclass(frozen=True, eq=False)
class Hierarchy(Plottable, Tabular):
    """A weighted tree whose leaves ask for resources.

    Nodes are numbered so that parents come before their children; node 0 is the root. A leaf
    without tasks is inactive: it is guaranteed nothing, and its siblings share what it leaves. A
    node that is neither a leaf nor has children is an empty group, inactive too.

    Parameters
    ----------
    resources
        Names of the resources.
    capacity
        Capacity of each resource, shape (resources,).
    names
        Name of each node.
    parent
        Parent of each node, -1 for the root, shape (nodes,).
    weight
        Weight > 0 of each node relative to its siblings, shape (nodes,).
    leaf
        The nodes that are leaves, increasing, shape (leaves,).
    demand
        Demand of one task in the units of `capacity`, shape (leaves, resources).
    tasks
        Task limit, infinite if unbounded, shape (leaves,).
    name
        Name of the hierarchy.
    source
        Where it comes from.
    dropped_limits
        Limits of an imported scheduler's queues that the shares ignore.

    Raises
    ------
    InputError
        If something is wrong; the message names node and field.
    """

    resources: tuple[str, ...]
    capacity: FloatArray
    names: tuple[str, ...]
    parent: IntArray
    weight: FloatArray
    leaf: IntArray
    demand: FloatArray
    tasks: FloatArray
    name: str = ""
    source: str = ""
    dropped_limits: tuple[DroppedLimit, ...] = ()

    def __post_init__(self) -> None:
        q, p, m = len(self.names), len(self.leaf), len(self.resources)
        if m == 0 or len(set(self.resources)) < m:
            raise InputError("capacity: need at least one resource, each named once")
        shapes = {
            "capacity": (self.capacity.shape, (m,)),
            "parent": (self.parent.shape, (q,)),
            "weight": (self.weight.shape, (q,)),
            "demand": (self.demand.shape, (p, m)),
            "tasks": (self.tasks.shape, (p,)),
        }
        for what, (got, wanted) in shapes.items():
            if got != wanted:
                raise InputError(f"hierarchy, {what}: need shape {wanted}, got {got}")
        for j in np.flatnonzero(~(np.isfinite(self.capacity) & (self.capacity > 0)))[:1]:
            raise InputError(
                f"capacity, {self.resources[j]!r}: must be finite and > 0, got {self.capacity[j]}"
            )
        self._need_tree()
        for n in np.flatnonzero(~(np.isfinite(self.weight) & (self.weight > 0)))[:1]:
            raise InputError(
                f"node {self.path(n)!r}, weight: must be finite and > 0, got {self.weight[n]}"
            )
        for i, j in np.argwhere(~(np.isfinite(self.demand) & (self.demand >= 0)))[:1]:
            raise InputError(
                f"leaf {self.path(self.leaf[i])!r}, demand, {self.resources[j]!r}: "
                f"must be finite and >= 0, got {self.demand[i, j]}"
            )
        for i in np.flatnonzero(~(self.demand > 0).any(axis=1))[:1]:
            raise InputError(f"leaf {self.path(self.leaf[i])!r}, demand: needs no resource at all")
        for i in np.flatnonzero(~(self.tasks >= 0))[:1]:
            raise InputError(
                f"leaf {self.path(self.leaf[i])!r}, tasks: must be >= 0, got {self.tasks[i]}"
            )
        self._need_queues()

    def _need_queues(self) -> None:
        """Every dropped limit must belong to a node, to the root, or to every queue."""
        if not self.dropped_limits:
            return
        below = {
            (parent, name): n
            for n, (parent, name) in enumerate(zip(self.parent.tolist(), self.names, strict=True))
        }
        for limit in self.dropped_limits:
            node: int | None = 0
            if limit.queue not in (EVERY_QUEUE, self.names[0]):
                for name in limit.queue.split("/"):
                    node = None if node is None else below.get((node, name))
            if node is None:
                raise InputError(f"dropped_limits, {str(limit)!r}: there is no such queue")

    def _need_tree(self) -> None:
        q = len(self.names)
        if q == 0 or self.parent[0] != -1:
            raise InputError("hierarchy: need a root, node 0, with parent -1")
        for n in np.flatnonzero((self.parent[1:] < 0) | (self.parent[1:] >= np.arange(1, q)))[:1]:
            raise InputError(
                f"hierarchy, node {n + 1}, parent: must be a node before it, "
                f"got {self.parent[n + 1]}"
            )
        if np.any(np.diff(self.leaf) <= 0) or (len(self.leaf) and self.leaf[-1] >= q):
            raise InputError("hierarchy, leaf: need increasing node numbers")
        if len(self.leaf) and self.leaf[0] <= 0:
            raise InputError("hierarchy, leaf: the root must be a group")
        for n in self.leaf[np.isin(self.leaf, self.parent)][:1]:
            raise InputError(f"node {self.path(n)!r}: has a demand and children; need one of them")
        seen: set[tuple[int, str]] = set()
        for n, place in enumerate(zip(self.parent.tolist(), self.names, strict=True)):
            if not place[1] or "/" in place[1]:
                raise InputError(
                    f"node {n}, name: must not be empty nor hold a '/', got {place[1]!r}"
                )
            if place in seen:
                raise InputError(f"node {self.path(n)!r}: the name is used twice in its group")
            seen.add(place)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return len(self.leaf)

    def path(self, node: int) -> str:
        """Names from below the root down to `node`, joined by `/`; the root's own name alone."""
        steps: list[str] = []
        while self.parent[node] >= 0:
            steps.append(self.names[node])
            node = int(self.parent[node])
        return "/".join(reversed(steps)) or self.names[0]

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Path of each leaf."""
        prefix = [""] * self.nodes
        parent, names = self.parent.tolist(), self.names
        is_leaf = np.zeros(self.nodes, dtype=np.bool_)
        is_leaf[self.leaf] = True
        found = []
        for n, last in enumerate(is_leaf.tolist()):
            if n == 0:
                continue
            path = prefix[parent[n]] + names[n]
            if last:
                found.append(path)
            else:
                prefix[n] = path + "/"
        return tuple(found)

    def leaf_at(self, path: str) -> int:
        """Number of the leaf with this path, among the leaves. Raises `InputError`."""
        try:
            return self.paths.index(path.strip("/"))
        except ValueError:
            near = [name for name in self.paths if name.endswith("/" + path)][:3] or self.paths[:3]
            raise InputError(f"no leaf {path!r}: there is {', '.join(map(repr, near))} …") from None

    @cached_property
    def task_share(self) -> FloatArray:
        """Dominant share of one task of each leaf (mu in [MCH]), shape (leaves,)."""
        share: FloatArray = (self.demand / self.capacity).max(axis=1, initial=0.0)
        return share

    @cached_property
    def normalised(self) -> FloatArray:
        """Demand over capacity, scaled to a dominant share of 1 (s in [MCH]), shape (leaves,
        resources).
        """
        return np.ascontiguousarray(self.demand / self.capacity / self.task_share[:, None])

    @cached_property
    def most_share(self) -> FloatArray:
        """Dominant share of each leaf with all its tasks running; infinite if unbounded."""
        return self.tasks * self.task_share

    @cached_property
    def active(self) -> BoolArray:
        """Whether a node has a leaf with tasks in its subtree, shape (nodes,)."""
        found = bytearray(self.nodes)
        for n in self.leaf[self.tasks > 0].tolist():
            found[n] = 1
        parent = self.parent.tolist()
        for n in range(self.nodes - 1, 0, -1):
            if found[n]:
                found[parent[n]] = 1
        return np.frombuffer(found, dtype=np.bool_)

    @cached_property
    def guarantee(self) -> FloatArray:
        """Hierarchical share guarantee of each leaf: the dominant share it must be able to reach.

        It is the product, up the tree, of the weight over the weights of all active siblings; 0 for
        an inactive leaf. Shape (leaves,).
        """
        weight = np.where(self.active, self.weight, 0.0)
        up = np.maximum(self.parent, 0)
        # Scaled by the largest sibling, sums of any weights stay finite.
        largest = np.zeros(self.nodes)
        np.maximum.at(largest, up[1:], weight[1:])
        largest[largest == 0] = 1.0
        weight = weight / largest[up]
        together = np.bincount(up[1:], weights=weight[1:], minlength=self.nodes)
        together[together == 0] = 1.0
        factor = weight / together[up]
        factor[0] = 1.0
        while up[self.leaf].any():
            factor, up = factor * factor[up], up[up]
        return factor[self.leaf]

    @cached_property
    def depth(self) -> int:
        """Number of edges on the longest path from the root."""
        steps, up = np.minimum(np.arange(self.nodes), 1), np.maximum(self.parent, 0)
        while up.any():
            steps, up = steps + steps[up], up[up]
        return int(steps.max())

    def graph(self) -> nx.DiGraph[int]:
        """The tree in networkx: nodes 0, 1, …, edges from parent to child.

        Every node has `name` and `weight`, a leaf also `demand` (a mapping by resource) and
        `tasks` (infinite if unbounded); the graph has `capacity`, a mapping by resource,
        and `dropped_limits`.
        """
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph(
            name=self.name,
            source=self.source,
            capacity=dict(zip(self.resources, self.capacity.tolist(), strict=True)),
            dropped_limits=self.dropped_limits,
        )
        for n, (name, weight) in enumerate(zip(self.names, self.weight.tolist(), strict=True)):
            graph.add_node(n, name=name, weight=weight)
        graph.add_edges_from(zip(self.parent[1:].tolist(), range(1, self.nodes), strict=True))
        for i, n in enumerate(self.leaf.tolist()):
            graph.nodes[n]["demand"] = self.demand_of(i)
            graph.nodes[n]["tasks"] = float(self.tasks[i])
        return graph

    def demand_of(self, i: int) -> dict[str, float]:
        """Demand per task of leaf number `i`, by resource."""
        return dict(zip(self.resources, self.demand[i].tolist(), strict=True))

    def __repr__(self) -> str:
        name = f"{self.name!r}: " if self.name else ""
        return (
            f"Hierarchy({name}{self.nodes} nodes, {self.leaves} leaves, depth {self.depth}, "
            f"{', '.join(self.resources)})"
        )
