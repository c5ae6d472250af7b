"""A group of commands that come from a registry, each made when it is asked for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial

from ...core.errors import InputError, one_line
from ...core.registry import Entry, Registry
from ..frame import Answer, Row, Verbs

Verb = Callable[..., Answer]


def group_of(registry: Registry, make: Callable[[Entry], Verb]) -> type[Verbs]:
    """The class of a group with a command for every entry.

    `make` makes the verb of an entry; the help needs the names and summaries only.
    """

    class Group(Verbs):
        def rows(self) -> dict[str, Row]:
            return {
                entry.name: Row("Commands", partial(_made, registry, entry, make), help_of(entry))
                for entry in registry
            }

    return Group


def _made(registry: Registry, entry: Entry, make: Callable[[Entry], Verb]) -> Verb:
    try:
        return make(entry)
    except Exception as failure:
        if not entry.plugin:
            raise
        why = one_line(f"{type(failure).__name__}: {failure}")
        who = f"{registry.kind} {entry.name!r} of package {entry.plugin!r}"
        raise InputError(f"{who} makes no command: {why}") from failure


def help_of(entry: Entry) -> str:
    return f"{': '.join(part for part in (entry.source, entry.summary) if part)}."


def with_options(run: Verb, options: list[inspect.Parameter]) -> Verb:
    """The function as one that has these parameters."""
    run.__signature__ = inspect.Signature(options, return_annotation=Answer)  # type: ignore[attr-defined]
    run.__doc__ = None
    return run
