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
    __pydantic_extra__: dict[str, Fact]
    slot: int | None
    label: str
    box: tuple[float, float] | None = None


class _Why(Strict):
    rule: str
    text: str
    facts: dict[str, Fact] = {}


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
    rows: tuple[Row, ...] = ()
    removes: tuple[int, ...] = ()

    def plain(self) -> Step:
        given = dict(self)
        why, candidates = given.pop("why"), given.pop("candidates")
        found = (Candidate(c.slot, c.label, c.__pydantic_extra__, c.box) for c in candidates)
        return Step(**given, **dict(why), candidates=tuple(found))


class StepsDocument(Strict):
    """The fields of a `slotwise/steps/1` document."""

    format: Literal["slotwise/steps/1"]
    method: str
    instance: str
    unit: str = "s"
    lanes: tuple[str, ...]
    groups: tuple[str, ...] = ()
    map_slots: int | None = None
    makespan: float | None = None
    marks: tuple[Mark, ...] = ()
    notes: tuple[str, ...] = ()
    steps: list[_Step]


def read_steps(path: Source) -> Steps:
    """The steps in a `slotwise/steps/1` file, to be drawn again; their outcome is None.

    Raises `InputError` for wrong fields, for a lane that is not there, and for a bar that is taken
    away before it is there.
    """
    given = dict(read_document(path, StepsDocument, FORMAT))
    del given["format"]
    steps = Steps(outcome=None, **given | {"steps": tuple(s.plain() for s in given["steps"])})
    for problem in contradictions(steps)[:1]:
        raise InputError(f"{path}: {problem}")
    return steps


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
