"""How plain a number is, and plainer ones to try in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def ugliness(numbers: Iterable[float]) -> tuple[float, float]:
    """How much there is to read in numbers: 0 and 1 are plain, fractions are not; then their sum.

    `numbers`: the numbers, none negative.
    """
    values = list(numbers)
    return float(sum(map(_effort, values))), float(sum(values))


def plainer(value: float) -> Iterator[float]:
    """0, 1, 2, the half and an integer near a number, without itself."""
    for other in (0.0, 1.0, 2.0, value / 2, float(round(value))):
        if other != value:
            yield other


def _effort(value: float) -> float:
    if value in (0.0, 1.0, 2.0):
        return value
    if value == round(value):
        return 2.0 + len(str(int(value)))
    return 10.0 + len(repr(value))
