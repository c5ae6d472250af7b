"""The method of pattern prices: a lower bound for slots of different speed, no schedule.

What runs on one slot is a pattern: a number of whole tasks of each kind, done by their due dates.
`patterns` finds the most valuable pattern of each slot for given prices of the tasks, `prices`
looks for prices that prove a horizon impossible, `windows` branches on when map phases end.
docs/formulations/pattern-prices.md has the proofs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ....core.arrays import FloatArray
from ....core.clock import StopReason
from ....instances.mapreduce.instance import Instance
from ..race import Runner
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


def pattern_prices_method(instance: Instance, runner: Runner) -> str:
    """A lower bound: the greatest horizon that prices prove impossible, by bisection."""
    kinds_of_both = kinds_of(instance)
    if kinds_of_both is None:
        return f"{StopReason.NOT_APPLICABLE}: more than {MOST_KINDS} kinds of tasks in a phase"
    maps, reduces = kinds_of_both
    clock = runner.clock
    heads, tails = heads_and_tails(instance)
    # What any job alone takes.
    low = max(runner.bound, float(np.max(heads + tails, initial=0.0)) * (1 - 1e-12))
    runner.tell(bound=low, proof=PROOF)

    def raised(low: float, impossible: Callable[[float], bool], proof: str) -> float:
        """Bisect between the bound and the best makespan: which horizons (s) are impossible."""
        high = runner.makespan
        horizon = low
        while not clock.over and high - low > NARROW * low and horizon > 0:
            if not impossible(horizon):
                high = horizon
            elif horizon > low:
                low = horizon
                runner.tell(bound=low, proof=proof)
            high = min(high, runner.makespan)
            horizon = (low + high) / 2
        return low

    for cells in CELLS:
        # Map tasks must leave time for their job's reduces; these, backwards, for its maps.
        for kinds, wait in ((maps, tails), (reduces, heads)):
            prices = PhasePrices(kinds, cells, clock)
            low = raised(low, partial(_impossible, prices, wait[kinds.job]), PROOF)
    longest = np.argsort(-(heads + tails), kind="stable")[:MOST_JOBS]
    for chosen in range(1, len(longest) + 1):
        windows = Windows((maps, reduces), heads, tails, longest[:chosen], CELLS[0], clock)
        low = raised(low, windows.exclude, WINDOWS_PROOF)
    return clock.reason if clock.over else StopReason.COMPLETED


def _impossible(prices: PhasePrices, wait: FloatArray, horizon: float) -> bool:
    return prices.impossible(horizon - wait, horizon)
