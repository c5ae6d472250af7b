"""`slotwise heuristic`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from ..heuristics import HEURISTICS
from .console import (
    NO,
    Gantt,
    InstanceFile,
    Json,
    Output,
    Quiet,
    draw,
    get_ready,
    named,
    show,
    tell,
)
from .file_rules import saving

NAMES = ", ".join(entry.name for entry in HEURISTICS)
MOST_NOTES = 12


def heuristic(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {NAMES}.")],
    instance: InstanceFile,
    output: Output = None,
    gantt: Gantt = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Run one heuristic and check its schedule."""
    from ..instances.files import write_json
    from ..instances.mapreduce_file import read_instance
    from ..solvers.heuristic import heuristic as run

    named("heuristic", HEURISTICS, name, instance)
    problem = read_instance(instance)
    get_ready(problem, quiet=quiet or as_json)
    result = run(problem, name)
    if output is not None:
        with saving():
            write_json(output, result.document())
    draw(gantt, result)
    show(str(result), document=result.document(), as_json=as_json, quiet=quiet)
    if result.schedule is None:
        raise typer.Exit(NO)
    tell(_first(result.notes), quiet=quiet or as_json)


def _first(notes: Sequence[str]) -> list[str]:
    """The first notes, and how many more there are."""
    more = len(notes) - MOST_NOTES
    return [*notes[:MOST_NOTES], *([f"… and {more} more, see --json or -o"] if more > 0 else [])]
