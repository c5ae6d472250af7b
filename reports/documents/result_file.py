"""`slotwise/result/1`: results as JSON. `Result.document` makes the document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, check_format, read_json, validated
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


def read_result(path: Source, instance: Instance) -> tuple[Result, list[str]]:
    """The result in a `slotwise/result/1` file, with its schedule.

    Parameters
    ----------
    path : str or Path
        The file, plain or gzip.
    instance : Instance
        What it is the result of.

    Returns
    -------
    result : Result
        As the file claims: `slotwise.check` tells whether that is true.
    violations : list of str
        What the schedule refers to that does not exist.

    Raises
    ------
    InputError
        For a file that is no result, or is one of another instance.
    """
    content, raw = read_json(path)
    check_format(path, raw, RESULT_FORMAT)
    check_objective(path, raw)
    document = validated(ResultDocument, content, lambda place: ", ".join(map(str, place)), path)
    if document.instance != instance.name:
        raise InputError(
            f"{path}: instance: is a result of {document.instance!r}, not of {instance.name!r}"
        )
    schedule, violations = (
        (None, list[str]())
        if document.schedule is None
        else schedule_from(instance, document.schedule)
    )
    result = Result(
        instance=instance,
        method=document.method,
        status=Status(document.status),
        makespan=document.makespan,
        lower_bound=document.lower_bound,
        bound_name=document.bound,
        seconds=document.seconds,
        schedule=schedule,
        found_by=document.found_by,
        assumptions_dropped=tuple(document.assumptions_dropped),
        notes=tuple(document.notes),
        progress=[Progress(p.seconds, p.incumbent, p.bound) for p in document.progress],
    )
    return result, violations


def false_claims(result: Result) -> list[str]:
    """What a result says of its numbers that these do not bear out themselves, one line each."""
    claims: list[str] = []
    makespan = result.makespan
    if (makespan is None) != (result.schedule is None):
        claims.append("the result has a makespan or a schedule, but not both")
    if makespan is not None and result.schedule is not None:
        claimed = result.schedule.makespan
        if makespan != claimed:
            claims.append(f"the result says makespan {makespan:.9g}, its schedule {claimed:.9g}")
    bound = result.lower_bound
    if makespan is not None and bound > makespan * (1 + OPTIMALITY_TOLERANCE):
        claims.append(f"lower_bound: {bound:.9g} is above the makespan {makespan:.9g}")
    return claims + _false_status(result)


def _false_status(result: Result) -> list[str]:
    status, bound, gap = result.status, result.lower_bound, result.gap
    if result.makespan is None:
        is_found = status in (Status.OPTIMAL, Status.FEASIBLE)
        return [f"the result is called {status.value} but has no makespan"] if is_found else []
    if status is Status.OPTIMAL and (gap is None or gap > OPTIMALITY_TOLERANCE):
        return [f"the result is called optimal, its bound {bound:.9g} leaves a gap"]
    if status in (Status.INFEASIBLE, Status.UNKNOWN):
        return [f"the result is called {status.value} but has a makespan"]
    return []
