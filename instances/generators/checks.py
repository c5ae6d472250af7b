"""Checks of the parameters of generators, each with an error of one line."""

from __future__ import annotations

import math

from ..errors import InputError
from ..limits import MOST_ENTRIES


def need(condition: bool, name: str, wanted: str, value: object) -> None:
    """Raise `InputError` unless the condition on the parameter called `name` holds."""
    if not condition:
        raise InputError(f"{name}: need {wanted}, got {value!r}")


def need_at_least(least: int, **counts: int) -> None:
    """Raise `InputError` unless each number is at least `least`."""
    for name, count in counts.items():
        need(count >= least, name, f"at least {least}", count)


def need_at_most(most: int, **counts: int) -> None:
    """Raise `InputError` unless each number is within a limit of `instances.limits`."""
    for name, count in counts.items():
        need(count <= most, name, f"at most {most}", count)


def need_seed(seed: int) -> None:
    """Raise `InputError` unless NumPy takes the seed."""
    need(seed >= 0, "seed", "an integer >= 0", seed)


def need_probabilities(**probabilities: float) -> None:
    """Raise `InputError` unless each number is from 0 to 1."""
    for name, probability in probabilities.items():
        need(0 <= probability <= 1, name, "a probability", probability)


def need_ranges(**ranges: tuple[float, float]) -> None:
    """Raise `InputError` unless each range has 0 < low <= high, both finite."""
    for name, (low, high) in ranges.items():
        need(0 < low <= high < math.inf, name, "0 < low <= high", (low, high))


def need_few_entries(table: str, *shape: int) -> None:
    """Raise `InputError` if a table that follows from several parameters is too large."""
    size = math.prod(shape)
    if size > MOST_ENTRIES:
        raise InputError(f"{table}: {size} entries, need at most {MOST_ENTRIES} in all")
