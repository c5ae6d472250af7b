"""Kubernetes quantities, `500m` or `4Gi`."""

from __future__ import annotations

import re
from math import isfinite

from ..errors import InputError

QUANTITY_PATTERN = re.compile(
    r"([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([-+]?[0-9]+)|([numkMGTPE]|[KMGTPE]i)?)"
)
SUFFIX_FACTORS = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "k": 1e3}
SUFFIX_FACTORS |= {letter: 10.0 ** (3 * k) for k, letter in enumerate("MGTPE", 2)}
SUFFIX_FACTORS |= {letter + "i": 1024.0**k for k, letter in enumerate("KMGTPE", 1)}


def quantity(value: object, where: str) -> float:
    """Convert a Kubernetes quantity, `500m` or `4Gi`, to a number.

    Raises `InputError` if it is no quantity.
    """
    text = str(value) if isinstance(value, int | float) else value
    found = QUANTITY_PATTERN.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None or isinstance(value, bool):
        from .json_files import shown

        raise InputError(f"{where}: need a quantity such as 3, 500m or 4Gi, got {shown(value)}")
    number, exponent, suffix = found.groups()
    amount = float(f"{number}e{exponent or 0}") * SUFFIX_FACTORS.get(suffix or "", 1.0)
    if not isfinite(amount):
        raise InputError(f"{where}: too large: {value}")
    return amount


def is_quantity(text: str) -> bool:
    """Whether it is a Kubernetes quantity."""
    return QUANTITY_PATTERN.fullmatch(text) is not None
