"""From shares of work to whole tasks: a schedule from the linear program in waves."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....formulations.mapreduce.unrelated_machines.model import JobPhase, phases
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, timed_by_job
from .waves import Poured

WHOLE = 1e-6
"""A number of tasks that lacks no more than this is an integer; solvers leave such errors."""


def rounded(instance: Instance, order: IntArray, optimum: Poured) -> Schedule:
    """Place every task on one slot, near the shares that a linear program found.

    Each slot gets the whole tasks of its share. The few left over go, the longest first, where they
    exceed least: over all later waves, the work on the slot beyond the end that the program has for
    them. Setups are timed, not considered.
    """
    maps, reduces = phases(instance)
    wave, end = optimum.wave, optimum.end
    left = optimum.makespan - end
    last = len(left) - 1
    map_count = _counts(maps, optimum.map_share, wave, end)
    reduce_count = _counts(reduces, optimum.reduce_share, last - wave, left[::-1])
    return timed_by_job(instance, _slots(map_count), _slots(reduce_count), order)


def _counts(phase: JobPhase, shares: FloatArray, wave: IntArray, ends: FloatArray) -> IntArray:
    """Whole numbers of tasks of each job on each slot, shape (jobs, slots).

    `wave` numbers the waves in the order in which their `ends` (s) rise.
    """
    seconds = (phase.work / np.maximum(phase.tasks, 1))[:, None] * phase.factors
    count = np.floor(shares * phase.tasks[:, None] + WHOLE).astype(np.int64)
    load = np.zeros((len(ends), seconds.shape[1]))
    np.add.at(load, wave, count * seconds)
    overrun = np.cumsum(load, axis=0) - ends[:, None]
    shortest = seconds.min(axis=1, initial=np.inf)
    for i in np.argsort(-shortest, kind="stable").tolist():
        for _ in range(phase.tasks[i] - count[i].sum()):
            k = np.argmin(overrun[wave[i] :].max(axis=0) + seconds[i])
            count[i, k] += 1
            overrun[wave[i] :, k] += seconds[i, k]
    return count


def _slots(count: IntArray) -> IntArray:
    """The slot of each task, job after job; a job's tasks fill its slots in ascending order."""
    jobs, slots = count.shape
    return np.repeat(np.tile(np.arange(slots), jobs), count.ravel())
