"""`slotwise check`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import NO, Json, Quiet, show, tell

if TYPE_CHECKING:
    from ..core.files.json_files import JsonFile


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
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """A schedule against its instance, guidance against its datacenter, or an allocation
    against its hierarchy.
    """
    from ..core.files.json_files import JsonFile
    from ..core.wording import plural

    problem = JsonFile.read(instance)
    kind = str(problem.document.get("format"))
    checks = {
        "slotwise/hierarchy/1": _allocation,
        "slotwise/hierarchy/2": _allocation,
        "slotwise/datacenter/1": _guidance,
    }
    violations, makespan = checks.get(kind, _schedule)(problem, schedule)
    document = {"valid": not violations, "violations": violations, "makespan": makespan}
    text = "\n".join(violations) or "valid"
    if not violations and makespan is not None:
        text = f"valid, makespan {makespan:.6g} s"
    show(text, document=document, as_json=as_json, quiet=quiet)
    if checks.get(kind) is _allocation and problem.document.get("dropped_limits"):
        limits = plural(len(problem.document["dropped_limits"]), "limit")
        tell([f"{limits} of the imported queues not checked"], quiet=quiet or as_json)
    if violations:
        raise typer.Exit(NO)


def _schedule(instance: JsonFile, schedule: Path) -> tuple[list[str], float | None]:
    """Violations, and the makespan recomputed."""
    from ..core.files.json_files import JsonFile
    from ..instances.mapreduce.checker import check as check_schedule
    from ..instances.mapreduce.instance_file import read_instance
    from ..instances.mapreduce.schedule_file import claimed_schedule
    from ..teaching.steps.checking import check_steps
    from ..teaching.steps.record import FORMAT as STEPS
    from ..teaching.steps.steps_file import read_steps

    problem, file = read_instance(instance), JsonFile.read(schedule)
    if file.document.get("format") == STEPS:
        shown = check_steps(problem, read_steps(file))
        return shown.violations, shown.makespan
    claimed, violations = claimed_schedule(file, problem)
    if claimed is None:
        return ["the result holds no schedule"], None
    verdict = check_schedule(problem, claimed)
    finite = verdict.makespan is not None and math.isfinite(verdict.makespan)
    return violations + verdict.violations, verdict.makespan if finite else None


def _allocation(hierarchy: JsonFile, allocation: Path) -> tuple[list[str], None]:
    from ..instances.hierarchy.allocation_file import claimed_allocation
    from ..instances.hierarchy.checker import check_allocation
    from ..instances.hierarchy.hierarchy_file import read_hierarchy

    claimed, violations = claimed_allocation(allocation, read_hierarchy(hierarchy))
    return violations + check_allocation(claimed).violations, None


def _guidance(datacenter: JsonFile, guidance: Path) -> tuple[list[str], None]:
    from ..core.files.json_files import JsonFile
    from ..instances.datacenter.checker import check_guidance
    from ..instances.datacenter.datacenter_file import read_datacenter
    from ..instances.datacenter.guidance_file import Misfit, read_guidance

    problem = read_datacenter(datacenter)
    claimed = JsonFile.read(guidance)
    try:
        return check_guidance(read_guidance(claimed, problem)).violations, None
    except Misfit as error:
        return [str(error)], None
