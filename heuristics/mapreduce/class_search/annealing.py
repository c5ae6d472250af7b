"""Annealing on the slots of both phases and on the jobs' target dates at once, compiled.

A state is the numbers of equal tasks on the slots, and a target date for the end of each job's map
phase. What is made small is the sum, over the slots of both phases, of the squares by which their
values exceed a reference a little below the worst.
"""

from __future__ import annotations

from typing import NamedTuple

from ....core.arrays import IntArray
from ....core.kernels.decorators import inner, kernel
from ..random_numbers import below, uniform
from .dates import Dates, accepted, change_date
from .slot_values import Cost, Side, cost_of, refresh, replace_tasks, value_after

CHECK_STEPS = 64
"""Steps between two looks at the stop flag, the temperature and the worst slot."""

PARTNERS = 6
"""Classes of the other slot that are tried for an exchange."""

CONTESTANTS = 4
"""A task is moved off the worst of so many slots."""

NOTHING = -1
"""In place of a class: no task comes back."""

MARGIN = 1e-4
"""A state is kept if it is better by this share of the horizon than the one kept last."""


class Kept(NamedTuple):
    """The best state so far: as in `Side.number` and `Dates.date`."""

    maps: IntArray
    reduces: IntArray
    date: IntArray


class Plan(NamedTuple):
    """How to anneal."""

    steps: int
    horizon: int
    """Dates and values are relative to this makespan, in time units."""
    hot: float
    cold: float
    """First and last temperature, in time units."""
    width: float
    """The reference is below the least worst value so far by this share of the horizon."""
    thrift: float
    """What a unit of work weighs on any slot, as a share of what one weighs on the worst."""
    date_share: float
    """Share of the steps that change a date."""


@kernel
def anneal(
    stop: IntArray,
    random: IntArray,
    maps: Side,
    reduces: Side,
    dates: Dates,
    kept: Kept,
    plan: Plan,
) -> int:
    """Anneal.

    `stop`: it ends when `stop[0]` is set, shape (1,).
    `maps`, `reduces`, `dates`: the state, changed in place.
    """
    last = len(maps.delivery) - 1
    for k in range(len(maps.value)):
        refresh(maps, k, 0, last)
    for k in range(len(reduces.value)):
        refresh(reduces, k, 0, last)
    best = _worst(maps, reduces)
    saved = best
    _keep(maps, reduces, dates, kept)
    cost, heat = Cost(0, 0.0, 1.0, 0.0), 1.0
    margin = int(MARGIN * plan.horizon)
    thrift = 2 * plan.thrift * plan.width * plan.horizon
    for step in range(plan.steps):
        if step % CHECK_STEPS == 0:
            if stop[0]:
                break
            worst = _worst(maps, reduces)
            if worst < saved - margin:
                _keep(maps, reduces, dates, kept)
                saved = worst
            best = min(best, worst)
            temperature = plan.hot * (plan.cold / plan.hot) ** (step / plan.steps)
            cost = Cost(best - int(plan.width * plan.horizon), 0.0, 1.0, thrift)
            heat = temperature**2
        k = _bad_slot(random, maps, reduces)
        if uniform(random) < plan.date_share:
            change_date(random, maps, reduces, dates, k, plan.horizon, cost, heat)
        elif k < len(maps.value):
            _move_task(random, maps, k, cost, heat)
        else:
            _move_task(random, reduces, k - len(maps.value), cost, heat)
    worst = _worst(maps, reduces)
    if worst < saved:
        _keep(maps, reduces, dates, kept)
        saved = worst
    return saved


@inner
def _worst(maps: Side, reduces: Side) -> int:
    worst = 0
    for value in maps.value:
        worst = max(worst, value)
    for value in reduces.value:
        worst = max(worst, value)
    return worst


@inner
def _keep(maps: Side, reduces: Side, dates: Dates, kept: Kept) -> None:
    _copy(maps.number, kept.maps)
    _copy(reduces.number, kept.reduces)
    for i in range(len(kept.date)):
        kept.date[i] = dates.date[i]


@inner
def _copy(source: IntArray, target: IntArray) -> None:
    for k in range(source.shape[0]):
        for c in range(source.shape[1]):
            target[k, c] = source[k, c]


@inner
def _bad_slot(random: IntArray, maps: Side, reduces: Side) -> int:
    """The slot of greatest value among a few; reduce slots come after map slots."""
    first, number = len(maps.value), len(maps.value) + len(reduces.value)
    chosen, most = 0, 0
    for turn in range(CONTESTANTS):
        k = below(random, number)
        value = maps.value[k] if k < first else reduces.value[k - first]
        if turn == 0 or value > most:
            chosen, most = k, value
    return chosen


@inner
def _move_task(random: IntArray, side: Side, a: int, cost: Cost, heat: float) -> None:
    """Move a task off slot a, or exchange it for one of another slot."""
    slots = len(side.value)
    if slots < 2 or side.kinds[a] == 0:
        return
    c = side.present[a, below(random, side.kinds[a])]
    if uniform(random) < 0.7:
        u = uniform(random)
        b = side.fastest[c, int(u * u * side.fastest.shape[1])]
    else:
        b = below(random, slots)
    if a == b:
        return
    less_a, more_b = side.time[c, a], side.time[c, b]
    d = _partner(random, side, c, a, b, cost)
    if d == c:
        return
    g, h, less_b, more_a = side.place[side.job[c]], -1, 0, 0
    if d >= 0:
        h, less_b, more_a = side.place[side.job[d]], side.time[d, b], side.time[d, a]
    new_a = value_after(side, a, g, 1, less_a, h, more_a)
    new_b = value_after(side, b, h, 1, less_b, g, more_b)
    growth = cost_of(new_a, cost) + cost_of(new_b, cost)
    growth -= cost_of(side.value[a], cost) + cost_of(side.value[b], cost)
    growth += cost.work * (more_b - less_a + more_a - less_b)
    if accepted(random, growth, heat):
        replace_tasks(side, a, c, 1, d, 1)
        replace_tasks(side, b, d, 1, c, 1)


@inner
def _partner(random: IntArray, side: Side, c: int, a: int, b: int, cost: Cost) -> int:
    """The class that goes from slot b to slot a in exchange for one of class c, or `NOTHING`.

    It is the best of a few, judged as if all were the last on their slots.
    """
    left_a, with_b = side.value[a] - side.time[c, a], side.value[b] + side.time[c, b]
    partner, least = NOTHING, cost_of(left_a, cost) + cost_of(with_b, cost)
    kinds = side.kinds[b]
    if kinds == 0:
        return partner
    j = below(random, kinds)
    for _ in range(min(kinds, PARTNERS)):
        d = side.present[b, j]
        j = j + 1 if j + 1 < kinds else 0
        if d == c:
            continue
        this = cost_of(left_a + side.time[d, a], cost)
        this += cost_of(with_b - side.time[d, b], cost)
        if this < least:
            partner, least = d, this
    return partner
