"""The search of one thread: a short round of annealing, then repairs and refits."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event

import numpy as np

from ....core.arrays import IntArray
from ....core.clock import Clock
from .annealing import Plan
from .refit import PhaseRounding, Refit
from .repair import MOST_CUT, Aims, RepairPlan
from .rounds import Placement, anneal_round, repair_round, timing_of
from .task_classes import FORBIDDEN, ClassedInstance
from .timing import Timing

STEPS, REPAIR_STEPS = 12, 150
"""Steps of the round of annealing and of the first repairs for each task."""

LEAST_STEPS, MOST_STEPS = 20_000, 4_000_000
"""Least steps of a round, and most steps of the first repairs."""

ALL_STEPS = 1 << 40
"""Most steps of any repair. Where only what reduce tasks read is over its limit, it makes none, and
the number doubles ever again."""

MOST_SHARE = 0.3
"""Most of the time left that a repair may take."""

HOT, COLD = 0.003, 0.0005
"""First and last temperature of annealing, as shares of the makespan."""

REPAIR_HOT, REPAIR_COLD = 0.003, 0.0002
"""The same of a repair."""

WORK_WEIGHT = 4.0
"""What a task of twice the time costs in a repair, with the last temperature as the unit."""

WIDTH = 0.01
"""The reference lies below the worst value by this share of the makespan."""

MANY_TASKS = 30_000
"""With so many tasks the work on all slots counts in annealing: the search keeps the slots that
suit the start's jobs."""

THRIFT = 0.015
"""What a unit of work weighs if it counts, as a share of one on the worst slot."""

DATE_SHARE = 0.02
"""Share of the steps that change a date."""

REFIT_HOT = 0.0005
"""First temperature of the repair after a refit or a failed repair, as a share of the makespan."""

MOST_REFIT_STEPS = 1_000_000
"""Most steps of that repair."""

REFIT_SHARE = 0.15
"""Most of the time left that a refit may take."""

Phases = tuple[PhaseRounding, PhaseRounding]
"""What fits the tasks of the map phase and of the reduce phase into due dates."""


class Search:
    """The rounds of one thread.

    `problem`: the instance in classes.
    `target`: makespan at which the search ends, in time units.
    `random`: state of the thread's random numbers.
    `iterations`: number of rounds; None for no limit.
    `best`: gives the best placement of all threads with its timing.
    `offer`: called with each better placement and its timing.
    `phases`: for refits where repairs fail; without them repairs go on.
    """

    def __init__(
        self,
        problem: ClassedInstance,
        target: int,
        random: IntArray,
        iterations: int | None,
        best: Callable[[], tuple[Placement, Timing]],
        offer: Callable[[Placement, Timing], None],
        phases: Phases | None = None,
    ) -> None:
        self.problem, self.target, self.random = problem, target, random
        self.iterations, self.best, self.offer = iterations, best, offer
        self.tasks = len(problem.map_class) + len(problem.reduce_class)
        self.many = self.tasks >= MANY_TASKS
        self.pace = 0.0
        self.thrift = _work_weight(problem, best()[1].makespan)
        steps = max(LEAST_STEPS, min(REPAIR_STEPS * self.tasks, MOST_STEPS))
        self.aims = Aims(MOST_CUT, steps, ALL_STEPS)
        self.refit = None if phases is None else Refit(problem, self.random, *phases)
        self.stop, self.ended = np.zeros(1, dtype=np.int64), Event()

    def end(self) -> None:
        """End soon; another thread may call this."""
        self.stop[0] = 1
        self.ended.set()

    def run(self, seconds: float) -> None:
        """Run rounds for so many seconds, or as many as were asked for."""
        end = time.perf_counter() + seconds
        placement, timing = self.best()
        number = 0
        while not self.stop[0] and timing.makespan > self.target and number != self.iterations:
            if self.iterations is None:
                placement, timing = min((placement, timing), self.best(), key=_makespan)
            left = end - time.perf_counter()
            if not number:
                candidate = self._annealed(placement, timing)
            elif self.refit is not None and self.refit.due:
                candidate = self._refitted(self.refit, placement, timing, left)
            else:
                candidate = self._repaired(placement, timing, left)
            if candidate[1].makespan < timing.makespan:
                self.offer(*candidate)
            if candidate[1].makespan <= timing.makespan:
                placement, timing = candidate
            number += 1

    def _annealed(self, placement: Placement, timing: Timing) -> tuple[Placement, Timing]:
        """The first round, which also tells the pace."""
        horizon, thrift = timing.makespan, THRIFT if self.many else 0.0
        steps = max(LEAST_STEPS, STEPS * self.tasks)
        plan = Plan(steps, horizon, HOT * horizon, COLD * horizon, WIDTH, thrift, DATE_SHARE)
        began = time.perf_counter()
        candidate = anneal_round(self.stop, self.random, self.problem, placement, timing, plan)
        self.pace = (time.perf_counter() - began) / steps
        return candidate

    def _repaired(
        self, placement: Placement, timing: Timing, left: float
    ) -> tuple[Placement, Timing]:
        """Repair towards a shorter makespan; the next one aims higher or lower, as this one ends.

        `left`: time left (s).
        """
        limit = int((1.0 - self.aims.cut) * timing.makespan)
        steps = self._steps_in_time(self.aims.steps, left)
        plan = self._plan(limit, steps, REPAIR_HOT)
        began = time.perf_counter()
        candidate = repair_round(self.stop, self.random, self.problem, placement, timing, plan)
        if candidate[1].makespan <= limit:
            self.aims.farther()
            return candidate
        # All steps were made, so they tell the pace.
        self.pace = (time.perf_counter() - began) / steps
        # Repair what is left, towards a limit half as far below the makespan.
        plan = self._plan(int((1.0 - self.aims.cut / 2) * timing.makespan), steps // 3, REFIT_HOT)
        nearer = repair_round(self.stop, self.random, self.problem, *candidate, plan)
        candidate = min(candidate, nearer, key=_makespan)
        self.aims.nearer()
        if self.refit is not None:
            self.refit.ask(timed=self.iterations is None)
        return candidate

    def _refitted(
        self, refit: Refit, placement: Placement, timing: Timing, left: float
    ) -> tuple[Placement, Timing]:
        """Place all tasks anew for a shorter makespan, and repair what is over it."""
        began = time.perf_counter()
        share = REFIT_SHARE if self.iterations is None else 1.0
        candidate, limit = (placement, timing), 0
        found = refit.placement(placement, timing, Clock(share * left, self.ended))
        if found is not None:
            start, limit = found
            steps = self._steps_in_time(min(self.aims.steps, MOST_REFIT_STEPS), left)
            plan = self._plan(limit, steps, REFIT_HOT)
            its = timing_of(self.problem, start)
            candidate = repair_round(self.stop, self.random, self.problem, start, its, plan)
        refit.learn(timing, candidate[1], limit, time.perf_counter() - began)
        return candidate

    def _plan(self, limit: int, steps: int, hot: float) -> RepairPlan:
        """A repair towards a limit; `hot`: its first temperature as a share of that."""
        return RepairPlan(limit, steps, hot * limit, REPAIR_COLD * limit, self.thrift)

    def _steps_in_time(self, most: int, left: float) -> int:
        """Steps of a repair, at most a share of the time left (s) unless rounds are counted."""
        if self.iterations is None and np.isfinite(left):
            return min(most, max(1, int(MOST_SHARE * left / self.pace)))
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
    return WORK_WEIGHT * REPAIR_COLD * makespan * float(length.sum()) / squares if squares else 0.0


def _makespan(of: tuple[Placement, Timing]) -> int:
    return of[1].makespan
