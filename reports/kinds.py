"""What a thing is, by the name of its class, so that no class has to be imported to be shown."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TypeVar

from ..core.calls import called
from ..core.errors import InputError

Shown = TypeVar("Shown")


def kind_of(thing: object, kinds: Container[str]) -> str:
    """The first of a thing's classes in slotwise that is one of `kinds`; empty if none is."""
    package = __name__.partition(".")[0]
    names = (c.__name__ for c in type(thing).__mro__ if c.__module__.partition(".")[0] == package)
    return next((name for name in names if name in kinds), "")


def of_kind(verb: str, thing: object, table: Mapping[str, Shown]) -> Shown:
    """What a table has for the kind of a thing. Raises `InputError` if there is nothing."""
    kind = kind_of(thing, table)
    if not kind:
        raise InputError(f"{verb}: needs one of {', '.join(table)}; got {called(thing)}")
    return table[kind]
