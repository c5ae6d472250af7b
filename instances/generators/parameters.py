"""What generators do with their parameters: check them, and keep them in the source text."""

from __future__ import annotations

import math
from typing import Any

from ..errors import InputError
from ..limits import MOST_ENTRIES


def call(function: str, arguments: dict[str, Any]) -> str:
    """The call that makes the same instance again, for the instance's source."""
    return f"{function}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def need(condition: bool, name: str, wanted: str, value: object) -> None:
    """Raise `InputError` unless the condition on the parameter called `name` holds."""
    if not condition:
        raise InputError(f"{name}: need {wanted}, got {value!r}")


def need_at_most(most: int, **counts: int) -> None:
    """Raise `InputError` unless each count is within a limit of `instances.limits`."""
    for name, count in counts.items():
        need(count <= most, name, f"at most {most}", count)


def need_few_entries(table: str, *shape: int) -> None:
    """Raise `InputError` if a table that follows from several parameters is too large."""
    size = math.prod(shape)
    if size > MOST_ENTRIES:
        raise InputError(f"{table}: {size} entries, need at most {MOST_ENTRIES} in all")
