"""Iterated local search: change the order of the last jobs, polish, keep the better schedule.

The work of the slots does not depend on the order of the jobs, so the slots stay balanced when jobs
change places. Which jobs come last decides how much longer the reduce phase lasts than the map
phase. Timing an order takes a hundredth of a polish, so several changes are tried before each
polish.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import IntArray
from ....core.random_numbers import below
from ..array_moves import shift
from .decoder import NO_SLOT
from .polish import (
    LocalSearch,
    SlotAssignment,
    TaskLayout,
    evaluate,
    layout_of,
    polish,
    with_new_reduces,
)
from .scaled_instance import BlockProblem

LAST_JOBS = 10
"""Number of jobs at the end of the order that are moved."""

ORDERS_TRIED = 60
"""Orders tried between two polishes."""

PRICES = (0.0, 0.0, 0.0, 0.5, 1.0, 2.0)
"""Prices of reading, one of which each polish has."""

POLISH_ROUNDS, POLISH_TRIES = 3, 3000
"""Rounds of each polish, and tries of each of its steps."""


def perturb(
    search: LocalSearch,
    problem: BlockProblem,
    placement: SlotAssignment,
    perturbations: int,
    tails: IntArray,
) -> None:
    """Perturb a schedule repeatedly and keep what is not worse.

    `search`: when to end, whom to tell of better schedules, and the random numbers.
    `problem`: the instance in integer time units.
    """
    layout = layout_of(problem)
    short = np.argsort(tails, kind="stable")[: 2 * LAST_JOBS]
    best, least = placement, evaluate(problem, layout, placement).makespan
    for _ in range(perturbations):
        if search.stop[0] or least <= search.target or len(placement.order) < 2:
            return
        changed = _reordered(search, problem, layout, best, short)
        price = PRICES[below(search.random, len(PRICES))]
        polished, makespan = polish(search, problem, changed, POLISH_ROUNDS, POLISH_TRIES, price)
        if makespan <= least:
            best, least = polished, makespan


def _reordered(
    search: LocalSearch,
    problem: BlockProblem,
    layout: TaskLayout,
    placement: SlotAssignment,
    short: IntArray,
) -> SlotAssignment:
    """A schedule with another job order: one change, and further ones that do not lengthen it."""
    least = NO_SLOT
    for _ in range(ORDERS_TRIED):
        if search.stop[0]:
            break
        changed = placement._replace(order=_changed(search.random, placement.order, short))
        timing = evaluate(problem, layout, changed)
        anew = with_new_reduces(problem, layout, changed, timing)
        for candidate, its_timing in ((changed, timing), (anew, evaluate(problem, layout, anew))):
            if its_timing.makespan <= least:
                placement, least = candidate, its_timing.makespan
    return placement


def _changed(random: IntArray, order: IntArray, short: IntArray) -> IntArray:
    """Another order of the jobs. `short` lists the jobs with the shortest tails, ascending."""
    jobs, kind = len(order), below(random, 4)
    near = min(LAST_JOBS, jobs)
    if kind == 0:
        last = short[below(random, len(short)) :: -1]
        return np.concatenate((order[~np.isin(order, last)], last))
    if kind == 1:
        source = int(np.flatnonzero(order == short[below(random, len(short))])[0])
        target = jobs - 1 - below(random, near)
    else:
        source = jobs - 1 - below(random, near)
        target = jobs - 1 - below(random, jobs if kind == 2 else near)
    changed = order.copy()
    shift(changed, source, target)
    return changed
