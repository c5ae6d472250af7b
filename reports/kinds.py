"""What a thing is, by the name of its class, so that no class has to be imported to be shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from ..core.calls.argument_types import called
from ..core.errors import InputError

Shown = TypeVar("Shown")


def of_kind(
    thing: object, table: Mapping[str, Callable[..., Shown]]
) -> Callable[..., Shown] | None:
    """The function for the class of a thing, or for one that it is derived from.

    Returns the function, None if there is none.
    """
    for kind in type(thing).__mro__:
        if kind.__name__ in table and kind.__module__.startswith(__name__.split(".")[0]):
            return table[kind.__name__]
    return None


def check_kind(
    verb: str, thing: object, table: Mapping[str, Callable[..., Shown]]
) -> Callable[..., Shown]:
    """As `of_kind`, with an error if there is none.

    Raises `InputError` if there is none.
    """
    rows = of_kind(thing, table)
    if rows is None:
        raise InputError(f"{verb}: needs one of {', '.join(table)}; got {called(thing)}")
    return rows
