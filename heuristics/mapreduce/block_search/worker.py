"""The search of one thread: polish the given schedule and greedy starts, then perturb the best."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ..list_scheduling.orders import johnson
from ..search_kernels import seeded
from .decoder import Solution, decode, new_work
from .greedy_starts import Style, greedy_starts
from .order_changes import perturb
from .polish import (
    PRICE,
    LocalSearch,
    Polished,
    SlotAssignment,
    Timing,
    placement_of,
    polish,
)
from .scaled_instance import BlockProblem

GIVEN_SHARE = 0.03
"""Share of the time after which the polish of the given schedule ends where gathering is to follow:
greedy starts are better then."""

GREEDY_SHARE, STARTS_SHARE = 0.15, 0.5
"""Share of the time after which the first greedy starts end where gathering is to follow, and after
which all end."""

MOST_SHARED_SECONDS = 60.0
"""The shares are of at most so many seconds; longer searches spend the rest on perturbations."""

STYLES = (Style(makespan=1.0, blocks=8), Style(makespan=0.3, blocks=2))
"""Styles of the greedy starts, thread by thread, of the next seed the other way round."""

POLISH_ROUNDS, POLISH_TRIES = 60, 3000
"""Rounds of the polish before the last stage, and tries of each of its steps."""

GATHERING_STYLE, GATHERING_PASSES = Style(makespan=1.0, blocks=2), 40
"""Style of the later greedy starts that are polished gathering, and the passes of each."""

TURNS_APART = 5
"""Starts by which searches that run side by side are apart."""

GATHERING_ROUNDS, GATHERING_TRIES = 200, 1500
"""Rounds of such a polish, and tries of each of its steps."""

UNLIMITED = 1 << 40
"""Number of iterations that no search reaches."""

Offer = Callable[[SlotAssignment, Timing, int], None]


class BlockSearch:
    """The stages of one thread.

    `given`: the schedule to start from.
    `target`: makespan at which the search ends, in integer time units.
    `seed`: seed of the random numbers.
    `thread`: number of the thread, which chooses its stream of random numbers and, with the seed,
    its style and the order that its starts begin with.
    `iterations`: greedy passes, and perturbations; None for no limit.
    `offer`: called with each good schedule, its times and the number of the thread.
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
        self.steps = UNLIMITED if iterations is None else iterations
        self.random = seeded(seed, thread)
        self.number = seed + thread
        self.style = STYLES[self.number % len(STYLES)]
        self.stop = np.zeros(1, dtype=np.int64)
        self.over = False
        self.began = time.perf_counter()
        self.end = math.inf

    def watch(self, over: bool) -> None:
        """End the present stage when its time is up, or all stages if `over`; call it often."""
        self.over |= over
        if self.over or (self.timed and time.perf_counter() >= self.end):
            self.stop[0] = 1

    def _stage(self, end: float = math.inf) -> None:
        """Begin the stage that ends so many seconds after the start."""
        self.end = self.began + end
        self.stop[0] = int(self.over)

    def run(self, seconds: float) -> None:
        """Run all stages within so many seconds; another thread calls `watch` meanwhile."""
        problem = self.problem
        tails = spread_tails(problem)
        # Decoding blocks of nodes cannot tell slots of one node apart.
        greedy = not len(problem.allowed)
        gathers = greedy and problem.reads_differ and not problem.maps_bind
        shared = min(seconds, MOST_SHARED_SECONDS)
        if gathers:
            self._stage(GIVEN_SHARE * shared)
        # Only one thread uses the given schedule: two perturbing the same one would learn little.
        first = self.thread == 0 or not greedy
        found, price = [self._polished(self.given)] if first else [], PRICE
        if self.over:
            return
        if gathers:
            found += self._gathered_starts(shared, tails)
            price = found[-1].price
        elif greedy:
            self._stage(STARTS_SHARE * shared)
            starts = self._starts(first_orders(self.problem), self.steps, tails, self.style)
            self._stage()
            found += [self._polished(self._decoded(start)) for start in starts]
        best = min(found, key=lambda each: each.makespan)
        perturb(self._local_search(), problem, best.placement, self.steps, tails, price)

    def _gathered_starts(self, seconds: float, tails: IntArray) -> list[Polished]:
        """Greedy starts polished gathering: the best of all orders, then one of each in turn.

        Which start is the best shows only after the polish. Each polish begins with the price that
        the one before ended with.
        """
        orders = first_orders(self.problem)
        found: list[Polished] = []
        self._stage(GREEDY_SHARE * seconds)
        starts = self._starts(orders, self.steps, tails, self.style)
        self._stage()
        for start in starts:
            found.append(self._gathered(start, found))
        # Searches side by side begin at different orders.
        first = TURNS_APART * self.number
        for turn in range(first, first + self.steps):
            late = self.timed and time.perf_counter() >= self.began + STARTS_SHARE * seconds
            if late or self.over:
                break
            order = orders[turn // 2 % len(orders)]
            passes = min(self.steps, GATHERING_PASSES)
            starts = self._starts(order[None], passes, tails, GATHERING_STYLE)
            found.append(self._gathered(starts[(turn + turn // 2) % len(starts)], found))
        return found

    def _starts(
        self, orders: IntArray, passes: int, tails: IntArray, style: Style
    ) -> list[Solution]:
        tail = float(tails.min(initial=0))
        return greedy_starts(self.stop, self.random, self.problem, orders, passes, tail, style)

    def _local_search(self) -> LocalSearch:
        def tell(placement: SlotAssignment, timing: Timing) -> None:
            self.offer(placement, timing, self.thread)

        return LocalSearch(self.stop, self.random, self.target, tell)

    def _decoded(self, solution: Solution) -> SlotAssignment:
        problem = self.problem
        map_node = np.zeros(len(problem.map_time), dtype=np.int64)
        reduce_node = np.zeros(len(problem.reduce_time), dtype=np.int64)
        decode(problem, solution, new_work(problem), map_node, reduce_node)
        return placement_of(problem, solution.order, map_node, reduce_node)

    def _polished(self, placement: SlotAssignment) -> Polished:
        search = self._local_search()
        return polish(search, self.problem, placement, POLISH_ROUNDS, POLISH_TRIES)

    def _gathered(self, start: Solution, before: list[Polished]) -> Polished:
        placement, search = self._decoded(start), self._local_search()
        price = before[-1].price if before else PRICE
        return polish(search, self.problem, placement, GATHERING_ROUNDS, GATHERING_TRIES, price)


LAST_JOBS = (5, 2, 12)
"""Numbers of jobs with the shortest tails that are put last."""

LARGE_JOBS_AFTER = (0.3, 0.5, 0.1)
"""Shares of the other jobs after which the large jobs come."""


def spread_tails(problem: BlockProblem) -> IntArray:
    """Time from the end of each job's map phase to the end of the job, shape (jobs,).

    The map tasks of a job are assumed to be spread over all nodes.
    """
    output = np.bincount(problem.map_job, problem.output, len(problem.longest))
    nodes = len(problem.rack_of)
    racks = np.diff(problem.rack_begin)
    near, rack, far = problem.rates
    mean = (near + (racks.max() - 1) * rack + (nodes - racks.max()) * far) / nodes
    tails: IntArray = problem.longest + np.minimum(output * mean, 2.0**60).astype(np.int64)
    tails[np.diff(problem.reduce_begin) == 0] = 0
    return tails


def first_orders(problem: BlockProblem) -> IntArray:
    """Orders that suit different kinds of instances, shape (orders, jobs)."""
    jobs = len(problem.longest)
    lengths = problem.map_time + problem.map_setup[:, 0]
    maps: FloatArray = np.bincount(problem.map_job, lengths, jobs) / max(
        int(problem.map_slots[-1]), 1
    )
    reduces = problem.least_work / max(int(problem.reduce_slots[-1]), 1)
    johnsons, by_ratio = johnson(maps, reduces), np.argsort(maps / np.maximum(reduces, 1.0))
    by_tail = np.argsort(-spread_tails(problem))
    large = np.isin(johnsons, np.flatnonzero(problem.longest > 2 * np.median(problem.longest)))
    middle = [_with_large_after(johnsons, large, share) for share in LARGE_JOBS_AFTER]
    short = [by_tail[max(0, jobs - count) :] for count in LAST_JOBS]
    ends = [np.append(johnsons[~np.isin(johnsons, last)], last) for last in short]
    orders = [johnsons, middle[0], by_ratio, middle[1], ends[0], middle[2], *ends[1:], by_tail]
    return np.ascontiguousarray(np.stack(orders).astype(np.int64))


def _with_large_after(order: IntArray, large: BoolArray, share: float) -> IntArray:
    """The large jobs after a share of the others."""
    many = order[~large]
    cut = int(share * len(many))
    return np.concatenate((many[:cut], order[large], many[cut:]))
