"""Errors for an argument of the wrong kind, in words."""

from __future__ import annotations

import os

from ..errors import InputError
from ..wording import listed


def check_argument(verb: str, thing: object, *kinds: type, hint: str = "") -> None:
    """Raise `InputError` unless `thing` is one of `kinds`.

    `verb`: the public function that was called, and its argument.
    `hint`: how to come by one; by default how to read a file, if `thing` is its name.
    """
    if isinstance(thing, kinds):
        return
    names = [with_article(kind.__name__) for kind in kinds]
    wanted = listed(names, None, "or")
    hint = hint or how_to_read(thing)
    raise InputError(f"{verb}: needs {wanted}, got {called(thing)}{hint and ': '}{hint}")


def how_to_read(thing: object) -> str:
    """What to do with the name of a file, where the thing in it is needed."""
    if isinstance(thing, str | os.PathLike):
        return f"read it first with slotwise.read({os.fspath(thing)!r})"
    return ""


def called(thing: object) -> str:
    """`the string 'x.json'`, `a Datacenter`, `-1`: a value in a message."""
    if isinstance(thing, str):
        return f"the string {thing!r}"
    if isinstance(thing, os.PathLike):
        return f"the path {os.fspath(thing)!r}"
    if thing is None or isinstance(thing, bool | int | float):
        return repr(thing)
    return with_article(type(thing).__name__)


def with_article(name: str) -> str:
    """`an Instance`, `a Datacenter`."""
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
