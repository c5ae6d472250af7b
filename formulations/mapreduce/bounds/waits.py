"""Lower bounds on the makespan of a phase whose tasks wait, of equal slots.

`docs/formulations/bounds.md` proves them. The wait of a reduce task is for its job's map phase; of
a map task, for the schedule read backwards, it is what follows its job's map phase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappushpop

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from .phase_lengths import PhaseLengths, sums_between

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
