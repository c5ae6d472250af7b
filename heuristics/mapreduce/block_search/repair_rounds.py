"""Repairs of a schedule, each towards a shorter makespan than the best."""

from __future__ import annotations

from functools import partial
from threading import Lock

import numpy as np

from ....core.arrays import IntArray
from ....core.background import BackgroundWork
from ..class_search.dates import dates_between
from ..class_search.repair import Aims, RepairPlan
from ..class_search.slot_values import Side, empty_side
from ..random_numbers import seeded, uniform
from .polish import LocalSearch, SlotAssignment, TaskLayout, Timing, layout_of
from .repair import PhaseTasks, Reads, fill, repair
from .scaled_instance import BlockProblem
from .slot_exchange import slot_tasks

MOST_CELLS = 1_000_000
"""With more pairs of jobs and slots a repair would take too much memory."""

MOST_BINDING = 4000
"""With more map tasks than this, and the map phase as the bottleneck, repairs take more time than
they are worth."""

HOT, COLD = 1 / 30, 1 / 1000
"""First and last temperature, as shares of a task's length."""

THRIFT = 0.05
"""What a unit of work weighs beside a unit of overload."""

STEPS, LEAST_STEPS, MOST_STEPS = 60, 200_000, 4_000_000
"""Steps of the first repairs for each task, at least and at most."""

FIRST_CUT = 0.01
"""The first repair aims at a makespan that is shorter by this share."""


def can_repair(problem: BlockProblem) -> bool:
    """Whether there is something to repair, and room and time for it."""
    slots = int(problem.map_slots[-1] + problem.reduce_slots[-1])
    tasks = min(len(problem.map_time), len(problem.reduce_time))
    if len(problem.map_time) > MOST_BINDING and layout_of(problem).maps_bind:
        return False
    return tasks > 0 and slots * len(problem.longest) <= MOST_CELLS


class Repairs:
    """One repair after another; how far each aims depends on how the last ones ended.

    `problem`: the instance in integer time units.
    `waits`: whether to wait until repairs are compiled, which otherwise goes on beside the search.
    """

    def __init__(self, problem: BlockProblem, waits: bool) -> None:
        self.problem, self.layout, self.waits = problem, layout_of(problem), waits
        tasks = len(problem.map_time) + len(problem.reduce_time)
        steps = max(LEAST_STEPS, min(STEPS * tasks, MOST_STEPS))
        self.aims = Aims(FIRST_CUT, steps, MOST_STEPS)
        length = np.concatenate((problem.map_time, problem.reduce_time)).astype(float)
        self.length = max(1.0, float(length @ length) / max(1.0, float(length.sum())))

    def are_ready(self, placement: SlotAssignment, timing: Timing) -> bool:
        """Whether repairs are compiled; if not, that begins, with any placement and its timing."""
        if self.waits:
            return True
        with _compiling:
            if not _compiled:
                compiling = partial(_compile, self.problem, self.layout, placement, timing)
                _compiled.append(BackgroundWork(compiling))
        return _compiled[0].done

    def repaired(
        self, search: LocalSearch, placement: SlotAssignment, timing: Timing
    ) -> SlotAssignment:
        """The placement after a repair, which may be longer than before."""
        limit = int((1.0 - self.aims.cut) * timing.makespan)
        hot, cold = HOT * self.length, COLD * self.length
        plan = RepairPlan(limit, self.aims.steps, hot, cold, THRIFT)
        changed, left = repair_round(search, self.problem, self.layout, placement, timing, plan)
        if left == 0:
            self.aims.farther()
        else:
            self.aims.nearer()
        return changed


_compiling = Lock()
_compiled: list[BackgroundWork[None]] = []


def _compile(
    problem: BlockProblem, layout: TaskLayout, placement: SlotAssignment, timing: Timing
) -> None:
    """Compile the kernels, or load them, by a repair that ends at once."""
    search = LocalSearch(np.ones(1, dtype=np.int64), seeded(0), 0, lambda *_: None)
    repair_round(search, problem, layout, placement, timing, RepairPlan(1, 1, 1.0, 1.0, 0.0))


def repair_round(
    search: LocalSearch,
    problem: BlockProblem,
    layout: TaskLayout,
    placement: SlotAssignment,
    timing: Timing,
    plan: RepairPlan,
) -> tuple[SlotAssignment, int]:
    """Repair a placement towards a makespan, `plan.limit`.

    Every job's target date is somewhere between the end of its map phase and the latest end, at the
    same share of the way for all jobs.

    Returns the placement at the end, which is no longer than the limit and the overload that is
    left, and this overload.
    """
    share = uniform(search.random)
    latest = timing.due + (plan.limit - timing.makespan)
    with_maps, with_reduces = np.diff(problem.map_begin) > 0, np.diff(problem.reduce_begin) > 0
    dates = dates_between(timing.completion, latest, share, plan.limit, with_maps, with_reduces)
    jobs, nodes = len(problem.longest), len(problem.rack_of)
    racks = len(problem.rack_begin) - 1
    reads = Reads(
        np.zeros((jobs, nodes)),
        np.zeros((jobs, racks)),
        np.zeros(jobs),
        np.zeros((jobs, nodes), dtype=np.int64),
        np.zeros((jobs, racks), dtype=np.int64),
    )
    place, delivery = np.argsort(dates.at), dates.date[dates.at]
    from_the_end = np.ascontiguousarray(delivery[::-1])
    of_maps = placement.map_slot.copy(), layout.map_slot_node, problem.map_slots
    side = empty_side(len(layout.map_slot_node), place, plan.limit - delivery)
    maps = _phase(problem.map_begin, layout.map_job, *of_maps, side)
    of_reduces = placement.reduce_slot.copy(), layout.reduce_slot_node, problem.reduce_slots
    side = empty_side(len(layout.reduce_slot_node), len(place) - 1 - place, from_the_end)
    reduces = _phase(problem.reduce_begin, layout.reduce_job, *of_reduces, side)
    fill(problem, maps, reduces, reads)
    left = repair(search.stop, search.random, problem, maps, reduces, reads, dates, plan)
    order = np.argsort(dates.date, kind="stable")
    return SlotAssignment(order, maps.slot, reduces.slot), int(left)


def _phase(
    begin: IntArray, job: IntArray, slot: IntArray, node: IntArray, first: IntArray, side: Side
) -> PhaseTasks:
    return PhaseTasks(begin, job, slot, node, first, slot_tasks(slot, len(node)), side)
