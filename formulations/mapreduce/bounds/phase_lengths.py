"""The least lengths of tasks, and the least durations of each job's phases that follow.

Every task counts with its least setup, L = processing + least setup ([LJR], definition 1).
`docs/formulations/bounds.md` proves the bounds of a phase whose tasks wait. The wait of a reduce
task is for its job's map phase; of a map task, for the schedule read backwards, it is what follows
its job's map phase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappushpop
from typing import NamedTuple

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.values import once
from ....instances.mapreduce.cluster import Cluster, Rates
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.integer_time import multiples, power_of_two_unit
from ....instances.mapreduce.processing import least_map_times, least_reduce_times
from ....instances.mapreduce.setups import best_map_setups, best_reduce_setups, read_rates


class PhaseLengths(NamedTuple):
    """The tasks of one phase."""

    length: FloatArray
    """L of each task (s), shape (tasks,)."""
    job: IntArray
    """Job of each task, shape (tasks,)."""
    slots: int
    """Number of slots."""
    jobs: int
    """Number of jobs."""

    @property
    def usable(self) -> int:
        """Number of slots that can have a task to run."""
        return min(self.slots, self.length.size)


@once
def phases(instance: Instance) -> tuple[PhaseLengths, PhaseLengths]:
    cluster = instance.cluster
    map_length = least_map_times(instance) + best_map_setups(instance)
    rates = read_rates(instance)
    farther = rates.node / _nearest_rate(cluster, rates)
    read = farther * best_reduce_setups(instance)[instance.reduce_job]
    reduce_length = least_reduce_times(instance) + read
    return (
        PhaseLengths(map_length, instance.map_job, int(cluster.map_slots.sum()), instance.jobs),
        PhaseLengths(
            reduce_length, instance.reduce_job, int(cluster.reduce_slots.sum()), instance.jobs
        ),
    )


def _nearest_rate(cluster: Cluster, rates: Rates) -> float:
    """Best rate (MB/s) between a node with a map slot and one with a reduce slot."""
    maps, reduces = cluster.map_slots > 0, cluster.reduce_slots > 0
    if np.any(maps & reduces):
        return rates.node
    if np.intersect1d(cluster.rack_of[maps], cluster.rack_of[reduces]).size:
        return rates.rack
    return rates.remote


def longest_tasks(phase: PhaseLengths) -> FloatArray:
    """The longest task of each job (s), 0 without tasks; shape (jobs,)."""
    longest = np.zeros(phase.jobs)
    np.maximum.at(longest, phase.job, phase.length)
    return longest


def longest_or_area(phase: PhaseLengths) -> FloatArray:
    """Least duration (s) of each job's phase: its longest task, or its work over all slots."""
    area = np.bincount(phase.job, phase.length, phase.jobs) / max(phase.slots, 1)
    return np.maximum(longest_tasks(phase), area)


def least_span(phase: PhaseLengths) -> FloatArray:
    """Least duration (s) of each job's phase: longest task, area, and the pigeonhole argument."""
    span = longest_or_area(phase)
    if phase.length.size:
        order = np.lexsort((-phase.length, phase.job))
        job = phase.job[order]
        rank = np.arange(job.size) - np.searchsorted(job, job)
        last = np.flatnonzero(rank % phase.slots == 0)
        first = last - rank[last] // phase.slots
        shared = sums_between(phase.length[order], first, last + 1)
        np.maximum.at(span, job[last], shared)
    return span


def sums_between(values: FloatArray, first: IntArray, last: IntArray) -> FloatArray:
    """Sums of `values[first:last]` for several ranges, in whole units and rounded down.

    Differences of running sums of floats would lose short tasks beside long ones.
    """
    unit = power_of_two_unit(float(values.sum()), 61)
    sums = np.append(0, np.cumsum(multiples(values, unit)))
    between: FloatArray = (sums[last] - sums[first]) * unit
    return between


MOST_COMPARED = 1_000_000
"""Most tasks times waits that the pigeonhole bound looks at, but for eight waits."""

Side = Callable[[PhaseLengths, FloatArray], float]
"""Bound from one nonempty phase whose tasks wait for the given times (s), shape (tasks,)."""


def two_sided(
    maps: PhaseLengths, reduces: PhaseLengths, heads: FloatArray, tails: FloatArray, *sides: Side
) -> float:
    """The greatest bound of the two phases that have tasks; heads and tails (s): shape (jobs,)."""
    return max(
        (
            side(phase, wait[phase.job])
            for phase, wait in ((reduces, heads), (maps, tails))
            if phase.length.size
            for side in sides
        ),
        default=0.0,
    )


def mean_slot(phase: PhaseLengths, wait: FloatArray) -> float:
    """All slots wait on average and then work, for every set of the tasks that wait longest."""
    if wait.size < phase.slots:
        # The mean of what each task waits and takes, and one job alone takes as long as any.
        return 0.0
    order = np.argsort(wait, kind="stable")
    length = phase.length[order]
    top = _largest_sums(wait[order] + length, phase.slots)
    later = np.append(np.cumsum(length[:0:-1])[::-1], 0.0)
    return float(np.max(top + later)) / phase.slots


def fullest_slot(phase: PhaseLengths, wait: FloatArray) -> float:
    """Of k M + 1 tasks that wait, one of the M slots runs k + 1 of them after the least wait.

    The tasks are, for every k and every time, the longest of those that wait at least so long; on
    large instances some of these times only.
    """
    order = np.argsort(-phase.length)
    length, wait = phase.length[order], wait[order]
    return max(_most_on_a_slot(length[late], wait[late], phase.slots) for late in _late(wait))


def _late(wait: FloatArray) -> Iterator[BoolArray]:
    """Which tasks wait at least as long as each of several times, shapes (tasks,)."""
    times = np.unique(wait)
    most = max(8, MOST_COMPARED // wait.size)
    if times.size > most:
        times = times[np.linspace(0, times.size - 1, most).astype(np.int64)]
    for time in times.tolist():
        yield wait >= time


def _most_on_a_slot(length: FloatArray, wait: FloatArray, slots: int) -> float:
    """The pigeonhole bound of tasks sorted by falling length, all of them or the longest."""
    least_wait = np.minimum.accumulate(wait)
    last = np.arange(0, wait.size, slots)
    first = last - np.arange(last.size)
    return float(np.max(least_wait[last] + sums_between(length, first, last + 1)))


def _largest_sums(values: FloatArray, count: int) -> FloatArray:
    """Sum of the `count` largest of the first `count`, `count` + 1, … values; -inf before."""
    first, later = values[:count].tolist(), values[count:].tolist()
    total = 0.0
    for value in first:
        total += value
    sums = [-np.inf] * (len(first) - 1) + [total if len(first) == count else -np.inf]
    heapify(first)
    for value in later:
        total += value
        total -= heappushpop(first, value)
        sums.append(total)
    return np.array(sums)
