"""The least lengths of tasks, and the least durations of phases that follow from them.

Every task counts with its least setup, L = processing + least setup ([LJR], definition 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.values import once
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.integer_time import multiples, power_of_two_unit
from ....instances.mapreduce.setups import best_map_setups, best_reduce_setups, read_rates

ROUNDING = 1e-9
"""Relative tolerance: what fits a time but for rounding does fit."""


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
    cluster, rates = instance.cluster, read_rates(instance)
    maps, reduces = cluster.map_slots > 0, cluster.reduce_slots > 0
    # The best rate between a node with a map slot and one with a reduce slot.
    nearest = rates.remote
    if np.any(maps & reduces):
        nearest = rates.node
    elif np.intersect1d(cluster.rack_of[maps], cluster.rack_of[reduces]).size:
        nearest = rates.rack
    read = rates.node / nearest * best_reduce_setups(instance)[instance.reduce_job]
    return (
        PhaseLengths(
            instance.phases.map.least() + best_map_setups(instance),
            instance.map_job,
            int(cluster.map_slots.sum()),
            instance.jobs,
        ),
        PhaseLengths(
            instance.phases.reduce.least() + read,
            instance.reduce_job,
            int(cluster.reduce_slots.sum()),
            instance.jobs,
        ),
    )


def slot_loads(instance: Instance) -> tuple[float, float]:
    """The least mean work (s) of the map slots and of the reduce slots."""
    maps, reduces = (phase.length.sum() / max(phase.slots, 1) for phase in phases(instance))
    return float(maps), float(reduces)


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
        last, _, shared = on_one_slot(phase.length[order], phase.slots, rank)
        np.maximum.at(span, job[last], shared)
    return span


def spans_with_reads(falling: FloatArray, slots: int, read: FloatArray) -> FloatArray:
    """Least durations (s) of some tasks that each take so much longer, shape as `read`.

    `falling`: at least one length (s), longest first.
    """
    _, number, sums = on_one_slot(falling, slots)
    area = (falling.sum() + len(falling) * read) / min(slots, len(falling))
    spans: FloatArray = np.maximum((sums + number * read[:, None]).max(axis=1), area)
    return spans


def on_one_slot(
    falling: FloatArray, slots: int, rank: IntArray | None = None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Of the k M + 1 longest tasks one of M slots runs k + 1, for every k.

    `falling`: length of each task (s), longest first; `rank` counts them anew for each job.
    Returns the last of the k M + 1 tasks, k + 1, and the least sum of so many of their lengths.
    """
    rank = np.arange(falling.size) if rank is None else rank
    last = np.flatnonzero(rank % slots == 0)
    number = 1 + rank[last] // slots
    # Differences of running sums of floats would lose short tasks beside long ones.
    unit = power_of_two_unit(float(falling.sum()), 61)
    sums = np.append(0, np.cumsum(multiples(falling, unit)))
    return last, number, (sums[last + 1] - sums[last + 1 - number]) * unit
