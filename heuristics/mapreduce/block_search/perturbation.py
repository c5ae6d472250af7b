"""Iterated local search: change the order of the last jobs, polish, keep the better schedule.

The work of the slots does not depend on the order of the jobs, so the slots stay balanced when jobs
change places. Which jobs come last decides how much longer the reduce phase lasts than the map
phase. Timing an order takes a thousandth of a polish, so several changes are tried before each
polish. In between, repairs move the tasks of both phases at once.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import IntArray
from ....core.random_numbers import below
from .order_changes import LAST_JOBS, reordered
from .polish import LocalSearch, SlotAssignment, evaluate, layout_of, polish
from .repair_rounds import Repairs
from .scaled_instance import BlockProblem

ORDERS_TRIED = 60
"""Orders tried between two polishes."""

PRICES = (0.0, 0.0, 0.0, 0.5, 1.0, 2.0)
"""Prices of reading, one of which each polish has, as multiples of a suitable one."""

POLISH_ROUNDS, POLISH_TRIES = 3, 3000
"""Rounds of each polish, and tries of each of its steps."""

REPAIR_EVERY = 10
"""One in so many changes is a repair, the second one among them."""

REPAIRED_ROUNDS = 60
"""Rounds of the polish after a repair."""


def perturb(
    search: LocalSearch,
    problem: BlockProblem,
    placement: SlotAssignment,
    perturbations: int,
    tails: IntArray,
    repairs: Repairs | None,
    price: float,
) -> None:
    """Perturb or repair a schedule repeatedly and keep what is not worse.

    `search`: when to end, whom to tell of better schedules, and the random numbers.
    `problem`: the instance in integer time units.
    `price`: a suitable price of reading.
    """
    layout = layout_of(problem)
    short = np.argsort(tails, kind="stable")[: 2 * LAST_JOBS]
    best, timing = placement, evaluate(problem, layout, placement)
    for number in range(perturbations):
        if search.stop[0] or timing.makespan <= search.target or len(placement.order) < 2:
            return
        turn = repairs if number % REPAIR_EVERY == 1 else None
        if turn is not None and turn.are_ready(best, timing):
            changed = turn.repaired(search, best, timing)
            rounds, factor = REPAIRED_ROUNDS, 1.0
        else:
            changed = reordered(search, problem, layout, best, short, ORDERS_TRIED)
            rounds, factor = POLISH_ROUNDS, PRICES[below(search.random, len(PRICES))]
        polished = polish(search, problem, changed, rounds, POLISH_TRIES, factor * price)
        if polished.makespan <= timing.makespan:
            best, timing = polished.placement, evaluate(problem, layout, polished.placement)
