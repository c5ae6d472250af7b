"""The search of one thread: rounds of annealing, ever longer, from the best placement known."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from ..random_numbers import seeded
from .annealing import Plan
from .rounds import Placement, anneal_round
from .task_classes import ClassedInstance
from .timing import Timing

FIRST_STEPS = 50_000
"""Steps of the first round."""

GROWTH = 1.5
"""Each round has so many times the steps of the one before, as far as there is time."""

MOST_STEPS = 20_000_000
"""Most steps of a round."""

LAST_SHARE = 0.6
"""A round that would take more than this share of the time left takes all of it."""

HOT, COLD = 0.01, 0.0005
"""First and last temperature of a round, as shares of the makespan."""

WIDTH = 0.03
"""The reference lies this share below the worst value."""

DATE_SHARE = 0.02
"""Share of the steps that change a date."""


class Search:
    """The rounds of one thread.

    Parameters
    ----------
    problem
        The instance in classes.
    target
        Makespan at which the search ends, in time units.
    seed
        Seed of the random numbers.
    thread
        Number of the thread, which chooses its stream of random numbers.
    iterations
        Number of rounds; None for no limit.
    best
        Gives the best placement of all threads with its timing.
    offer
        Called with each better placement, its timing and the number of the thread.
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
        self.random = seeded(seed, thread)
        self.stop = np.zeros(1, dtype=np.int64)

    def end(self) -> None:
        """End soon; another thread may call this."""
        self.stop[0] = 1

    def run(self, seconds: float) -> None:
        """Run rounds for so many seconds, or as many as were asked for."""
        end = time.perf_counter() + seconds
        placement, timing = self.best()
        steps, round_, pace = FIRST_STEPS, 0, 0.0
        while not self.stop[0] and timing.makespan > self.target:
            if round_ == self.iterations:
                break
            if self.iterations is None:
                placement, timing = min((placement, timing), self.best(), key=_makespan)
                steps = _fitting(steps, pace, end - time.perf_counter())
            began = time.perf_counter()
            found, its_timing = anneal_round(
                self.stop,
                self.random,
                self.problem,
                placement,
                timing,
                self._plan(steps, timing, round_),
            )
            pace = (time.perf_counter() - began) / steps
            if its_timing.makespan < timing.makespan:
                self.offer(found, its_timing, self.thread)
            if its_timing.makespan <= timing.makespan:
                placement, timing = found, its_timing
            steps = min(int(steps * GROWTH), MOST_STEPS)
            round_ += 1

    def _plan(self, steps: int, timing: Timing, number: int) -> Plan:
        horizon = timing.makespan
        # Moving map tasks changes what reduce tasks read.
        fixed_maps = self.problem.reads and number % 2 == 1
        return Plan(steps, horizon, HOT * horizon, COLD * horizon, WIDTH, DATE_SHARE, fixed_maps)


def _makespan(of: tuple[Placement, Timing]) -> int:
    return of[1].makespan


def _fitting(steps: int, pace: float, left: float) -> int:
    """The steps of a round so that the last one has ended, cooled, when the time is up."""
    if not pace or not np.isfinite(left):
        return steps
    if steps * pace > LAST_SHARE * left:
        return max(int(0.95 * left / pace), 1000)
    return steps
