"""Numbers and names in sentences, tables and charts, so that a thing reads alike everywhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

NONE = "–"
"""Stands for a number that there is not."""

SPACE = "\N{NARROW NO-BREAK SPACE}"
"""Sets thousands apart."""

LEAST_SHARE = 1e-6
"""Shares below are not told apart; a gap below counts as closed."""

ROUNDING = 1e-12
"""Shares below are 0 but for rounding."""

MOST_NAMED = 6
"""Names that a sentence lists."""


def percent(share: float | None) -> str:
    """A share or a gap: `0.625 %`, `12.35 %`, `100 %`; three digits, at least two decimals.

    Only 0 is `0 %`, and only 1 is `100 %`, but for what is too small to be told apart.
    """
    if share is None or not math.isfinite(share):
        return NONE
    if share <= -LEAST_SHARE:
        return f"−{percent(-share)}"
    if share < LEAST_SHARE:
        return "0 %" if share < ROUNDING else f"< {_decimal(100 * LEAST_SHARE, 4)} %"
    value = 100 * share
    text = _decimal(value, 2 if value >= 1 else 2 - math.floor(math.log10(value)))
    if text == "100" and abs(share - 1) > LEAST_SHARE:
        text = _decimal(value, 4)
    return f"{text if value < 1e6 else format(value, '.3g')} %"


def number(value: float) -> str:
    """A number: `206.8`, `36 120`, `0.0312`; about five digits, `–` if it is none."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else NONE
    if value < 0:
        return f"−{number(-value)}"
    if value >= 1e15 or 0 < value < 1e-9:
        return f"{value:.3g}"
    return _decimal(value, _decimals(value), SPACE if value >= 1e4 else "")


def _decimals(value: float) -> int:
    if value == round(value):
        return 0
    if value < 1:
        return 2 - math.floor(math.log10(value))
    return 3 if value < 100 else 2 if value < 1000 else 1 if value < 1e5 else 0


def _decimal(value: float, decimals: int, apart: str = "") -> str:
    """Without trailing zeros; `apart` stands between thousands."""
    text = f"{value:,.{decimals}f}".replace(",", apart)
    return text.rstrip("0").rstrip(".") if "." in text else text


def seconds(value: float) -> str:
    """`206.8 s`, or `–`."""
    return NONE if math.isnan(value) else f"{number(value)} s"


def plural(count: int, noun: str) -> str:
    """`1 job`, `2 jobs`, `2 classes`."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}{'es' if noun.endswith('s') else 's'}"


def listed(names: Iterable[str], most: int | None = MOST_NAMED, last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c` or, of many names, the first ones: `a, b and 7 more`.

    `most`: most names to list, None for all.
    """
    every = list(names)
    if most is not None and len(every) > most:
        every = [*every[:most], f"{len(every) - most} more"]
    if len(every) < 2:
        return "".join(every)
    return f"{', '.join(every[:-1])} {last} {every[-1]}"


def first_of(lines: Sequence[str]) -> str:
    """The first of several lines, and how many more there are."""
    more = len(lines) - 1
    return f"{lines[0]} (and {more} more)" if more else lines[0]


def sentences(*parts: str) -> str:
    """Sentences one after another, each with its full stop; empty ones are left out."""
    return " ".join(part if part[-1] in ".?!" else f"{part}." for part in parts if part)
