"""Parameters that several generators have, and checks of them with errors of one line."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

from ..core.calls import check_fields
from ..core.errors import InputError
from ..core.parameters import described
from .limits import MOST_ENTRIES

Range = tuple[float, float]
"""Least and greatest number of a continuous uniform distribution."""
Counts = tuple[int, int]
"""Least and greatest number of a uniform distribution of integers, both included."""

SEED = described("The same seed gives the same file.", least=0)
MAPS_RANGE = described("Map tasks per job, uniform, instead of normal.", option="maps")
REDUCES_RANGE = described("Reduce tasks per job, uniform, instead of normal.", option="reduces")

BLOCK_SIZES_MB = (128.0, 192.0, 256.0, 320.0)
"""Block sizes of LJR, MB."""
OUTPUT_RATIOS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Output per input of a job, of LJR."""


class Checked:
    """Base of a data class of parameters, whose fields are what their annotations say."""

    def __post_init__(self) -> None:
        check_fields("parameters", self)


def few_tasks(
    small: Any, maps: str = "maps_range", reduces: str = "reduces_range"
) -> dict[str, Any]:
    """What a generator takes for few tasks: those of a job are from 1 to `max_maps`, `max_reduces`.

    `maps`, `reduces`: what the generator calls their ranges.
    """
    given = {each.name: getattr(small, each.name) for each in fields(small)}
    return given | {maps: (1, given.pop("max_maps")), reduces: (1, given.pop("max_reduces"))}


def require(condition: bool, name: str, wanted: str, value: object) -> None:
    """Raise `InputError` for the value of a parameter that does not meet a condition."""
    if not condition:
        raise InputError(f"{name}: need {wanted}, got {value!r}")


def check_at_least(least: int, **counts: int) -> None:
    for name, count in counts.items():
        require(count >= least, name, f"at least {least}", count)


def check_at_most(most: int, **counts: int) -> None:
    for name, count in counts.items():
        require(count <= most, name, f"at most {most}", count)


def check_seed(seed: int) -> None:
    require(seed >= 0, "seed", "an integer >= 0", seed)


def check_probabilities(**probabilities: float) -> None:
    for name, probability in probabilities.items():
        require(0 <= probability <= 1, name, "a probability", probability)


def check_ranges(**ranges: tuple[float, float]) -> None:
    for name, (low, high) in ranges.items():
        require(0 < low <= high < math.inf, name, "0 < low <= high", (low, high))


def check_few_entries(table: str, *shape: int, most: int = MOST_ENTRIES) -> None:
    """Check the size of a table that follows from several parameters."""
    size = math.prod(shape)
    if size > most:
        raise InputError(f"{table}: {size} entries, need at most {most} in all")


def call(function: str, parameters: Any) -> str:
    """The call that makes the same instance again, for the instance's source."""
    given = ((each.name, getattr(parameters, each.name)) for each in fields(parameters))
    return f"{function}({', '.join(f'{name}={value!r}' for name, value in given)})"
