"""Search on numbers of equal tasks, for slots of different speed.

`docs/heuristics/improvement-search.md` describes it.
"""

from __future__ import annotations

from typing import Any

from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, map_completions
from ..search_kernels import seeded
from .rounds import JobTimes, Placement, times_of
from .task_classes import classed, number_of_times
from .worker import RepairSearch

MOST_TIMES = 4_000_000
"""Most times, of each class of equal tasks on each slot, that the search stores."""


def can_search(instance: Instance) -> bool:
    """Whether the search can handle an instance: its classes on all slots fit into memory."""
    return instance.jobs > 0 and number_of_times(instance) <= MOST_TIMES


class ClassLayout:
    """An instance laid out for the search. A state is a placement and its times."""

    def __init__(self, instance: Instance, makespan: float) -> None:
        self.problem = classed(instance, makespan)
        self.unit_seconds = self.problem.unit_seconds

    def state(self, schedule: Schedule) -> tuple[int, tuple[Placement, JobTimes]]:
        """The schedule's state; its jobs come by map completion, so it may be shorter."""
        end = map_completions(self.problem.instance, schedule.map.end)
        placement = Placement(*self.problem.counts(schedule), self.problem.in_units(end))
        times = times_of(self.problem, placement)
        return times.makespan, (placement, times)

    def schedule(self, state: tuple[Placement, JobTimes]) -> Schedule:
        placement, times = state
        return self.problem.schedule(*placement, times.end)

    def search(self, team: Any, thread: int) -> RepairSearch:
        def offer(placement: Placement, times: JobTimes) -> None:
            team.offer(times.makespan, (placement, times), thread)

        return RepairSearch(
            self.problem,
            team.target,
            seeded(team.seed, thread),
            team.stop.iterations,
            lambda: team.known()[1],
            offer,
        )


problem_of = ClassLayout
