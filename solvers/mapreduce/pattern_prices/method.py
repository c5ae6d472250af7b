"""The method of pattern prices: a lower bound for slots of different speed, no schedule."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ....core.arrays import FloatArray
from ....core.clock import Clock, StopReason
from ....instances.mapreduce.instance import Instance
from ...progress import Progress
from ..method import MethodOutcome, SolveRequest, exact_method, not_applicable
from .patterns import MOST_KINDS, heads_and_tails, kinds_of
from .prices import PhasePrices
from .windows import Windows

PROOF = "prices of whole-task patterns"

WINDOWS_PROOF = "prices of whole-task patterns in windows"

CELLS = 1000, 4000
"""Into so many cells a horizon is cut, at first and in the end."""

MOST_JOBS = 5
"""Windows are branched on for up to so many of the longest jobs."""

NARROW = 3e-4
"""The bisection ends when the bound is this close, relatively, to what it could become."""


@exact_method
def pattern_prices_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """A lower bound: the greatest horizon that prices prove impossible, by bisection."""
    kinds_of_both = kinds_of(instance)
    if kinds_of_both is None:
        return not_applicable(f"more than {MOST_KINDS} kinds of tasks in a phase")
    maps, reduces = kinds_of_both
    clock = request.clock()
    heads, tails = heads_and_tails(instance)
    bound = _Bound(request, clock, float(np.max(heads + tails, initial=0.0)))
    for cells in CELLS:
        # Map tasks must leave time for their job's reduces; these, backwards, for its maps.
        for kinds, wait in ((maps, tails), (reduces, heads)):
            bound.raise_by(partial(_impossible, PhasePrices(kinds, cells, clock), wait[kinds.job]))
    longest = np.argsort(-(heads + tails), kind="stable")[:MOST_JOBS]
    for chosen in range(1, len(longest) + 1):
        windows = Windows((maps, reduces), heads, tails, longest[:chosen], CELLS[0], clock)
        bound.raise_by(windows.exclude, WINDOWS_PROOF)
    stop = clock.reason if clock.over else StopReason.COMPLETED
    return MethodOutcome(None, bound.low, bound.proof, stop, progress=bound.progress)


def _impossible(prices: PhasePrices, wait: FloatArray, horizon: float) -> bool:
    return prices.impossible(horizon - wait, horizon)


class _Bound:
    """The bound so far; `least` (s) is what any job alone takes."""

    def __init__(self, request: SolveRequest, clock: Clock, least: float) -> None:
        self.request, self.clock, self.proof = request, clock, PROOF
        self.low = max(request.lower_bound, least * (1 - 1e-12))
        self.progress: list[Progress] = []
        if self.low > request.lower_bound:
            self.tell()

    @property
    def shortest(self) -> float:
        own = self.request.incumbent.makespan
        return own if self.request.best is None else min(own, self.request.best())

    def raise_by(self, impossible: Callable[[float], bool], proof: str = PROOF) -> None:
        """Bisect between the bound and the shortest makespan: which horizons (s) are impossible."""
        high = self.shortest
        horizon = self.low
        while not self.clock.over and high - self.low > NARROW * self.low and horizon > 0:
            if not impossible(horizon):
                high = horizon
            elif horizon > self.low:
                self.low, self.proof = horizon, proof
                self.tell()
            high = min(high, self.shortest)
            horizon = (self.low + high) / 2

    def tell(self) -> None:
        self.request.keep(MethodOutcome(None, self.low, self.proof))
        self.progress.append(Progress(self.clock.elapsed, self.shortest, self.low))
        if self.request.on_progress is not None:
            self.request.on_progress(self.progress[-1])
