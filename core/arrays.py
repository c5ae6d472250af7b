"""Types of arrays, and offsets of groups in a flat array."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
LevelArray = NDArray[np.int8]


def offsets(counts: Iterable[int]) -> IntArray:
    """Start of each group in a flat array, and the end of the last: counts 2, 3 give 0, 2, 5."""
    return np.concatenate(([0], np.cumsum(np.fromiter(counts, dtype=np.int64)))).astype(np.int64)
