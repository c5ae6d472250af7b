"""A recorder's board: names, lanes and bars of an instance, and the steps so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ....heuristics.mapreduce import HEURISTICS
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.parts import OUTAGES
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan
from ....instances.mapreduce.usable_slots import usable_slots
from ....solvers.mapreduce.heuristic import understood_part, with_everything
from ..record import Row, Step, Steps
from ..telling import FactKeeper

PhaseName = Literal["map", "reduce"]

MOST_TASKS = 2000
"""Most tasks of an instance whose steps are recorded: one cannot look at more steps."""

MOST_SLOTS = 400
"""Most slots that are drawn below one another."""


class Board:
    """The steps of a recorder, and the number of each bar that is drawn.

    `instance` lacks the parts that the heuristic `method` does not understand; they count in the
    last step. Lost slots are left out unless it understands outages. Raises `InputError` if the
    instance is too large to look at, or has no schedule.
    """

    def __init__(self, method: str, instance: Instance) -> None:
        _check_small(method, instance)
        entry = HEURISTICS.resolve(method)
        knows_outages = OUTAGES in entry.understands
        cluster, lost = instance.cluster, instance.outages
        maps = len(cluster.map_slot_node)
        self.lanes = (
            *_slot_names("map", cluster.node_names, cluster.map_slots),
            *_slot_names("reduce", cluster.node_names, cluster.reduce_slots),
        )
        if lost is not None and not knows_outages:
            gone = np.concatenate([lost.map, lost.reduce]).tolist()
            named = zip(self.lanes, gone, strict=True)
            self.lanes = tuple(f"{name} (lost)" if off else name for name, off in named)
        # Who understands outages plans without them first.
        self._usable = usable_slots(replace(instance, outages=None) if knows_outages else instance)
        self._lane: dict[PhaseName, IntArray] = {
            "map": self._usable.map_slots,
            "reduce": maps + self._usable.reduce_slots,
        }
        self.method, self._map_slots = method, maps
        self._whole = instance if knows_outages else self._usable.instance
        self.instance, self._dropped = understood_part(self._whole, entry)
        self.steps: list[Step] = []
        self._bars = 0
        self._bar: dict[tuple[str | None, str | None, int | None], int] = {}

    def lane(self, phase: PhaseName, slot: int) -> int:
        """The lane of a slot: map slots come first."""
        return int(self._lane[phase][slot])

    def slot_name(self, phase: PhaseName, slot: int) -> str:
        """What a slot is called, for example "n2 map 0"; it is numbered within its node."""
        return self.lanes[self.lane(phase, slot)]

    def job_of(self, phase: PhaseName, task: int) -> tuple[int, int]:
        """The job of a task, and the task's number in the job."""
        i = self.instance
        job = int((i.map_job if phase == "map" else i.reduce_job)[task])
        return job, task - int((i.map_offsets if phase == "map" else i.reduce_offsets)[job])

    def task_name(self, phase: PhaseName, task: int) -> str:
        """What a task is called, for example "j0 map 3"; it is numbered within its job."""
        job, number = self.job_of(phase, task)
        return f"{self.instance.job_names[job]} {phase} {number}"

    def rows(
        self, phase: PhaseName, tasks: Iterable[int], placed: PhaseSchedule
    ) -> tuple[Row, ...]:
        """The bars of tasks where they are placed now."""
        rows = []
        for task in tasks:
            job, number = self.job_of(phase, task)
            name = self.instance.job_names[job]
            rows.append(
                Row(
                    slot=self.lane(phase, int(placed.slot[task])),
                    start=float(placed.start[task]),
                    end=float(placed.end[task]),
                    label=f"{name} {phase[0]}{number}",
                    group=job,
                    setup=float(placed.setup[task]),
                    job=name,
                    phase=phase,
                    task=number,
                )
            )
        return tuple(rows)

    def drawn(self, phase: PhaseName, tasks: Iterable[int]) -> tuple[int, ...]:
        """The numbers of the bars that some tasks have now."""
        names = self.instance.job_names
        of = (self.job_of(phase, task) for task in tasks)
        keys = [(names[job], phase, number) for job, number in of]
        return tuple(self._bar[key] for key in keys if key in self._bar)

    def add(self, step: Step, about: tuple[PhaseName, int] | None = None) -> None:
        """Add a step; `about`: the phase and the task that it decides about, if it is one."""
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
        outcome = Schedule(self.instance.name, maps, reduces, makespan(maps, reduces), notes=notes)
        if self._dropped:
            outcome = self._timed_again(outcome)
        outcome = self._usable.restored(outcome)
        notes = tuple(line for line in outcome.notes if " -> " not in line)
        if any(step.left_out for step in self.steps):
            notes += ("Where there are many candidates a step shows the best of them.",)
        return Steps(
            method=self.method,
            instance=self.instance.name,
            lanes=self.lanes,
            steps=tuple(self.steps),
            outcome=outcome,
            map_slots=self._map_slots,
            makespan=outcome.makespan,
            notes=notes,
            groups=self.instance.job_names,
        )

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
        maps, reduces = range(self.instance.map_tasks), range(self.instance.reduce_tasks)
        self.add(
            Step(
                kind="move",
                title=f"Now with {parts}: all is timed again",
                rule="parts that the heuristic does not understand",
                text=text,
                facts=keeper.facts,
                rows=self.rows("map", maps, after.map) + self.rows("reduce", reduces, after.reduce),
                removes=self.drawn("map", maps) + self.drawn("reduce", reduces),
            )
        )
        return after


def _slot_names(phase: PhaseName, nodes: Iterable[str], slots: IntArray) -> Iterator[str]:
    for node, count in zip(nodes, slots.tolist(), strict=True):
        yield from (f"{node} {phase} {k}" for k in range(count))


def _check_small(method: str, instance: Instance) -> None:
    why = impossible(instance)
    if why is not None:
        raise InputError(f"steps of {method}: {instance.name!r} has no schedule: {why}")
    cluster = instance.cluster
    for what, count, most in (
        ("tasks can be stepped through", instance.map_tasks + instance.reduce_tasks, MOST_TASKS),
        ("slots can be drawn", int((cluster.map_slots + cluster.reduce_slots).sum()), MOST_SLOTS),
    ):
        if count > most:
            raise InputError(
                f"steps of {method}: at most {most} {what}, instance {instance.name!r} has "
                f"{count}: slotwise generate ljr-small --seed 1 makes a small one"
            )


def blank(tasks: int) -> PhaseSchedule:
    """A phase of which nothing is placed."""
    return PhaseSchedule(
        np.full(tasks, -1, dtype=np.int64), np.zeros(tasks), np.zeros(tasks), np.zeros(tasks)
    )


def put(phase: PhaseSchedule, task: int, slot: int, times: tuple[float, float, float]) -> None:
    """Place a task in `phase`, which changes; `times`: start, setup and end (s)."""
    phase.slot[task] = slot
    phase.start[task], phase.setup[task], phase.end[task] = times


def map_ends(instance: Instance, maps: PhaseSchedule) -> FloatArray:
    """When each job's last map task ends (s), 0 for a job without map tasks, shape (jobs,)."""
    last = np.zeros(instance.jobs)
    np.maximum.at(last, instance.map_job, maps.end)
    return last
