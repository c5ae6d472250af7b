"""Iterated local search on placements: change the order of the last jobs, polish, keep the better.

The work of the slots does not depend on the order of the jobs, so slots stay level; which jobs come
last, however, decides how long the reduce phase outlasts the map phase.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...instances.mapreduce import IntArray
from .polish import Placement, Timing, evaluate, layout_of, polish
from .problem import Problem
from .random_numbers import below

LAST = 10
"""How many of the last jobs are moved about."""


def shake(
    stop: IntArray,
    random: IntArray,
    problem: Problem,
    placement: Placement,
    target: int,
    shakes: int,
    tails: IntArray,
    tell: Callable[[Placement, Timing], None],
) -> None:
    """Try so many changes of the placement; `tell` of each improvement."""
    layout = layout_of(problem)
    jobs = len(placement.order)
    short = np.argsort(tails, kind="stable")[: 2 * LAST]
    best, timing = placement, evaluate(problem, layout, placement)
    for _ in range(shakes):
        if stop[0] or timing.makespan <= target or jobs < 2:
            return
        order = best.order.tolist()
        kind = below(random, 3)
        if kind == 0:
            order.remove(job := int(short[below(random, len(short))]))
            order.insert(jobs - 1 - below(random, min(LAST, jobs)), job)
        else:
            job = order.pop(jobs - 1 - below(random, min(LAST, jobs)))
            far = jobs if kind == 1 else min(LAST, jobs)
            order.insert(jobs - 1 - below(random, far), job)
        changed = best._replace(order=np.array(order, dtype=np.int64))
        found, its_timing = polish(stop, random, problem, changed, target, 3, 3000)
        if its_timing.makespan <= timing.makespan:
            better = its_timing.makespan < timing.makespan
            best, timing = found, its_timing
            if better:
                tell(best, timing)
