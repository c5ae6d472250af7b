"""Seconds as whole time units: the one place that says how a duration is rounded.

Proofs round down (`units_below`), so that no schedule becomes longer. Searches round to the nearest
unit (`nearest_units`), fine enough that the way back to seconds decides nothing.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from ...core.arrays import IntArray

GUARD = 1e-13
"""Relative error of a quotient of two durations, with room to spare."""


def power_of_two_unit(seconds: float, bits: int) -> float:
    """The power of two (s) of which `seconds` has 2 ** (bits - 1) to 2 ** bits.

    Division by it is exact.
    """
    return 2.0 ** (math.frexp(seconds)[1] - bits)


def nearest_units(seconds: ArrayLike, unit: float, most: float) -> IntArray:
    """Durations (s) in the nearest whole units, at most `most`."""
    units = np.rint(np.minimum(np.asarray(seconds) / unit, most))
    return units.astype(np.int64, order="C")


def units_below(seconds: ArrayLike, unit: float, most: float = math.inf) -> IntArray:
    """Durations (s) in whole units, at most `most` and never above the true quotient."""
    units = np.floor(np.minimum(np.asarray(seconds) / unit * (1 - GUARD), most))
    return units.astype(np.int64, order="C")


def multiples(seconds: ArrayLike, unit: float) -> IntArray:
    """Durations (s) that are multiples of the unit, as numbers of units."""
    return np.floor(np.asarray(seconds) / unit).astype(np.int64, order="C")
