"""Durations as whole time units: which way they are rounded."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotwise.instances.mapreduce.integer_time import (
    multiples,
    nearest_units,
    power_of_two_unit,
    units_below,
)

SECONDS = st.floats(1e-6, 1e9)


@given(seconds=SECONDS, unit=SECONDS)
def test_units_below_are_never_above_the_true_quotient(seconds: float, unit: float) -> None:
    units = int(units_below(seconds, unit, 2.0**60))
    assert units <= Fraction(seconds) / Fraction(unit)
    assert units >= min(seconds / unit, 2.0**60) * (1 - 1e-12) - 1


def test_exact_multiples_are_told_by_multiples_only() -> None:
    assert units_below([3.0, 7.0, 2.5], 1.0).tolist() == [2, 6, 2]
    assert multiples([3.0, 7.0, 0.0], 1.0).tolist() == [3, 7, 0]


@pytest.mark.parametrize("seconds", [1e-3, 1.0, 3.0, 4.0, 1e7])
def test_the_unit_is_a_power_of_two_and_fits_the_bits(seconds: float) -> None:
    unit = power_of_two_unit(seconds, 40)
    assert unit.hex().startswith("0x1.0000000000000p")
    assert 2**39 <= seconds / unit < 2**40


def test_the_nearest_unit_and_the_most() -> None:
    assert nearest_units([0.6, 0.4, np.inf], 1.0, 9.0).tolist() == [1, 0, 9]
