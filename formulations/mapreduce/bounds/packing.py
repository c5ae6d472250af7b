"""A lower bound on the makespan of tasks on equal slots, from whole units of time in a slot."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray
from .read_locality import ROUNDING

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
