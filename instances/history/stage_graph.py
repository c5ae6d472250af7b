"""The audit's own model of a run: stages of tasks on pools of slots, arcs with lags, jobs.

All times are whole milliseconds after the graph's own time 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.arrays import FloatArray, IntArray, offsets
from ...core.errors import InputError

FAR = 1 << 42
"""Later than every time of a log (ms)."""

NO_POOL = -1
"""Pool of a stage without tasks, which only joins arcs."""


@dataclass(frozen=True)
class Slots:
    """Slots that run one task at a time, as columns: pool, and the time from when until when."""

    pool: IntArray
    since: IntArray
    until: IntArray

    def __len__(self) -> int:
        return len(self.pool)


@dataclass(frozen=True)
class Arcs:
    """Arcs between stages: no task of `child` begins before all of `parent` ended, and the lag."""

    parent: IntArray
    child: IntArray
    lag: IntArray

    def triples(self) -> Iterator[tuple[int, int, int]]:
        """Parent, child and lag (ms) of each arc."""
        return zip(self.parent.tolist(), self.child.tolist(), self.lag.tolist(), strict=True)


@dataclass(frozen=True)
class Tasks:
    """Tasks, stage by stage, the longest of a stage first, as columns.

    A task of a stage whose gate opens at g starts at s >= max(release, g - overlap), ends at
    max(s + overlap, g) + time, and frees its slot `cut` earlier. `attempt` is its place in the run.
    """

    stage: IntArray
    time: IntArray
    overlap: IntArray
    cut: IntArray
    attempt: IntArray

    def __len__(self) -> int:
        return len(self.stage)


@dataclass(frozen=True, eq=False)
class StageGraph:
    """Stages with tasks, arcs, slots and jobs.

    A stage without tasks has pool `NO_POOL`, and ends when its gate opens. A job ends with the last
    of its stages. `slots` is what a schedule may use; `capacity` is what bounds count with: it has
    the slots also while attempts hold them that are no part of the model.
    """

    name: str
    pools: tuple[str, ...]
    job_names: tuple[str, ...]
    job_release: IntArray
    job_weight: FloatArray
    stage_names: tuple[str, ...]
    stage_job: IntArray
    stage_pool: IntArray
    stage_release: IntArray
    tasks: Tasks
    arcs: Arcs
    slots: Slots
    capacity: Slots

    @property
    def stages(self) -> int:
        """Number of stages, those without tasks as well."""
        return len(self.stage_names)

    @property
    def jobs(self) -> int:
        """Number of jobs."""
        return len(self.job_names)

    @property
    def whole(self) -> bool:
        """Whether schedules have all slots that bounds count with, as long as they are there."""
        columns = ("pool", "since", "until")
        return all(
            np.array_equal(getattr(self.slots, c), getattr(self.capacity, c)) for c in columns
        )

    @cached_property
    def task_offsets(self) -> IntArray:
        """Where the tasks of each stage begin, and the end of the last."""
        return offsets(np.bincount(self.tasks.stage, minlength=self.stages).tolist())

    @cached_property
    def held(self) -> IntArray:
        """The least time (ms) that each task holds a slot."""
        return self.tasks.time - self.tasks.cut

    @cached_property
    def children(self) -> tuple[IntArray, IntArray, IntArray]:
        """Arcs by parent: where those of each stage begin, their children, their lags."""
        return _by(self.arcs.parent, self.arcs.child, self.arcs.lag, self.stages)

    @cached_property
    def parents(self) -> tuple[IntArray, IntArray, IntArray]:
        """Arcs by child: where those of each stage begin, their parents, their lags."""
        return _by(self.arcs.child, self.arcs.parent, self.arcs.lag, self.stages)

    @cached_property
    def order(self) -> IntArray:
        """All stages, every parent before its children. Raises `InputError` on a circle."""
        begin, child, _ = self.children
        open_parents = np.bincount(self.arcs.child, minlength=self.stages)
        order = np.flatnonzero(open_parents == 0).tolist()
        for stage in order:  # grows while it is read
            for k in range(begin[stage], begin[stage + 1]):
                open_parents[child[k]] -= 1
                if open_parents[child[k]] == 0:
                    order.append(int(child[k]))
        if len(order) < self.stages:
            stage = int(np.flatnonzero(open_parents)[0])
            raise InputError(f"{self.name}: stage {self.stage_names[stage]} comes before itself")
        return np.array(order, dtype=np.int64)

    def job_ends(self, stage_end: IntArray) -> IntArray:
        """When each job ends (ms), its release if it has no stage."""
        ends = self.job_release.copy()
        named = self.stage_job >= 0
        np.maximum.at(ends, self.stage_job[named], stage_end[named])
        return ends


@dataclass(frozen=True, eq=False)
class Plan:
    """Start (ms) and slot of every task of a graph, with what follows: ends of tasks and jobs, and
    when the gate of each stage opens."""

    start: IntArray
    slot: IntArray
    end: IntArray
    job_end: IntArray
    gate: IntArray

    @property
    def makespan(self) -> int:
        """The last end of a job (ms)."""
        return int(self.job_end.max(initial=0))


def timed(graph: StageGraph, start: IntArray, slot: IntArray) -> Plan:
    """The plan of these starts and slots."""
    tasks = graph.tasks
    begin, parent, lag = graph.parents
    end, stage_end = np.zeros_like(start), np.zeros(graph.stages, dtype=np.int64)
    gates = graph.stage_release.copy()
    for s in graph.order.tolist():
        gate = int(graph.stage_release[s])
        for k in range(begin[s], begin[s + 1]):
            gate = max(gate, int(stage_end[parent[k]] + lag[k]))
        of = slice(graph.task_offsets[s], graph.task_offsets[s + 1])
        end[of] = np.maximum(start[of] + tasks.overlap[of], gate) + tasks.time[of]
        gates[s], stage_end[s] = gate, max(gate, int(end[of].max(initial=0)))
    return Plan(start, slot, end, graph.job_ends(stage_end), gates)


def waiting_order(
    graph: StageGraph, stage: IntArray, start: IntArray, gate: IntArray, time: IntArray
) -> IntArray:
    """Tasks or attempts in an order in which all that one waits for stands before it.

    One that starts before its gate opens (ms, -1 where none holds it) waits for what opens it: it
    stands where the gate opens, and first there if it ends at once.
    """
    rank = np.empty(graph.stages, dtype=np.int64)
    rank[graph.order] = np.arange(graph.stages)
    early = gate > start
    key = np.where(early, 2 * gate - (time == 0), 2 * start)
    return np.lexsort((start, rank[stage], key))


def arcs_of(triples: Iterable[tuple[int, int, int]]) -> Arcs:
    """Arcs from (parent, child, lag); of equal pairs the longest lag counts."""
    longest: dict[tuple[int, int], int] = {}
    for parent, child, lag in triples:
        longest[parent, child] = max(lag, longest.get((parent, child), lag))
    table = np.array([(*pair, lag) for pair, lag in longest.items()], dtype=np.int64).reshape(-1, 3)
    return Arcs(*table.T.copy())


def _by(
    key: IntArray, other: IntArray, lag: IntArray, stages: int
) -> tuple[IntArray, IntArray, IntArray]:
    order = np.argsort(key, kind="stable")
    return offsets(np.bincount(key, minlength=stages).tolist()), other[order], lag[order]
