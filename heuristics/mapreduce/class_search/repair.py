"""Due-date repair: tasks of one phase move until no slot is over a limit, compiled.

The jobs' dates stand. What a slot's value exceeds the limit by is its overload, and the sum over
all slots is made small: slots within the limit count alike, however full they are. So work
goes where there is room, which squares about a lower reference would not allow.
"""

from __future__ import annotations

import math

from ....core.arrays import IntArray
from ....core.kernels.decorators import inner, kernel
from ....core.random_numbers import below, uniform
from .slot_values import Side, refresh, replace_task, value_after

CHECK_STEPS = 64
"""Steps between two looks at the stop flag."""

PARTNERS = 6
"""Classes of the other slot that are tried for an exchange."""

WORK_WEIGHT = 0.01
"""What a unit of work weighs beside a unit of overload: of two moves the shorter one is made."""

NOTHING, NO_MOVE = -1, -2
"""In place of a class: no task comes back; no move is possible."""


@kernel
def repair(
    stop: IntArray, random: IntArray, side: Side, limit: int, steps: int, heat: float
) -> float:
    """Move tasks, or exchange two, until the overload is 0.

    `stop`: it ends when `stop[0]` is set, shape (1,).
    `side`: the state of the phase, changed in place.
    `limit`: what no slot's value should exceed, in time units.
    `heat`: a move is made in spite of this growth (time units) with probability 1 / e.
    Returns the overload that is left.
    """
    slots = len(side.value)
    overload = 0.0
    for k in range(slots):
        refresh(side, k, 0, len(side.delivery) - 1)
        overload += _over(side.value[k], limit)
    for step in range(steps):
        if overload <= 0.0 or (step % CHECK_STEPS == 0 and stop[0]):
            break
        a = _overloaded(random, side, limit)
        if side.kinds[a] == 0:
            continue
        c = side.present[a, below(random, side.kinds[a])]
        b = _target(random, side, c)
        if a == b:
            continue
        before = _over(side.value[a], limit) + _over(side.value[b], limit)
        d, cost = _partner(random, side, c, a, b, limit)
        growth = cost - before
        if d == NO_MOVE or (growth > 0.0 and uniform(random) >= math.exp(-growth / heat)):
            continue
        replace_task(side, a, c, d)
        replace_task(side, b, d, c)
        overload += _over(side.value[a], limit) + _over(side.value[b], limit) - before
    return overload


@inner
def _over(value: int, limit: int) -> float:
    return float(max(value - limit, 0))


@inner
def _overloaded(random: IntArray, side: Side, limit: int) -> int:
    """An overloaded slot; any slot once in eight times."""
    slots = len(side.value)
    k = below(random, slots)
    if below(random, 8) == 0:
        return int(k)
    for _ in range(slots):
        if side.value[k] > limit:
            break
        k = k + 1 if k + 1 < slots else 0
    return int(k)


@inner
def _target(random: IntArray, side: Side, c: int) -> int:
    """A slot for a task of class c, preferably one where it is fast."""
    if uniform(random) < 0.7:
        u = uniform(random)
        return int(side.fastest[c, int(u * u * side.fastest.shape[1])])
    return int(below(random, len(side.value)))


@inner
def _partner(random: IntArray, side: Side, c: int, a: int, b: int, limit: int) -> tuple[int, float]:
    """The class that goes from slot b to slot a in exchange for one of class c, or `NOTHING`.

    It is the best of a few. Returns it with the overload of both slots then, and what the change of
    work weighs.
    """
    g, less_a, more_b = side.place[side.job[c]], side.time[c, a], side.time[c, b]
    partner, least = NO_MOVE, math.inf
    kinds = side.kinds[b]
    j = below(random, kinds) if kinds else 0
    for turn in range(min(kinds, PARTNERS) + 1):
        d, h, less_b, more_a = NOTHING, NOTHING, 0, 0
        if turn:
            d = side.present[b, j]
            j = j + 1 if j + 1 < kinds else 0
            if d == c:
                continue
            h, less_b, more_a = side.place[side.job[d]], side.time[d, b], side.time[d, a]
        cost = WORK_WEIGHT * (more_a - less_a + more_b - less_b)
        cost += _over(value_after(side, a, g, less_a, h, more_a), limit)
        cost += _over(value_after(side, b, h, less_b, g, more_b), limit)
        if cost < least:
            partner, least = d, cost
    return partner, least
