"""The bound of tasks whose jobs are released late; docs/formulations/bounds.md proves it."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray

MOST_TIMES = 48
"""So many waits, and so many tails, are tried at most, evenly."""


def late_work(length: FloatArray, wait: FloatArray, tail: FloatArray, slots: int) -> float:
    """The greatest bound (s) over sets of tasks: those with at least some wait and some tail.

    `length`, `wait`, `tail`: of each task (s), shape (tasks,).
    """
    best = 0.0
    for after in _some(wait):
        for before in _some(tail):
            chosen = (wait >= after) & (tail >= before)
            most = min(slots, int(chosen.sum()))
            if most:
                least = np.cumsum(np.sort(wait[chosen])[:most] + np.sort(tail[chosen])[:most])
                used = np.arange(1, most + 1)
                best = max(best, float(np.min((least + length[chosen].sum()) / used)))
    return best


def _some(times: FloatArray) -> list[float]:
    distinct = np.unique(times)
    if distinct.size > MOST_TIMES:
        distinct = distinct[np.linspace(0, distinct.size - 1, MOST_TIMES).astype(np.int64)]
    values: list[float] = distinct.tolist()
    return values
