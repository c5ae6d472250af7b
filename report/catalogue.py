"""What there is of each kind: heuristics, bounds, methods and so on, with those of plug-ins."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from rich.markup import escape
from rich.table import Table

from ..heuristics import HEURISTICS
from ..instances.advice import did_you_mean
from ..instances.errors import InputError
from ..instances.parameters import parameters_of, spelled
from ..instances.registry import Entry, Registry

KINDS = {
    "heuristics": "heuristics:HEURISTICS",
    "bounds": "formulations:BOUNDS",
    "methods": "solvers:METHODS",
    "formulations": "formulations:FORMULATIONS",
    "importers": "instances.importers:IMPORTERS",
    "exporters": "instances.exporters:EXPORTERS",
    "policies": "heuristics.dispatch:POLICIES",
    "allocators": "heuristics.fairness:ALLOCATORS",
    "generators": "instances.generators:GENERATORS",
}
"""Where the registry of each kind is."""


def registry(kind: str) -> Registry:
    """The registry of a kind, for example "heuristics".

    Raises
    ------
    InputError
        If there is no such kind.
    """
    if kind not in KINDS:
        guess = did_you_mean(kind, KINDS)
        raise InputError(f"unknown kind {kind!r}: {guess}choose from {', '.join(KINDS)}")
    module, name = KINDS[kind].split(":")
    found: Registry = getattr(import_module(f"..{module}", __package__), name)
    return found


def rows(entries: Iterable[Entry]) -> list[dict[str, Any]]:
    """What `slotwise list --json` prints of each entry."""
    return [
        {
            "name": entry.name,
            "summary": entry.summary,
            "source": entry.source,
            "takes": entry.takes,
            "understands": sorted(entry.understands),
            "valid": entry.valid,
            "plugin": entry.plugin or None,
            **({"parameters": _parameters(entry)} if entries is HEURISTICS else {}),
        }
        for entry in entries
    ]


def _parameters(entry: Entry) -> list[str]:
    """The parameters of a heuristic as `--parameter` takes them, the default first."""
    try:
        _, *known = parameters_of(entry.load())
    except Exception:  # one of another package that cannot be loaded or read
        return []
    return [spelled(one) for one in known]


def catalogue(kind: str) -> Table:
    """The entries of one kind as a table for the terminal."""
    entries = registry(kind)
    table = Table(title=kind, title_justify="left")
    parts = any(entry.understands for entry in entries)
    table.add_column("name", no_wrap=True)
    for column in ("what it does", "source", *(["understands"] if parts else [])):
        table.add_column(column)
    for entry in entries:
        plugin = f" (plug-in {entry.plugin})" if entry.plugin else ""
        spelled = _parameters(entry) if entries is HEURISTICS else []
        lines = [entry.summary, *([f"({', '.join(spelled)})"] if spelled else [])]
        cells = [entry.name, "\n".join(lines), entry.source + plugin]
        if parts:
            cells.append(", ".join(sorted(entry.understands)) or "–")
        table.add_row(*map(escape, cells))
    return table
