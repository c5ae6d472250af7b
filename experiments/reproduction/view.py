"""A reproduction for people, and as a JSON document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.markup import escape
from rich.table import Table

from .claims_page import counted, limits, ours_in_words, worst_first
from .comparison import row_of
from .experiment import Claim, Verdict
from .outcome import Reproduction
from .printed import is_size

if TYPE_CHECKING:
    from rich.console import RenderableType

STYLES = {
    Verdict.HOLDS: "green",
    Verdict.PARTLY: "yellow",
    Verdict.DOES_NOT: "bold red",
    Verdict.NOT_TESTABLE: "dim",
}


def reproduction_view(done: Reproduction, folder: Path) -> RenderableType:
    """A table of claims with verdicts, what does not hold first, and where everything is."""
    parts: list[RenderableType] = []
    if done.claims:
        parts.append(_table(done))
    parts += [escape(line) for line in summary(done, folder)]
    return Group(*parts)


def summary(done: Reproduction, folder: Path) -> Iterator[str]:
    if done.claims:
        number = sum(not is_size(claim.id) for claim in done.claims)
        yield f"{number} claims: {counted(done.claims)}."
    if done.cells:
        yield f"{done.agreeing} of {done.testable} printed numbers agree within chance."
    for part in done.parts:
        for note in part.comparison.notes:
            yield f"{part.experiment.name}: {note}"
    if done.failed:
        yield f"{done.failed} of {len(done.records)} runs failed; results.csv has their errors."
    if done.lost:
        names = ", ".join(claim.id for claim in done.lost)
        yield f"Should hold here and does not: {names}."
    yield f"Everything is in {folder}: claims.md, comparison.csv, pictures, results.parquet."


def reproduction_document(done: Reproduction, folder: Path) -> dict[str, Any]:
    return {
        "size": done.size,
        "folder": str(folder),
        "runs": len(done.records),
        "failed": done.failed,
        "experiments": [
            {
                "name": part.experiment.name,
                "title": part.experiment.title,
                "claims": [_row(claim) for claim in part.comparison.claims],
                "cells": [_row(claim) for claim in part.comparison.cells],
                "notes": part.comparison.notes,
                "failed": part.failed,
            }
            for part in done.parts
        ],
        "cells": {"testable": done.testable, "agree": done.agreeing},
        "should_hold_and_does_not": [claim.id for claim in done.lost],
    }


def _row(claim: Claim) -> dict[str, Any]:
    row = row_of(claim)
    finite = {k: v for k, v in row.items() if not isinstance(v, float) or abs(v) < float("inf")}
    return {name: finite.get(name) for name in row}


def _table(done: Reproduction) -> Table:
    names = ", ".join(part.experiment.name for part in done.parts)
    table = Table(title=escape(f"{names} ({done.size})"), title_justify="left", show_lines=True)
    table.add_column("verdict")
    table.add_column("claim", ratio=3)
    table.add_column("printed", ratio=1)
    table.add_column("here", ratio=2)
    for claim in worst_first(done.claims):
        table.add_row(
            f"[{STYLES[claim.verdict]}]{claim.verdict.value}[/]",
            escape(f"{claim.id}: {claim.claim}"),
            escape(limits(claim)),
            escape(ours_in_words(claim)),
        )
    return table
