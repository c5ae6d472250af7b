"""The LPT rule: longest processing time first [Graham1969].

The order of the tasks within their jobs is the same whatever the order of the jobs, so it is kept
with the instance, and its blocks are put in the order of the jobs.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.values import once
from ....instances.mapreduce.instance import Instance
from .johnson import map_lengths


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
