"""A lower bound by prices of time, with a certificate in whole numbers; no schedule.

`docs/formulations/relaxed.md` has the bound and its proof.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.background import interruptible
from ....core.clock import StopReason
from ....core.kernels.decorators import counted, inner
from ....formulations.mapreduce.bounds.lengths import ROUNDING, PhaseLengths, least_span, slot_loads
from ....formulations.mapreduce.bounds.reads import least_reads
from ....formulations.mapreduce.coefficients import Coefficients
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.integer_time import common_unit, multiples, units_below
from ..race import Runner

PROOF = "prices of time"

MOST_UNITS = 2000
"""Most time units of a horizon. Where durations are no multiples of such a unit, so many of them
make a horizon, and durations are rounded down."""

MOST_TASKS = 1000
"""Durations of more tasks are not rounded."""

FIRST_RISE, LEAST_RISE = 2e-3, 1e-3
"""First and least rise of a horizon of rounded durations, relatively."""

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
    data = Coefficients(instance)
    return _in_units(
        instance,
        multiples(np.stack((data.head, data.tail)), unit),
        (multiples(data.least_map, unit), multiples(data.least_reduce, unit)),
    )


def rounded_jobs(instance: Instance, horizon: float) -> TimedJobs | None:
    """The relaxed problem within a horizon (s), in `MOST_UNITS` units of it, rounded down.

    Reduce tasks read at least what a schedule within the horizon makes them read; with security all
    reads take the same time. None if there is no such schedule.
    """
    reads, unit = least_reads(instance), horizon / MOST_UNITS
    reduces: PhaseLengths | None = reads.reduces
    if instance.security is None:
        reduces = reads.longer(horizon)
    if reduces is None:
        return None
    least = np.stack((reads.heads, least_span(reduces)))
    if least.sum(axis=0).max(initial=0.0) > horizon * (1 + ROUNDING):
        return None
    maps, reduce = (
        units_below(phase.length * (1 - ROUNDING), unit) for phase in (reads.maps, reduces)
    )
    return _in_units(instance, units_below(least * (1 - ROUNDING), unit), (maps, reduce))


def _in_units(instance: Instance, least: IntArray, length: tuple[IntArray, IntArray]) -> TimedJobs:
    """`least`: as in `TimedJobs`. `length`: duration of each map task and each reduce task."""
    begin, sizes, numbers = [], [], []
    count = 0
    for job, units in zip((instance.map_job, instance.reduce_job), length, strict=True):
        kinds = np.column_stack((job, units))[units > 0]
        kinds, number = np.unique(kinds, axis=0, return_counts=True)
        begin.append(count + np.searchsorted(kinds[:, 0], np.arange(instance.jobs + 1)))
        sizes.append(kinds[:, 1])
        numbers.append(number)
        count += len(kinds)
    cluster = instance.cluster
    return TimedJobs(
        least,
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
    """A lower bound: the longest horizon found that prices prove impossible.

    Where all durations are multiples of a unit, horizons grow unit by unit; elsewhere by shares of
    their length.
    """
    unit = common_unit(instance)
    search = _Search(instance, runner)
    if unit and runner.makespan <= MOST_UNITS * unit:
        search.unit_by_unit(unit)
    elif can_round(instance):
        search.by_shares()
    else:
        rule = f"more than {MOST_TASKS} tasks, and no common unit of time"
        return f"{StopReason.NOT_APPLICABLE}: {rule}"
    return runner.clock.reason if runner.clock.over else StopReason.COMPLETED


class _Search:
    """The search for horizons without a schedule."""

    def __init__(self, instance: Instance, runner: Runner) -> None:
        self.instance, self.runner, self.clock = instance, runner, runner.clock
        self.prices = np.ones((2, MOST_UNITS))

    def unit_by_unit(self, unit: float) -> None:
        """The bound where all durations are multiples of a unit (s)."""
        jobs, runner = timed_jobs(self.instance, unit), self.runner
        given = np.ceil(runner.bound / unit * (1 - 1e-9))
        horizon = int(max(given, jobs.least.sum(axis=0).max(initial=0)))
        self.prices = np.ones((2, horizon))
        runner.tell(bound=horizon * unit, proof=PROOF)
        while not self.clock.over and 0 < horizon * unit < runner.makespan:
            if not self._excluded(jobs):
                break
            horizon += 1
            self.prices = np.hstack((self.prices, self.prices[:, -1:]))
            runner.tell(bound=horizon * unit, proof=PROOF)

    def by_shares(self) -> None:
        """The bound where durations are rounded down."""
        reads, runner = least_reads(self.instance), self.runner
        alone = float((reads.heads + reads.tails).max(initial=0.0))
        low, high, rise = max(runner.bound, alone), np.inf, FIRST_RISE
        runner.tell(bound=low, proof=PROOF)
        while not self.clock.over and rise >= LEAST_RISE and low > 0:
            horizon = low * (1 + rise)
            if horizon >= min(high, runner.makespan):
                rise /= 2
                continue
            jobs = rounded_jobs(self.instance, horizon)
            before = self.prices
            if jobs is None or self._excluded(jobs):
                low, rise = horizon, rise if np.isfinite(high) else 2 * rise
                runner.tell(bound=low, proof=PROOF)
            else:
                high, rise, self.prices = horizon, rise / 2, before

    def _excluded(self, jobs: TimedJobs) -> bool:
        """Whether prices exclude the horizon; they are kept for the next one."""
        self.prices = self.prices.copy()
        flag = np.zeros(1, dtype=np.int64)
        interruptible(lambda: raise_prices(flag, jobs, self.prices), flag, self.clock)
        scale = WHOLE_PRICES / max(1.0, self.prices.max())
        return surplus(jobs, np.floor(self.prices * scale).astype(np.int64)) > 0


def fits(instance: Instance) -> bool:
    """Whether all durations are multiples of a unit that is not too short."""
    unit = common_unit(instance)
    return bool(unit) and max(slot_loads(instance)) <= MOST_UNITS * unit


def can_round(instance: Instance) -> bool:
    """Whether both phases have tasks, and these are few enough for rounded durations."""
    tasks = instance.map_tasks, instance.reduce_tasks
    return min(tasks) > 0 and sum(tasks) <= MOST_TASKS


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
