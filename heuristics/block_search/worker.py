"""One thread's search: the given schedule and greedy starts, polished, the better one shaken."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from ..random_numbers import seeded
from .decoder import decode, new_work
from .greedy_starts import Style, greedy_starts
from .initial_orders import first_orders, spread_tails
from .perturbation import shake
from .polish import SlotAssignment, Timing, placement_of, polish
from .scaled_instance import BlockProblem
from .solution import Solution

STARTS = 0.5
"""The share of the time that the greedy starts take."""

LONGEST = 60.0
"""Seconds that this share is taken of at most; longer searches go on with the last stage."""

STYLES = (Style(makespan=1.0, blocks=8), Style(makespan=0.3, blocks=2))
"""Of the greedy starts, thread by thread."""

ROUNDS, TRIES = 60, 3000
"""Of the polish before the last stage."""

ENDLESS = 1 << 40

Offer = Callable[[SlotAssignment, Timing, int], None]


class Search:
    """The stages of one thread; `offer` is told of each good placement and the thread's number.

    `given` is where it starts, `target` in ticks. With `iterations`, so many greedy passes and
    shakes are made.
    """

    def __init__(
        self,
        problem: BlockProblem,
        given: SlotAssignment,
        target: int,
        seed: int,
        thread: int,
        iterations: int | None,
        offer: Offer,
    ) -> None:
        self.problem, self.given, self.target = problem, given, target
        self.thread, self.timed, self.offer = thread, iterations is None, offer
        self.steps = ENDLESS if iterations is None else iterations
        self.random = seeded(seed, thread)
        self.stop = np.zeros(1, dtype=np.int64)
        self.over = False
        self.began = time.perf_counter()
        self.end = math.inf

    def watch(self, over: bool) -> None:
        """Called often while the search runs: end the present stage in time, or all of them."""
        self.over |= over
        if self.over or (self.timed and time.perf_counter() >= self.end):
            self.stop[0] = 1

    def _stage(self, end: float = math.inf) -> None:
        """Go on to the stage that ends after so many seconds."""
        self.end = self.began + end
        self.stop[0] = int(self.over)

    def run(self, seconds: float) -> None:
        """Search for so many seconds, if `watch` is called meanwhile."""
        problem = self.problem
        tails = spread_tails(problem)
        # The other threads keep to their own starts: two shaking the same would learn little.
        given = [self._polished(self.given)] if self.thread == 0 else []
        if self.over:
            return
        self._stage(STARTS * min(seconds, LONGEST))
        starts = greedy_starts(
            self.stop,
            self.random,
            problem,
            first_orders(problem),
            self.steps,
            float(tails.min(initial=0)),
            STYLES[self.thread % len(STYLES)],
        )
        self._stage()
        polished = [self._polished(self._decoded(start)) for start in starts]
        best = min([*given, *polished], key=lambda item: item[1].makespan)[0]
        shake(
            self.stop,
            self.random,
            problem,
            best,
            self.target,
            self.steps,
            tails,
            self._tell,
        )

    def _decoded(self, solution: Solution) -> SlotAssignment:
        problem = self.problem
        map_node = np.zeros(len(problem.map_time), dtype=np.int64)
        reduce_node = np.zeros(len(problem.reduce_time), dtype=np.int64)
        decode(problem, solution, new_work(problem), map_node, reduce_node)
        return placement_of(problem, solution.order, map_node, reduce_node)

    def _polished(self, placement: SlotAssignment) -> tuple[SlotAssignment, Timing]:
        return polish(
            self.stop, self.random, self.problem, placement, self.target, ROUNDS, TRIES, self._tell
        )

    def _tell(self, placement: SlotAssignment, timing: Timing) -> None:
        self.offer(placement, timing, self.thread)
