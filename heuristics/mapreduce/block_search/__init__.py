"""Search over blocks of nodes for large instances: docs/heuristics/improvement-search.md."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import is_kept
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, map_completions
from .order_changes import reorder
from .polish import SlotAssignment, Timing
from .scaled_instance import scaled, schedule_of, slots_of
from .slot_exchange import run_exchanges
from .worker import BlockSearch


def can_search(instance: Instance) -> bool:
    """Whether the search can handle an instance: it has no speed factors."""
    return instance.speed_factors is None


class BlockLayout:
    """An instance laid out for the search. A state is a slot assignment and the jobs by map end."""

    def __init__(self, instance: Instance, makespan: float) -> None:
        self.instance, self.scale = instance, scaled(instance, makespan)
        self.unit_seconds = self.scale.unit_seconds

    def state(self, schedule: Schedule) -> tuple[int, tuple[SlotAssignment, IntArray]]:
        by_end = np.argsort(map_completions(self.instance, schedule.map.end), kind="stable")
        assignment = SlotAssignment(by_end, *slots_of(self.instance, self.scale, schedule))
        return int(np.ceil(schedule.makespan / self.unit_seconds)), (assignment, by_end)

    def schedule(self, state: tuple[SlotAssignment, IntArray]) -> Schedule:
        (order, map_slot, reduce_slot), by_end = state
        problem = self.scale.problem
        ranks = np.argsort(order)[problem.map_job], np.argsort(by_end)[problem.reduce_job]
        return schedule_of(self.instance, self.scale, map_slot, ranks[0], reduce_slot, ranks[1])

    def search(self, team: Any, thread: int) -> BlockSearch:
        (given, _), stop = team.given[1], team.stop
        problem, iterations = self.scale.problem, stop.iterations

        def offer(assignment: SlotAssignment, timing: Timing, thread: int) -> None:
            # The rest of the times would fill the memory on large instances.
            team.offer(timing.makespan, (assignment, timing.by_end), thread)

        return BlockSearch(problem, given, team.target, team.seed, thread, iterations, offer)


problem_of = BlockLayout


def is_compiled() -> bool:
    return is_kept(run_exchanges) and is_kept(reorder)
