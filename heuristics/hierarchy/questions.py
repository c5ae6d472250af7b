"""Why a node has its share, and what would change if it were given something else.

Who holds what a node needs is read off; who would give way is computed again: some lose who hold
nothing of it, some gain, and a group's greater limit can leave somebody inside it with less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ...core.arrays import BoolArray
from ...core.calls import checked
from ...core.errors import InputError
from ...core.wording import listed, percent
from ...instances.hierarchy.allocation import TOLERANCE, Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.hierarchy.nodes import DroppedLimit, shown
from ...instances.hierarchy.quotas import Quotas
from .exact import MANY, exact

FIELDS = ("weight", "tasks", "priority", "guarantee", "limit", "reserve")
"""What of a node can be another; the last three with a resource, `limit.cpu`."""

LEAST = 1e-7
"""Least difference, as a fraction of the capacity, that counts as a change."""

MOST_SHOWN = 8
"""Most nodes that a line names; it tells how many more there are."""


@dataclass(frozen=True)
class Amount:
    """A node, named by its path, and an amount of a resource in the units of the capacity.

    `guaranteed`: what of it is guaranteed.
    """

    node: str
    resource: str
    amount: float
    guaranteed: float = 0.0


@dataclass(frozen=True)
class Borrowed:
    """What a node uses of a resource above its guaranteed part, and whose it is.

    `owners`: what others are guaranteed and do not use, by path.
    """

    resource: str
    amount: float
    owners: dict[str, float]


@dataclass(frozen=True)
class Trial:
    """What would change with another value of one field.

    `said`: what is other, in words. `own`, `others`: changes of the node, and of leaves outside it.
    `impossible`: why it cannot be so, if it cannot.
    """

    said: str
    own: tuple[Amount, ...] = ()
    others: tuple[Amount, ...] = ()
    impossible: str = ""


@dataclass(frozen=True)
class Why:
    """The explanation of what a leaf or group has.

    Parameters
    ----------
    node
        Its path.
    method
        The allocator.
    capacity
        Of the cluster, by resource.
    used
        What it uses of each resource that it needs.
    dominant_share
        The largest fraction of a resource that it uses.
    guarantee
        Its part by weights alone, all siblings that have tasks being busy.
    met
        Whether a leaf has its guarantee; None for a group.
    guaranteed
        What stated guarantees give it of each resource.
    own_guarantee
        What the file guarantees the node itself.
    steps
        Weight, siblings' weights and group on the way from the node to the root.
    limited_by
        What stops it, as in `allocation/2`.
    lines
        The explanation in words.
    can_give
        All leaves that hold what is full and what the node needs.
    borrows
        What it uses above its guarantee, and who can take it back.
    trials
        What would change with another weight, guarantee or limit.
    dropped_limits
        Limits of imported queues that the shares ignore.
    """

    node: str
    method: str
    capacity: dict[str, float]
    used: dict[str, float]
    dominant_share: float
    guarantee: float
    met: bool | None
    guaranteed: dict[str, float]
    own_guarantee: dict[str, float]
    steps: tuple[str, ...]
    limited_by: tuple[str, ...]
    lines: tuple[str, ...]
    can_give: tuple[Amount, ...]
    borrows: tuple[Borrowed, ...]
    trials: tuple[Trial, ...]
    dropped_limits: tuple[DroppedLimit, ...]

    def document(self) -> dict[str, Any]:
        """The explanation as plain data for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, eq=False)
class WhatIf:
    """Shares with other fields of some nodes.

    `said`: the new values, as `NODE:FIELD=VALUE`. `changes`: path, resource, use before and after
    of every node that uses more or less.
    """

    said: tuple[str, ...]
    before: Allocation
    after: Allocation
    changes: tuple[tuple[str, str, float, float], ...]

    def document(self) -> dict[str, Any]:
        """The answer as plain data for JSON."""
        names = ("node", "resource", "before", "after")
        return {
            "what_if": list(self.said),
            "changes": [dict(zip(names, change, strict=True)) for change in self.changes],
            "allocation": self.after.document(),
        }


def what_if(hierarchy: Hierarchy, said: Sequence[str], *, scale_guarantees: bool = False) -> WhatIf:
    """Compute the exact shares again with other values, each given as `NODE:FIELD=VALUE`.

    Raises `InputError` for an unknown node or field, for a wrong value, and for guarantees that do
    not fit.
    """
    other = hierarchy
    for text in said:
        other = _changed(other, *_parsed(hierarchy, text))
    before = exact(hierarchy, scale_guarantees=scale_guarantees)
    after = exact(other, scale_guarantees=scale_guarantees)
    return WhatIf(tuple(said), before, after, _changes(before, after))


def _parsed(hierarchy: Hierarchy, text: str) -> tuple[int, str, int, float]:
    """Node, field, number of the resource (-1 for none) and value of `NODE:FIELD=VALUE`."""
    place, equals, value = text.rpartition("=")
    path, colon, field = place.rpartition(":")
    if not (equals and colon and path):
        raise InputError(f"what if {text!r}: need NODE:FIELD=VALUE, for example eng/dev:weight=2")
    node = hierarchy.node_at(path)
    name, _, resource = field.partition(".")
    if name not in FIELDS:
        known = ", ".join(each if k < 3 else f"{each}.RESOURCE" for k, each in enumerate(FIELDS))
        raise InputError(f"what if {text!r}: unknown field {name!r}: choose from {known}")
    j = -1
    if name in FIELDS[3:]:
        if resource not in hierarchy.resources:
            known = ", ".join(f"{name}.{each}" for each in hierarchy.resources)
            raise InputError(f"what if {text!r}: which resource? Choose from {known}")
        j = hierarchy.resources.index(resource)
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not number >= 0 and name != "priority":
        raise InputError(f"what if {text!r}: need a number >= 0, got {value!r}")
    if name == "priority" and not number.is_integer():
        raise InputError(f"what if {text!r}: need a whole number, got {value!r}")
    return node, name, j, number


def _changed(hierarchy: Hierarchy, node: int, field: str, j: int, value: float) -> Hierarchy:
    """The hierarchy with another value of one field of one node. Raises `InputError`."""
    quotas = hierarchy.quotas or Quotas.none(hierarchy.nodes, len(hierarchy.resources))
    if field == "weight":
        weight = hierarchy.weight.copy()
        weight[node] = value
        return replace(hierarchy, weight=weight, quotas=hierarchy.quotas if value else quotas)
    if field == "tasks":
        if not (hierarchy.leaf == node).any():
            raise InputError(f"node {hierarchy.path(node)!r}, tasks: a group has no tasks")
        return replace(hierarchy, tasks=np.where(hierarchy.leaf == node, value, hierarchy.tasks))
    amounts = getattr(quotas, field).copy()
    if field == "priority":
        amounts[node] = int(value)
    else:
        amounts[node, j] = value
    return replace(hierarchy, quotas=replace(quotas, **{field: amounts}))


def _changes(before: Allocation, after: Allocation) -> tuple[tuple[str, str, float, float], ...]:
    """Every node and resource whose use differs, parents before their children."""
    tree = before.hierarchy
    old, new = before.nodes.used, after.nodes.used
    differs = np.abs(new - old) > LEAST * tree.capacity
    differs[0] = False
    return tuple(
        (tree.path(n), tree.resources[j], float(old[n, j]), float(new[n, j]))
        for n, j in np.argwhere(differs).tolist()
    )


@checked
def why(allocation: Allocation, path: str, *, scale_guarantees: bool = False) -> Why:
    """Explain the share of a leaf or group.

    Parameters
    ----------
    allocation
        The allocation.
    path
        Path of the leaf or group.
    scale_guarantees
        Whether guarantees were scaled: what would change is then computed so too.

    Returns
    -------
    Why
        The explanation.

    Raises
    ------
    InputError
        If there is no such node.
    """
    tree, shares = allocation.hierarchy, allocation.nodes
    node = tree.node_at(path)
    if node == 0:
        raise InputError(f"node {path!r}: the root has the whole cluster")
    inside = tree.inside(node)
    needs: BoolArray = np.any(tree.demand[inside[tree.leaf]] > 0, axis=0, keepdims=True)[0]
    leaf = np.flatnonzero(tree.leaf == node)
    steps, part = _way(tree, node)
    reasons, full = _stops(allocation, node, inside)
    answer = Why(
        node=tree.path(node),
        method=allocation.method,
        capacity=dict(zip(tree.resources, tree.capacity.tolist(), strict=True)),
        used={
            name: float(shares.used[node, j]) for j, name in enumerate(tree.resources) if needs[j]
        },
        dominant_share=float(shares.dominant_share[node]),
        guarantee=part,
        met=bool(allocation.met[leaf[0]]) if leaf.size else None,
        guaranteed=shares.amounts(shares.guaranteed, node),
        own_guarantee={
            name: float(shares.quotas.guarantee[node, j]) if tree.counted in (-1, j) else 0.0
            for j, name in enumerate(tree.resources)
        },
        steps=steps,
        limited_by=tuple(reasons),
        lines=(),
        can_give=_holders(allocation, inside, full & needs),
        borrows=_borrowed(allocation, node, inside),
        trials=tuple(_trials(allocation, node, inside, needs, scale_guarantees)),
        dropped_limits=tuple(
            limit for limit in tree.dropped_limits if limit.concerns(tree.path(node), tree.names[0])
        ),
    )
    return replace(answer, lines=tuple(_in_words(answer, allocation, needs)))


def _way(tree: Hierarchy, node: int) -> tuple[tuple[str, ...], float]:
    """The weights on the way to the root in words, and the part that they give."""
    steps, part, n = [], 1.0, node
    while n > 0:
        up = int(tree.parent[n])
        siblings = float(tree.weight[(tree.parent == up) & tree.active].sum())
        first = "weight " if n == node else f"{tree.path(n)} "
        group = f"in {tree.path(up)}" if up else f"below {tree.names[0]}"
        steps.append(f"{first}{tree.weight[n]:g} of {siblings:g} {group}")
        part *= float(tree.weight[n]) / siblings if siblings and tree.active[n] else 0.0
        n = up
    return tuple(steps), part


def _stops(allocation: Allocation, node: int, inside: BoolArray) -> tuple[list[str], BoolArray]:
    """What stops a node, and for each other node which resources it would have to share with it.

    Of whole tasks, a resource is full when the next task does not fit.
    """
    tree, shares = allocation.hierarchy, allocation.nodes
    wanted = np.zeros((tree.nodes, len(tree.resources)), dtype=np.bool_)
    if allocation.whole:
        short = inside[tree.leaf] & (allocation.tasks + 1 <= tree.tasks)
        if not short.any():
            return ["tasks"], wanted
        need = (tree.demand / tree.capacity)[short]
        full = ((need > 0) & (1 - allocation.used < need + TOLERANCE)).any(axis=0)
        wanted[:] = full
        return [f"capacity:{tree.resources[j]}" for j in np.flatnonzero(full)], wanted
    reasons = shares.limited_by(node)
    if reasons == ["tasks"]:
        return reasons, wanted
    n, open_ = node, np.ones(len(tree.resources), dtype=np.bool_)
    while n >= 0:
        for j in np.flatnonzero(shares.full[n] & open_):
            wanted[:, j] |= tree.inside(n)
        open_ &= ~shares.kept[n]
        n = int(tree.parent[n])
    return reasons, wanted


def _holders(allocation: Allocation, inside: BoolArray, wanted: BoolArray) -> tuple[Amount, ...]:
    """Leaves outside the node that hold what it would need, the largest first."""
    tree, shares = allocation.hierarchy, allocation.nodes
    holds = wanted & (shares.used > 1e-9 * tree.capacity) & ~inside[:, None]
    found = [
        Amount(
            tree.path(n),
            tree.resources[j],
            float(shares.used[n, j]),
            float(min(shares.used[n, j], shares.guaranteed[n, j])),
        )
        for n in tree.leaf.tolist()
        for j in np.flatnonzero(holds[n]).tolist()
    ]
    return tuple(sorted(found, key=lambda each: (each.resource, -each.amount)))


def _borrowed(allocation: Allocation, node: int, inside: BoolArray) -> tuple[Borrowed, ...]:
    """What a node borrows; nothing where nothing is guaranteed to anybody."""
    tree, shares = allocation.hierarchy, allocation.nodes
    if not shares.quotas.guarantee.any():
        return ()
    above, n = {node}, node
    while n > 0:
        n = int(tree.parent[n])
        above.add(n)
    found = []
    for j, resource in enumerate(tree.resources):
        borrowed = float(shares.used[node, j] - shares.guaranteed[node, j])
        least = 1e-9 * float(tree.capacity[j])
        if borrowed <= least:
            continue
        counts = tree.counted in (-1, j)
        idle = shares.quotas.guarantee[:, j] * counts - shares.used[:, j]
        below, owners = np.zeros(tree.nodes), {}
        for n in range(tree.nodes - 1, 0, -1):
            own = 0.0 if inside[n] or n in above else float(idle[n] - below[n])
            if own > least:
                owners[tree.path(n)] = own
            below[tree.parent[n]] += max(own, 0.0) + below[n]
        ordered = sorted(owners.items(), key=lambda each: -each[1])
        found.append(Borrowed(resource, borrowed, dict(ordered)))
    return tuple(found)


def _trials(
    allocation: Allocation, node: int, inside: BoolArray, needs: BoolArray, scale: bool
) -> list[Trial]:
    """What would change, in an allocation by `exact` of a tree that is computed at once."""
    tree, quotas = allocation.hierarchy, allocation.nodes.quotas
    if allocation.method != "exact" or tree.nodes > MANY:
        return []
    weight = float(tree.weight[node])
    tried = [("Weight +1", node, "weight", -1, weight + 1)]
    if weight > 0:
        tried.insert(0, ("If its weight were 10 % more", node, "weight", -1, 1.1 * weight))
    for j in np.flatnonzero(needs).tolist() if tree.quotas is not None else ():
        unit = 1.0 if tree.capacity[j] >= 20 else float(tree.capacity[j]) / 100
        more = f"+{unit:g} {tree.resources[j]}"
        if tree.counted in (-1, j):
            own = float(quotas.guarantee[node, j]) + unit
            tried.append((f"Minimum {more}", node, "guarantee", j, own))
        n, at = node, len(tried)
        while n > 0:
            limit = float(quotas.limit[n, j])
            if np.isfinite(limit):
                where = "Maximum" if n == node else f"Maximum of {tree.path(n)}"
                tried.insert(at, (f"{where} {more}", n, "limit", j, limit + unit))
            n = int(tree.parent[n])
    leaves, trials = set(tree.paths), []
    outside = leaves - {tree.path(n) for n in np.flatnonzero(inside).tolist()}
    for said, n, field, j, value in tried:
        try:
            after = exact(_changed(tree, n, field, j, value), scale_guarantees=scale)
        except InputError as error:
            trials.append(Trial(said, impossible=str(error)))
            continue
        found = [Amount(at, name, new - old) for at, name, old, new in _changes(allocation, after)]
        trials.append(
            Trial(
                said,
                tuple(each for each in found if each.node == tree.path(node)),
                tuple(each for each in found if each.node in outside),
            )
        )
    return trials


def _in_words(answer: Why, allocation: Allocation, needs: BoolArray) -> list[str]:
    tree = allocation.hierarchy
    used = ", ".join(
        f"{name} {amount:.6g} of {answer.capacity[name]:.6g} "
        f"({percent(amount / answer.capacity[name])})"
        for name, amount in answer.used.items()
    )
    lines = [f"{answer.node}: {used}" + ("" if answer.method == "exact" else f", {answer.method}")]
    if tree.quotas is None and not tree.active[tree.node_at(answer.node)]:
        lines.append("It has no tasks: it is guaranteed nothing, its siblings share its part.")
    else:
        lines.append(_guaranteed(answer, allocation, needs))
        lines += _limited(answer, allocation)
    for held in answer.borrows:
        begin = f"Borrows {held.amount:.6g} {held.resource} above what it is guaranteed"
        owners = [f"{path} up to {amount:.6g}" for path, amount in held.owners.items()]
        back = "nobody else's guarantee lies idle"
        if owners:
            back = f"who wants what is guaranteed to it can take it back: {listed(owners)}"
        lines.append(f"{begin}; {back}.")
    lines += [_trial(trial) for trial in answer.trials]
    if answer.dropped_limits:
        lines.append("NOT in this share, limits of the imported queues:")
        lines += [f"  {line}" for line in shown(answer.dropped_limits, MOST_SHOWN)]
    return lines


def _guaranteed(answer: Why, allocation: Allocation, needs: BoolArray) -> str:
    tree, weights = allocation.hierarchy, "; ".join(answer.steps)
    if tree.quotas is None:
        if answer.met is None:
            return f"By weights {percent(answer.guarantee)} of all is its ({weights})."
        has = "which it does NOT have"
        if answer.met and answer.dominant_share >= answer.guarantee * (1 - TOLERANCE):
            has = "which it has"
        elif answer.met:
            by_tasks = answer.limited_by == ("tasks",)
            has = "more than its tasks need" if by_tasks else "in which no further whole task fits"
        return f"Guaranteed {percent(answer.guarantee)} of all by weights ({weights}), {has}."
    own, held = _amounts(answer.own_guarantee), _amounts(answer.guaranteed)
    by_weight = {
        name: answer.guarantee * answer.capacity[name]
        for j, name in enumerate(tree.resources)
        if needs[j] and tree.counted in (-1, j)
    }
    if not own:
        text = f"Guaranteed {held} by guarantees above and below it"
        text = text if held else "The file guarantees it nothing"
    elif held == own:
        text = f"Guaranteed {held} by its own minimum"
    else:
        text = f"Guaranteed {held or 'nothing'}, its own minimum is {own}"
    return f"{text}; by weights alone {_amounts(by_weight) or 'nothing'} ({weights})."


def _limited(answer: Why, allocation: Allocation) -> list[str]:
    """What stops the node, whether the cluster is full, and who holds what it needs."""
    tree, shares = allocation.hierarchy, allocation.nodes
    if answer.limited_by == ("tasks",):
        return ["Limited by its tasks: all of them run."]
    state = "has no room for another of its tasks" if allocation.whole else "is full"
    lines = []
    for reason in answer.limited_by:
        kind, _, place = reason.partition(":")
        if kind == "capacity":
            lines.append(f"Limited by the cluster: {place} {state}.")
        else:
            path, _, resource = place.rpartition(":")
            amount = shares.quotas.limit[tree.node_at(path), tree.resources.index(resource)]
            lines.append(f"Limited by the maximum of {path}: {amount:.6g} {resource}, full.")
    if not any(reason.startswith("capacity") for reason in answer.limited_by):
        load = ", ".join(
            f"{name} {percent(float(part))}"
            for name, part in zip(tree.resources, shares.taken[0] / tree.capacity, strict=True)
        )
        lines.append(f"The cluster is not full: {load}.")
    if answer.can_give:
        held = _listed(
            f"{held.node} {held.amount:.6g} {held.resource}"
            + (
                f" (guaranteed {held.guaranteed:.6g}, so {held.amount - held.guaranteed:.6g} "
                "can be taken back)"
                if held.guaranteed > 0
                else ""
            )
            for held in answer.can_give
        )
        lines.append(f"Hold what it needs: {held}.")
    elif answer.limited_by:
        lines.append("Nobody else holds what it needs: only more of it would help.")
    return lines


def _amounts(amounts: dict[str, float]) -> str:
    return " and ".join(f"{amount:.6g} {name}" for name, amount in amounts.items() if amount > 0)


def _listed(lines: Iterable[str]) -> str:
    rows = list(lines)
    more = len(rows) - MOST_SHOWN
    return ", ".join(rows if more <= 0 else [*rows[:MOST_SHOWN], f"and {more} more"])


def _trial(trial: Trial) -> str:
    if trial.impossible:
        return f"{trial.said}: not possible: {trial.impossible}."
    if not (trial.own or trial.others):
        return f"{trial.said}: no change."
    own = _listed(f"{each.amount:+.3g} {each.resource}" for each in trial.own)
    parts = [own or "nothing more"]
    for verb, sign in (("gives way", -1), ("gains", 1)):
        names = [
            f"{each.node} {each.amount:+.3g} {each.resource}"
            for each in trial.others
            if each.amount * sign > 0
        ]
        if names:
            parts.append(f"{verb}: {_listed(names)}")
    return f"{trial.said}: {'; '.join(parts)}."
