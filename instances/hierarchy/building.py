"""Hierarchies from plain objects, rows of a table, or a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.calls import check_fields
from ...core.errors import InputError
from .dropped_limits import DroppedLimit
from .hierarchy import UNBOUNDED, Hierarchy
from .plain_tree import Group, Leaf, Quota, Sharing
from .quotas import Quotas

if TYPE_CHECKING:
    import networkx as nx


QUOTA_FIELDS = tuple(each.name for each in fields(Quota))


def hierarchy(
    capacity: Mapping[str, float],
    root: Group,
    *,
    name: str = "",
    source: str = "",
    sharing: Sharing | None = None,
) -> Hierarchy:
    """What `Hierarchy.from_tree` makes."""
    rows: list[Row] = []
    stack: list[tuple[int, Group | Leaf]] = [(-1, root)]
    while stack:
        parent, node = stack.pop()
        check_fields(f"{type(node).__name__.lower()} {node.name!r}", node)
        asks = (node.demand, node.tasks) if isinstance(node, Leaf) else None
        if isinstance(node, Group):
            stack.extend((len(rows), child) for child in reversed(node.children))
        rows.append(Row(node.name, parent, node.weight, asks, node.quota))
    return from_rows(capacity, rows, name=name, source=source, sharing=sharing)


@dataclass(frozen=True)
class Row:
    """A node for `from_rows`."""

    name: str
    parent: int
    """Number of its parent, -1 for the root."""
    weight: float = 1.0
    """Weight among its siblings."""
    asks: tuple[Mapping[str, float], float] | None = field(default=None)
    """For a leaf, the demand of one task by resource, and the task limit."""
    quota: Quota | None = None
    """What it is guaranteed and may hold."""


def from_rows(
    capacity: Mapping[str, float],
    rows: Sequence[Row],
    *,
    name: str = "",
    source: str = "",
    dropped_limits: Sequence[DroppedLimit] = (),
    sharing: Sharing | None = None,
) -> Hierarchy:
    """Build a hierarchy from a list of nodes, parents before their children.

    It has quotas if `sharing` says how to divide, or if a node has one.
    Raises `InputError` if something is wrong; the message names node and field.
    """
    resources = tuple(capacity)
    column = {resource: j for j, resource in enumerate(resources)}
    leaf = [n for n, row in enumerate(rows) if row.asks is not None]
    demand = np.zeros((len(leaf), len(resources)))
    tasks = np.zeros(len(leaf))
    for i, n in enumerate(leaf):
        wanted, tasks[i] = rows[n].asks or ({}, 0.0)
        for resource, amount in wanted.items():
            if resource not in column:
                raise InputError(
                    f"leaf {rows[n].name!r}, demand: unknown resource {resource!r}: "
                    f"capacity has {', '.join(resources)}"
                )
            demand[i, column[resource]] = amount
    return Hierarchy(
        resources=resources,
        capacity=np.array([capacity[resource] for resource in resources], dtype=float),
        names=tuple(row.name for row in rows),
        parent=np.array([row.parent for row in rows], dtype=np.int64),
        weight=np.array([row.weight for row in rows], dtype=float),
        leaf=np.array(leaf, dtype=np.int64),
        demand=demand,
        tasks=tasks,
        name=name,
        source=source,
        dropped_limits=tuple(dropped_limits),
        quotas=_quotas(rows, column, sharing),
    )


def _quotas(
    rows: Sequence[Row], column: Mapping[str, int], sharing: Sharing | None
) -> Quotas | None:
    if sharing is None and all(row.quota is None for row in rows):
        return None
    sharing = sharing or Sharing()
    empty = Quotas.none(len(rows), len(column))
    for n, row in enumerate(rows):
        if row.quota is None:
            continue
        empty.priority[n] = row.quota.priority
        for what in ("guarantee", "limit", "reserve"):
            for resource, amount in getattr(row.quota, what).items():
                if resource not in column:
                    raise InputError(
                        f"node {row.name!r}, {what}: unknown resource {resource!r}: "
                        f"capacity has {', '.join(column)}"
                    )
                getattr(empty, what)[n, column[resource]] = amount
    return replace(empty, surplus=sharing.surplus, shares=sharing.shares)


def from_graph(graph: nx.DiGraph[Any]) -> Hierarchy:
    """Build the hierarchy that a networkx tree describes, with the attributes of `Hierarchy.graph`.

    The `name` of a node defaults to the node itself as text, `weight` to 1, `tasks` to unbounded; a
    node with `demand` is a leaf. Children keep the order of their edges. Raises `InputError`.
    """
    import networkx as nx

    if len(graph) == 0 or not nx.is_arborescence(graph):
        raise InputError("graph: need a tree with edges from parents to children")
    if "capacity" not in graph.graph:
        raise InputError("graph: need the graph attribute 'capacity', a mapping by resource")
    root = next(node for node, degree in graph.in_degree() if degree == 0)
    rows = []
    for node, parent in _preorder(graph, root):
        attributes = graph.nodes[node]
        asks = None
        if "demand" in attributes:
            asks = (attributes["demand"], float(attributes.get("tasks", UNBOUNDED)))
        quota = {what: attributes[what] for what in QUOTA_FIELDS if what in attributes}
        rows.append(
            Row(
                str(attributes.get("name", node)),
                parent,
                attributes.get("weight", 1.0),
                asks,
                Quota(**quota) if quota else None,
            )
        )
    divides = {what: graph.graph[what] for what in ("surplus", "shares") if what in graph.graph}
    return from_rows(
        graph.graph["capacity"],
        rows,
        name=str(graph.graph.get("name", "")),
        source=str(graph.graph.get("source", "")),
        dropped_limits=graph.graph.get("dropped_limits", ()),
        sharing=Sharing(**divides) if divides else None,
    )


def _preorder(graph: nx.DiGraph[Any], root: Any) -> Iterator[tuple[Any, int]]:
    """Every node after its parent, with the parent's position in this order."""
    stack, place = [(root, -1)], 0
    while stack:
        node, parent = stack.pop()
        yield node, parent
        stack.extend((child, place) for child in reversed(list(graph.successors(node))))
        place += 1
