"""The search of one thread: a short and a full round of annealing, then repairs."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ....core.random_numbers import seeded, uniform
from .annealing import Plan
from .rounds import Placement, anneal_round, repair_round
from .task_classes import ClassedInstance
from .timing import Timing

FULL_STEPS, SHORT_STEPS = 200, 12
"""Steps of a full and of a short round for each task."""

LEAST_STEPS = 20_000
"""Least steps of a round."""

FULL_SHARE = 0.3
"""Most of the time left that a full round may take."""

FULL_HOT, SHORT_HOT, COLD = 0.01, 0.003, 0.0005
"""First temperature of a full and of a short round, last of both, as shares of the makespan."""

WIDTH = 0.01
"""The reference lies below the worst value by this share of the makespan."""

MANY_TASKS = 30_000
"""With so many tasks the search keeps the slots that suit the start's jobs: there is no full round,
and the work on all slots counts."""

THRIFT = 0.015
"""What a unit of work weighs if it counts, as a share of one on the worst slot."""

DATE_SHARE = 0.02
"""Share of the steps that change a date."""

CUT, IDLE_REPAIRS = 0.001, 20
"""Repairs aim at a makespan shorter by this share, and end after so many without a shorter one."""


class Search:
    """The rounds of one thread.

    `problem`: the instance in classes.
    `target`: makespan at which the search ends, in time units.
    `seed`: seed of the random numbers.
    `thread`: number of the thread, which chooses its stream of random numbers.
    `iterations`: number of rounds; None for no limit.
    `best`: gives the best placement of all threads with its timing.
    `offer`: called with each better placement, its timing and the number of the thread.
    """

    def __init__(
        self,
        problem: ClassedInstance,
        target: int,
        seed: int,
        thread: int,
        iterations: int | None,
        best: Callable[[], tuple[Placement, Timing]],
        offer: Callable[[Placement, Timing, int], None],
    ) -> None:
        self.problem, self.target, self.thread = problem, target, thread
        self.iterations, self.best, self.offer = iterations, best, offer
        self.tasks = len(problem.map_class) + len(problem.reduce_class)
        self.many = self.tasks >= MANY_TASKS
        self.random = seeded(seed, thread)
        self.stop = np.zeros(1, dtype=np.int64)

    def end(self) -> None:
        """End soon; another thread may call this."""
        self.stop[0] = 1

    def run(self, seconds: float) -> None:
        """Run rounds for so many seconds, or as many as were asked for."""
        end = time.perf_counter() + seconds
        placement, timing = self.best()
        number, pace = 0, 0.0
        while not self.stop[0] and timing.makespan > self.target and number != self.iterations:
            if self.iterations is None:
                placement, timing = min((placement, timing), self.best(), key=_makespan)
            if number < (1 if self.many else 2):
                plan = self._plan(number, timing.makespan, pace, end - time.perf_counter())
                began = time.perf_counter()
                candidate, its_timing = anneal_round(
                    self.stop, self.random, self.problem, placement, timing, plan
                )
                pace = (time.perf_counter() - began) / plan.steps
            else:
                candidate, its_timing = self._repaired(placement, timing)
            if its_timing.makespan < timing.makespan:
                self.offer(candidate, its_timing, self.thread)
            if its_timing.makespan <= timing.makespan:
                placement, timing = candidate, its_timing
            number += 1

    def _repaired(self, placement: Placement, timing: Timing) -> tuple[Placement, Timing]:
        """Repair towards a slightly shorter makespan again and again, until that helps no more.

        First the map phase, then the reduce phase, then both with the slack shared at random.
        """
        best = at = placement, timing
        turn = since = 0
        while since < IDLE_REPAIRS and not self.stop[0] and best[1].makespan > self.target:
            limit = int((1.0 - CUT) * best[1].makespan)
            share = (1.0, 0.0, uniform(self.random))[turn % 3]
            at = repair_round(self.stop, self.random, self.problem, *at, limit, share)
            turn, since = turn + 1, since + 1
            if at[1].makespan < best[1].makespan:
                best, since = at, 0
        return best

    def _plan(self, number: int, horizon: int, pace: float, left: float) -> Plan:
        """The plan of a round: a short one, which tells the pace, then a full one."""
        full = number == 1
        steps = max(LEAST_STEPS, (FULL_STEPS if full else SHORT_STEPS) * self.tasks)
        if self.iterations is None and pace and np.isfinite(left):
            steps = min(steps, max(1, int(FULL_SHARE * left / pace)))
        hot = SHORT_HOT if self.many else FULL_HOT
        thrift = THRIFT if self.many else 0.0
        return Plan(steps, horizon, hot * horizon, COLD * horizon, WIDTH, thrift, DATE_SHARE)


def _makespan(of: tuple[Placement, Timing]) -> int:
    return of[1].makespan
