"""Heuristics that a command line names: ours, those of plug-ins, and functions in files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...core.errors import InputError
from ...core.registry import Entry
from ...heuristics.mapreduce import HEURISTICS

ALL = "all"
"""All that run where none is named."""


def heuristics_named(names: list[str] | None) -> list[Entry] | None:
    """The entries of names, of `FILE.py:FUNCTION`, and of `all`; None if none is named.

    What fails in a file of the user's own is left out with a note, like what fails in a plug-in.
    Raises `InputError`.
    """
    if not names:
        return None
    entries: dict[str, Entry] = {}
    for name in names:
        found = HEURISTICS.usual if name == ALL else [_entry(name)]
        for entry in found:
            if entries.get(entry.name, entry) != entry:
                raise InputError(f"--heuristic: two of the same name: {entry.name!r}")
            entries[entry.name] = entry
    return list(entries.values())


def _entry(name: str) -> Entry:
    if ":" not in name:
        return HEURISTICS.lookup(name)
    from ...experiments.study.user_functions import find_function

    try:
        found = find_function(name, Path())
    except InputError as error:
        raise InputError(str(error).replace("function:", f"--heuristic {name}:", 1)) from None
    return replace(HEURISTICS.resolve(found.function), plugin=name.rpartition(":")[0])
