"""What each printed claim came to, for people: `claims.md`, a table, a JSON document."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..study.listing import spans
from .claims import SIZE_OF_DESIGN, Claim, Verdict, is_size, printed, rank
from .claims import claims as printed_claims
from .outcome import Reproduced, Reproduction, row_of

if TYPE_CHECKING:
    from rich.console import RenderableType

PACKAGES = ("slotwise", "numpy", "numba", "scipy")
"""Whose versions may change a result."""

MOST_CELLS = 10
"""Printed numbers that are listed where they do not agree; `comparison.csv` has all."""


STYLES = {
    Verdict.DOES_NOT: ("bold red", "{} do not hold"),
    Verdict.PARTLY: ("yellow", "{} hold partly"),
    Verdict.HOLDS: ("green", "{} hold"),
    Verdict.NOT_TESTABLE: ("dim", "{} cannot be tested"),
}
"""Colour, and words for a number of claims, by verdict; the worst first."""


def claims_page(done: Reproduction) -> str:
    """Claims by paper in Markdown, those that do not hold first.

    Returns the page, without a title.
    """
    lines = [*_about(done), ""]
    for paper in dict.fromkeys(claim.paper for claim in printed_claims()):
        mine = [claim for claim in done.claims if printed(claim.id).paper == paper]
        if mine:
            lines += [f"### {paper}", "", *_claims_table(mine), ""]
    for part in done.parts:
        lines += _part(part)
    return "\n".join(lines).rstrip() + "\n"


def counted(claims: Iterable[Claim]) -> str:
    """How many claims have each verdict, the worst first, and sizes of designs by themselves."""
    every = list(claims)
    sizes = [each for each in every if is_size(each.id)]
    count = Counter(each.verdict for each in every if each not in sizes)
    told = ((words, count[verdict]) for verdict, (_, words) in STYLES.items())
    verdicts = ", ".join(words.format(number) for words, number in told if number)
    if not sizes:
        return verdicts
    good = sum(each.verdict is Verdict.HOLDS for each in sizes)
    design = f"{good} of {len(sizes)} sizes of designs are as printed"
    return f"{verdicts}; {design}" if verdicts else design


def worst_first(claims: Iterable[Claim]) -> list[Claim]:
    """Claims by verdict: what does not hold, what holds partly, what holds, what is not tested."""

    order = list(STYLES)
    return sorted(claims, key=lambda claim: order.index(claim.verdict))


def number(value: float | None) -> str:
    """A number for people, a dash for none."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value == round(value) and abs(value) < 1e9 else f"{value:.4g}"


def limits(claim: Claim) -> str:
    """What the paper prints: `2.81`, `51 to 77`, `at most 20`, or a dash."""
    low, high = claim.printed_low, claim.printed_high
    if low is None and high is None:
        return "–"
    if low is None:
        return f"at most {number(high)}"
    if high is None:
        return f"at least {number(low)}"
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def ours_in_words(claim: Claim) -> str:
    """What was measured, with its standard error and the note; of a share of cases the note."""
    is_share = claim.printed_low is None and claim.printed_high is None
    if claim.note and (claim.ours is None or is_share):
        words = claim.note
    elif claim.ours is None:
        words = "–"
    else:
        error = f" ± {claim.standard_error:.2g}" if claim.standard_error else ""
        words = f"{number(claim.ours)}{error}" + (f": {claim.note}" if claim.note else "")
    return f"{words} (on {claim.scale})" if claim.scale else words


def _about(done: Reproduction) -> Iterator[str]:
    names = ", ".join(f"`{part.experiment.name}`" for part in done.parts)
    own = {"quick": "a few seeds and levels (--quick)", "full": "the papers' own size (--full)"}
    yield f"{names}: {own[done.size]}."
    yield ""
    seeds = done.study.seeds
    seeds_shown = f", seed{'s' * (len(seeds) > 1)} {spans(seeds)}" if seeds else ""
    failed = f", {done.failed} failed" if done.failed else ", none failed"
    seconds = sum(record.cpu_seconds for record in done.records.values())
    runs = "1 run" if len(done.records) == 1 else f"{len(done.records):,} runs"
    yield f"{runs}{seeds_shown}{failed}; the methods alone took {seconds:.0f} s"
    yield f"of processor time. Of the claims {counted(done.claims)}."
    if done.cells:
        yield f"Of {done.testable} printed numbers {done.agreeing} agree within chance."
    yield ""
    made_with = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    place = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    yield f"Made with {made_with}, {place}."


def _claims_table(claims: Iterable[Claim]) -> Iterator[str]:
    yield "| verdict | claim | where | printed | here |"
    yield "|---|---|---|---|---|"
    for claim in worst_first(claims):
        paper = printed(claim.id)
        unit = f" {paper.unit}" if paper.unit in ("%", "s", "h") else ""
        print_ = limits(claim) + (unit if limits(claim) != "–" else "")
        cells = [
            _verdict(claim),
            f"{claim.id}: {paper.claim}",
            f"{paper.item}, {paper.section}",
            print_,
            ours_in_words(claim),
        ]
        yield (
            "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
        )


def _verdict(claim: Claim) -> str:
    """In bold what is worse than it should be; sizes of designs say what they are."""
    own = f"**{claim.verdict.value}**" if rank(claim.verdict) else claim.verdict.value
    return f"{own} ({SIZE_OF_DESIGN})" if is_size(claim.id) else own


def _part(part: Reproduced) -> Iterator[str]:
    seen = part.comparison
    away = [cell for cell in seen.cells if rank(cell.verdict)]
    if not seen.notes and not seen.cells:
        return
    yield f"### {part.experiment.name}: {part.experiment.title}"
    yield ""
    testable = [cell for cell in seen.cells if cell.verdict is not Verdict.NOT_TESTABLE]
    if testable:
        agree = sum(cell.verdict is Verdict.HOLDS for cell in testable)
        yield f"{agree} of {len(testable)} printed numbers agree within chance."
        away.sort(key=lambda cell: -abs(cell.difference or 0.0))
        if away:
            few = ", ".join(
                f"{cell.claim} {number(cell.ours)} ({number(cell.printed_low)})"
                for cell in away[:MOST_CELLS]
            )
            yield f"Farthest off, with the print in brackets: {few}."
        yield ""
    for note in seen.notes:
        yield f"- {note}"
    if seen.notes:
        yield ""


def reproduction_view(done: Reproduction, folder: Path) -> RenderableType:
    """A table of claims with verdicts, what does not hold first, and where everything is."""
    from rich.console import Group
    from rich.markup import escape

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


def _table(done: Reproduction) -> RenderableType:
    from rich.markup import escape
    from rich.table import Table

    names = ", ".join(part.experiment.name for part in done.parts)
    table = Table(title=escape(f"{names} ({done.size})"), title_justify="left", show_lines=True)
    table.add_column("verdict")
    table.add_column("claim", ratio=3)
    table.add_column("printed", ratio=1)
    table.add_column("here", ratio=2)
    for claim in worst_first(done.claims):
        table.add_row(
            f"[{STYLES[claim.verdict][0]}]{claim.verdict.value}[/]",
            escape(f"{claim.id}: {claim.claim}"),
            escape(limits(claim)),
            escape(ours_in_words(claim)),
        )
    return table
