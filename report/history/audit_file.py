"""`slotwise/audit/1` and `slotwise/audits/1` as files: their fields; they are written, and not read
back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from ...core.calls.objective import Objective
from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, write_json
from ...instances.history.run import Framework
from ...solvers.history.audit import Audit, Overheads
from .document import audit_document

_NonNegative = Annotated[float, Field(ge=0)]
_Count = Annotated[int, Field(ge=0)]


class _Possible(Strict):
    sure: _NonNegative | None
    likely: _NonNegative | None
    relaxed: _NonNegative | None
    bound: _NonNegative
    proved_by: str
    gap: float | None


class _Reference(_Possible):
    under: str


class _Objective(_Possible):
    actual: _NonNegative
    references: dict[str, _Reference]


class _Cause(Strict):
    cause: str
    about: str
    seconds: float
    platform: bool


class _Job(Strict):
    job: str
    weight: _NonNegative
    release: float
    end: float
    best_end: float
    alone_end: float
    ends: Annotated[list[float], Field(min_length=1)]


class _Size(Strict):
    slots: Annotated[int, Field(ge=1)]
    best: _NonNegative
    bound: _NonNegative


class _Sizes(Strict):
    asked: list[_Size]
    fewest: _Count
    impossible_below: _Count


class _Alone(Strict):
    cause: str
    first: float | None
    last: float | None


class _WhatIf(Strict):
    what: str
    about: str
    tasks: _Count
    seconds: float
    jobs: list[_NonNegative]


class _Detail(Strict):
    causes: list[_Alone]
    what_if: list[_WhatIf]
    areas: dict[str, _NonNegative]


class AuditDocument(Strict):
    """The fields of a `slotwise/audit/1` document."""

    format: Literal["slotwise/audit/1"]
    name: str
    framework: Framework
    complete: bool
    objective: Objective
    overheads: Overheads
    verdict: Annotated[list[str], Field(min_length=1)]
    makespan: _Objective | None
    mean_job_time: _Objective | None
    causes: Annotated[list[_Cause], Field(min_length=1)]
    detail: _Detail | None = None
    jobs: list[_Job]
    sizes: _Sizes | None
    facts: dict[str, _NonNegative]
    assumptions: list[str]
    deviations: list[tuple[_Count, _Count]]
    dropped: dict[str, _Count]
    versions: dict[str, str]


class AuditsDocument(Strict):
    """The fields of a `slotwise/audits/1` document."""

    format: Literal["slotwise/audits/1"]
    audits: Annotated[list[AuditDocument], Field(min_length=1)]
    failures: list[str]
    unfinished: list[str]


def write_audit(audit: Audit, path: str | Path) -> None:
    """Write an audit.

    Parameters
    ----------
    audit
        What is written.
    path
        Where to; compressed if the name ends in `.gz`.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    write_json(path, audit_document(audit))


def read_audit(path: Source) -> Audit:
    """Raise `InputError`: a document tells what an audit found, not the run that it is about."""
    raise InputError(
        f"{path}: an audit is not read back; audit the history again, or read the file as JSON"
    )
