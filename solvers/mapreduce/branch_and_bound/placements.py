"""The search over all placements of an instance: reduce tasks, then map tasks, until none is left.

`docs/formulations/branch-and-bound.md` describes and proves it.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ....core.arrays import BoolArray, IntArray
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, timed_by_job
from .integer_times import IntegerInstance, in_integer_times
from .map_placement import EVERYTHING, map_search, search_map_placements
from .reduce_placement import (
    DEPTH,
    DONE,
    FOUND,
    FRESH,
    LEFT,
    OFFER,
    STOP,
    TARGET,
    next_placement,
    reduce_search,
)
from .subset_bounds import Tables, tables

QUICK = 2000
"""Nodes below one reduce placement after which the map tasks of a few jobs are tried alone."""

FEW_SHARE = 100
"""A search over the map tasks of a few jobs may visit this fraction of all nodes."""

MOST_SUBSETS = 32
"""With more sets of jobs than this only single jobs and pairs are tried alone."""


class _Few(NamedTuple):
    """The map tasks of a few jobs alone."""

    others: BoolArray
    problem: IntegerInstance
    tables: Tables


class Placements:
    """The compiled search on an instance, or on a subset of its jobs.

    `makespan`: makespan (s) of a known schedule, from which the time unit comes.
    `control`: limits and commands, shape (5,), as `reduce_placement` has them.
    """

    def __init__(self, instance: Instance, makespan: float, control: IntArray) -> None:
        self.instance = instance
        self.control = control
        self.scale = in_integer_times(instance, makespan)
        self.tables = tables(self.scale.problem, control)
        self.reduces = reduce_search(self.scale.problem, self.tables, control)
        self.maps = map_search(self.scale.problem)
        # A schedule of a few jobs' map tasks is none.
        self.scratch = self.maps._replace(cut=np.array([EVERYTHING]), best=self.maps.best.copy())
        self.few = [self._few(jobs) for jobs in _subsets(instance)]
        self.few_limit = 0
        self.renamings: dict[bytes, list[IntArray]] = {}

    def begin(self, target: int, cut: int, limit: int) -> None:
        """Prepare a search.

        `target`: greatest makespan (time units) of the schedules sought.
        """
        self.control[:] = 0
        self.control[OFFER] = self.control[TARGET] = target
        self.control[LEFT] = limit
        self.control[DEPTH] = FRESH
        self.few_limit = max(QUICK, limit // FEW_SHARE)
        self.reduces = reduce_search(self.scale.problem, self.tables, self.control)
        self.maps.cut[0], self.maps.best[0] = cut, -1

    def exhaust(self, relaxed: bool) -> bool:
        """Whether no schedule up to the target remains; if `relaxed`, no reduce placement."""
        problem = self.scale.problem
        while (answer := next_placement(problem, self.tables, self.reduces)) == FOUND:
            if relaxed:
                return False
            for renaming in self._distinct_renamings():
                self.maps.node[:] = renaming[problem.reduce_node]
                if not self._exhaust_maps():
                    return False
        return bool(answer == DONE)

    def found(self) -> Schedule | None:
        if self.maps.best[0] < 0:
            return None
        instance, scale, state = self.instance, self.scale, self.maps
        map_slot = np.empty(instance.map_tasks, dtype=np.int64)
        map_slot[scale.map_task] = state.best_map
        # The search numbers reduce slots by rack and under a renaming of the nodes.
        slot_node = instance.cluster.reduce_slot_node
        true_slot = np.empty(len(slot_node), dtype=np.int64)
        for node in np.unique(slot_node):
            true_slot[state.best_node == node] = np.flatnonzero(slot_node == node)
        reduce_slot = np.empty(instance.reduce_tasks, dtype=np.int64)
        reduce_slot[scale.reduce_task] = true_slot[state.best_reduce]
        return timed_by_job(instance, map_slot, reduce_slot, state.best_order)

    def _distinct_renamings(self) -> list[IntArray]:
        """Renamings that put the reduce tasks on nodes which no symmetry makes the same."""
        problem, symmetries = self.scale.problem, self.scale.symmetries
        used = np.unique(problem.reduce_node[self.reduces.slot])
        if used.tobytes() not in self.renamings:
            kept, seen = [], set()
            for renaming in problem.renamings:
                nodes = renaming[used]
                if nodes.tobytes() not in seen:
                    kept.append(renaming)
                    seen |= {image.tobytes() for image in symmetries[:, nodes]}
            self.renamings[used.tobytes()] = kept
        return self.renamings[used.tobytes()]

    def _exhaust_maps(self) -> bool:
        """Whether no schedule up to the target remains with the reduce placement."""
        control = self.control
        later = max(0, control[LEFT] - QUICK)
        control[LEFT] -= later
        if self._search_maps():
            control[LEFT] += later
            return True
        control[LEFT] += later
        for place, few in enumerate(self.few):
            if control[STOP] or control[LEFT] < 0:
                return False
            if self._is_impossible(few):
                self.few.insert(0, self.few.pop(place))
                return True
        return self._search_maps()

    def _search_maps(self) -> bool:
        answer = search_map_placements(self.scale.problem, self.tables, self.reduces, self.maps)
        return bool(answer == DONE)

    def _is_impossible(self, few: _Few) -> bool:
        """Whether already the map tasks of a few jobs have no placement up to the target."""
        control, reduces, problem = self.control, self.reduces, self.scale.problem
        placed = reduces.placed.copy()
        reads = reduces.tasks_on * problem.least_reads[:, self.maps.node]
        placed[few.others] += reads[few.others]
        later, target = max(0, control[LEFT] - self.few_limit), control[TARGET]
        control[LEFT] -= later
        self.scratch.best[0] = -1
        answer = search_map_placements(
            few.problem, few.tables, reduces._replace(placed=placed), self.scratch
        )
        control[LEFT] += later
        control[TARGET] = target
        return bool(answer == DONE and self.scratch.best[0] < 0)

    def _few(self, jobs: tuple[int, ...]) -> _Few:
        """The problem without the map tasks of all other jobs, with bounds of the whole."""
        problem, bounds = self.scale.problem, self.tables
        others = ~np.isin(np.arange(self.instance.jobs), jobs)
        number = np.diff(problem.map_begin)
        kept = ~np.repeat(others, number)
        return _Few(
            others,
            problem._replace(
                map_begin=np.concatenate(([0], np.cumsum(np.where(others, 0, number)))),
                map_work=problem.map_work[kept],
                least_work=problem.least_work[kept],
                map_equal=problem.map_equal[kept],
                read=problem.read[kept],
                least_read=problem.least_read[kept],
            ),
            bounds._replace(work_left=bounds.work_left[kept], reads_left=bounds.reads_left[kept]),
        )


def _subsets(instance: Instance) -> list[tuple[int, ...]]:
    """Sets of jobs with map tasks to try alone, small ones first, never all of them."""
    jobs = np.flatnonzero(instance.maps_of).tolist()
    most = len(jobs) - 1 if 1 << len(jobs) <= MOST_SUBSETS else 2
    return [few for size in range(1, most + 1) for few in combinations(jobs, size)]
