"""Axes of charts: from values to pixels, with round ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST_TICKS = 7


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`, drawn from pixel `first` to pixel `last`.

    Parameters
    ----------
    low, high
        Its ends.
    first, last
        The pixels of its ends.
    log
        Whether it is logarithmic; then the ends are above 0.
    """

    low: float
    high: float
    first: float
    last: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of a value; values beyond the ends are drawn at the ends."""
        value = min(max(value, self.low), self.high)
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.first + share * (self.last - self.first)

    def ticks(self, most: int = MOST_TICKS) -> list[float]:
        """Round values along the axis, at most so many."""
        if not self.log:
            return _linear(self.low, self.high, most)
        decades = math.log10(self.high / self.low)
        if decades < 0.8:
            return _linear(self.low, self.high, most)
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        step = max(1, math.ceil(decades / (most - 1)))
        powers = [10.0**k for k in range(first, last + 1) if (k - first) % step == 0]
        marks: Sequence[int] = (1, 2, 5) if decades * 3 <= most else (1,)
        values = [mark * power for power in powers for mark in marks]
        slack = 1 + 1e-9
        return [v for v in values if self.low / slack <= v <= self.high * slack]


def linear(values: Iterable[float], first: float, last: float, *, zero: bool = True) -> Axis:
    """A linear axis that holds finite values, with 0 if wanted.

    `first`, `last`: the pixels of its ends.
    """
    finite = [value for value in values if math.isfinite(value)]
    low = min([0.0, *finite]) if zero or not finite else min(finite)
    high = max(finite, default=1.0)
    if high <= low:
        high = low + max(abs(low), 1.0)
    room = 0.04 * (high - low)
    return Axis(low if low == 0 else low - room, high + room, first, last)


def logarithmic(values: Iterable[float], first: float, last: float, *, low: float = 0.0) -> Axis:
    """A logarithmic axis that holds all finite values above 0.

    `first`, `last`: the pixels of its ends.
    `low`: where it begins, if above 0.
    """
    found = [value for value in values if math.isfinite(value) and value > 0]
    least, most = low or min(found, default=1.0), max(found, default=10.0)
    if most <= least * 1.001:
        least, most = (least, least * 2) if low else (least / 2, least * 2)
    return Axis(
        least if low else least / 1.15, most * (most / least) ** 0.03, first, last, log=True
    )


def _linear(low: float, high: float, most: int) -> list[float]:
    rough = (high - low) / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(k * power for k in (1, 2, 2.5, 5, 10) if k * power >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)]


def number(value: float) -> str:
    """A tick as text."""
    if value and not 1e-4 <= abs(value) < 1e6:
        mantissa, _, power = f"{value:.2e}".partition("e")
        return f"{float(mantissa):g}e{int(power)}"
    return f"{value:.6g}"
