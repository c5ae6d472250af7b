"""The least lengths of tasks, and the least durations of each job's phases that follow.

Every task counts with its least setup, L = processing + least setup ([LJR], definition 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.integer_time import multiples, power_of_two_unit
from ....core.once import once
from ....instances.mapreduce.cluster import Cluster, Rates
from ....instances.mapreduce.instance import Instance
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
