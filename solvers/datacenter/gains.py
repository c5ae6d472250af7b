"""What more of a resource would bring: the linear program solved again with it.

Dual prices do not say that. They are those of fractions of jobs, and 1 % more of a resource often
leaves no room for a whole job, or none without more of another resource.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from ...core.arrays import FloatArray
from ...core.clock import Clock
from ...instances.datacenter.datacenter import FIT_TOLERANCE, Datacenter
from ...instances.datacenter.guidance import Gains
from .column_generation import GAP, Columns, NoRate, generate_columns
from .knapsack import worth_of_room

MORE = 0.01
"""Relative increase of a resource."""

MOST_PLACES = 100
"""Most pairs of a configuration and a resource that are looked at one by one."""

_SOLVED = 2 * GAP
"""Relative gap at which a linear program counts as solved again."""

_NOTHING = 1e-9
"""A gain that is less than this share of the rate is rounding."""

_ROUNDS, _PARTS = 6, 32
"""How often the interval in which the least increase lies is cut, and into how many parts."""

_NODES = 100_000


def resource_gains(datacenter: Datacenter, columns: Columns, clock: Clock) -> Gains:
    """Solve the linear program again with more of each resource and one machine more of each kind.

    `clock`: when to end with what there is.
    Returns relative increases of the arrival rate; nan for what was not solved again.
    """
    shape = datacenter.capacity.shape
    gains = Gains(MORE, np.full(shape[1], np.nan), *(np.full(shape, np.nan) for _ in range(3)))
    for r in range(shape[1]):
        gains.everywhere[r] = _gain(datacenter, columns, np.s_[:, r], MORE, clock)
    if datacenter.capacity.size > MOST_PLACES:
        return gains
    places = list(product(np.flatnonzero(datacenter.count).tolist(), range(shape[1])))
    for place in places:
        gains.place[place] = _gain(datacenter, columns, place, MORE, clock)
    for place in places:
        if gains.place[place] <= _NOTHING and not clock.over:
            first = gains.first[place] = _first(datacenter, columns, *place)
            if np.isfinite(first):
                gains.first_gain[place] = _gain(datacenter, columns, place, first, clock)
    return gains


def machine_gains(datacenter: Datacenter, columns: Columns, clock: Clock) -> FloatArray:
    """Solve the linear program again with one more machine of each configuration.

    `columns`: the fractional plan with the highest arrival rate, and what a machine brings with its
    bins.
    `clock`: when to end with what there is.
    Returns increase of the arrival rate (jobs per time unit), shape (M,), at least what it is with
    the bins of the plan.
    """
    gains = columns.machine_gain.copy()
    if len(gains) > MOST_PLACES:
        return gains
    for j in np.flatnonzero(gains < columns.machine_price * (1 - GAP)):
        count = datacenter.count.copy()
        count[j] += 1
        gain = _solved_again(datacenter.with_count(count), columns, clock) * columns.value
        gains[j] = np.fmax(gains[j], gain)
    return gains


def _gain(datacenter: Datacenter, columns: Columns, where: Any, more: float, clock: Clock) -> float:
    """Relative gain if the capacities there, an index of (M, R), are greater by this part."""
    capacity = datacenter.capacity.copy()
    capacity[where] *= 1 + more
    return _solved_again(replace(datacenter, capacity=capacity), columns, clock)


def _solved_again(datacenter: Datacenter, columns: Columns, clock: Clock) -> float:
    """Relative gain of the arrival rate; nan if time is up before it is known."""
    if clock.over:
        return np.nan
    try:
        again = generate_columns(
            datacenter, start=columns.bins, gap=_SOLVED, time_limit=clock.left, stop=clock.stop
        )
    except NoRate:
        return np.nan
    gain = again.value / columns.value - 1
    if again.gap > 2 * _SOLVED:
        return np.nan
    return gain if gain > max(_NOTHING, 2 * columns.gap) else 0.0


def _first(datacenter: Datacenter, columns: Columns, j: int, r: int) -> float:
    """The least increase at which a machine holds jobs that are worth more, inf if above 100 %."""
    capacity = datacenter.capacity.copy()
    capacity[j, r] *= 2
    double = replace(datacenter, capacity=capacity)
    whole = datacenter.capacity[j] / double.unit
    worth = columns.worth * datacenter.rate[:, j]

    def values(more: FloatArray) -> FloatArray:
        room = np.tile(whole, (len(more), 1))
        room[:, r] *= 1 + more
        room = (np.rint(room) * (1 + FIT_TOLERANCE)).astype(np.int64)
        return worth_of_room(double, j, worth, room, tolerance=1e-9, most_nodes=_NODES)

    today, twice = values(np.array([0.0, 1.0]))
    enough = today * (1 + 1e-7)
    if twice <= enough:
        return np.inf
    low, high = 0.0, 1.0
    for _ in range(_ROUNDS):
        grid = np.linspace(low, high, _PARTS + 1)
        i = int(np.argmax(values(grid[1:]) > enough))
        low, high = float(grid[i]), float(grid[i + 1])
    # Three digits, rounded up.
    digits = 2 - int(np.floor(np.log10(high)))
    return float(np.ceil(high * 10.0**digits - 1e-4) / 10.0**digits)
