"""Repair: tasks move and dates change until no slot of either phase is over a limit, compiled.

What a slot's value exceeds the limit by is its overload; it costs what it is, and its square a
little more, and the sum over all slots is made small. Slots within the limit count alike, however
full they are: work goes where there is room, which squares about a lower reference would not allow.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ....core.arrays import IntArray
from ....core.kernels.decorators import inner, kernel
from ..search_kernels import below, uniform
from .dates import Dates, accepted, change_date
from .phase_values import Cost, Side, cost_of, refresh, replace_tasks, value_after

CHECK_STEPS = 64
"""Steps between two looks at the stop flag, the temperature and the overload."""

PARTNERS = 6
"""Classes of the other slot that are tried for an exchange."""

SQUARE = 50.0
"""What the square of an overload costs, with the limit as the unit of time. Without it one slot
would be given up for the sake of all others."""

GROWTH = 8.0
"""The weight of a slot that is overloaded for the n-th part of all steps grows e ** (8 / n) times;
later it falls as fast towards 1. Otherwise the last reduce task of a job would stay over the limit
where an earlier date of the job costs many map slots a little, for which they would find room."""

SEVERAL_SHARE = 0.4
"""Share of the exchanges in which several tasks may leave for one."""

DATE_SHARE = 0.03
"""Share of the steps that change a date."""

NOTHING = -1
"""In place of a class: no task comes back."""


class RepairPlan(NamedTuple):
    """How to repair."""

    limit: int
    """What no slot's value should exceed, in time units."""
    steps: int
    hot: float
    cold: float
    """First and last temperature, in time units: a change is made in spite of this growth of the
    cost with probability 1 / e."""
    thrift: float
    """What a unit of work weighs beside a unit of overload: of two moves the shorter one is made,
    and slots within the limit are not filled with tasks that would be faster elsewhere."""


class Exchange(NamedTuple):
    """Tasks that leave a slot, and what comes from the other slot in return."""

    leave: int
    """How many leave; 0 for no exchange."""
    partner: int
    """The class that comes, or `NOTHING`."""
    come: int
    """How many come."""
    cost: float
    """What both slots cost then, and what the change of work weighs."""


@kernel
def repair(
    stop: IntArray, random: IntArray, maps: Side, reduces: Side, dates: Dates, plan: RepairPlan
) -> int:
    """Move tasks, exchange them or change dates until no slot is overloaded.

    `stop`: it ends when `stop[0]` is set, shape (1,).
    `maps`, `reduces`, `dates`: the state, changed in place.
    Returns the overload that is left, summed over the slots of both phases.
    """
    last, first = len(maps.delivery) - 1, len(maps.value)
    for k in range(first):
        refresh(maps, k, 0, last)
    for k in range(len(reduces.value)):
        refresh(reduces, k, 0, last)
    cost = Cost(plan.limit, 1.0, SQUARE / plan.limit, plan.thrift)
    of_maps, of_reduces, heat = 0, 0, plan.hot
    for step in range(plan.steps):
        if step % CHECK_STEPS == 0:
            of_maps, of_reduces = overload(maps, plan.limit), overload(reduces, plan.limit)
            if of_maps + of_reduces == 0 or stop[0]:
                break
            weigh(maps, plan)
            weigh(reduces, plan)
            heat = plan.hot * (plan.cold / plan.hot) ** (step / plan.steps)
        if uniform(random) < DATE_SHARE:
            in_maps = below(random, 2) == 0
            k = overloaded(random, maps if in_maps else reduces, plan.limit)
            k = k if in_maps else k + first
            change_date(random, maps, reduces, dates, k, plan.limit, cost, heat)
        elif uniform(random) * (of_maps + of_reduces) < of_maps:
            _move_tasks(random, maps, cost, heat)
        else:
            _move_tasks(random, reduces, cost, heat)
    return overload(maps, plan.limit) + overload(reduces, plan.limit)


@inner
def weigh(side: Side, plan: RepairPlan) -> None:
    """Let the weights of overloaded slots grow, and those of the others fall towards 1."""
    rate = GROWTH * CHECK_STEPS / plan.steps
    for k in range(len(side.value)):
        if side.value[k] > plan.limit:
            side.weight[k] *= 1.0 + rate
        else:
            side.weight[k] = 1.0 + (side.weight[k] - 1.0) * max(1.0 - rate, 0.0)


@inner
def overload(side: Side, limit: int) -> int:
    """What the values of all slots exceed a limit by, together."""
    total = 0
    for value in side.value:
        total += max(value - limit, 0)
    return total


@inner
def overloaded(random: IntArray, side: Side, limit: int) -> int:
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
    """A slot for tasks of class c, preferably one where they are fast."""
    if uniform(random) < 0.7:
        u = uniform(random)
        return int(side.fastest[c, int(u * u * side.fastest.shape[1])])
    return int(below(random, len(side.value)))


@inner
def _move_tasks(random: IntArray, side: Side, cost: Cost, heat: float) -> None:
    """Move tasks off an overloaded slot, or exchange them for some of another slot."""
    if len(side.value) == 0:
        return
    a = overloaded(random, side, cost.limit)
    if side.kinds[a] == 0:
        return
    c = side.present[a, below(random, side.kinds[a])]
    b = _target(random, side, c)
    if a == b:
        return
    best = _exchange(random, side, c, a, b, cost)
    growth = best.cost - side.weight[a] * cost_of(side.value[a], cost)
    growth -= side.weight[b] * cost_of(side.value[b], cost)
    if best.leave and accepted(random, growth, heat):
        replace_tasks(side, a, c, best.leave, best.partner, best.come)
        replace_tasks(side, b, best.partner, best.come, c, best.leave)


@inner
def _exchange(random: IntArray, side: Side, c: int, a: int, b: int, cost: Cost) -> Exchange:
    """The best of a few ways to move tasks of class c from slot a to slot b."""
    best = Exchange(0, NOTHING, 0, math.inf)
    g, kinds = side.place[side.job[c]], side.kinds[b]
    j = below(random, kinds) if kinds else 0
    for turn in range(min(kinds, PARTNERS) + 1):
        d, h, less, more = NOTHING, NOTHING, 0, 0
        if turn:
            d = side.present[b, j]
            j = j + 1 if j + 1 < kinds else 0
            if d == c:
                continue
            h = side.place[side.job[d]]
        leave, come = _numbers(random, side, c, a, b, d)
        if d >= 0:
            less, more = come * side.time[d, b], come * side.time[d, a]
        less_a, more_b = leave * side.time[c, a], leave * side.time[c, b]
        with_a = value_after(side, a, g, leave, less_a, h, more)
        with_b = value_after(side, b, h, come, less, g, more_b)
        this = cost.work * (more - less_a + more_b - less)
        this += side.weight[a] * cost_of(with_a, cost) + side.weight[b] * cost_of(with_b, cost)
        if this < best.cost:
            best = Exchange(leave, d, come, this)
    return best


@inner
def _numbers(random: IntArray, side: Side, c: int, a: int, b: int, d: int) -> tuple[int, int]:
    """How many tasks of class c leave slot a, and how many of class d come from slot b.

    A long task changes places with as many short ones as take the same time on either slot.
    """
    several = uniform(random) < SEVERAL_SHARE
    if d < 0:
        return (1 + below(random, side.number[a, c]) if several else 1), 0
    long_a, long_b = side.time[c, a], side.time[c, b]
    short_a, short_b = side.time[d, a], side.time[d, b]
    if not several:
        return 1, 1
    if long_a >= short_a and long_b >= short_b:
        return 1, _as_many(random, long_a, long_b, short_a, short_b, side.number[b, d])
    if long_a < short_a and long_b < short_b:
        return _as_many(random, short_a, short_b, long_a, long_b, side.number[a, c]), 1
    return 1, 1


@inner
def _as_many(
    random: IntArray, long_a: int, long_b: int, short_a: int, short_b: int, there: int
) -> int:
    """How many short tasks take the time of a long one on one of both slots, at most `there`."""
    long, short = (long_a, short_a) if below(random, 2) else (long_b, short_b)
    return int(min(there, max(1, long // max(1, short))))
