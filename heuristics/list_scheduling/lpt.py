"""The LPT rule: longest processing time first [Graham1969]."""

from __future__ import annotations

import numpy as np

from ...instances.arrays import FloatArray, IntArray


def longest_first(lengths: FloatArray, group: IntArray | None = None) -> IntArray:
    """Sort tasks by increasing group, within it by decreasing length, then by number.

    Parameters
    ----------
    lengths
        Length of each task, >= 0, shape (tasks,).
    group
        Group of each task, >= 0, shape (tasks,); by default there is one group.

    Returns
    -------
    IntArray
        The tasks in order, shape (tasks,).
    """
    # Numbers >= 0 sort like their bits, and numpy sorts keys of 16 bits by counting: several times
    # as fast as comparing floats.
    words = [~word for word in _words(lengths + 0.0, "<f8")]
    if group is not None:
        words += _words(group, "<i8")
    return np.lexsort(words)


def _words(values: FloatArray | IntArray, layout: str) -> list[IntArray]:
    """The bits of `values` in words of 16, the lowest first."""
    return list(values.astype(layout).view("<u2").reshape(-1, 4).T)
