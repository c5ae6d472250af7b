"""A tree of departments, teams and jobs that share the resources of a cluster.

It is stored as arrays, so that a million nodes take megabytes and depth costs nothing.
`Hierarchy.from_tree` builds small ones from plain objects; `from_graph` and `Hierarchy.graph`
convert from and to networkx.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.calls import check_fields, checked
from ...core.errors import InputError
from ...core.values import ByValue
from ..array_checks import check_arrays
from ..views import Plottable, Tabular, view
from .dropped_limits import DroppedLimit, check_queues
from .plain_tree import Group, Sharing
from .quotas import DOMINANT, EACH, Quotas
from .subtree_sums import subtree_sums

if TYPE_CHECKING:
    import networkx as nx


SMALL = 50
"""Most nodes of a tree of which kernels take less time as plain Python than to be compiled."""

UNBOUNDED = float("inf")
"""Task limit of a leaf that can always use more."""


@dataclass(frozen=True, eq=False)
class Hierarchy(Plottable, Tabular, ByValue):
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
        Weight > 0 of each node relative to its siblings, shape (nodes,). With quotas it may be 0:
        such a node takes what its siblings leave.
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
    quotas
        Guarantees, limits, reserves and priorities of the nodes; None if there are none.

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
    quotas: Quotas | None = None

    @classmethod
    @checked
    def from_tree(
        cls,
        capacity: Mapping[str, float],
        root: Group,
        *,
        name: str = "",
        source: str = "",
        sharing: Sharing | None = None,
    ) -> Hierarchy:
        """Build a hierarchy from plain objects.

        Parameters
        ----------
        capacity
            Capacity by resource.
        root
            The root. A resource missing in a demand is not needed.
        name
            Name of the hierarchy.
        source
            Where it comes from.
        sharing
            How guarantees and weights divide; by default as `Sharing()` if a node has a quota.

        Returns
        -------
        Hierarchy
            The hierarchy.

        Raises
        ------
        InputError
            If something is wrong; the message names node and field.
        """
        made: Hierarchy = view("instances.hierarchy.building:hierarchy")(
            capacity, root, name=name, source=source, sharing=sharing
        )
        return made

    def __post_init__(self) -> None:
        check_fields("hierarchy", self)
        check_arrays(self, "hierarchy, ", np.int64, leaf=(None,))
        q, p, m = len(self.names), len(self.leaf), len(self.resources)
        if m == 0 or len(set(self.resources)) < m:
            raise InputError("capacity: need at least one resource, each named once")
        check_arrays(self, "hierarchy, ", np.int64, parent=(q,))
        check_arrays(
            self, "hierarchy, ", np.float64, capacity=(m,), weight=(q,), demand=(p, m), tasks=(p,)
        )
        for j in np.flatnonzero(~(np.isfinite(self.capacity) & (self.capacity > 0)))[:1]:
            raise InputError(
                f"capacity, {self.resources[j]!r}: must be finite and > 0, got {self.capacity[j]}"
            )
        self._check_tree()
        least = "> 0" if self.quotas is None else ">= 0"
        enough = self.weight > 0 if self.quotas is None else self.weight >= 0
        for n in np.flatnonzero(~(np.isfinite(self.weight) & enough))[:1]:
            raise InputError(
                f"node {self.path(n)!r}, weight: must be finite and {least}, got {self.weight[n]}"
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
        check_queues(self.dropped_limits, self.parent.tolist(), self.names)
        if self.quotas is not None:
            self.quotas.check(self.resources, self.nodes, self.path)

    def _check_tree(self) -> None:
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
    def node_paths(self) -> tuple[str, ...]:
        """Path of each node; the root's own name for the root."""
        paths = [self.names[0]]
        for name, up in zip(self.names[1:], self.parent[1:].tolist(), strict=True):
            paths.append(f"{paths[up]}/{name}" if up else name)
        return tuple(paths)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Path of each leaf."""
        every = self.node_paths
        return tuple(every[n] for n in self.leaf.tolist())

    def inside(self, node: int) -> BoolArray:
        """Which nodes are in the subtree of a node, itself among them, shape (nodes,)."""
        inside = [False] * self.nodes
        inside[node] = True
        for n, up in enumerate(self.parent[node + 1 :].tolist(), node + 1):
            inside[n] = inside[up]
        return np.array(inside)

    def leaf_at(self, path: str) -> int:
        """Number of the leaf with this path, among the leaves. Raises `InputError`."""
        try:
            return self.paths.index(path.strip("/"))
        except ValueError:
            near = [name for name in self.paths if name.endswith("/" + path)][:3] or self.paths[:3]
            raise InputError(f"no leaf {path!r}: there is {', '.join(map(repr, near))} …") from None

    def node_at(self, path: str) -> int:
        """Number of the node with this path. Raises `InputError`."""
        try:
            return self.node_paths.index(path.strip("/"))
        except ValueError:
            near = [name for name in self.node_paths[1:] if name.endswith("/" + path)][:3]
            near = near or list(self.node_paths[1:4])
            raise InputError(f"no node {path!r}: there is {', '.join(map(repr, near))} …") from None

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
    def wanted(self) -> FloatArray:
        """Most that each subtree can use, infinite if unbounded, shape (nodes, resources)."""
        most = np.zeros((self.nodes, len(self.resources)))
        with np.errstate(invalid="ignore"):
            most[self.leaf] = np.where(self.demand > 0, self.tasks[:, None] * self.demand, 0.0)
        return subtree_sums(self.parent, most)

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
        `tasks` (infinite if unbounded); the graph has `capacity`, a mapping by resource, and
        `dropped_limits`.
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
            if self.quotas is not None:
                graph.nodes[n].update(self.quota_of(n))
        if self.quotas is not None:
            graph.graph.update(surplus=self.quotas.surplus, shares=self.quotas.shares)
        graph.add_edges_from(zip(self.parent[1:].tolist(), range(1, self.nodes), strict=True))
        for i, n in enumerate(self.leaf.tolist()):
            graph.nodes[n]["demand"] = self.demand_of(i)
            graph.nodes[n]["tasks"] = float(self.tasks[i])
        return graph

    def demand_of(self, i: int) -> dict[str, float]:
        """Demand per task of leaf number `i`, by resource."""
        return dict(zip(self.resources, self.demand[i].tolist(), strict=True))

    def quota_of(self, n: int) -> dict[str, Any]:
        """What quotas say of node `n`: amounts by resource, the priority; nothing that is usual."""
        return {} if self.quotas is None else self.quotas.of_node(n, self.resources)

    def refuse_quotas(self, who: str) -> None:
        """Raise `InputError` if there are quotas, of which `who` knows nothing."""
        if self.quotas is not None:
            raise InputError(
                f"{who} knows no guarantees and limits, which this hierarchy has: use exact, or "
                "leave them out (--ignore-limits, ignore_limits=True)"
            )

    def without_quotas(self) -> Hierarchy:
        """The same hierarchy without guarantees, limits, reserves and priorities.

        Raises `InputError` for a weight of 0, which means nothing without them.
        """
        return replace(self, quotas=None)

    @property
    def shares_each(self) -> bool:
        """Whether resources are shared one by one: there is one, or quotas say so."""
        return len(self.resources) == 1 or (self.quotas is not None and self.quotas.shares == EACH)

    @property
    def counted(self) -> int:
        """Number of the one resource by which shares are measured, -1 for the dominant one."""
        if self.quotas is None or self.quotas.shares in (DOMINANT, EACH):
            return -1
        return self.resources.index(self.quotas.shares)

    def __repr__(self) -> str:
        name = f"{self.name!r}: " if self.name else ""
        return (
            f"Hierarchy({name}{self.nodes} nodes, {self.leaves} leaves, depth {self.depth}, "
            f"{', '.join(self.resources)})"
        )
