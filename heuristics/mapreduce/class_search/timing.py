"""Exact times of numbers of tasks on slots: when jobs' map phases end, and when they have to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from .task_classes import TaskClasses


class Timing(NamedTuple):
    """The times of numbers of tasks on slots, in time units."""

    makespan: int
    end: IntArray
    """End of each job's map phase, 0 without one; shape (jobs,)."""
    due: IntArray
    """Latest end of each job's map phase for this makespan; shape (jobs,)."""


def evaluate(
    maps: TaskClasses,
    reduces: TaskClasses,
    map_count: IntArray,
    reduce_count: IntArray,
    date: IntArray,
) -> Timing:
    """Time numbers of tasks on slots.

    `date`: map slots run the jobs in the order of these dates, ties by number, shape (jobs,).
    Returns the times. Reduce slots run the jobs by the end of their map phases.
    """
    jobs = len(date)
    number, work = _by_job(maps, map_count, jobs)
    end = np.zeros(jobs, dtype=np.int64)
    free = np.zeros(len(map_count), dtype=np.int64)
    for i in np.argsort(date, kind="stable"):
        used = np.flatnonzero(number[i])
        free[used] += work[i, used]
        end[i] = free[used].max(initial=0)
    makespan = int(free.max(initial=0))
    number, work = _by_job(reduces, reduce_count, jobs)
    free = np.zeros(len(reduce_count), dtype=np.int64)
    by_end = np.argsort(end, kind="stable")
    for i in by_end:
        used = np.flatnonzero(number[i])
        free[used] = np.maximum(free[used], end[i]) + work[i, used]
    makespan = max(makespan, int(free.max(initial=0)))
    due = np.full(jobs, makespan, dtype=np.int64)
    free = np.full(len(reduce_count), makespan, dtype=np.int64)
    for i in by_end[::-1]:
        used = np.flatnonzero(number[i])
        free[used] -= work[i, used]
        due[i] = free[used].min(initial=makespan)
    return Timing(makespan, end, due)


def _by_job(classes: TaskClasses, count: IntArray, jobs: int) -> tuple[IntArray, IntArray]:
    """Number of tasks and time of each job on each slot, shapes (jobs, slots)."""
    number = np.zeros((jobs, len(count)), dtype=np.int64)
    work = np.zeros((jobs, len(count)), dtype=np.int64)
    np.add.at(number, classes.job, count.T)
    np.add.at(work, classes.job, count.T * classes.time)
    return number, work
