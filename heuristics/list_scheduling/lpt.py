"""The LPT rule: longest processing time first."""

from __future__ import annotations

import numpy as np

from ...instances.arrays import FloatArray, IntArray


def longest_first(lengths: FloatArray, group: IntArray | None = None) -> IntArray:
    """Tasks by increasing `group`, within it by decreasing length (>= 0), then by number.

    All arrays have shape (tasks,); groups are numbers >= 0, without them there is one.
    """
    # Numbers >= 0 sort like their bits, and numpy sorts keys of 16 bits by counting: several times
    # as fast as comparing floats.
    words = [~word for word in _words(lengths + 0.0, "<f8")]
    if group is not None:
        words += _words(group, "<i8")
    return np.lexsort(words)


def _words(values: FloatArray | IntArray, layout: str) -> list[IntArray]:
    """The bits of `values` in pieces of 16, the lowest first."""
    return list(values.astype(layout).view("<u2").reshape(-1, 4).T)
