"""`slotwise check`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

import slotwise

from ..core.wording import plural
from .frame import Answer
from .running import NO


def check(
    instance: Annotated[
        Path,
        typer.Argument(
            metavar="INSTANCE",
            help="A slotwise/mapreduce/1, datacenter/1, hierarchy/1 or /2 file, plain or gzip.",
        ),
    ],
    schedule: Annotated[
        Path,
        typer.Argument(
            metavar="SCHEDULE",
            help="A slotwise/schedule/1, result/1, steps/1, guidance/1, allocation/1 or /2 file.",
        ),
    ],
) -> Answer:
    """A schedule against its instance, guidance against its datacenter, or an allocation
    against its hierarchy.
    """
    from ..core.files.json_files import JsonFile
    from ..instances.datacenter.guidance_file import Misfit
    from ..instances.hierarchy.allocation_file import claimed_allocation
    from ..instances.mapreduce.instance_file import read_instance
    from ..instances.mapreduce.schedule_file import claimed_schedule
    from ..teaching.steps.record import FORMAT as STEPS
    from ..teaching.steps.steps_file import read_steps

    file = JsonFile.read(instance)
    kind = str(file.document.get("format"))
    problem: Any
    claimed: Any = None
    violations: list[str] = []
    if kind == "slotwise/datacenter/1":
        problem = slotwise.read_datacenter(file)
        try:
            claimed = slotwise.read_guidance(JsonFile.read(schedule), problem)
        except Misfit as error:
            violations = [str(error)]
    elif kind.startswith("slotwise/hierarchy/"):
        problem = slotwise.read_hierarchy(file)
        claimed, violations = claimed_allocation(JsonFile.read(schedule), problem)
    else:
        problem, claim = read_instance(file), JsonFile.read(schedule)
        if claim.document.get("format") == STEPS:
            claimed = read_steps(claim)
        else:
            claimed, violations = claimed_schedule(claim, problem)
            violations = violations if claimed is not None else ["the result holds no schedule"]
    makespan, notes = None, []
    if claimed is not None:
        verdict = slotwise.check(problem, claimed)
        violations = [*violations, *verdict.violations]
        if verdict.makespan is not None and math.isfinite(verdict.makespan):
            makespan = verdict.makespan
    if getattr(problem, "dropped_limits", ()):
        limits = plural(len(problem.dropped_limits), "limit")
        notes.append(f"{limits} of the imported queues not checked")
    valid = "valid" if makespan is None else f"valid, makespan {makespan:.6g} s"
    return Answer(
        "\n".join(violations) or valid,
        {"valid": not violations, "violations": violations, "makespan": makespan},
        code=NO if violations else 0,
        notes=notes,
    )
