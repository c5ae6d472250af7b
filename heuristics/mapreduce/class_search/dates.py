"""The jobs' target dates for the ends of their map phases, and their changes, compiled."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ....core.arrays import BoolArray, IntArray
from ....core.kernels.decorators import inner
from ..search_kernels import below, uniform
from .phase_values import Cost, Side, cost_after_date, move_job


class Dates(NamedTuple):
    """The jobs' target dates."""

    date: IntArray
    """Target date of each job; shape (jobs,)."""
    at: IntArray
    """The jobs by target date, ties by number; shape (jobs,)."""
    free: BoolArray
    """Whether the date may change: the job has tasks of both phases; shape (jobs,)."""


def dates_between(
    end: IntArray,
    latest: IntArray,
    share: float,
    horizon: int,
    with_maps: BoolArray,
    with_reduces: BoolArray,
) -> Dates:
    """Dates at a share of the way from the ends of the map phases to their latest ends.

    `with_maps`, `with_reduces`: which jobs have tasks of the phase; all arrays of shape (jobs,).
    """
    date = np.clip(end + (share * (latest - end)).astype(np.int64), 0, horizon)
    date[~with_maps] = 0
    date[with_maps & ~with_reduces] = horizon
    return Dates(date, np.argsort(date, kind="stable"), with_maps & with_reduces)


@inner
def accepted(random: IntArray, growth: float, heat: float) -> bool:
    """Whether a change is made that lets the cost grow."""
    return growth <= 0.0 or uniform(random) < math.exp(-growth / heat)


@inner
def _critical_place(side: Side, k: int) -> int:
    for g in range(len(side.delivery)):
        if side.held[k, g] and side.path[k, g] == side.value[k]:
            return g
    return -1


@inner
def change_date(
    random: IntArray,
    maps: Side,
    reduces: Side,
    dates: Dates,
    k: int,
    horizon: int,
    cost: Cost,
    heat: float,
) -> None:
    """Change a date: that of the job which gives slot k its value, or any.

    `k`: a slot; reduce slots come after map slots.
    `heat`: a change is made in spite of this growth of the cost with probability 1 / e.
    """
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
    growth = cost_after_date(maps, p, q, horizon - date, cost)
    growth += cost_after_date(reduces, other - p, other - q, date, cost)
    if not accepted(random, growth, heat):
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
