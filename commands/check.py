"""`slotwise check`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import NO, InstanceFile, Json, Quiet, show


def check(
    instance: InstanceFile,
    schedule: Annotated[
        Path,
        typer.Argument(metavar="SCHEDULE", help="A slotwise/schedule/1 or slotwise/result/1 file."),
    ],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check a schedule independently, list every violation."""
    from ..instances.checker import check as check_schedule
    from ..instances.mapreduce_file import read_instance
    from ..instances.schedule_file import read_schedule

    problem = read_instance(instance)
    claimed, violations = read_schedule(schedule, problem)
    makespan: float | None = None
    if claimed is None:
        violations = ["the result holds no schedule"]
    else:
        verdict = check_schedule(problem, claimed)
        makespan = verdict.makespan
        violations = violations + verdict.violations
    document = {"valid": not violations, "violations": violations, "makespan": makespan}
    text = "\n".join(violations) if violations else f"valid, makespan {makespan:.6g} s"
    show(text, document=document, as_json=as_json, quiet=quiet)
    if violations:
        raise typer.Exit(NO)
