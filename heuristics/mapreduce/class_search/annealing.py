"""Annealing on the slots of both phases and on the jobs' target dates at once, compiled.

A state is the numbers of equal tasks on the slots, and a target date for the end of each job's map
phase. What is made small is the sum, over the slots of both phases, of the squares by which their
values exceed a reference a little below the worst.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ....core.arrays import BoolArray, IntArray
from ....core.kernels.decorators import inner, kernel
from ....core.random_numbers import below, uniform
from .slot_values import (
    Side,
    excess,
    excess_after_date,
    move_job,
    refresh,
    replace_task,
    value_after,
)

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


class Dates(NamedTuple):
    """The jobs' target dates."""

    date: IntArray
    """Target date of each job; shape (jobs,)."""
    at: IntArray
    """The jobs by target date, ties by number; shape (jobs,)."""
    free: BoolArray
    """Whether the date may change: the job has tasks of both phases; shape (jobs,)."""


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
    reference, heat = 0, 1.0
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
            reference = best - int(plan.width * plan.horizon)
            heat = temperature**2
        k = _bad_slot(random, maps, reduces)
        if uniform(random) < plan.date_share:
            _change_date(random, maps, reduces, dates, k, plan.horizon, reference, heat)
        elif k < len(maps.value):
            _move_task(random, maps, k, reference, heat, thrift)
        else:
            _move_task(random, reduces, k - len(maps.value), reference, heat, thrift)
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
def _accepted(random: IntArray, growth: float, heat: float) -> bool:
    return growth <= 0.0 or uniform(random) < math.exp(-growth / heat)


@inner
def _move_task(
    random: IntArray, side: Side, a: int, reference: int, heat: float, thrift: float
) -> None:
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
    d = _partner(random, side, c, a, b, reference)
    if d == c:
        return
    g, h, less_b, more_a = side.place[side.job[c]], -1, 0, 0
    if d >= 0:
        h, less_b, more_a = side.place[side.job[d]], side.time[d, b], side.time[d, a]
    new_a = value_after(side, a, g, less_a, h, more_a)
    new_b = value_after(side, b, h, less_b, g, more_b)
    growth = excess(new_a, reference) + excess(new_b, reference)
    growth -= excess(side.value[a], reference) + excess(side.value[b], reference)
    growth += thrift * (more_b - less_a + more_a - less_b)
    if _accepted(random, growth, heat):
        replace_task(side, a, c, d)
        replace_task(side, b, d, c)


@inner
def _partner(random: IntArray, side: Side, c: int, a: int, b: int, reference: int) -> int:
    """The class that goes from slot b to slot a in exchange for one of class c, or `NOTHING`.

    It is the best of a few, judged as if all were the last on their slots.
    """
    left_a, with_b = side.value[a] - side.time[c, a], side.value[b] + side.time[c, b]
    partner, least = NOTHING, excess(left_a, reference) + excess(with_b, reference)
    kinds = side.kinds[b]
    if kinds == 0:
        return partner
    j = below(random, kinds)
    for _ in range(min(kinds, PARTNERS)):
        d = side.present[b, j]
        j = j + 1 if j + 1 < kinds else 0
        if d == c:
            continue
        this = excess(left_a + side.time[d, a], reference)
        this += excess(with_b - side.time[d, b], reference)
        if this < least:
            partner, least = d, this
    return partner


@inner
def _critical_place(side: Side, k: int) -> int:
    for g in range(len(side.delivery)):
        if side.held[k, g] and side.until[k, g + 1] + side.delivery[g] == side.value[k]:
            return g
    return -1


@inner
def _change_date(
    random: IntArray,
    maps: Side,
    reduces: Side,
    dates: Dates,
    k: int,
    horizon: int,
    reference: int,
    heat: float,
) -> None:
    """Change a date: that of the job which gives slot k its value, or any."""
    jobs = len(dates.at)
    p, sign = below(random, jobs), 0
    if uniform(random) < 0.5:
        if k < len(maps.value):
            g, sign = _critical_place(maps, k), 1
        else:
            g, sign = _critical_place(reduces, k - len(maps.value)), -1
            g = jobs - 1 - g if g >= 0 else -1
        if g < 0:
            return
        p = g
    i = dates.at[p]
    if not dates.free[i]:
        return
    size = 10.0 ** (-2.5 + 1.5 * uniform(random)) * horizon
    shift = (uniform(random) + uniform(random) + uniform(random) - 1.5) * 2.0 * size
    if sign:
        shift = sign * abs(shift)
    date = min(max(dates.date[i] + int(shift), 0), horizon)
    q = p
    while q + 1 < jobs and _precedes(dates, dates.at[q + 1], i, date):
        q += 1
    while q > 0 and not _precedes(dates, dates.at[q - 1], i, date):
        q -= 1
    other = jobs - 1
    growth = excess_after_date(maps, p, q, horizon - date, reference)
    growth += excess_after_date(reduces, other - p, other - q, date, reference)
    if not _accepted(random, growth, heat):
        return
    move_job(maps, p, q, horizon - date)
    move_job(reduces, other - p, other - q, date)
    dates.date[i] = date
    step = 1 if q > p else -1
    for place in range(p, q, step):
        dates.at[place] = dates.at[place + step]
    dates.at[q] = i
    for place in range(min(p, q), max(p, q) + 1):
        maps.place[dates.at[place]] = place
        reduces.place[dates.at[place]] = other - place


@inner
def _precedes(dates: Dates, j: int, i: int, date: int) -> bool:
    """Whether job j comes before job i if that has this date."""
    return bool(dates.date[j] < date or (dates.date[j] == date and j < i))
