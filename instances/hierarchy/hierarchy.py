"""A tree of departments, teams and jobs that share the resources of a cluster.

It is stored as arrays, so that a million nodes take megabytes and depth costs nothing.
`Hierarchy.from_tree` builds small ones from plain objects; `from_graph` and `Hierarchy.graph`
convert from and to networkx.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.calls import check_fields, checked
from ...core.errors import InputError
from ...core.values import ByValue
from ..array_checks import check_arrays
from ..views import Plottable, Tabular
from .nodes import EVERY_QUEUE, UNBOUNDED, DroppedLimit, Node, walk
from .quotas import ABOVE, AMOUNTS, DOMINANT, EACH, Quotas, sums_below

if TYPE_CHECKING:
    import networkx as nx


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
        root: Node,
        *,
        name: str = "",
        source: str = "",
        dropped_limits: Sequence[DroppedLimit] = (),
        surplus: str | None = None,
        shares: str | None = None,
    ) -> Hierarchy:
        """Build a hierarchy from plain objects.

        It has quotas if a node has one, or if `surplus` or `shares` says how to divide.

        Parameters
        ----------
        capacity
            Capacity by resource.
        root
            The root, a `Group`.
        name
            Name of the hierarchy.
        source
            Where it comes from.
        dropped_limits
            Limits of an imported scheduler's queues that the shares ignore.
        surplus
            What weights divide: "above" the guarantees, the default, or in "total".
        shares
            What is shared fairly: "dominant", the default, "each" resource for itself, or the name
            of one.

        Returns
        -------
        Hierarchy
            The hierarchy.

        Raises
        ------
        InputError
            If something is wrong; the message names node and field.
        """
        for node, _, _ in walk(root):
            check_fields(f"{'group' if node.demand is None else 'leaf'} {node.name!r}", node)
        return from_nodes(capacity, root, name, source, dropped_limits, surplus, shares)

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
        if self.dropped_limits:
            places = {EVERY_QUEUE, *self.node_paths}
            for limit in self.dropped_limits:
                if limit.queue not in places:
                    raise InputError(f"dropped_limits, {str(limit)!r}: there is no such queue")
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
        return _place("leaf", path, self.paths)

    def node_at(self, path: str) -> int:
        """Number of the node with this path. Raises `InputError`."""
        return _place("node", path, self.node_paths)

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
        return sums_below(self.parent, most)

    @cached_property
    def active(self) -> BoolArray:
        """Whether a node has a leaf with tasks in its subtree, shape (nodes,)."""
        with_tasks = np.zeros((self.nodes, 1))
        with_tasks[self.leaf, 0] = self.tasks > 0
        active: BoolArray = sums_below(self.parent, with_tasks)[:, 0] > 0
        return active

    @cached_property
    def guarantee(self) -> FloatArray:
        """Hierarchical share guarantee of each leaf: the dominant share it must be able to reach.

        Shape (leaves,).
        """
        return self.node_guarantee[self.leaf]

    @cached_property
    def node_guarantee(self) -> FloatArray:
        """The same of each node: the product, up the tree, of the weight over the weights of all
        active siblings; 0 for a node that is not active. Shape (nodes,).
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
        while up.any():
            factor, up = factor * factor[up], up[up]
        return factor

    @cached_property
    def depth(self) -> int:
        """Number of edges on the longest path from the root."""
        steps, up = np.minimum(np.arange(self.nodes), 1), np.maximum(self.parent, 0)
        while up.any():
            steps, up = steps + steps[up], up[up]
        return int(steps.max())

    def graph(self) -> nx.DiGraph[int]:
        """The tree in networkx: nodes 0, 1, …, edges from parent to child.

        Nodes have the fields of `Node` as attributes, but for what is usual; the graph has
        `capacity`, a mapping by resource, and `dropped_limits`.
        """
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph(
            name=self.name,
            source=self.source,
            capacity=dict(zip(self.resources, self.capacity.tolist(), strict=True)),
            dropped_limits=self.dropped_limits,
        )
        if self.quotas is not None:
            graph.graph.update(surplus=self.quotas.surplus, shares=self.quotas.shares)
        for n, said in enumerate(self.node_fields()):
            graph.add_node(n, **said)
        graph.add_edges_from(zip(self.parent[1:].tolist(), range(1, self.nodes), strict=True))
        return graph

    @classmethod
    def from_graph(cls, graph: nx.DiGraph[Any]) -> Hierarchy:
        """Build the hierarchy that a networkx tree describes, with the attributes of `graph`.

        The `name` of a node defaults to the node itself as text; a node with `demand` is a leaf.
        Children keep the order of their edges. Raises `InputError`.
        """
        import networkx as nx

        if len(graph) == 0 or not nx.is_arborescence(graph):
            raise InputError("graph: need a tree with edges from parents to children")
        about: dict[str, Any] = dict(graph.graph)
        if "capacity" not in about:
            raise InputError("graph: need the graph attribute 'capacity', a mapping by resource")
        about = {what: about[what] for what in _ABOUT if what in about}
        nodes = {}
        for n, given in graph.nodes(data=True):
            known = {one.name: given[one.name] for one in fields(Node) if one.name in given}
            nodes[n] = Node(**{"name": str(n)} | known)
        for n, node in nodes.items():
            if node.demand is None:
                node.children = [nodes[child] for child in graph.successors(n)]
        root = next(node for node, degree in graph.in_degree() if degree == 0)
        return cls.from_tree(root=nodes[root], **about)

    def node_fields(self) -> list[dict[str, Any]]:
        """Name, weight and what else is not usual of each node, as fields of `Node`."""
        said: list[dict[str, Any]] = [
            {"name": name, "weight": weight} | self.quota_of(n)
            for n, (name, weight) in enumerate(zip(self.names, self.weight.tolist(), strict=True))
        ]
        for i, (n, tasks) in enumerate(zip(self.leaf.tolist(), self.tasks.tolist(), strict=True)):
            said[n]["demand"] = self.demand_of(i)
            if tasks != UNBOUNDED:
                said[n]["tasks"] = int(tasks) if tasks.is_integer() else tasks
        return said

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


def from_nodes(
    capacity: Mapping[str, float],
    root: Node,
    name: str,
    source: str,
    dropped_limits: Sequence[DroppedLimit],
    surplus: str | None,
    shares: str | None,
) -> Hierarchy:
    """What `Hierarchy.from_tree` makes, of nodes whose fields are of the right kind."""
    rows = [(node, up) for node, up, _ in walk(root)]
    nodes = [node for node, _ in rows]
    leaf = [n for n, node in enumerate(nodes) if node.demand is not None]
    column = {resource: j for j, resource in enumerate(capacity)}

    def amounts(what: str, usual: float, ids: Sequence[int]) -> FloatArray:
        table = np.full((len(ids), len(column)), usual)
        for row, n in zip(table, ids, strict=True):
            for resource, amount in (getattr(nodes[n], what) or {}).items():
                if resource not in column:
                    kind = "leaf" if what == "demand" else "node"
                    raise InputError(
                        f"{kind} {nodes[n].name!r}, {what}: unknown resource {resource!r}: "
                        f"capacity has {', '.join(column)}"
                    )
                row[column[resource]] = amount
        return table

    quotas = None
    if surplus or shares or any(node.has_quota for node in nodes):
        tables = {what: amounts(what, x, range(len(nodes))) for what, x in AMOUNTS.items()}
        priority = np.array([node.priority for node in nodes], dtype=np.int64)
        quotas = Quotas(
            **tables, priority=priority, surplus=surplus or ABOVE, shares=shares or DOMINANT
        )
    return Hierarchy(
        resources=tuple(capacity),
        capacity=np.array(list(capacity.values()), dtype=float),
        names=tuple(node.name for node in nodes),
        parent=np.array([up for _, up in rows], dtype=np.int64),
        weight=np.array([node.weight for node in nodes], dtype=float),
        leaf=np.array(leaf, dtype=np.int64),
        demand=amounts("demand", 0.0, leaf),
        tasks=np.array([nodes[n].tasks for n in leaf], dtype=float),
        name=name,
        source=source,
        dropped_limits=tuple(dropped_limits),
        quotas=quotas,
    )


def _place(kind: str, path: str, paths: tuple[str, ...]) -> int:
    """Number of a path among others; near ones are named in the error."""
    try:
        return paths.index(path.strip("/"))
    except ValueError:
        near = [name for name in paths if name.endswith("/" + path)][:3] or paths[:3]
        raise InputError(f"no {kind} {path!r}: there is {', '.join(map(repr, near))} …") from None


_ABOUT = ("capacity", "name", "source", "dropped_limits", "surplus", "shares")
"""Attributes of a graph that `Hierarchy.from_tree` takes."""
