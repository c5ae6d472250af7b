"""`slotwise/steps/1`: steps as JSON."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict

from ...core.errors import InputError
from ...core.files.json_files import Source, Strict, read_document
from .record import FORMAT, Candidate, Fact, Kind, Mark, Row, Step, Steps


class _Candidate(Strict):
    """Further fields are facts."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, float | int | str | bool | None]
    slot: int | None
    label: str
    box: tuple[float, float] | None = None


class _Why(Strict):
    rule: str
    text: str
    facts: dict[str, float | int | str | bool | None] = {}


class _Row(Strict):
    slot: int
    start: float
    end: float
    label: str
    group: int
    setup: float = 0.0
    job: str | None = None
    phase: str | None = None
    task: int | None = None


class _Step(Strict):
    kind: Kind
    title: str
    phase: str | None = None
    job: str | None = None
    task: int | None = None
    candidates: list[_Candidate] = []
    left_out: int = 0
    chosen: int | None = None
    loser: int | None = None
    why: _Why
    rows: list[_Row] = []
    removes: list[int] = []


class _Mark(Strict):
    label: str
    at: float
    dashed: bool = False


class StepsDocument(Strict):
    """The fields of a `slotwise/steps/1` document."""

    format: Literal["slotwise/steps/1"]
    method: str
    instance: str
    unit: str = "s"
    lanes: list[str]
    groups: list[str] = []
    map_slots: int | None = None
    makespan: float | None = None
    marks: list[_Mark] = []
    notes: list[str] = []
    steps: list[_Step]


def read_steps(path: Source) -> Steps:
    """The steps in a `slotwise/steps/1` file, to be drawn again; their outcome is None.

    Parameters
    ----------
    path
        Path of the file, or `-`.

    Returns
    -------
    Steps
        The steps.

    Raises
    ------
    InputError
        For wrong fields, for a lane that is not there, and for a bar that is taken away before it
        is there.
    """
    document = read_document(path, StepsDocument, FORMAT)
    steps = steps_from(document)
    for problem in contradictions(steps)[:1]:
        raise InputError(f"{path}: {problem}")
    return steps


def steps_from(document: StepsDocument) -> Steps:
    return Steps(
        method=document.method,
        instance=document.instance,
        lanes=tuple(document.lanes),
        steps=tuple(_step(each) for each in document.steps),
        outcome=None,
        map_slots=document.map_slots,
        makespan=document.makespan,
        marks=tuple(Mark(each.label, each.at, each.dashed) for each in document.marks),
        unit=document.unit,
        notes=tuple(document.notes),
        groups=tuple(document.groups),
    )


def _step(step: _Step) -> Step:
    return Step(
        kind=step.kind,
        title=step.title,
        rule=step.why.rule,
        text=step.why.text,
        candidates=tuple(
            Candidate(each.slot, each.label, dict[str, Fact](each.__pydantic_extra__), each.box)
            for each in step.candidates
        ),
        chosen=step.chosen,
        left_out=step.left_out,
        facts=dict[str, Fact](step.why.facts),
        rows=tuple(Row(**each.model_dump()) for each in step.rows),
        removes=tuple(step.removes),
        job=step.job,
        phase=step.phase,
        task=step.task,
        loser=step.loser,
    )


def contradictions(steps: Steps) -> list[str]:
    """What in steps refers to something that is not there, one line each; drawing needs none."""
    violations: list[str] = []
    bars: set[int] = set()
    drawn = 0
    for n, step in enumerate(steps.steps, 1):
        where = f"step {n}"
        lanes: list[Any] = [row.slot for row in step.rows]
        lanes += [candidate.slot for candidate in step.candidates if candidate.slot is not None]
        violations += [
            f"{where}: there is no lane {k}" for k in lanes if not 0 <= k < len(steps.lanes)
        ]
        violations += [
            f"{where}: a bar ends before it begins" for r in step.rows if r.end < r.start
        ]
        for name, choice in (("chosen", step.chosen), ("loser", step.loser)):
            if choice is not None and not 0 <= choice < len(step.candidates):
                violations.append(f"{where}, {name}: there is no candidate {choice}")
        for bar in step.removes:
            if bar not in bars:
                violations.append(f"{where}, removes: there is no bar {bar}")
            bars.discard(bar)
        bars.update(range(drawn, drawn + len(step.rows)))
        drawn += len(step.rows)
    return violations
