"""What the recorders of MapReduce heuristics share: names, bars and the steps so far."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import numpy as np

from ....core.arrays import FloatArray
from ....core.wording import number
from ....heuristics.mapreduce import HEURISTICS
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.parts import OUTAGES
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule
from ....solvers.mapreduce.heuristic import understood_part, with_everything
from ..record import Candidate, Fact, Row, Step, Steps
from .slots import Slots, check_small, scheduled

Phase = Literal["map", "reduce"]

MOST_SHOWN = 12
"""So many candidates of a step are shown at most."""


class Board:
    """The steps of a recorder, and the number of each bar that is drawn.

    `instance` lacks the parts that the heuristic `method` does not understand; they count in the
    last step. Lost slots are left out unless it understands outages. Raises `InputError` if the
    instance is too large to look at, or has no schedule.
    """

    def __init__(self, method: str, instance: Instance) -> None:
        check_small(method, instance)
        entry = HEURISTICS.resolve(method)
        self.method = method
        knows_outages = OUTAGES in entry.understands
        # Who understands outages plans without them first.
        whole = replace(instance, outages=None) if knows_outages else instance
        self._slots = Slots(whole, without_lost=True)
        self._whole = instance if knows_outages else self._slots.instance
        self.instance, self._dropped = understood_part(self._whole, entry)
        self.steps: list[Step] = []
        self._bars = 0
        self._bar: dict[tuple[str | None, str | None, int | None], int] = {}

    @property
    def lanes(self) -> tuple[str, ...]:
        return self._slots.lanes

    def slot_name(self, phase: Phase, slot: int) -> str:
        """What a slot is called, for example "n2 map 0"; it is numbered within its node."""
        return self._slots.lanes[self._slots.lane(phase, slot)]

    def lane(self, phase: Phase, slot: int) -> int:
        """The lane of a slot: map slots come first."""
        return self._slots.lane(phase, slot)

    def job_of(self, phase: Phase, task: int) -> tuple[int, int]:
        """The job of a task, and the task's number in the job."""
        return self._slots.job(phase, task), self._slots.number(phase, task)

    def task_name(self, phase: Phase, task: int) -> str:
        """What a task is called, for example "j0 map 3"; it is numbered within its job."""
        return self._slots.task(phase, task)

    def row(self, phase: Phase, task: int, placed: PhaseSchedule) -> Row:
        """The bar of a task where it is placed now."""
        start, setup, end = (float(x[task]) for x in (placed.start, placed.setup, placed.end))
        return self._slots.row(phase, task, int(placed.slot[task]), (start, setup, end))

    def rows(self, phase: Phase, tasks: Iterable[int], placed: PhaseSchedule) -> tuple[Row, ...]:
        return tuple(self.row(phase, task, placed) for task in tasks)

    def drawn(self, phase: Phase, tasks: Iterable[int]) -> tuple[int, ...]:
        """The numbers of the bars that some tasks have now."""
        names = self.instance.job_names
        bars = []
        for task in tasks:
            job, number = self.job_of(phase, task)
            bar = self._bar.get((names[job], phase, number))
            bars += [] if bar is None else [bar]
        return tuple(bars)

    def add(self, step: Step, about: tuple[Phase, int] | None = None) -> None:
        if about is not None:
            job, number = self.job_of(*about)
            step = replace(step, job=self.instance.job_names[job], phase=about[0], task=number)
        gone = set(step.removes)
        self._bar = {key: bar for key, bar in self._bar.items() if bar not in gone}
        for row in step.rows:
            self._bar[row.job, row.phase, row.task] = self._bars
            self._bars += 1
        self.steps.append(step)

    def finished(
        self, maps: PhaseSchedule, reduces: PhaseSchedule, notes: tuple[str, ...] = ()
    ) -> Steps:
        """All steps, with the schedule that came out.

        `notes`: the notes of the schedule. The steps have them, too, but for those on single moves.
        """
        outcome = replace(scheduled(self.instance, maps, reduces), notes=notes)
        if self._dropped:
            outcome = self._timed_again(outcome)
        steps = self._slots.steps(self.method, self.steps, outcome)
        its_notes = tuple(line for line in outcome.notes if " -> " not in line)
        if any(step.left_out for step in self.steps):
            its_notes += ("Where there are many candidates a step shows the best of them.",)
        return replace(steps, notes=its_notes)

    def _timed_again(self, before: Schedule) -> Schedule:
        """The schedule with all that the heuristic left out of account, and the step to it."""
        after = with_everything(self._whole, before)
        keeper, parts = FactKeeper(), " and ".join(self._dropped)
        moved = int((after.map.slot != before.map.slot).sum())
        text = (
            f"{self.method} does not understand {parts}, so it has planned without. With {parts} "
            f"the makespan is {keeper.seconds('makespan', after.makespan)}, it expected "
            f"{keeper.seconds('expected makespan', before.makespan)}."
        )
        if moved:
            tasks = keeper.number("map tasks moved", moved)
            where = "task on a forbidden slot goes" if moved == 1 else "tasks on forbidden slots go"
            text += f" {tasks} map {where} to the end of the allowed slot with the least to do."
        every: dict[Phase, range] = {
            "map": range(self.instance.map_tasks),
            "reduce": range(self.instance.reduce_tasks),
        }
        phases = {"map": after.map, "reduce": after.reduce}
        self.add(
            Step(
                kind="move",
                title=f"Now with {parts}: all is timed again",
                rule="parts that the heuristic does not understand",
                text=text,
                facts=keeper.facts,
                rows=tuple(
                    row
                    for name, some in every.items()
                    for row in self.rows(name, some, phases[name])
                ),
                removes=tuple(
                    bar for name, some in every.items() for bar in self.drawn(name, some)
                ),
            )
        )
        return after


class FactKeeper:
    """The numbers that a step's sentences name, kept as its facts.

    Sentences get their numbers from here only, so that each of them stands in the step's data.
    """

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}

    def seconds(self, name: str, value: float) -> str:
        """Keep a time (s), and write it.

        `value`: the time (s).
        """
        return f"{self.number(name, value)} s"

    def number(self, name: str, value: float) -> str:
        """Keep a number, and write it."""
        self.facts[name] = value if math.isfinite(value) else number(value)
        return number(value)

    def name(self, what: str, value: str) -> str:
        """Keep a name, and give it back."""
        self.facts[what] = value
        return value


def blank(tasks: int) -> PhaseSchedule:
    """A phase of which nothing is placed."""
    return PhaseSchedule(
        np.full(tasks, -1, dtype=np.int64), np.zeros(tasks), np.zeros(tasks), np.zeros(tasks)
    )


def put(phase: PhaseSchedule, task: int, slot: int, times: tuple[float, float, float]) -> None:
    """Place a task.

    `phase`: the phase, changed in place.
    `times`: start, setup and end (s).
    """
    phase.slot[task] = slot
    phase.start[task], phase.setup[task], phase.end[task] = times


def map_ends(instance: Instance, maps: PhaseSchedule) -> FloatArray:
    """When each job's last map task ends (s), 0 for a job without map tasks, shape (jobs,)."""
    last = np.zeros(instance.jobs)
    for task in range(instance.map_tasks):
        job = instance.map_job[task]
        last[job] = max(last[job], maps.end[task])
    return last


def few(
    candidates: list[Candidate], chosen: int, loser: int | None = None
) -> tuple[tuple[Candidate, ...], int, int, int | None]:
    """As many candidates as are shown.

    Returns those that are shown, in their order, the chosen one's number among them, how many are
    left out, and the loser's number among them.
    """
    wanted = {chosen} if loser is None else {chosen, loser}
    for place in range(len(candidates)):
        if len(wanted) >= MOST_SHOWN:
            break
        wanted.add(place)
    places = sorted(wanted)
    shown = tuple(candidates[place] for place in places)
    again = None if loser is None else places.index(loser)
    return shown, places.index(chosen), len(candidates) - len(shown), again
