"""How many attempts ran at once."""

from __future__ import annotations

import numpy as np

from ...core.arrays import IntArray


def most_at_once(start: IntArray, end: IntArray) -> int:
    """Most of these intervals that hold any instant.

    One that begins when another ends takes its place, and one without length holds none.
    `start`, `end`: shape (attempts,), any unit.
    """
    long = start < end
    times = np.concatenate((end[long], start[long]))
    changes = np.repeat((-1, 1), np.count_nonzero(long))
    order = np.lexsort((changes, times))
    return int(np.cumsum(changes[order]).max(initial=0))
