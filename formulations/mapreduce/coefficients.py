"""Coefficients of the MapReduce models, computed once per instance."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise, permutations

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...instances.mapreduce.eligibility import map_eligible, reduce_eligible
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.setups import (
    best_reduce_setups,
    map_setup_matrix,
    output_share,
    read_seconds,
)
from .bounds.packing import least_makespan


class Coefficients:
    """Index sets and coefficients of an instance; times in s, data in MB."""

    def __init__(self, instance: Instance) -> None:
        cluster = instance.cluster
        self.instance = instance
        self.jobs = range(instance.jobs)
        self.map_tasks = range(instance.map_tasks)
        self.reduce_tasks = range(instance.reduce_tasks)
        self.maps = [range(a, b) for a, b in pairwise(instance.map_offsets.tolist())]
        self.reduces = [range(a, b) for a, b in pairwise(instance.reduce_offsets.tolist())]
        self.pairs = list(permutations(self.jobs, 2))
        self.map_job: list[int] = instance.map_job.tolist()
        self.reduce_job: list[int] = instance.reduce_job.tolist()
        self.map_slot_node: list[int] = cluster.map_slot_node.tolist()
        self.reduce_slot_node: list[int] = cluster.reduce_slot_node.tolist()
        self.map_slots = range(len(self.map_slot_node))
        self.reduce_slots = range(len(self.reduce_slot_node))
        self.share = output_share(instance)
        self._least_phases: dict[tuple[str, frozenset[int]], float] = {}
        self.map_time = instance.phases.map.matrix()
        self.reduce_time = instance.phases.reduce.matrix()
        self.map_allowed = map_eligible(instance)
        self.lost_reduce_slots: list[int] = np.flatnonzero(~reduce_eligible(instance)).tolist()
        self.map_slot_kind = _kinds(self.map_slot_node, self.map_work, self.map_allowed)
        self.reduce_slot_kind = _kinds(
            self.reduce_slot_node, self.reduce_time, reduce_eligible(instance)[None, :]
        )
        self.map_slots_with_twin = _with_twin(self.map_slot_kind)
        self.reduce_slots_with_twin = _with_twin(self.reduce_slot_kind)

    @cached_property
    def map_setup(self) -> FloatArray:
        """Setup time of each map task on each map slot, shape (map tasks, map slots)."""
        return map_setup_matrix(self.instance)

    @cached_property
    def map_work(self) -> FloatArray:
        """Setup plus processing time of each map task on each map slot: (map tasks, map slots)."""
        return self.map_setup + self.map_time

    @cached_property
    def read_seconds(self) -> FloatArray:
        """Time per MB in which a reduce slot reads from a node, shape (nodes, reduce slots)."""
        seconds: FloatArray = read_seconds(self.instance)[:, self.reduce_slot_node]
        return seconds

    @cached_property
    def local_read(self) -> FloatArray:
        """Read time of a reduce task of each job if all is local, shape (jobs,)."""
        return best_reduce_setups(self.instance)

    @cached_property
    def identical_slots(self) -> bool:
        """Whether every task may run on any slot of its phase and takes the same time there."""
        times = self.map_work, self.reduce_time, self.share[:, None] * self.read_seconds.reshape(-1)
        alike = all((rows == rows[:, :1]).all() for rows in times)
        return alike and bool(self.map_allowed.all()) and not self.lost_reduce_slots

    @cached_property
    def least_map(self) -> FloatArray:
        """Least setup plus processing time of each map task: L^m of [LJR], definition 1."""
        work = np.where(self.map_allowed, self.map_work, np.inf)
        least: FloatArray = work.min(axis=1, initial=np.inf)
        return least

    @cached_property
    def least_reduce(self) -> FloatArray:
        """Processing plus all-local read time of each reduce task: L^r of [LJR], definition 1."""
        least: FloatArray = (
            self.reduce_time.min(axis=1, initial=np.inf) + self.local_read[self.instance.reduce_job]
        )
        return least

    @cached_property
    def map_area(self) -> FloatArray:
        """Least total work of each job's map tasks, shape (jobs,)."""
        return np.array([self.least_map[tasks].sum() for tasks in self.maps])

    @cached_property
    def reduce_area(self) -> FloatArray:
        """Least total work of each job's reduce tasks, shape (jobs,)."""
        return np.array([self.least_reduce[tasks].sum() for tasks in self.reduces])

    @cached_property
    def head(self) -> FloatArray:
        """Lower bound on the duration of each job's map phase alone, shape (jobs,)."""
        return np.array([self.least_map_phase(frozenset({i})) for i in self.jobs])

    @cached_property
    def tail(self) -> FloatArray:
        """Lower bound on the duration of each job's reduce phase alone, shape (jobs,)."""
        return np.array([self.least_reduce_phase(frozenset({i})) for i in self.jobs])

    def least_map_phase(self, jobs: frozenset[int]) -> float:
        """Lower bound on the makespan of the map tasks of these jobs on all map slots."""
        return self._least_phase("map", jobs)

    def least_reduce_phase(self, jobs: frozenset[int]) -> float:
        """Lower bound on the makespan of the reduce tasks of these jobs on all reduce slots."""
        return self._least_phase("reduce", jobs)

    def _least_phase(self, phase: str, jobs: frozenset[int]) -> float:
        key = (phase, jobs)
        if key not in self._least_phases:
            least = self.least_map if phase == "map" else self.least_reduce
            tasks = self.maps if phase == "map" else self.reduces
            slots = self.map_slots if phase == "map" else self.reduce_slots
            durations = [d for job in jobs for d in least[tasks[job]].tolist()]
            # A search that had to stop must not make a set look easier than one of its jobs.
            alone = [self._least_phase(phase, frozenset({i})) for i in jobs if len(jobs) > 1]
            self._least_phases[key] = max([least_makespan(durations, len(slots)), *alone])
        return self._least_phases[key]

    @cached_property
    def most_map_work(self) -> FloatArray:
        """Work of all map tasks of a job on one slot, shape (jobs, map slots)."""
        rows = [self.map_work[tasks].sum(axis=0) for tasks in self.maps]
        return np.array(rows).reshape(len(rows), len(self.map_slots))

    @cached_property
    def most_reduce_work(self) -> FloatArray:
        """Work of all reduce tasks of a job on one slot at the slowest reads: (jobs, slots)."""
        slowest = self.read_seconds.max(axis=0, initial=0.0)
        rows = [
            self.reduce_time[reduces].sum(axis=0) + len(reduces) * self.share[maps].sum() * slowest
            for maps, reduces in zip(self.maps, self.reduces, strict=True)
        ]
        return np.array(rows).reshape(len(rows), len(self.reduce_slots))

    @cached_property
    def serial_makespan(self) -> float:
        """One task after another, each on its fastest slot with its longest setup or reads (s).

        An upper bound on the optimum, whatever slots there are that fit nothing.
        """
        maps, reduces = (
            times.min(axis=1, where=allowed, initial=times.max(initial=0.0))
            for times, allowed in (
                (self.map_time, self.map_allowed),
                (self.reduce_time, reduce_eligible(self.instance)[None, :]),
            )
        )
        slowest = self.read_seconds.max(initial=0.0)
        reads = [len(w) * self.share[t].sum() for t, w in zip(self.maps, self.reduces, strict=True)]
        setups = self.map_setup.max(axis=1, initial=0.0)
        return float((setups + maps).sum() + reduces.sum() + np.sum(reads) * slowest)

    def comes_first(self, i: int, j: int) -> bool:
        """Whether job i may precede job j without loss of optimality in every schedule.

        Jobs without map tasks are ready at time 0 and go first, jobs without reduce tasks go last;
        among each of these groups the order is arbitrary.
        """
        a, b = self._place(i), self._place(j)
        return a < b or (a == b != 1 and i < j)

    def _place(self, job: int) -> int:
        if not self.maps[job]:
            return 0
        return 1 if self.reduces[job] else 2

    def positions(self, map_completion: FloatArray) -> IntArray:
        """Position of each job when sorted by map completion, in agreement with `comes_first`."""
        place = np.array([self._place(job) for job in self.jobs], dtype=np.int64)
        ranking = np.lexsort((np.where(place == 1, map_completion, 0.0), place))
        position = np.empty(len(place), dtype=np.int64)
        position[ranking] = np.arange(len(place))
        return position


def _kinds(slot_node: list[int], *columns: FloatArray | BoolArray) -> list[int]:
    """A number for each run of equal slots: neighbours on one node with equal columns."""
    kinds: list[int] = []
    for k, node in enumerate(slot_node):
        equal = (
            k > 0
            and node == slot_node[k - 1]
            and all(np.array_equal(table[:, k], table[:, k - 1]) for table in columns)
        )
        kinds.append(kinds[-1] if equal else len(set(kinds)))
    return kinds


def _with_twin(kinds: list[int]) -> list[int]:
    """Slots whose predecessor is equal."""
    return [k for k in range(1, len(kinds)) if kinds[k] == kinds[k - 1]]
