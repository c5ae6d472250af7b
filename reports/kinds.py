"""What a thing is, by the name of its class, so that no class has to be imported to be shown."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import TypeVar

from ..core.calls import called
from ..core.errors import InputError

Shown = TypeVar("Shown")


def kind_of(thing: object, kinds: Container[str]) -> str:
    """The name of a thing's class, or of one that it is derived from; empty if it is none of them.

    `kinds`: names of classes of slotwise.
    """
    package = __name__.partition(".")[0]
    names = (c.__name__ for c in type(thing).__mro__ if c.__module__.partition(".")[0] == package)
    return next((name for name in names if name in kinds), "")


def check_kind(
    verb: str, thing: object, table: Mapping[str, Callable[..., Shown]]
) -> Callable[..., Shown]:
    """The function for the kind of a thing. Raises `InputError` if there is none."""
    kind = kind_of(thing, table)
    if not kind:
        raise InputError(f"{verb}: needs one of {', '.join(table)}; got {called(thing)}")
    return table[kind]
