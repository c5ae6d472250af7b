"""`slotwise/history/1`: runs as JSON, with the attempts as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from ...core.calls.checked import checked
from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, check_format, read_json, validated, write_json
from .run import (
    METRICS,
    UNKNOWN,
    Application,
    Attempts,
    Executor,
    Framework,
    Job,
    Outcome,
    Run,
    Stage,
    StageKind,
)

FORMAT = "slotwise/history/1"

_Whole = Annotated[int, Field(ge=UNKNOWN, le=10**15)]
_Number = Annotated[int, Field(ge=0, le=10**9)]
_Column = list[_Whole]
_Metric = list[Annotated[int, Field(ge=-(2**63), lt=2**63)]]


class _Application(Strict):
    name: str
    submitted: _Whole
    ended: _Whole = UNKNOWN


class _Job(Strict):
    name: str
    application: _Number = 0
    submitted: _Whole
    launched: _Whole = UNKNOWN
    ended: _Whole = UNKNOWN
    user: str = ""
    queue: str = ""
    group: str = ""
    weight: Annotated[float, Field(ge=0, le=1e9)] = 1.0
    succeeded: bool | None = None


class _Stage(Strict):
    name: str
    job: _Whole
    pool: _Number = 0
    kind: StageKind
    tasks: Annotated[int, Field(ge=0, le=10**18)]
    parents: list[_Number] = []
    assumed_parents: list[_Number] = []
    submitted: _Whole = UNKNOWN


class _Executor(Strict):
    name: str
    host: str
    pool: _Number = 0
    slots: Annotated[int, Field(ge=1, le=10**6)]
    since: _Whole = UNKNOWN
    until: _Whole = UNKNOWN
    application: _Number = 0
    rack: str = ""


class _Attempts(Strict):
    stage: _Column
    task: _Column
    number: _Column
    executor: _Column
    start: _Column
    end: _Column
    outcome: list[Literal["success", "failed", "killed", "lost", "unfinished"]]
    shuffle_end: _Column = []
    metrics: dict[Literal[METRICS], _Metric] = {}  # type: ignore[valid-type]


class RunDocument(Strict):
    """The fields of a `slotwise/history/1` document."""

    format: Literal["slotwise/history/1"]
    name: str
    framework: Framework
    origin: Annotated[int, Field(ge=0, le=10**15)]
    applications: list[_Application]
    jobs: list[_Job]
    pools: list[str]
    stages: list[_Stage]
    executors: list[_Executor]
    attempts: _Attempts
    complete: bool = True
    dropped: dict[str, Annotated[int, Field(ge=1)]] = {}
    notes: list[str] = []
    versions: dict[str, str] = {}


def write_run(run: Run, path: str | Path) -> None:
    """Write a run. Raises `OutputError` if the file cannot be written."""
    write_json(path, run_document(run))


def run_document(run: Run) -> dict[str, Any]:
    """The `slotwise/history/1` document of a run; what is as by default is left out."""
    attempts = run.attempts
    columns: dict[str, Any] = {
        name: getattr(attempts, name).tolist()
        for name in ("stage", "task", "number", "executor", "start", "end")
    }
    columns["outcome"] = [Outcome(k).name.lower() for k in attempts.outcome.tolist()]
    if (attempts.shuffle_end != UNKNOWN).any():
        columns["shuffle_end"] = attempts.shuffle_end.tolist()
    if attempts.metrics:
        columns["metrics"] = {name: column.tolist() for name, column in attempts.metrics.items()}
    return {
        "format": FORMAT,
        "name": run.name,
        "framework": run.framework,
        "origin": run.origin,
        "applications": [_shortened(one) for one in run.applications],
        "jobs": [_shortened(one) for one in run.jobs],
        "pools": list(run.pools),
        "stages": [_shortened(one) for one in run.stages],
        "executors": [_shortened(one) for one in run.executors],
        "attempts": columns,
        "complete": run.complete,
        "dropped": dict(run.dropped),
        "notes": list(run.notes),
        "versions": dict(run.versions),
    }


def _shortened(part: Any) -> dict[str, Any]:
    """The fields of a part that are not as by default."""
    return {
        known.name: list(value) if isinstance(value, tuple) else value
        for known in fields(part)
        if (value := getattr(part, known.name)) != known.default or known.default is MISSING
    }


@checked
def read_run_file(path: str | Path | Source) -> Run:
    """The run of a `slotwise/history/1` file. Raises `InputError` that names the field."""
    content, raw = read_json(path)
    check_format(path, raw, FORMAT)
    document = validated(RunDocument, content, _where, path)
    try:
        return _run(document)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _run(document: RunDocument) -> Run:
    attempts = document.attempts
    columns = {
        name: np.array(getattr(attempts, name), dtype=np.int64)
        for name in ("stage", "task", "number", "executor", "start", "end")
    }
    shuffle_end = attempts.shuffle_end or [UNKNOWN] * len(attempts.start)
    return Run(
        name=document.name,
        framework=document.framework,
        origin=document.origin,
        applications=tuple(Application(**one.model_dump()) for one in document.applications),
        jobs=tuple(Job(**one.model_dump()) for one in document.jobs),
        pools=tuple(document.pools),
        stages=tuple(
            Stage(
                **one.model_dump(exclude={"parents", "assumed_parents"}),
                parents=tuple(one.parents),
                assumed_parents=tuple(one.assumed_parents),
            )
            for one in document.stages
        ),
        executors=tuple(Executor(**one.model_dump()) for one in document.executors),
        attempts=Attempts(
            **columns,
            outcome=np.array([Outcome[name.upper()] for name in attempts.outcome], dtype=np.int64),
            shuffle_end=np.array(shuffle_end, dtype=np.int64),
            metrics={
                name: np.array(column, dtype=np.int64) for name, column in attempts.metrics.items()
            },
        ),
        complete=document.complete,
        dropped=document.dropped,
        notes=tuple(document.notes),
        versions=document.versions,
    )


def _where(location: Sequence[str | int]) -> str:
    """`jobs 3, submitted` for ("jobs", 3, "submitted")."""
    words: list[str] = []
    for step in location:
        if isinstance(step, int) and words:
            words[-1] += f" {step}"
        else:
            words.append(str(step))
    return ", ".join(words)
