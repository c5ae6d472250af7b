"""Refit: all tasks of both phases are placed anew, for a makespan that is a little shorter."""

from __future__ import annotations

import time
from typing import Protocol

from ....core.arrays import IntArray
from ....core.clock import Clock
from ..random_numbers import uniform
from .rounds import Placement, target_dates, with_reads
from .task_classes import ClassedInstance
from .timing import Timing

FIRST_CUT, LEAST_CUT = 0.01, 0.001
"""It aims at a makespan that is shorter by these shares at first and at least."""

MOST_LOST = 0.25
"""It is not tried as long as more than this share of all time was lost on it."""


class PhaseRounding(Protocol):
    """Fits the tasks of one phase into due dates."""

    def __call__(
        self, time: IntArray, count: IntArray, due: IntArray, horizon: int, clock: Clock
    ) -> IntArray | None:
        """Fit the tasks into the due dates.

        `time`: time units of a task of each class on each slot, shape (classes, slots).
        `count`: tasks of each class on each slot now, shape (slots, classes).
        `due`: due date of each class in time units, shape (classes,), at most the horizon.
        Returns numbers of tasks like `count`; None if that is not found in time.
        """


class Refit:
    """The refits of one thread.

    `problem`: the instance in classes.
    `random`: state of the random numbers.
    `of_maps`, `of_reduces`: fit the tasks of either phase into due dates.
    """

    def __init__(
        self,
        problem: ClassedInstance,
        random: IntArray,
        of_maps: PhaseRounding,
        of_reduces: PhaseRounding,
    ) -> None:
        self.problem, self.random = problem, random
        self.of_maps, self.of_reduces = of_maps, of_reduces
        self.cut, self.due = FIRST_CUT, False
        self.began, self.lost = time.perf_counter(), 0.0

    def ask(self, *, timed: bool) -> None:
        """Refit next, unless too much time was lost on it; that counts only if `timed`."""
        elapsed = time.perf_counter() - self.began
        self.due = not timed or self.lost <= MOST_LOST * elapsed

    def placement(
        self, placement: Placement, timing: Timing, clock: Clock
    ) -> tuple[Placement, int] | None:
        """A placement of all tasks anew, and the makespan that it is for; None if none is found."""
        while self.cut >= LEAST_CUT and not clock.over:
            limit = int((1.0 - self.cut) * timing.makespan)
            found = self._fitted(placement, timing, limit, clock)
            if found is not None:
                return found, limit
            self.cut /= 2
        self.cut = max(self.cut, LEAST_CUT)
        return None

    def learn(self, before: Timing, after: Timing, limit: int, seconds: float) -> None:
        """Aim higher or lower the next time, which comes at once if this one helped.

        `before`, `after`: the times before it and after the repair that follows.
        `limit`: what it aimed at.
        `seconds`: how long both took.
        """
        self.due = after.makespan < before.makespan
        self.lost += 0.0 if self.due else seconds
        self.cut = max(LEAST_CUT, (1.3 if after.makespan <= limit else 0.8) * self.cut)

    def _fitted(
        self, placement: Placement, timing: Timing, limit: int, clock: Clock
    ) -> Placement | None:
        """Both phases, with map phases that may end late: on the second half of the way there."""
        problem = self.problem
        date = target_dates(problem, timing, 0.5 + 0.5 * uniform(self.random), limit).date
        time, due = problem.maps.time, date[problem.maps.job]
        found = self.of_maps(time, placement.maps, due, limit, clock)
        if found is None:
            return None
        anew = placement._replace(maps=found, date=date)
        time, due = with_reads(problem, anew).time, limit - date[problem.reduces.job]
        found = self.of_reduces(time, placement.reduces, due, limit, clock)
        return None if found is None else anew._replace(reduces=found)
