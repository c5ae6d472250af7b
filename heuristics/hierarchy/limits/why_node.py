"""Why a node of a hierarchy with guarantees and limits has what it has.

Who holds what it needs is read off; who would give way is computed again with another weight,
since some lose who hold nothing of it, and some gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ....core.errors import InputError
from ....core.wording import percent
from ....instances.hierarchy.allocation import Allocation
from ....instances.hierarchy.dropped_limits import DroppedLimit, limits_of, shown
from ....instances.hierarchy.hierarchy import Hierarchy
from ..exact import exact
from .reclaim import Reclaim, reclaims
from .what_if import changed, changes

MOST_SHOWN = 8
"""Most nodes that a line names; it tells how many more there are."""

MORE_WEIGHT = 1.1
"""Factor of the weight in the question who would give way."""


@dataclass(frozen=True)
class Amount:
    """A node and an amount of a resource, in the units of the capacity."""

    node: str
    """Its path."""
    resource: str
    """The resource."""
    amount: float
    """The amount; a difference where it says what would change."""
    guaranteed: float = 0.0
    """What of it is guaranteed."""


@dataclass(frozen=True)
class Trial:
    """What would change with another value of one field."""

    said: str
    """What is other, in words."""
    own: tuple[Amount, ...]
    """Changes of the node itself."""
    others: tuple[Amount, ...]
    """Changes of leaves outside it and of its siblings' leaves."""
    impossible: str = ""
    """Why it cannot be so."""


@dataclass(frozen=True)
class WhyNode:
    """The explanation of what a leaf or group has."""

    node: str
    """Its path."""
    capacity: dict[str, float]
    used: dict[str, float]
    """What it uses of each resource."""
    guaranteed: dict[str, float]
    """What stated guarantees give it."""
    own_guarantee: dict[str, float]
    """What the file guarantees the node itself."""
    by_weight: dict[str, float]
    """What weights alone would give it of each resource, all siblings busy."""
    steps: tuple[str, ...]
    """Weight, siblings' weights and group on the way from the root."""
    limited_by: tuple[str, ...]
    """What stops it, as in `allocation/2`."""
    full: tuple[str, ...]
    """In words, what is full, and what is not."""
    can_give: tuple[Amount, ...]
    """All who hold what is full and what the node needs, with what is guaranteed to them."""
    reclaims: tuple[Reclaim, ...]
    """What it borrows above its guarantee, and who can take it back."""
    trials: tuple[Trial, ...]
    """What would change with another weight, guarantee or limit."""
    dropped_limits: tuple[DroppedLimit, ...]
    """Limits of imported queues that the shares ignore."""

    def document(self) -> dict[str, Any]:
        """The explanation as plain data for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [
            f"{self.node}: "
            + ", ".join(
                f"{name} {amount:.6g} of {self.capacity[name]:.6g} "
                f"({percent(amount / self.capacity[name])})"
                for name, amount in self.used.items()
            ),
            self._guaranteed(),
            *self.full,
        ]
        if self.can_give:
            held = _listed(
                f"{held.node} {held.amount:.6g} {held.resource}"
                + (
                    f" (guaranteed {held.guaranteed:.6g}, so {held.amount - held.guaranteed:.6g} "
                    "can be taken back)"
                    if held.guaranteed > 0
                    else ""
                )
                for held in self.can_give
            )
            lines.append(f"Hold what it needs: {held}.")
        lines += [str(reclaim) for reclaim in self.reclaims]
        lines += [_trial(trial) for trial in self.trials]
        if self.dropped_limits:
            lines.append("NOT in this share, limits of the imported queues:")
            lines += [f"  {line}" for line in shown(self.dropped_limits, MOST_SHOWN)]
        return "\n".join(lines)

    def _guaranteed(self) -> str:
        own, held = _amounts(self.own_guarantee), _amounts(self.guaranteed)
        if not own:
            text = f"Guaranteed {held} by guarantees above and below it"
            text = text if held else "The file guarantees it nothing"
        elif held == own:
            text = f"Guaranteed {held} by its own minimum"
        else:
            text = f"Guaranteed {held or 'nothing'}, its own minimum is {own}"
        weights = "; ".join(self.steps)
        return f"{text}; by weights alone {_amounts(self.by_weight) or 'nothing'} ({weights})."


def _amounts(amounts: dict[str, float]) -> str:
    return " and ".join(f"{amount:.6g} {name}" for name, amount in amounts.items() if amount > 0)


def _listed(lines: Any) -> str:
    rows = list(lines)
    more = len(rows) - MOST_SHOWN
    return ", ".join(rows if more <= 0 else [*rows[:MOST_SHOWN], f"and {more} more"])


def _signed(amounts: Sequence[Amount], *, name: bool) -> str:
    return _listed(
        (f"{each.node} " if name else "") + f"{each.amount:+.3g} {each.resource}"
        for each in amounts
    )


def _trial(trial: Trial) -> str:
    if trial.impossible:
        return f"{trial.said}: not possible: {trial.impossible}."
    if not (trial.own or trial.others):
        return f"{trial.said}: no change."
    lose = [each for each in trial.others if each.amount < 0]
    gain = [each for each in trial.others if each.amount > 0]
    own = _signed(trial.own, name=False) or "nothing more"
    parts = [own]
    if lose:
        parts.append(f"gives way: {_signed(lose, name=True)}")
    if gain:
        parts.append(f"gains: {_signed(gain, name=True)}")
    return f"{trial.said}: {'; '.join(parts)}."


def why_node(allocation: Allocation, path: str) -> WhyNode:
    """Explain what a leaf or group has, in an allocation by `exact`.

    Raises `InputError` if there is no such node.
    """
    tree = allocation.hierarchy
    node = tree.node_at(path)
    if node == 0:
        raise InputError(f"node {path!r}: the root has the whole cluster")
    shares = allocation.nodes
    names = tree.resources

    def row(amounts: Any) -> dict[str, float]:
        return dict(zip(names, amounts.tolist(), strict=True))

    inside = tree.inside(node)
    needs: Any = (tree.demand[inside[tree.leaf]] > 0).any(axis=0)
    quotas = shares.quotas
    counts = [tree.counted in (-1, j) for j in range(len(names))]
    return WhyNode(
        node=tree.path(node),
        capacity=row(tree.capacity),
        used={
            name: amount
            for name, amount in row(shares.used[node]).items()
            if amount or needs[names.index(name)]
        },
        guaranteed=row(shares.guaranteed[node]),
        own_guarantee=row(np.where(counts, quotas.guarantee[node], 0.0)),
        by_weight=_by_weight(tree, node, needs),
        steps=_steps(tree, node),
        limited_by=tuple(shares.limited_by(node)),
        full=tuple(_full(allocation, node)),
        can_give=_holders(allocation, node, inside, needs),
        reclaims=reclaims(allocation, node),
        trials=tuple(_trials(allocation, node, inside, needs)),
        dropped_limits=tuple(limits_of(tree.dropped_limits, tree.names[0], tree.path(node))),
    )


def _way(tree: Hierarchy, node: int) -> list[int]:
    """The nodes from below the root down to this one."""
    way = [node]
    while tree.parent[way[-1]] > 0:
        way.append(int(tree.parent[way[-1]]))
    return way[::-1]


def _part(tree: Hierarchy, node: int) -> tuple[float, float]:
    """Weight of a node, and of all its active siblings with it."""
    active = (tree.parent == tree.parent[node]) & tree.active
    return float(tree.weight[node]), float(tree.weight[active].sum())


def _steps(tree: Hierarchy, node: int) -> tuple[str, ...]:
    steps = []
    for n in reversed(_way(tree, node)):
        weight, siblings = _part(tree, n)
        up = int(tree.parent[n])
        group = tree.path(up) if up else f"below {tree.names[0]}"
        first = "weight " if n == node else f"{tree.path(n)} "
        steps.append(f"{first}{weight:g} of {siblings:g} {'in ' if up else ''}{group}")
    return tuple(steps)


def _by_weight(tree: Hierarchy, node: int, needs: Any) -> dict[str, float]:
    part = 1.0
    for n in _way(tree, node):
        weight, siblings = _part(tree, n)
        part *= weight / siblings if siblings and tree.active[n] else 0.0
    return {
        name: part * float(tree.capacity[j])
        for j, name in enumerate(tree.resources)
        if needs[j] and tree.counted in (-1, j)
    }


def _full(allocation: Allocation, node: int) -> list[str]:
    """What stops the node, and whether the cluster is full."""
    tree, shares = allocation.hierarchy, allocation.nodes
    reasons = shares.limited_by(node)
    if reasons == ["tasks"]:
        return ["Limited by its tasks: all of them run."]
    lines = []
    for reason in reasons:
        kind, _, place = reason.partition(":")
        if kind == "capacity":
            lines.append(f"Limited by the cluster: {place} is full.")
        elif kind == "limit":
            path, _, resource = place.rpartition(":")
            n, j = tree.node_at(path), tree.resources.index(resource)
            amount = shares.quotas.limit[n, j]
            lines.append(f"Limited by the maximum of {path}: {amount:.6g} {resource}, full.")
    if not any(reason.startswith("capacity") for reason in reasons):
        load = ", ".join(
            f"{name} {percent(float(part))}"
            for name, part in zip(tree.resources, shares.taken[0] / tree.capacity, strict=True)
        )
        lines.append(f"The cluster is not full: {load}.")
    return lines


def _holders(allocation: Allocation, node: int, inside: Any, needs: Any) -> tuple[Amount, ...]:
    """Leaves that hold a full resource, or hold it below a full limit above the node."""
    tree, shares = allocation.hierarchy, allocation.nodes
    wanted = np.zeros((tree.nodes, len(tree.resources)), dtype=np.bool_)
    for n in (0, *_way(tree, node)):
        for j in np.flatnonzero(shares.full[n] & needs).tolist():
            wanted[:, j] |= tree.inside(n)
    found = []
    for n in tree.leaf.tolist():
        if inside[n]:
            continue
        for j in np.flatnonzero(wanted[n]).tolist():
            held, own = float(shares.used[n, j]), float(shares.guaranteed[n, j])
            if held > 1e-9 * tree.capacity[j]:
                found.append(Amount(tree.path(n), tree.resources[j], held, min(held, own)))
    return tuple(sorted(found, key=lambda each: (each.resource, -each.amount)))


def _trials(allocation: Allocation, node: int, inside: Any, needs: Any) -> list[Trial]:
    tree = allocation.hierarchy
    quotas = allocation.nodes.quotas
    weight = float(tree.weight[node])
    tried = [
        ("If its weight were 10 % more", [(node, "weight", -1, weight * MORE_WEIGHT)]),
        ("Weight +1", [(node, "weight", -1, weight + 1)]),
    ]
    for j in np.flatnonzero(needs).tolist():
        name = tree.resources[j]
        unit = 1.0 if tree.capacity[j] >= 20 else float(tree.capacity[j]) / 100
        more = f"{unit:g} {name}"
        own = float(quotas.guarantee[node, j])
        if tree.counted in (-1, j):
            tried.append((f"Minimum +{more}", [(node, "guarantee", j, own + unit)]))
        for n in _way(tree, node):
            limit = float(quotas.limit[n, j])
            if np.isfinite(limit):
                where = "Maximum" if n == node else f"Maximum of {tree.path(n)}"
                tried.append((f"{where} +{more}", [(n, "limit", j, limit + unit)]))
    trials = []
    for said, fields in tried:
        other = tree
        try:
            for n, field, j, value in fields:
                other = changed(other, n, field, j, value)
            after = exact(other)
        except InputError as error:
            trials.append(Trial(said, (), (), str(error)))
            continue
        leaf = np.zeros(tree.nodes, dtype=np.bool_)
        leaf[tree.leaf] = True
        found = [
            (
                tree.node_at(change.node),
                Amount(change.node, change.resource, change.after - change.before),
            )
            for change in changes(allocation, after)
        ]
        trials.append(
            Trial(
                said,
                tuple(amount for n, amount in found if n == node),
                tuple(amount for n, amount in found if leaf[n] and not inside[n]),
            )
        )
    return trials
