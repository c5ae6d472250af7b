"""`slotwise/result/1`: results as JSON. `Result.document` makes the document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from ...core.errors import InputError
from ...core.files.json_files import JsonFile, Source, Strict, validated
from ...core.wording import first_of
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule_file import (
    RESULT_FORMAT,
    ScheduleDocument,
    check_objective,
    schedule_from,
)
from ...solvers.mapreduce.result import OPTIMALITY_TOLERANCE, Result, Status
from ...solvers.progress import Progress

NonNegative = Annotated[float, Field(ge=0)]


class _Step(Strict):
    seconds: NonNegative
    incumbent: float | None = None
    bound: float | None = None


class ResultDocument(Strict):
    """The fields of a `slotwise/result/1` document; others may be there, such as `cross_check`."""

    model_config = ConfigDict(extra="allow")
    format: Literal["slotwise/result/1"]
    instance: str
    method: str
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    makespan: NonNegative | None
    lower_bound: NonNegative
    gap: NonNegative | None = None
    bound: str = ""
    found_by: str = ""
    seconds: NonNegative = 0.0
    assumptions_dropped: list[str] = []
    notes: list[str] = []
    progress: list[_Step] = []
    schedule: ScheduleDocument | None


def read_result(path: Source, instance: Instance) -> Result:
    """The result in a file, as it claims: `slotwise.check` tells whether that is true.

    Raises `InputError` for a file that is no result, or is one of another instance, and for a
    schedule that refers to what does not exist.
    """
    file = JsonFile.read(path)
    file.format_of(RESULT_FORMAT)
    check_objective(path, file.document)
    document = validated(ResultDocument, file.content, path)
    if document.instance != instance.name:
        raise InputError(
            f"{path}: instance: is a result of {document.instance!r}, not of {instance.name!r}"
        )
    schedule = None
    if document.schedule is not None:
        schedule, violations = schedule_from(instance, document.schedule)
        if violations:
            raise InputError(f"{path}: {first_of(violations)}")
    same = {"method", "makespan", "lower_bound", "seconds", "found_by"}
    return Result(
        **document.model_dump(include=same),
        instance=instance,
        status=Status(document.status),
        bound_name=document.bound,
        schedule=schedule,
        assumptions_dropped=tuple(document.assumptions_dropped),
        notes=tuple(document.notes),
        progress=[Progress(**step.model_dump()) for step in document.progress],
    )


def false_claims(result: Result) -> list[str]:
    """What a result says of its numbers that these do not bear out themselves, one line each."""
    claims: list[str] = []
    makespan, bound, status = result.makespan, result.lower_bound, result.status
    if (makespan is None) != (result.schedule is None):
        claims.append("the result has a makespan or a schedule, but not both")
    if makespan is None:
        if status in (Status.OPTIMAL, Status.FEASIBLE):
            claims.append(f"the result is called {status.value} but has no makespan")
        return claims
    if result.schedule is not None and makespan != (claimed := result.schedule.makespan):
        claims.append(f"the result says makespan {makespan:.9g}, its schedule {claimed:.9g}")
    if bound > makespan * (1 + OPTIMALITY_TOLERANCE):
        claims.append(f"lower_bound: {bound:.9g} is above the makespan {makespan:.9g}")
    if status is Status.OPTIMAL and (result.gap is None or result.gap > OPTIMALITY_TOLERANCE):
        claims.append(f"the result is called optimal, its bound {bound:.9g} leaves a gap")
    if status in (Status.INFEASIBLE, Status.UNKNOWN):
        claims.append(f"the result is called {status.value} but has a makespan")
    return claims
