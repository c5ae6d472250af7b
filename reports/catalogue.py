"""What there is of each kind: heuristics, bounds, methods and so on, with those of plug-ins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

from rich.markup import escape
from rich.table import Table

from ..core.advice import did_you_mean
from ..core.calls import checked
from ..core.errors import InputError
from ..core.parameters import parameters_of
from ..core.registry import Entry, Registry
from ..core.wording import NONE
from ..heuristics.mapreduce import HEURISTICS
from ..instances.views import view

KINDS = {
    "heuristics": "heuristics.mapreduce:HEURISTICS",
    "bounds": "formulations.mapreduce.bounds:BOUNDS",
    "methods": "solvers.mapreduce:METHODS",
    "formulations": "formulations:FORMULATIONS",
    "importers": "instances.importers:IMPORTERS",
    "exporters": "instances.exporters:EXPORTERS",
    "policies": "heuristics.datacenter:POLICIES",
    "allocators": "heuristics.hierarchy:ALLOCATORS",
    "generators": "instances.generators:GENERATORS",
}
"""Where the registry of each kind is."""


@checked
def registry(kind: str) -> Registry:
    """The methods of one kind by name, with those of other packages; it shows itself as a table.

    Parameters
    ----------
    kind
        For example "heuristics", "bounds", "methods" or "generators".

    Returns
    -------
    Registry
        Its `names`, and `lookup(name)` for the `Entry` of one.

    Raises
    ------
    InputError
        If there is no such kind.
    """
    if kind not in KINDS:
        guess = did_you_mean(kind, KINDS)
        raise InputError(f"unknown kind {kind!r}: {guess}choose from {', '.join(KINDS)}")
    entries: Registry = view(KINDS[kind])
    return entries


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
    """The parameters of a heuristic as `--parameter` takes them: `omega=0.7`, `load=a or b`."""
    try:
        _, *known = parameters_of(entry.load())
    except Exception:  # one of another package that cannot be loaded or read
        return []
    texts = []
    for one in known:
        choices = get_args(one.type) if get_origin(one.type) is Literal else ()
        values = [] if one.required else dict.fromkeys(map(str, [one.default, *choices]))
        texts.append(f"{one.name}={' or '.join(values)}" if values else one.name)
    return texts


def catalogue(kind: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Rows of `rows` as a table for the terminal."""
    table = Table(title=kind, title_justify="left")
    table.add_column("name", no_wrap=True)
    parts = any(row["understands"] for row in rows)
    for column in ("what it does", "source", *(["understands"] if parts else [])):
        table.add_column(column)
    for row in rows:
        parameters = f"\n({', '.join(known)})" if (known := row.get("parameters")) else ""
        plugin = f" (plug-in {row['plugin']})" if row["plugin"] else ""
        cells = [row["name"], row["summary"] + parameters, row["source"] + plugin]
        cells += [", ".join(row["understands"]) or NONE] if parts else []
        table.add_row(*map(escape, cells))
    return table
