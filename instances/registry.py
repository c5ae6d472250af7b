"""What a registry entry is: a method's name, where it lives, whence it comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from .advice import did_you_mean
from .errors import InputError


@dataclass(frozen=True)
class Entry:
    """One method. `target` is `module:function` below the package, imported when first needed.

    `understands` names the optional parts of an instance that the method takes into account;
    `valid` is False for a printed method that is known to fail: a bound that is none, a heuristic
    that breaks the rules. `takes` names the kind of instance it is for.
    """

    name: str
    target: str
    source: str
    summary: str
    understands: frozenset[str] = frozenset()
    valid: bool = True
    takes: str = "mapreduce"

    def load(self) -> Callable[..., Any]:
        module, function = self.target.split(":")
        package = __name__.split(".", 1)[0]
        method: Callable[..., Any] = getattr(import_module(f"{package}.{module}"), function)
        return method


def lookup(kind: str, entries: tuple[Entry, ...], name: str) -> Entry:
    """The entry called `name`; raises `InputError` listing the names there are."""
    for entry in entries:
        if entry.name == name:
            return entry
    names = [entry.name for entry in entries]
    shown = name if len(name) <= 60 else name[:57] + "..."
    guess = did_you_mean(name, names)
    raise InputError(f"unknown {kind} {shown!r}: {guess}choose from {', '.join(names)}")
