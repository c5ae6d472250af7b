"""Whether a request would be admitted now: by whose guarantee, from whom, or which limit says no.

What a subtree takes of a resource is what it uses, but at least what is reserved for it. A request
fits if no limit above it and no capacity would be exceeded. Where it does not fit now, a queue
within its guarantee can take back what others have above theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ....core.arrays import FloatArray
from ....core.errors import InputError
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.node_shares import taken_of
from ....instances.hierarchy.quotas import Quotas, promised
from ....instances.hierarchy.schedulers.queue_tree import with_all_that_tasks_take
from ....instances.hierarchy.subtree_sums import subtree_sums
from .why_node import Amount

NOW, BORROWING, RECLAIMING, LATER, NEVER = (
    "now",
    "now, by borrowing",
    "by reclaiming",
    "later",
    "never",
)
"""Answers: within its own guarantee, with what others do not use, by taking back, when others have
ended, and not even alone."""

ROOM = 1e-9
"""Relative difference of amounts that counts as rounding."""


@dataclass(frozen=True)
class Room:
    """What a node can still get of a resource, in the units of the capacity."""

    resource: str
    """The resource."""
    available: float
    """What it can get now, without taking anything from anybody."""
    potential: float
    """What it could have if nobody else used anything."""


@dataclass(frozen=True)
class Admission:
    """The answer to a request."""

    node: str
    """Path of the node that asks."""
    request: dict[str, float]
    """What it asks for."""
    answer: str
    """"now", "now, by borrowing", "by reclaiming", "later" or "never"."""
    lenders: tuple[Amount, ...]
    """Who does not use what is guaranteed to it, and lends it now."""
    borrowers: tuple[Amount, ...]
    """Who holds more than is guaranteed to it, and would have to give it back."""
    says_no: tuple[str, ...]
    """Limits and capacities that are in the way, each with what is left."""
    room: tuple[Room, ...]
    """What the node can get of each resource."""

    @property
    def admitted(self) -> bool:
        """Whether it starts without anybody ending by himself."""
        return self.answer in (NOW, BORROWING, RECLAIMING)

    def document(self) -> dict[str, Any]:
        """The answer as plain data for JSON."""
        return asdict(self) | {"admitted": self.admitted}

    def __str__(self) -> str:
        asked = ", ".join(f"{amount:.6g} {name}" for name, amount in self.request.items())
        lines = [f"{self.node}, {asked}: {self.answer}."]
        if self.lenders:
            lines.append(f"Not used by others, who can ask for it back: {_listed(self.lenders)}.")
        if self.borrowers:
            lines.append(f"Above what is guaranteed to them: {_listed(self.borrowers)}.")
        lines += [f"In the way: {reason}." for reason in self.says_no]
        lines += [
            f"{room.resource}: {room.available:.6g} can be had now, "
            f"{room.potential:.6g} if nobody else ran"
            for room in self.room
        ]
        return "\n".join(lines)


def _listed(amounts: tuple[Amount, ...]) -> str:
    return ", ".join(f"{each.node} {each.amount:.6g} {each.resource}" for each in amounts)


def admission(
    hierarchy: Hierarchy,
    path: str,
    request: Mapping[str, float],
    use: Mapping[str, Mapping[str, float]],
) -> Admission:
    """Tell whether a request of a node would be admitted.

    `use`: what each leaf uses now, by path and resource; what is not named uses nothing.
    Raises `InputError` for unknown nodes and resources.
    """
    tree = with_all_that_tasks_take(hierarchy, hierarchy.counted)
    node = tree.node_at(path)
    asked = np.zeros(len(tree.resources))
    for name, amount in request.items():
        asked[_column(tree, f"request of {path}", name)] = amount
    quotas = tree.quotas or Quotas.none(tree.nodes, len(tree.resources))
    used = _used(tree, use)
    wants = np.full((tree.nodes, len(tree.resources)), np.inf)
    promises = promised(quotas, tree.parent, wants)
    way = [node]
    while tree.parent[way[-1]] >= 0:
        way.append(int(tree.parent[way[-1]]))

    after = used.copy()
    after[node] += asked
    alone = np.zeros_like(used)
    alone[node] = used[node] + asked
    too_much = _exceeded(tree, quotas, taken_of(after, quotas, tree.parent), way)
    never = _exceeded(tree, quotas, taken_of(alone, quotas, tree.parent), way)
    total, totals_after = subtree_sums(tree.parent, used), subtree_sums(tree.parent, after)
    own = (totals_after[node] <= promises[node] * (1 + ROOM) + ROOM) | (asked <= 0)
    lenders: tuple[Amount, ...] = ()
    borrowers: tuple[Amount, ...] = ()
    if never:
        answer = NEVER
    elif not too_much:
        answer = NOW if own.all() else BORROWING
        if answer == BORROWING:
            idle = np.maximum(promises - total, 0.0)
            lenders = _leaves(tree, idle, way, ~own)
    else:
        answer = LATER
        blocked = np.zeros(len(tree.resources), dtype=np.bool_)
        reclaim = True
        for n, j in too_much:
            blocked[j] = True
            # Below the place that is full, it can take back what it is guaranteed.
            inside = way[: way.index(n)]
            reclaim &= any(totals_after[m, j] <= promises[m, j] * (1 + ROOM) + ROOM for m in inside)
        if reclaim:
            answer = RECLAIMING
            beyond = np.maximum(total - promises, 0.0)
            borrowers = _leaves(tree, beyond, way, blocked)
    room = _room(tree, quotas, used, node, way, asked)
    says_no = tuple(
        _words(tree, quotas, n, j, taken_of(used, quotas, tree.parent))
        for n, j in never or too_much
    )
    return Admission(tree.path(node), dict(request), answer, lenders, borrowers, says_no, room)


def _column(tree: Hierarchy, what: str, name: str) -> int:
    if name not in tree.resources:
        raise InputError(
            f"{what}: unknown resource {name!r}: capacity has {', '.join(tree.resources)}"
        )
    return tree.resources.index(name)


def _used(tree: Hierarchy, use: Mapping[str, Mapping[str, float]]) -> FloatArray:
    used = np.zeros((tree.nodes, len(tree.resources)))
    for path, amounts in use.items():
        n = tree.node_at(path)
        for name, amount in amounts.items():
            used[n, _column(tree, f"use of {path}", name)] += amount
    return used


def _exceeded(
    tree: Hierarchy, quotas: Quotas, taken: FloatArray, way: list[int]
) -> list[tuple[int, int]]:
    """Nodes on the way up, and resources, of which more would be taken than there may be."""
    found = []
    for n in way:
        most = quotas.limit[n] if n else tree.capacity
        over = np.flatnonzero(taken[n] > most * (1 + ROOM) + ROOM)
        found += [(n, j) for j in over.tolist()]
    return found


def _leaves(
    tree: Hierarchy, amounts: FloatArray, way: list[int], resources: Any
) -> tuple[Amount, ...]:
    """Leaves off the way with an amount of one of these resources, the largest first."""
    found = [
        Amount(tree.path(n), tree.resources[j], float(amounts[n, j]))
        for n in tree.leaf.tolist()
        for j in np.flatnonzero(resources).tolist()
        if n not in way and amounts[n, j] > ROOM
    ]
    return tuple(sorted(found, key=lambda each: -each.amount))


def _room(
    tree: Hierarchy,
    quotas: Quotas,
    used: FloatArray,
    node: int,
    way: list[int],
    asked: FloatArray,
) -> tuple[Room, ...]:
    rooms = []
    alone = np.zeros_like(used)
    for j in np.flatnonzero(asked > 0).tolist():
        available = _most_more(tree, quotas, used, node, way, j)
        potential = _most_more(tree, quotas, alone, node, way, j)
        rooms.append(Room(tree.resources[j], available, potential))
    return tuple(rooms)


def _most_more(
    tree: Hierarchy, quotas: Quotas, used: FloatArray, node: int, way: list[int], j: int
) -> float:
    """How much more of a resource a node can use: what is kept for it counts as taken already."""
    taken = taken_of(used, quotas, tree.parent)
    below = subtree_sums(tree.parent, used)
    most = np.inf
    kept = 0.0
    for n in way:
        own = float(below[n, j]) if n == node else float(taken[tree.parent == n, j].sum())
        kept += max(0.0, float(quotas.reserve[n, j]) - own)
        limit = float(quotas.limit[n, j] if n else tree.capacity[j])
        most = min(most, limit - float(taken[n, j]) + kept)
    return max(0.0, most)


def _words(tree: Hierarchy, quotas: Quotas, n: int, j: int, taken: FloatArray) -> str:
    name = tree.resources[j]
    most = float(quotas.limit[n, j] if n else tree.capacity[j])
    place = f"the limit of {tree.path(n)}" if n else "the capacity"
    return f"{place}, {most:.6g} {name}, of which {taken[n, j]:.6g} is taken"
