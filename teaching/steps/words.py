"""Words for the reasons of a step: numbers, lists and comparisons, alike for all recorders."""

from __future__ import annotations

import math
from collections.abc import Sequence

SPACE = "\N{NARROW NO-BREAK SPACE}"
"""Sets thousands apart."""

MOST_NAMED = 8
"""Names that a sentence lists."""


def number(value: float) -> str:
    """A number as sentences have it: `206.8`, `36 120`, `0.0312`; about five digits.

    Whole numbers are whole. Others have three decimals below 100, two below 1 000, one below
    100 000, and below 1 three digits that count; trailing zeros are left out.
    """
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "–"
    if value < 0:
        return f"−{number(-value)}"
    if value >= 1e15 or 0 < value < 1e-9:
        return f"{value:.3g}"
    text = f"{value:,.{_decimals(value)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace(",", SPACE if value >= 1e4 else "")


def _decimals(value: float) -> int:
    if value == round(value):
        return 0
    if value < 1:
        return 2 - math.floor(math.log10(value))
    return 3 if value < 100 else 2 if value < 1000 else 1 if value < 1e5 else 0


def seconds(value: float) -> str:
    """`206.8 s`."""
    return f"{number(value)} s"


def percent(share: float) -> str:
    """A share in percent: `12.5 %`."""
    return f"{number(100 * share)} %"


def counted(count: int, what: str) -> str:
    """`1 slot`, `3 slots`.

    Parameters
    ----------
    count
        How many.
    what
        Of what, in the singular.

    Returns
    -------
    str
        The words.
    """
    return f"{number(count)} {what}{'' if count == 1 else 's'}"


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names as a list in a sentence; of many the first ones, then an ellipsis.

    Parameters
    ----------
    names
        The names.
    most
        How many are listed.

    Returns
    -------
    str
        The list.
    """
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def sentences(*parts: str) -> str:
    """Sentences one after another, each with its full stop; empty ones are left out."""
    return " ".join(part if part[-1] in ".?!" else f"{part}." for part in parts if part)
