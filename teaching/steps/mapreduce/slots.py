"""What recorders of schedules share: lanes, names, bars, candidates, and the finished schedule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ....core.errors import InputError
from ....instances.mapreduce.cluster import Cluster
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan
from ....instances.mapreduce.usable_slots import usable_slots
from ..record import Candidate, Row, Step, Steps

MOST_TASKS = 2000
"""Most tasks of an instance whose steps are recorded: one cannot look at more steps."""

MOST_SLOTS = 400
"""Most slots that are drawn below one another."""

MOST_BOXES = 20_000
"""With more tasks times slots than this, a step shows its best candidates only."""

MOST_CANDIDATES = 5
"""So many of them."""


def check_small(method: str, instance: Instance) -> None:
    """Raise `InputError` if it is too large or has no schedule."""
    why = impossible(instance)
    if why is not None:
        raise InputError(f"steps of {method}: {instance.name!r} has no schedule: {why}")
    tasks = instance.map_tasks + instance.reduce_tasks
    if tasks > MOST_TASKS:
        raise InputError(
            f"steps of {method}: at most {MOST_TASKS} tasks can be stepped through, instance "
            f"{instance.name!r} has {tasks}: slotwise generate ljr-small --seed 1 makes a small one"
        )
    slots = int(instance.cluster.map_slots.sum() + instance.cluster.reduce_slots.sum())
    if slots > MOST_SLOTS:
        raise InputError(
            f"steps of {method}: at most {MOST_SLOTS} slots can be drawn, instance "
            f"{instance.name!r} has {slots}: slotwise generate ljr-small --seed 1 makes a small one"
        )


class Slots:
    """Names and lanes of an instance: map slots from the top, then reduce slots.

    `without_lost`: whether the method knows no outages: then it is given `Slots.instance`, which
    has no lost slots and whose slots are numbered without them.
    """

    def __init__(self, instance: Instance, *, without_lost: bool = False) -> None:
        cluster = instance.cluster
        self.instance, self._lost = instance, instance.outages
        self._usable = usable_slots(instance) if without_lost and instance.outages else None
        if self._usable is not None:
            self.instance = self._usable.instance
        self.maps, self.reduces = len(cluster.map_slot_node), len(cluster.reduce_slot_node)
        self.lanes = (*self._named("map", cluster), *self._named("reduce", cluster))

    def _named(self, phase: str, cluster: Cluster) -> Iterator[str]:
        slots = cluster.map_slots if phase == "map" else cluster.reduce_slots
        lost = [False] * int(slots.sum())
        if self._lost is not None:
            lost = (self._lost.map if phase == "map" else self._lost.reduce).tolist()
        number = 0
        for node, count in zip(cluster.node_names, slots.tolist(), strict=True):
            for k in range(count):
                yield f"{node} {phase} {k}{' (lost)' if lost[number] else ''}"
                number += 1

    def lane(self, phase: str, slot: int) -> int:
        if self._usable is not None:
            numbers = self._usable.map_slots if phase == "map" else self._usable.reduce_slots
            slot = int(numbers[slot])
        return slot if phase == "map" else self.maps + slot

    def job(self, phase: str, task: int) -> int:
        of = self.instance.map_job if phase == "map" else self.instance.reduce_job
        return int(of[task])

    def number(self, phase: str, task: int) -> int:
        first = self.instance.map_offsets if phase == "map" else self.instance.reduce_offsets
        return int(task - first[self.job(phase, task)])

    def task(self, phase: str, task: int) -> str:
        """The name of a task: `j0 map 1`."""
        return (
            f"{self.instance.job_names[self.job(phase, task)]} {phase} {self.number(phase, task)}"
        )

    def row(self, phase: str, task: int, slot: int, times: tuple[float, float, float]) -> Row:
        """The bar of a task.

        `times`: start, setup and end (s).
        """
        start, setup, end = times
        job = self.job(phase, task)
        name, number = self.instance.job_names[job], self.number(phase, task)
        return Row(
            slot=self.lane(phase, slot),
            start=start,
            end=end,
            label=f"{name} {phase[0]}{number}",
            group=job,
            setup=setup,
            job=name,
            phase=phase,
            task=number,
        )

    def are_many(self) -> bool:
        """Whether tasks times slots are so many that steps show their best candidates only."""
        tasks = self.instance.map_tasks + self.instance.reduce_tasks
        return tasks * max(self.maps, self.reduces) > MOST_BOXES

    def notes(self) -> tuple[str, ...]:
        """What a reader should know of the candidates."""
        if not self.are_many():
            return ()
        return (f"Each step shows its {MOST_CANDIDATES} best candidates; there are too many.",)

    def steps(self, method: str, steps: Sequence[Step], outcome: Schedule) -> Steps:
        """The steps of a schedule with lanes and names."""
        if self._usable is not None:
            outcome = self._usable.restored(outcome)
        return Steps(
            method=method,
            instance=self.instance.name,
            lanes=self.lanes,
            steps=tuple(steps),
            outcome=outcome,
            map_slots=self.maps,
            makespan=outcome.makespan,
            notes=(*self.notes(), *outcome.notes),
            groups=self.instance.job_names,
        )


def shortlist(
    candidates: Sequence[Candidate], order: Sequence[int], needed: Iterable[int], most: int | None
) -> tuple[tuple[Candidate, ...], dict[int, int], int]:
    """The candidates that a step shows.

    `most`: how many of the best are shown; None for all.
    Returns what is shown in the order of `candidates`, the new number of each old one, and how many
    are left out.
    """
    kept = sorted({*order[:most], *needed})
    shown = tuple(candidates[k] for k in kept)
    return shown, {k: place for place, k in enumerate(kept)}, len(candidates) - len(kept)


class Phase:
    """The tasks of one phase while they are placed.

    `tasks`: how many there are.
    """

    def __init__(self, tasks: int) -> None:
        self.slot = np.full(tasks, -1, dtype=np.int64)
        self.start, self.setup, self.end = np.zeros(tasks), np.zeros(tasks), np.zeros(tasks)

    def put(self, task: int, slot: int, start: float, setup: float, end: float) -> None:
        """Place a task.

        `start`, `setup`, `end`: its times (s).
        """
        self.slot[task], self.start[task] = slot, start
        self.setup[task], self.end[task] = setup, end

    def schedule(self) -> PhaseSchedule:
        """The finished phase."""
        return PhaseSchedule(self.slot, self.start, self.setup, self.end)


def scheduled(instance: Instance, maps: PhaseSchedule, reduces: PhaseSchedule) -> Schedule:
    """Both phases as a schedule."""
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))
