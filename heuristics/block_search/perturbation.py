"""Iterated local search on placements: change the order of the last jobs, polish, keep the better.

The work of the slots does not depend on the order of the jobs, so slots stay level; which jobs come
last, however, decides how long the reduce phase outlasts the map phase. To time an order takes a
hundredth of a polish, so several changes are made by that alone first.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...instances.arrays import IntArray
from ..random_numbers import below
from .decoder import TOO_LATE
from .polish import (
    SlotAssignment,
    TaskLayout,
    Timing,
    evaluate,
    layout_of,
    polish,
    with_new_reduces,
)
from .scaled_instance import BlockProblem
from .solution import shift

LAST = 10
"""How many of the last jobs are moved about."""

CHANGES = 60
"""Orders tried between two polishes."""

ROUNDS, TRIES = 3, 3000
"""Of these polishes."""


def shake(
    stop: IntArray,
    random: IntArray,
    problem: BlockProblem,
    placement: SlotAssignment,
    target: int,
    shakes: int,
    tails: IntArray,
    tell: Callable[[SlotAssignment, Timing], None],
) -> None:
    """Try so many changes of the placement; `tell` of what the polishes find."""
    layout = layout_of(problem)
    short = np.argsort(tails, kind="stable")[: 2 * LAST]
    best, timing = placement, evaluate(problem, layout, placement)
    for _ in range(shakes):
        if stop[0] or timing.makespan <= target or len(placement.order) < 2:
            return
        changed = _reordered(stop, random, problem, layout, best, short)
        found, its_timing = polish(stop, random, problem, changed, target, ROUNDS, TRIES, tell)
        if its_timing.makespan <= timing.makespan:
            best, timing = found, its_timing


def _reordered(
    stop: IntArray,
    random: IntArray,
    problem: BlockProblem,
    layout: TaskLayout,
    placement: SlotAssignment,
    short: IntArray,
) -> SlotAssignment:
    """At least one change of the order, and those of the next that do not lengthen the schedule."""
    least = TOO_LATE
    for _ in range(CHANGES):
        if stop[0]:
            break
        changed = placement._replace(order=_changed(random, placement.order, short))
        for candidate in (changed, with_new_reduces(problem, layout, changed)):
            makespan = evaluate(problem, layout, candidate).makespan
            if makespan <= least:
                placement, least = candidate, makespan
    return placement


def _changed(random: IntArray, order: IntArray, short: IntArray) -> IntArray:
    """Another order; `short`: the jobs with the shortest tails, these first."""
    jobs, kind = len(order), below(random, 4)
    near = min(LAST, jobs)
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
