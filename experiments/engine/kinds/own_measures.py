"""What a function of the user's own measures beside its schedule: numbers and curves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from ....core.errors import InputError

COLUMN = "measure {}"
"""Name of a measure's column, which no other column can have."""

MOST_MEASURES, LONGEST_NAME, LONGEST_CURVE = 100, 80, 10_000


def parted(returned: Any) -> tuple[Any, Mapping[Any, Any]]:
    """What a function returned: its schedule, and its measures if there are any."""
    if isinstance(returned, tuple) and len(returned) == 2 and isinstance(returned[1], Mapping):
        return returned
    return returned, {}


def own_measures(given: Mapping[Any, Any]) -> dict[str, Any]:
    """Measures as they are kept, by the names of their columns.

    Returns plain numbers and lists of them; None for those that are not finite.
    Raises `InputError` for anything else; the message has the name.
    """
    if len(given) > MOST_MEASURES:
        raise InputError(f"measures: at most {MOST_MEASURES}, got {len(given)}")
    columns = {}
    for name, value in given.items():
        if not isinstance(name, str) or not name.isprintable() or not 0 < len(name) <= LONGEST_NAME:
            raise InputError(f"measure {name!r}: need a name of 1 to {LONGEST_NAME} characters")
        columns[COLUMN.format(name)] = _curve(name, value)
    return columns


def _curve(name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return _number(name, value)
    if len(value) > LONGEST_CURVE:
        raise InputError(f"measure {name!r}: at most {LONGEST_CURVE} numbers, got {len(value)}")
    return [_number(name, number) for number in value]


def _number(name: str, value: Any) -> int | float | None:
    if not isinstance(value, Real):
        raise InputError(f"measure {name!r}: need a number or a list of numbers, got {value!r}")
    if isinstance(value, Integral):
        whole = int(value)
        if not -(2**63) <= whole < 2**63:
            raise InputError(f"measure {name!r}: a whole number has at most 64 bits")
        return whole
    return float(value) if math.isfinite(value) else None
