"""`slotwise check`."""

from __future__ import annotations

import math
from collections.abc import Callable
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
    from ..instances.mapreduce.instance_file import read_instance

    file = JsonFile.read(instance)
    kind = str(file.document.get("format"))
    problem: Any
    claims: Callable[[Any, Any], tuple[Any, list[str]]]
    if kind == "slotwise/datacenter/1":
        problem, claims = slotwise.read_datacenter(file), _guidance
    elif kind.startswith("slotwise/hierarchy/"):
        problem, claims = slotwise.read_hierarchy(file), _allocation
    else:
        problem, claims = read_instance(file), _schedule
    claimed, violations = claims(JsonFile.read(schedule), problem)
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


def _schedule(file: Any, instance: slotwise.Instance) -> tuple[Any, list[str]]:
    """What a file claims, None if that is nothing to check, and what cannot be."""
    from ..instances.mapreduce.schedule_file import claimed_schedule
    from ..teaching.steps.record import FORMAT as STEPS
    from ..teaching.steps.steps_file import read_steps

    if file.document.get("format") == STEPS:
        return read_steps(file), []
    schedule, violations = claimed_schedule(file, instance)
    return schedule, ["the result holds no schedule"] if schedule is None else violations


def _allocation(file: Any, hierarchy: slotwise.Hierarchy) -> tuple[Any, list[str]]:
    from ..instances.hierarchy.allocation_file import claimed_allocation

    return claimed_allocation(file, hierarchy)


def _guidance(file: Any, datacenter: slotwise.Datacenter) -> tuple[Any, list[str]]:
    from ..instances.datacenter.guidance_file import Misfit

    try:
        return slotwise.read_guidance(file, datacenter), []
    except Misfit as error:
        return None, [str(error)]
