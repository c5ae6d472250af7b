"""Tournaments for the least of many offers that change one at a time.

Match k is between the winners of the matches 2k and 2k + 1, match 1 is the final; of n entrants
number j stands in place n + j. An offer is a time and, of equal times, a task: less is better.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inner


def entered(count: int) -> IntArray:
    """A tournament of `count` entrants (at least 1) before any match: the last one leads."""
    match = np.full(2 * count, count - 1, dtype=np.int64)
    match[count:] = np.arange(count)
    return match


@inner
def rematch(match: IntArray, time: FloatArray, task: IntArray, entrant: int) -> None:
    """Play the matches on the way of an entrant whose offer has changed.

    `match`: winner of each match, changed in place.
    """
    k = (len(match) // 2 + entrant) >> 1
    while k >= 1:
        a, b = match[2 * k], match[2 * k + 1]
        better = (time[a] < time[b]) | ((time[a] == time[b]) & (task[a] <= task[b]))
        match[k] = a if better else b
        k >>= 1
