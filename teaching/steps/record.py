"""What a recorder says: `Steps`, and their file format `slotwise/steps/1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ...core.files.json_files import STRICT
from ...instances.views import view

FORMAT = "slotwise/steps/1"

Fact = float | int | str | bool | None
Kind = Literal["order", "place", "move", "wait", "start", "fill"]


@dataclass(frozen=True)
class Row:
    """A bar that a step draws: a task on a slot, a job on a machine, a rise of a leaf's share.

    Parameters
    ----------
    slot
        Its lane.
    start, end
        Where it begins and ends on the axis (`Steps.unit`).
    label
        What is written on it.
    group
        The job, class or leaf that it belongs to, which gives it its colour.
    setup
        Length of its first part, drawn lighter.
    job, phase, task
        What it is in the instance, where it is a task of one.
    """

    __pydantic_config__ = STRICT

    slot: int
    start: float
    end: float
    label: str
    group: int
    setup: float = 0.0
    job: str | None = None
    phase: str | None = None
    task: int | None = None


@dataclass(frozen=True)
class Candidate:
    """What a step could have chosen.

    Parameters
    ----------
    slot
        Its lane, or None if it has none.
    label
        What it is called, for example "n2 map 0".
    facts
        What decides, by the field's term, for example free, start, setup and end (s).
    box
        Where it would begin and end, drawn as a dashed box.
    """

    slot: int | None
    label: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    box: tuple[float, float] | None = None

    def document(self) -> dict[str, Any]:
        """The candidate as plain data, its facts beside the other fields."""
        return {
            "slot": self.slot,
            "label": self.label,
            **self.facts,
            "box": None if self.box is None else list(self.box),
        }


@dataclass(frozen=True)
class Step:
    """One decision.

    Parameters
    ----------
    kind
        What sort of decision.
    title
        What is decided, in some words.
    rule
        Name of the rule or tie rule that decided.
    text
        Why, in sentences. Every number in it stands in this step's data.
    candidates
        What there was to choose from, as far as it is shown.
    chosen
        Number of the chosen one among the candidates.
    left_out
        How many more candidates there were.
    facts
        Further data that the sentences name.
    rows
        The bars that it draws.
    removes
        Numbers of earlier bars that it takes away; bars count from 0 through all steps.
    job, phase, task
        What the decision is about, where that is a task.
    loser
        Number of the most tempting of the candidates that lost, which the text names.
    """

    kind: Kind
    title: str
    rule: str
    text: str
    candidates: tuple[Candidate, ...] = ()
    chosen: int | None = None
    left_out: int = 0
    facts: Mapping[str, Fact] = field(default_factory=dict)
    rows: tuple[Row, ...] = ()
    removes: tuple[int, ...] = ()
    job: str | None = None
    phase: str | None = None
    task: int | None = None
    loser: int | None = None

    def document(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "title": self.title,
            "phase": self.phase,
            "job": self.job,
            "task": self.task,
            "candidates": [candidate.document() for candidate in self.candidates],
            "left_out": self.left_out,
            "chosen": self.chosen,
            "loser": self.loser,
            "why": {"rule": self.rule, "text": self.text, "facts": dict(self.facts)},
            "rows": [asdict(row) for row in self.rows],
            "removes": list(self.removes),
        }


@dataclass(frozen=True)
class Mark:
    """A line across the picture, such as a bound or the optimum."""

    __pydantic_config__ = STRICT

    label: str
    at: float
    dashed: bool = False


@dataclass(frozen=True)
class Steps:
    """All decisions of a method on an instance.

    Parameters
    ----------
    method, instance
        Names of both.
    lanes
        Names of slots, machines or leaves, from the top.
    steps
        The decisions in their order.
    outcome
        What came out: a `Schedule`, an `Allocation` or a `Simulation`.
    map_slots
        How many of the first lanes are map slots, or None where that means nothing.
    makespan
        End of the schedule (s), or None where there is none.
    marks
        Bound, optimum and the like.
    unit
        What the axis counts.
    notes
        What a reader should know, for example that not all candidates are shown.
    groups
        Names of the jobs, classes or leaves that give bars their colours, by `Row.group`.
    """

    method: str
    instance: str
    lanes: tuple[str, ...]
    steps: tuple[Step, ...]
    outcome: Any
    map_slots: int | None = None
    makespan: float | None = None
    marks: tuple[Mark, ...] = ()
    unit: str = "s"
    notes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    def document(self) -> dict[str, Any]:
        """The steps as a `slotwise/steps/1` document."""
        return {
            "format": FORMAT,
            "method": self.method,
            "instance": self.instance,
            "unit": self.unit,
            "lanes": list(self.lanes),
            "groups": list(self.groups),
            "map_slots": self.map_slots,
            "makespan": self.makespan,
            "marks": [asdict(mark) for mark in self.marks],
            "notes": list(self.notes),
            "steps": [step.document() for step in self.steps],
        }

    def __repr__(self) -> str:
        return f"Steps({self.method} on {self.instance!r}: {len(self.steps)} steps)"

    def _repr_html_(self) -> str:
        shown: str = view("teaching.steps.html:step_page")(self)
        return shown
