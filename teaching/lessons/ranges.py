"""How large a problem and how far apart its numbers may be: a page solves in floating point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core.errors import InputError

WHY = "the solver works to 1e-9, and beyond that its rounding shows"


def refuse_many(name: str, *counted: tuple[int, int, str]) -> None:
    """Raise `InputError` if there is more of something than a page shows: number, most, noun."""
    for number, most, what in counted:
        if number > most:
            raise InputError(
                f"{name}: a lesson page shows at most {most} {what}, here are {number}"
            )


def refuse_numbers(
    name: str, document: Any, least: float, most: float, field: str | None = None
) -> None:
    """Raise `InputError` for a number that is not 0 and too small or too large.

    `name`: what the problem is called in the message.
    `least`, `most`: what a number may be.
    `field`: the only field that is looked at; by default all are.
    """
    for path, value in _numbers(document, ()):
        wanted = field is None or path[-1] == field
        if wanted and value and not least <= abs(value) <= most:
            raise InputError(
                f"{name}, {'.'.join(path)}: {value:g}; a lesson page takes numbers from {least:g} "
                f"to {most:g}: {WHY}"
            )


def _numbers(part: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], float]]:
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _numbers(value, (*path, key))
    elif isinstance(part, list):
        for k, value in enumerate(part):
            yield from _numbers(value, (*path, str(k)))
    elif isinstance(part, int | float):
        yield path, part
