"""A lower bound by prices of time, with a certificate in whole numbers; no schedule.

`docs/formulations/relaxed.md` has the bound and its proof.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.background import interruptible
from ....core.clock import StopReason
from ....core.kernels.decorators import counted, inner
from ....formulations.mapreduce.bounds.lengths import slot_loads
from ....formulations.mapreduce.coefficients import Coefficients
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.integer_time import common_unit, multiples
from ..race import Runner

PROOF = "prices of time"

MOST_UNITS = 2000
"""Most time units of a horizon."""


FIRST_STEP, LEAST_STEP, SHORTER = 0.3, 2e-4, 0.7
"""First and least step as a share of the mean price, and the factor by which it becomes shorter."""

PATIENCE = 200
"""A step becomes shorter after so many steps without gain."""

INERTIA = 0.7
"""What remains of the direction of the step before."""

LEAST_SURPLUS = 1e-7
"""Relative surplus at which prices are rounded and judged."""

WHOLE_PRICES = 2.0**30
"""The greatest price after rounding."""


class TimedJobs(NamedTuple):
    """The relaxed problem in whole time units, by phase; equal tasks of a job are one kind."""

    least: IntArray
    """Least duration of each job's phases alone, shape (2, jobs)."""
    begin: IntArray
    """Offsets of the kinds of each job, shape (2, jobs + 1)."""
    size: IntArray
    number: IntArray
    """`size`, `number`: duration and number of the tasks of each kind; shape (kinds,)."""
    slots: IntArray
    """Number of slots of each phase; shape (2,)."""


def timed_jobs(instance: Instance, unit: float) -> TimedJobs:
    """The relaxed problem of an instance.

    `unit`: the time unit (s), of which all durations are multiples.
    """
    data, cluster = Coefficients(instance), instance.cluster
    begin, sizes, numbers = [], [], []
    count = 0
    for job, seconds in (
        (instance.map_job, data.least_map),
        (instance.reduce_job, data.least_reduce),
    ):
        units = multiples(seconds, unit)
        kinds, number = np.unique(
            np.column_stack((job, units))[units > 0], axis=0, return_counts=True
        )
        begin.append(count + np.searchsorted(kinds[:, 0], np.arange(instance.jobs + 1)))
        sizes.append(kinds[:, 1])
        numbers.append(number)
        count += len(kinds)
    return TimedJobs(
        multiples(np.stack((data.head, data.tail)), unit),
        np.array(begin, dtype=np.int64),
        np.concatenate(sizes),
        np.concatenate(numbers),
        np.array([cluster.map_slots.sum(), cluster.reduce_slots.sum()], dtype=np.int64),
    )


def surplus(jobs: TimedJobs, prices: IntArray) -> int:
    """What the jobs pay at least, less what the slots can take; above 0 no schedule is so short.

    `prices`: price of each time unit of a map slot, from the start of the schedule, and of a reduce
    slot, from its end; whole and not negative, shape (2, horizon).
    """
    horizon = prices.shape[1]
    paid = np.zeros((2, horizon + 1), dtype=np.int64)
    np.cumsum(prices, axis=1, out=paid[:, 1:])
    total = -int((jobs.slots * paid[:, -1]).sum())
    for job in range(jobs.least.shape[1]):
        costs = np.zeros((2, horizon + 1), dtype=np.int64)
        for phase in range(2):
            for kind in range(jobs.begin[phase, job], jobs.begin[phase, job + 1]):
                size = jobs.size[kind]
                whole = paid[phase, size:] - paid[phase, : horizon + 1 - size]
                costs[phase, size:] += jobs.number[kind] * np.minimum.accumulate(whole)
        head, tail = jobs.least[:, job]
        total += int((costs[0] + costs[1, ::-1])[head : horizon + 1 - tail].min())
    return total


def time_prices_method(instance: Instance, runner: Runner) -> str:
    """A lower bound: the longest horizon found that prices prove impossible, unit by unit."""
    unit, clock = common_unit(instance), runner.clock
    if not unit or runner.makespan > MOST_UNITS * unit:
        return f"{StopReason.NOT_APPLICABLE}: no common unit of time, or more than {MOST_UNITS}"
    jobs = timed_jobs(instance, unit)
    given = np.ceil(runner.bound / unit * (1 - 1e-9))
    horizon = int(max(given, jobs.least.sum(axis=0).max(initial=0)))
    prices = np.ones((2, horizon))
    runner.tell(bound=horizon * unit, proof=PROOF)
    while not clock.over and 0 < horizon * unit < runner.makespan:
        flag = np.zeros(1, dtype=np.int64)
        interruptible(partial(raise_prices, flag, jobs, prices), flag, clock)
        scale = WHOLE_PRICES / max(1.0, prices.max())
        if surplus(jobs, np.floor(prices * scale).astype(np.int64)) <= 0:
            break
        horizon += 1
        prices = np.hstack((prices, prices[:, -1:]))
        runner.tell(bound=horizon * unit, proof=PROOF)
    return clock.reason if clock.over else StopReason.COMPLETED


def fits(instance: Instance) -> bool:
    """Whether all durations are multiples of a unit that is not too short."""
    unit = common_unit(instance)
    return bool(unit) and max(slot_loads(instance)) <= MOST_UNITS * unit


@inner
def _least_costs(
    first: int, last: int, size: IntArray, number: IntArray, paid: FloatArray, costs: FloatArray
) -> None:
    """What these kinds pay at least if they end by each time."""
    costs[:] = 0.0
    for kind in range(first, last):
        cheapest = np.inf
        for end in range(size[kind], len(paid)):
            cheapest = min(cheapest, paid[end] - paid[end - size[kind]])
            costs[end] += number[kind] * cheapest


@inner
def _occupy(
    first: int,
    last: int,
    size: IntArray,
    number: IntArray,
    paid: FloatArray,
    limit: int,
    change: FloatArray,
) -> None:
    """Add these kinds where they pay least and end by `limit`, as changes from unit to unit."""
    for kind in range(first, last):
        cheapest, at = np.inf, size[kind]
        for end in range(size[kind], limit + 1):
            cost = paid[end] - paid[end - size[kind]]
            if cost < cheapest:
                cheapest, at = cost, end
        change[at - size[kind]] += number[kind]
        change[at] -= number[kind]


@counted
def raise_prices(flag: IntArray, jobs: TimedJobs, prices: FloatArray) -> float:
    """Raise the relative surplus of `prices` by the subgradient method; return it.

    `flag`: the search ends soon after `flag[0]` becomes 1.
    `prices`: those to begin with, and then the best found; as in `surplus`, but not whole.
    """
    least, begin, slots = jobs.least, jobs.begin, jobs.slots
    size, number = jobs.size, jobs.number
    horizon = prices.shape[1]
    trial, direction = prices.copy(), np.zeros((2, horizon))
    paid, change = np.zeros((2, horizon + 1)), np.zeros((2, horizon + 1))
    costs = np.zeros((2, horizon + 1))
    best, since, step = -np.inf, 0, FIRST_STEP
    while step > LEAST_STEP and flag[0] == 0:
        change[:] = 0.0
        room = 0.0
        for phase in range(2):
            for time in range(horizon):
                paid[phase, time + 1] = paid[phase, time] + trial[phase, time]
            room += slots[phase] * paid[phase, horizon]
        if room <= 0.0:
            return best
        total = -room
        for job in range(least.shape[1]):
            for phase in range(2):
                first, last = begin[phase, job], begin[phase, job + 1]
                _least_costs(first, last, size, number, paid[phase], costs[phase])
            cheapest, at = np.inf, least[0, job]
            for time in range(least[0, job], horizon + 1 - least[1, job]):
                cost = costs[0, time] + costs[1, horizon - time]
                if cost < cheapest:
                    cheapest, at = cost, time
            total += cheapest
            for phase in range(2):
                first, last = begin[phase, job], begin[phase, job + 1]
                limit = horizon - at if phase else at
                _occupy(first, last, size, number, paid[phase], limit, change[phase])
        if total > best * room:
            best, since = total / room, 0
            prices[:] = trial
            if best > LEAST_SURPLUS:
                return best
        else:
            since += 1
            if since == PATIENCE:
                step, since = step * SHORTER, 0
                trial[:] = prices
                direction[:] = 0.0
                continue
        square = 0.0
        for phase in range(2):
            used = 0.0
            for time in range(horizon):
                used += change[phase, time]
                pull = used / slots[phase] - 1.0 if slots[phase] else 0.0
                direction[phase, time] = INERTIA * direction[phase, time] + pull
                square += direction[phase, time] ** 2
        if square == 0.0:
            return best
        length = step * room / slots.sum() / horizon * np.sqrt(2 * horizon / square)
        for phase in range(2):
            for time in range(horizon):
                trial[phase, time] = max(0.0, trial[phase, time] + length * direction[phase, time])
    return best
