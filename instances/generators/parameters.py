"""What generators do with their parameters: check them, and keep them in the source text."""

from __future__ import annotations

from typing import Any

from ..errors import InputError


def call(function: str, arguments: dict[str, Any]) -> str:
    """The call that makes the same instance again, for the instance's source."""
    return f"{function}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def need(condition: bool, name: str, wanted: str, value: object) -> None:
    """Raise `InputError` unless the condition on the parameter called `name` holds."""
    if not condition:
        raise InputError(f"{name}: need {wanted}, got {value!r}")
