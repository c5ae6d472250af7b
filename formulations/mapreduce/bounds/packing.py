"""A lower bound on the makespan of tasks on equal slots by pairs that do not fit one slot."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray
from .read_locality import ROUNDING

STEPS = 30
"""Steps of the bisection."""


def packed_span(lengths: FloatArray, slots: int) -> float:
    """Least makespan by which tasks could share slots, from below.

    Within a makespan T and for any a ≤ T / 2, a slot with a task longer than T - a has none of a or
    longer beside it, and of tasks from a to T - a a slot takes ⌊T / a⌋ at most. Counted as shares
    of a slot, the tasks need no more than all slots.

    `lengths`: length of each task (s), shape (tasks,).
    Returns the bound (s), at least the longest task and the area.
    """
    if not lengths.size:
        return 0.0
    rising = np.sort(lengths)
    high = low = max(float(rising[-1]), float(rising.sum()) / slots)
    while _fits(rising, slots, high) is False:
        low, high = high, 1.5 * high
    if high == low:
        return low
    for _ in range(STEPS):
        middle = (low + high) / 2
        if _fits(rising, slots, middle):
            high = middle
        else:
            low = middle
    return low


def _fits(rising: FloatArray, slots: int, span: float) -> bool:
    """Whether tasks by rising length may fit slots within a makespan (s)."""
    span *= 1 + ROUNDING
    least = rising[(rising > 0) & (rising <= span / 2)]
    if not least.size:
        return int(np.count_nonzero(rising > 0)) <= slots
    long = rising.size - np.searchsorted(rising, span - least, side="right")
    some = rising.size - np.searchsorted(rising, least, side="left") - long
    together = np.floor(span / least * (1 + ROUNDING))
    return bool(np.all(long + some / together <= slots * (1 + ROUNDING)))
