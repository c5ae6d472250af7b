"""Task matchmaking of SMSO ([SMSO], Algorithm 1), recorded slot by slot and group by group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .....heuristics.smso.reading import Load, Reading
from .....instances.arrays import FloatArray
from .....instances.mapreduce.instance import Instance
from .....instances.mapreduce.security import ENCRYPTED
from ...record import Candidate, Fact, Step
from ..board import Board, Told, few

HERE, UNENCRYPTED, ENCRYPTING = 0, 1, 2
"""How data gets to a slot: it is there, it moves as it is, it moves encrypted."""

WAYS = ("here", "unencrypted", "encrypted")
HOME, SPARED, ANY, IGNORED = 0, 1, 2, 3
"""The groups of Algorithm 1, and what is asked if data is ignored."""


@dataclass(frozen=True)
class View:
    """What a task sees when it looks for a slot; lists have an entry per map slot.

    Parameters
    ----------
    task
        The task.
    lost, allowed
        Whether the slot is lost, and whether the task's priority allows it.
    way
        How the task's data gets there.
    load, given
        Load of the slot, and the part of it that the tasks placed now have given it.
    count
        How many tasks the slot has.
    setup
        Setup time of the task there (s).
    free
        When the slot would have done what it has (s).
    threshold
        Below this load given, a slot takes tasks of the first two groups.
    unit
        What load is: seconds or tasks.
    holders
        Names of the nodes with the task's data.
    """

    task: int
    lost: list[bool]
    allowed: list[bool]
    way: list[int]
    load: list[float]
    given: list[float]
    count: list[int]
    setup: list[float]
    free: list[float]
    threshold: float
    unit: Load
    holders: tuple[str, ...]

    @property
    def open(self) -> list[int]:
        """The slots that are left and allowed."""
        return [k for k in range(len(self.load)) if self.allowed[k] and not self.lost[k]]

    def members(self, group: int) -> list[int]:
        """The slots of a group."""
        if group in (ANY, IGNORED):
            return self.open
        return [k for k in self.open if self.way[k] <= group and self.given[k] < self.threshold]

    def choice(self, *, near: bool) -> tuple[int, int]:
        """The first group that is not empty, and the slot of it that takes the task."""
        if not near:
            return IGNORED, min(self.open, key=lambda k: (self.load[k], k))
        group = next(group for group in (HOME, SPARED, ANY) if self.members(group))
        return group, self.ranked(group)[0]

    def ranked(self, group: int) -> list[int]:
        """The slots of a group, the best first."""
        ways = self.way if group == ANY else [0] * len(self.way)
        return sorted(self.members(group), key=lambda k: (self.load[k], ways[k], k))


class Matchmaking:
    """What the map slots have so far, and what the next task sees.

    Parameters
    ----------
    instance
        The instance with the outages known so far.
    reading
        How to read the paper.
    setups
        Setup time of each map task on each map slot (s).
    tasks
        The tasks to be placed now.
    queues
        The tasks that each slot has already.
    """

    def __init__(
        self,
        instance: Instance,
        reading: Reading,
        setups: FloatArray,
        tasks: Sequence[int],
        queues: Sequence[Sequence[int]],
    ) -> None:
        self.instance, self.reading, self.setups = instance, reading, setups
        slots = len(instance.cluster.map_slot_node)
        seconds = instance.map_processing
        self.work = seconds if reading.load == "seconds" else np.ones(instance.map_tasks)
        self.lost = [False] * slots
        if instance.outages is not None:
            self.lost = instance.outages.map.tolist()
        self.usable = self.lost.count(False)
        self.total = float(self.work[np.asarray(tasks, dtype=np.int64)].sum())
        self.threshold = reading.theta * self.total / max(self.usable, 1)
        self.queues = [list(queue) for queue in queues]
        self.load = [0.0] * slots
        # In the order of their numbers, as the heuristic adds them up.
        for task, k in sorted((task, k) for k, queue in enumerate(queues) for task in queue):
            self.load[k] += float(self.work[task])
        self.given = [0.0] * slots

    def view(self, task: int, free: Sequence[float]) -> View:
        """What a task sees.

        `free`: when each slot would have done what it has (s).
        """
        instance, security = self.instance, self.instance.security
        slots, names = len(self.load), instance.cluster.node_names
        first, last = instance.replica_offsets[task : task + 2]
        holders = instance.replicas[first:last].tolist()
        allowed = [True] * slots
        if security is not None:
            allowed = security.priorities[task].tolist()
        return View(
            task=task,
            lost=self.lost,
            allowed=allowed,
            way=[self._way(holders, k) for k in range(slots)],
            load=self.load[:],
            given=self.given[:],
            count=[len(queue) for queue in self.queues],
            setup=self.setups[task].tolist(),
            free=list(free),
            threshold=self.threshold,
            unit=self.reading.load,
            holders=tuple(names[node] for node in sorted(set(holders))),
        )

    def _way(self, holders: Sequence[int], k: int) -> int:
        """How data of these nodes gets to a slot."""
        if int(self.instance.cluster.map_slot_node[k]) in holders:
            return HERE
        security = self.instance.security
        if security is None:
            return UNENCRYPTED if holders else ENCRYPTING
        spared = any(security.levels[node, k] != ENCRYPTED for node in holders)
        return UNENCRYPTED if spared else ENCRYPTING

    def put(self, task: int, k: int) -> None:
        """Give a task to a slot."""
        self.queues[k].append(task)
        self.load[k] += float(self.work[task])
        self.given[k] += float(self.work[task])


def amount(told: Told, name: str, value: float, unit: Load) -> str:
    """A load in words."""
    if unit == "seconds":
        return told.seconds(name, value)
    return f"{told.number(name, value)} {'task' if value == 1 else 'tasks'}"


def threshold_step(matching: Matchmaking, tasks: int) -> Step:
    """The step that says how much a slot takes before it counts as full."""
    told, unit = Told(), matching.reading.load
    total = amount(told, "load of all", matching.total, unit)
    mean = amount(told, "mean load", matching.total / max(matching.usable, 1), unit)
    limit = amount(told, "threshold", matching.threshold, unit)
    slots = told.number("usable map slots", matching.usable)
    return Step(
        kind="order",
        title=f"A slot is full at {limit}",
        rule="threshold",
        text=(
            f"{told.number('map tasks to place', tasks)} map tasks are to be placed, with a load "
            f"of {total}. Shared by {slots} map slots that is {mean} each; times theta = "
            f"{told.number('theta', matching.reading.theta)} it is the threshold, {limit}. A slot "
            "that they have given so much is full: it takes more only where no other way is left."
        ),
        facts=told.facts,
        phase="map",
    )


def match_candidates(
    board: Board, view: View, chosen: int, loser: int | None
) -> tuple[tuple[Candidate, ...], int, int, int | None]:
    """The map slots as a task sees them, as far as they are shown."""
    time = float(board.instance.map_processing[view.task])
    found = []
    for k in range(len(view.load)):
        lane, label = board.lane("map", k), board.slot_name("map", k)
        if view.lost[k]:
            found.append(Candidate(lane, label, {"lost": True}))
            continue
        facts: dict[str, Fact] = {"load": view.load[k], "tasks": view.count[k]}
        if view.given[k] != view.load[k]:
            facts["given now"] = view.given[k]
        facts["below threshold"] = view.given[k] < view.threshold
        if not view.allowed[k]:
            found.append(Candidate(lane, label, {**facts, "allowed": False}))
            continue
        facts |= {"data": WAYS[view.way[k]], "setup": view.setup[k]}
        start = view.free[k]
        box = (start, start + view.setup[k] + time)
        found.append(Candidate(lane, label, facts, box))
    return few(found, chosen, loser)
