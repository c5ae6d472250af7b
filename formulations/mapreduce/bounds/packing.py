"""Makespan of independent tasks on identical machines, P||Cmax: least of few, bounded of many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inner
from .lengths import ROUNDING

SEARCH_LIMIT = 20_000
"""Most nodes of the search; a set that needs more gets its closed-form bound."""
MOST_TASKS = 100
"""Most tasks of a set that is searched."""

Lengths = list[float] | FloatArray | IntArray


def least_makespan(durations: Sequence[float], machines: int) -> float:
    """A lower bound on the makespan of tasks, exact if the search ends.

    `durations`: durations of the tasks (s).
    Returns the bound (s).
    """
    tasks = sorted((d for d in durations if d > 0), reverse=True)
    if not tasks or not machines:
        return 0.0
    bound = max(sum(tasks) / machines, pigeonhole(tasks, machines))
    if len(tasks) > MOST_TASKS:
        return bound
    load, before, place = [0.0] * machines, [0.0] * len(tasks), [0] * len(tasks)
    least = packed(tasks, load, before, place, bound * (1 + 1e-12))
    return bound if least < 0 else least


@inner
def pigeonhole(length: Lengths, machines: int) -> float:
    """Pigeonhole bound: of q * machines + 1 tasks some q + 1 share a machine."""
    bound = length[0]
    for q in range(1, (len(length) - 1) // machines + 1):
        shared = length[q * machines - q]
        for t in range(q * machines - q + 1, q * machines + 1):
            shared += length[t]
        bound = max(bound, shared)
    return bound


@inner
def packed(
    length: Lengths, load: Lengths, before: Lengths, place: list[int] | IntArray, enough: float
) -> float:
    """The least makespan by depth-first search, or one of at most `enough`.

    The least loaded machine comes first; of equally loaded ones only one is tried.

    `before`, `place`: scratch, one entry per task.
    Returns the makespan, -1 if the search takes too long.
    """
    best = 1 + length[0]
    for t in range(1, len(length)):
        best += length[t]
    t, left = 0, SEARCH_LIMIT
    place[0] = -1
    while t >= 0:
        k, tried = place[t], -1 * length[0]
        if k >= 0:
            load[k] = tried = before[t]
        k = -1
        for j in range(len(load)):
            if load[j] > tried and (k < 0 or load[j] < load[k]):
                k = j
        if k < 0 or load[k] + length[t] >= best:
            t -= 1
            continue
        left -= 1
        if left == 0:
            return -1
        place[t], before[t] = k, load[k]
        load[k] += length[t]
        if t + 1 < len(length):
            t += 1
            place[t] = -1
            continue
        best = load[0]
        for j in range(1, len(load)):
            best = max(best, load[j])
        if best <= enough:
            return best
    return best


STEPS = 30
"""Steps of the bisection."""

MOST_UNITS = 8
"""So many units of a task, or beside it, are told apart."""

PARTS = np.arange(2, 17)
"""A unit of time is also tried that goes into a makespan once less than so many times."""


def packed_span(lengths: FloatArray, slots: int) -> float:
    """Least makespan by which tasks could share slots, from below.

    Within a makespan T and for any unit a ≤ T, a slot has k = ⌊T / a⌋ units. A task of length
    L ≤ T / 2 takes ⌊L / a⌋ of them, and a longer one all but the ⌊(T - L) / a⌋ that fit beside it:
    no slot gives away more than k, as one task at most is longer than T / 2.

    `lengths`: length of each task (s), shape (tasks,).
    Returns the bound (s), at least the longest task and the area.
    """
    if not lengths.size:
        return 0.0
    rising = np.sort(lengths)
    high = low = max(float(rising[-1]), float(rising.sum()) / slots)
    while not _may_fit(rising, slots, high):
        low, high = high, 1.5 * high
    if high == low:
        return low
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _may_fit(rising, slots, middle):
            high = middle
        else:
            low = middle
    return low


def _may_fit(rising: FloatArray, slots: int, span: float) -> bool:
    """Whether tasks by rising length may fit slots within a makespan (s)."""
    rising = rising[np.searchsorted(rising, 0.0, side="right") :]
    if rising.size and rising[-1] > span * (1 + ROUNDING):
        return False
    if rising.size <= slots:
        return True
    span *= 1 + ROUNDING
    half = int(np.searchsorted(rising, span / 2, side="right"))
    just_above = 1 + ROUNDING
    unit = np.concatenate(
        (rising[:half], span / PARTS * just_above, (span - rising[half:]) * just_above)
    )
    unit = unit[unit > span * ROUNDING]
    units = np.floor(span / unit)
    number = np.arange(MOST_UNITS + 1)[:, None]
    # How many tasks take so many units at least; and how many leave fewer than so many.
    short = half - np.minimum(np.searchsorted(rising, number[1:] * unit), half)
    long = rising.size - np.maximum(
        np.searchsorted(rising, span - (number + 1) * unit, side="right"), half
    )
    of_each = np.diff(long, axis=0, prepend=0)
    taken = short.sum(axis=0) + (np.maximum(units - number, 0) * of_each).sum(axis=0)
    return bool(np.all(taken <= slots * units * (1 + ROUNDING)))
