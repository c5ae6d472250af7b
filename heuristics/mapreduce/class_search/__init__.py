"""Search on numbers of equal tasks, for slots of different speed.

`docs/heuristics/improvement-search.md` describes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....instances.mapreduce.cluster import Cluster
from ....instances.mapreduce.instance import Instance, Job
from ....instances.mapreduce.schedule import Schedule, map_completions, timed
from ..random_numbers import seeded
from .rounds import Placement, timing_of
from .task_classes import classed, number_of_times
from .timing import Timing
from .worker import Search

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

    def state(self, schedule: Schedule) -> tuple[int, tuple[Placement, Timing]]:
        """The schedule's state; its jobs come by map completion, so it may be shorter."""
        end = map_completions(self.problem.instance, schedule.map.end)
        placement = Placement(*self.problem.counts(schedule), self.problem.in_units(end))
        timing = timing_of(self.problem, placement)
        return timing.makespan, (placement, timing)

    def schedule(self, state: tuple[Placement, Timing]) -> Schedule:
        placement, timing = state
        return self.problem.schedule(*placement, timing.end)

    def search(self, team: Any, thread: int) -> Search:
        def offer(placement: Placement, timing: Timing) -> None:
            team.offer(timing.makespan, (placement, timing), thread)

        return Search(
            self.problem,
            team.target,
            seeded(team.seed, thread),
            team.stop.iterations,
            lambda: team.known()[1],
            offer,
        )


problem_of = ClassLayout


def toy() -> tuple[Instance, Schedule]:
    """A tiny instance on which every kernel runs."""
    jobs = [Job("a", [3.0, 2.0], [4.0, 3.0]), Job("b", [1.0], [9.0])]
    instance = Instance.from_jobs("toy", Cluster.uniform(2, map_slots=1), jobs)
    none = np.zeros(3, dtype=np.int64)
    return instance, timed(instance, none, np.arange(3), none, np.arange(3))
