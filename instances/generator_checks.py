"""Checks of the parameters of generators, each with an error of one line."""

from __future__ import annotations

import math

from ..core.errors import InputError
from .limits import MOST_ENTRIES


def require(condition: bool, name: str, wanted: str, value: object) -> None:
    """Check a parameter.

    `condition`: what must hold.
    Raises `InputError` if the condition does not hold.
    """
    if not condition:
        raise InputError(f"{name}: need {wanted}, got {value!r}")


def check_at_least(least: int, **counts: int) -> None:
    """Check that numbers are not too small.

    Raises `InputError` if one is less.
    """
    for name, count in counts.items():
        require(count >= least, name, f"at least {least}", count)


def check_at_most(most: int, **counts: int) -> None:
    """Check that numbers are within a limit of `instances.limits`.

    Raises `InputError` if one is greater.
    """
    for name, count in counts.items():
        require(count <= most, name, f"at most {most}", count)


def check_seed(seed: int) -> None:
    """Raise `InputError` unless NumPy accepts the seed."""
    require(seed >= 0, "seed", "an integer >= 0", seed)


def check_probabilities(**probabilities: float) -> None:
    """Raise `InputError` unless each number is from 0 to 1."""
    for name, probability in probabilities.items():
        require(0 <= probability <= 1, name, "a probability", probability)


def check_ranges(**ranges: tuple[float, float]) -> None:
    """Raise `InputError` unless each range has 0 < low <= high, both finite."""
    for name, (low, high) in ranges.items():
        require(0 < low <= high < math.inf, name, "0 < low <= high", (low, high))


def check_few_entries(table: str, *shape: int, most: int = MOST_ENTRIES) -> None:
    """Check the size of a table that follows from several parameters.

    Raises `InputError` if it is too large.
    """
    size = math.prod(shape)
    if size > most:
        raise InputError(f"{table}: {size} entries, need at most {most} in all")
