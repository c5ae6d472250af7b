"""Hierarchies from plain objects, rows of a table, or a graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from .dropped_limits import DroppedLimit
from .hierarchy import UNBOUNDED, Hierarchy

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class Leaf:
    """A job for `hierarchy`.

    Parameters
    ----------
    name
        Its name.
    demand
        Demand of one task by resource.
    weight
        Weight among its siblings.
    tasks
        Task limit.
    """

    name: str
    demand: Mapping[str, float]
    weight: float = 1.0
    tasks: float = UNBOUNDED


@dataclass(frozen=True)
class Group:
    """A department or team for `hierarchy`.

    Parameters
    ----------
    name
        Its name.
    children
        Its groups and leaves.
    weight
        Weight among its siblings.
    """

    name: str
    children: Sequence[Group | Leaf] = ()
    weight: float = 1.0


def hierarchy(
    capacity: Mapping[str, float], root: Group, *, name: str = "", source: str = ""
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

    Returns
    -------
    Hierarchy
        The hierarchy.

    Raises
    ------
    InputError
        If something is wrong; the message names node and field.
    """
    rows: list[Row] = []
    stack: list[tuple[int, Group | Leaf]] = [(-1, root)]
    while stack:
        parent, node = stack.pop()
        asks = (node.demand, node.tasks) if isinstance(node, Leaf) else None
        if isinstance(node, Group):
            stack.extend((len(rows), child) for child in reversed(node.children))
        rows.append(Row(node.name, parent, node.weight, asks))
    return from_rows(capacity, rows, name=name, source=source)


@dataclass(frozen=True)
class Row:
    """A node for `from_rows`.

    Parameters
    ----------
    name
        Its name.
    parent
        Number of its parent, -1 for the root.
    weight
        Weight among its siblings.
    asks
        For a leaf, the demand of one task by resource, and the task limit.
    """

    name: str
    parent: int
    weight: float = 1.0
    asks: tuple[Mapping[str, float], float] | None = field(default=None)


def from_rows(
    capacity: Mapping[str, float],
    rows: Sequence[Row],
    *,
    name: str = "",
    source: str = "",
    dropped_limits: Sequence[DroppedLimit] = (),
) -> Hierarchy:
    """Build a hierarchy from a list of nodes, parents before their children.

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
    )


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
        rows.append(
            Row(str(attributes.get("name", node)), parent, attributes.get("weight", 1.0), asks)
        )
    return from_rows(
        graph.graph["capacity"],
        rows,
        name=str(graph.graph.get("name", "")),
        source=str(graph.graph.get("source", "")),
        dropped_limits=graph.graph.get("dropped_limits", ()),
    )


def _preorder(graph: nx.DiGraph[Any], root: Any) -> Iterator[tuple[Any, int]]:
    """Every node after its parent, with the parent's position in this order."""
    stack, place = [(root, -1)], 0
    while stack:
        node, parent = stack.pop()
        yield node, parent
        stack.extend((child, place) for child in reversed(list(graph.successors(node))))
        place += 1
