"""Orders of jobs and tasks: Johnson's rule on estimated phase durations, and LPT.

Johnson's rule is that of [LJR], section 4.1.1; LPT is longest processing time first [Graham1969].
The order of the tasks within their jobs is the same whatever the order of the jobs, so it is kept
with the instance, and its blocks are put in the order of the jobs.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ....core.parameters import described
from ....core.values import once
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.setups import best_reduce_setups, local_map_setups

OMEGA = 0.7
"""Weight of the optimistic estimate of a phase's duration; [LJR], section 5.2.1, finds 0.7 best."""

Omega = Annotated[float, described("Weight of the optimistic estimate.", least=0, most=1)]


def johnson_rule(instance: Instance, omega: float = OMEGA) -> IntArray:
    """Order the jobs by JR1 of [LJR], section 4.1.1.

    Raises `InputError` unless 0 <= omega <= 1.
    """
    return johnson(*phase_durations(instance, omega))


def johnson(first: FloatArray, second: FloatArray) -> IntArray:
    """Johnson's order for a flow shop of two machines [Johnson1954].

    First the jobs with first <= second by increasing `first`, then the others by decreasing
    `second`; ties keep the order of the jobs.
    """
    late = first > second
    return np.lexsort((np.where(late, -second, first), late))


def phase_durations(instance: Instance, omega: float = OMEGA) -> tuple[FloatArray, FloatArray]:
    """Estimate the durations of each job's map and reduce phase by [LJR], equation (16).

    S in equations (14) and (15) is the number of all slots of the phase; a phase without tasks
    lasts 0.

    `omega`: weight of the optimistic estimate, 0 to 1.
    Returns durations (s) of the map phases and of the reduce phases, shapes (jobs,).
    Raises `InputError` unless 0 <= omega <= 1.
    """
    if not 0 <= omega <= 1:
        raise InputError(f"omega: must be between 0 and 1, got {omega}")
    cluster = instance.cluster
    return (
        _duration(map_lengths(instance), instance.map_offsets, cluster.map_slots, omega),
        _duration(reduce_lengths(instance), instance.reduce_offsets, cluster.reduce_slots, omega),
    )


@once
def map_lengths(instance: Instance) -> FloatArray:
    """Processing time plus the time to read the input locally (s), shape (map_tasks,).

    If slots differ in speed, the processing time is the mean over the slots ([HMHS], equation (1)).
    """
    lengths: FloatArray = instance.phases.map.mean() + local_map_setups(instance)
    return lengths


@once
def reduce_lengths(instance: Instance) -> FloatArray:
    """Processing time plus the time to read everything locally (s), shape (reduce_tasks,).

    If slots differ in speed, the processing time is the mean over the slots ([HMHS], equation (1)).
    """
    return instance.phases.reduce.mean() + best_reduce_setups(instance)[instance.reduce_job]


def _duration(lengths: FloatArray, offsets: IntArray, slots: IntArray, omega: float) -> FloatArray:
    tasks = np.diff(offsets)
    some = tasks > 0
    work, longest = np.zeros(len(tasks)), np.zeros(len(tasks))
    work[some] = np.add.reduceat(lengths, offsets[:-1][some])
    longest[some] = np.maximum.reduceat(lengths, offsets[:-1][some])
    # Without slots there are no tasks either.
    low = work / max(int(slots.sum()), 1)
    high = low * (tasks - 1) / np.maximum(tasks, 1) + longest
    duration: FloatArray = omega * low + (1 - omega) * high
    return duration


def longest_first(lengths: FloatArray, group: IntArray | None = None) -> IntArray:
    """Sort tasks by increasing group, within it by decreasing length, then by number.

    `group`: group of each task, >= 0, shape (tasks,); by default there is one group.
    """
    # Numbers >= 0 sort like their bits, and numpy sorts keys of 16 bits by counting: several times
    # as fast as comparing floats.
    words = [~word for word in _words(lengths + 0.0, "<f8")]
    if group is not None:
        words += _words(group, "<i8")
    return np.lexsort(words)


@once
def maps_longest_first(instance: Instance) -> IntArray:
    """Map tasks by job, within it by decreasing `map_lengths`, shape (map_tasks,)."""
    return longest_first(map_lengths(instance), instance.map_job)


@once
def reduces_longest_first(instance: Instance) -> IntArray:
    """Reduce tasks by job, within it by decreasing processing time, shape (reduce_tasks,).

    All reduce tasks of a job read the same, so their processing times decide.
    """
    return longest_first(instance.reduce_processing, instance.reduce_job)


def job_by_job(tasks: IntArray, offsets: IntArray, jobs: IntArray) -> IntArray:
    """Put the tasks of each job in the order of the jobs.

    `offsets`: the tasks of job i are `tasks[offsets[i]:offsets[i + 1]]`, shape (jobs + 1,).
    """
    count = np.diff(offsets)[jobs]
    shift = offsets[jobs] - (np.cumsum(count) - count)
    return tasks[np.repeat(shift, count) + np.arange(len(tasks))]


def _words(values: FloatArray | IntArray, layout: str) -> list[IntArray]:
    """The bits of `values` in words of 16, the lowest first."""
    return list(values.astype(layout).view("<u2").reshape(-1, 4).T)
