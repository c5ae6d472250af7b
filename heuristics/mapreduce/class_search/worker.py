"""The search of one thread: repairs, each towards a shorter makespan than the best."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ....core.arrays import IntArray
from .repair import RepairPlan
from .rounds import JobTimes, Placement, repair_round
from .task_classes import FORBIDDEN, ClassedInstance

STEPS = 150
"""Steps of the first repairs for each task."""

LEAST_STEPS, MOST_STEPS = 20_000, 4_000_000
"""Least and most steps of the first repairs."""

PROBE_STEPS = 12
"""Steps of a repair for each task as long as the pace is not known."""

ALL_STEPS = 1 << 40
"""Most steps of any repair. Where only what reduce tasks read is over its limit, it makes none, and
the number doubles ever again."""

MOST_CUT, LEAST_CUT, NEXT_CUT = 0.02, 0.0008, 0.006
"""Repairs aim at a makespan that is shorter by a share from the first to the second; below it they
begin again at the third with twice the steps."""

MOST_SHARE = 0.3
"""Most of the time left that a repair may take."""

HOT, COLD = 0.003, 0.0002
"""First and last temperature of a repair, as shares of the makespan."""

AGAIN_HOT = 0.0005
"""First temperature of the repair that follows a failed one, as a share of the makespan."""

WORK_WEIGHT = 4.0
"""What a task of twice the time costs in a repair, with the last temperature as the unit."""


class RepairSearch:
    """The rounds of one thread.

    `problem`: the instance in classes.
    `target`: makespan at which the search ends, in time units.
    `random`: state of the thread's random numbers.
    `iterations`: number of rounds; None for no limit.
    `best`: gives the best placement of all threads with its times.
    `offer`: called with each better placement and its times.
    """

    def __init__(
        self,
        problem: ClassedInstance,
        target: int,
        random: IntArray,
        iterations: int | None,
        best: Callable[[], tuple[Placement, JobTimes]],
        offer: Callable[[Placement, JobTimes], None],
    ) -> None:
        self.problem, self.target, self.random = problem, target, random
        self.iterations, self.best, self.offer = iterations, best, offer
        tasks = len(problem.map_class) + len(problem.reduce_class)
        self.probe = max(LEAST_STEPS, PROBE_STEPS * tasks)
        self.pace = 0.0
        self.thrift = _work_weight(problem, best()[1].makespan)
        self.cut, self.steps = MOST_CUT, max(LEAST_STEPS, min(STEPS * tasks, MOST_STEPS))
        self.stop = np.zeros(1, dtype=np.int64)

    def watch(self, over: bool) -> None:
        """End soon if `over`; another thread may call this."""
        if over:
            self.stop[0] = 1

    def run(self, seconds: float) -> None:
        """Run rounds for so many seconds, or as many as were asked for."""
        end = time.perf_counter() + seconds
        placement, times = self.best()
        number = 0
        while not self.stop[0] and times.makespan > self.target and number != self.iterations:
            if self.iterations is None:
                placement, times = min((placement, times), self.best(), key=_makespan)
            candidate = self._repaired(placement, times, end - time.perf_counter())
            if candidate[1].makespan < times.makespan:
                self.offer(*candidate)
            if candidate[1].makespan <= times.makespan:
                placement, times = candidate
            number += 1

    def _repaired(
        self, placement: Placement, times: JobTimes, left: float
    ) -> tuple[Placement, JobTimes]:
        """Repair towards a shorter makespan; the next one aims higher or lower, as this one ends.

        `left`: time left (s).
        """
        limit = int((1.0 - self.cut) * times.makespan)
        steps = self._steps_in_time(self.steps, left)
        plan = self._plan(limit, steps, HOT)
        began = time.perf_counter()
        candidate = repair_round(self.stop, self.random, self.problem, placement, times, plan)
        if candidate[1].makespan <= limit:
            self.cut = min(1.5 * self.cut, MOST_CUT)
            return candidate
        # All steps were made, so they tell the pace.
        self.pace = (time.perf_counter() - began) / steps
        # Repair what is left, towards a limit half as far below the makespan.
        plan = self._plan(int((1.0 - self.cut / 2) * times.makespan), steps // 3, AGAIN_HOT)
        nearer = repair_round(self.stop, self.random, self.problem, *candidate, plan)
        candidate = min(candidate, nearer, key=_makespan)
        self.cut /= 2
        if self.cut < LEAST_CUT:
            self.cut, self.steps = NEXT_CUT, min(2 * self.steps, ALL_STEPS)
        return candidate

    def _plan(self, limit: int, steps: int, hot: float) -> RepairPlan:
        """A repair towards a limit; `hot`: its first temperature as a share of that."""
        return RepairPlan(limit, steps, hot * limit, COLD * limit, self.thrift)

    def _steps_in_time(self, most: int, left: float) -> int:
        """Steps of a repair, at most a share of the time left (s) unless rounds are counted."""
        if self.iterations is None and np.isfinite(left):
            possible = int(MOST_SHARE * left / self.pace) if self.pace else self.probe
            return min(most, max(1, possible))
        return most


def _work_weight(problem: ClassedInstance, makespan: int) -> float:
    """What a unit of work weighs beside one of overload, in repairs.

    A task that takes a quarter longer costs as much as the last temperature. It is as long as the
    one that an average unit of work belongs to: many short tasks on a slot count, where a few long
    ones decide only these do.
    """
    phases = (problem.maps, problem.map_class), (problem.reduces, problem.reduce_class)
    shortest = [of.time.min(axis=1, initial=FORBIDDEN)[its_class] for of, its_class in phases]
    length = np.concatenate(shortest).astype(float)
    squares = float(length @ length)
    return WORK_WEIGHT * COLD * makespan * float(length.sum()) / squares if squares else 0.0


def _makespan(of: tuple[Placement, JobTimes]) -> int:
    return of[1].makespan
