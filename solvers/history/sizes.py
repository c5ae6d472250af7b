"""What if: the same arrivals and tasks on another number of slots, which are always there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ...core.clock import Clock
from ...formulations.history.job_time_bounds import job_time_bound
from ...formulations.history.makespan_bounds import Bound, makespan_bound
from ...heuristics.history.search import Goal, mean_job_time, planned
from ...instances.history.heads_tails import heads_and_tails
from ...instances.history.stage_graph import FAR, Plan, Slots, StageGraph
from .audit import Audit, Size, Sizes
from .steps import check_plan

SHARE = 0.5
"""Share of the time for the fewest slots; the sizes that were asked for have the rest."""


def with_sizes(audit: Audit, sizes: Sequence[int], clock: Clock) -> Audit:
    """The audit with what these numbers of slots, and the fewest, could have done."""
    best = audit.steps[audit.kept].plan
    assert best is not None
    goal = Goal() if audit.objective == "makespan" else mean_job_time(audit.graph)
    many = len(audit.graph.capacity)
    fewest = _first(many, lambda n: _best(audit, best, goal, n, clock, SHARE) <= audit.actual)
    least = _first(fewest, lambda n: _bound(audit, resized(audit.graph, n)).value <= audit.actual)
    asked = []
    for k, slots in enumerate(sizes):
        share = clock.until_left(clock.left * (1 - 1 / (len(sizes) - k)))
        graph = resized(audit.graph, slots)
        bound = _bound(audit, graph)
        plan = planned(graph, best, goal, bound.value, share)
        check_plan(graph, plan)
        asked.append(Size(slots, goal(plan.job_end), bound))
    return replace(audit, sizes=Sizes(tuple(asked), fewest, least))


def resized(graph: StageGraph, slots: int) -> StageGraph:
    """The graph on so many slots in all; pools keep their proportions, and at least one slot."""
    pools = len(graph.pools)
    had = np.bincount(graph.capacity.pool, minlength=pools)
    share = np.maximum(1, np.round(slots * had / had.sum())).astype(np.int64)
    pool = np.repeat(np.arange(pools), share)
    always = Slots(pool, np.zeros_like(pool), np.full_like(pool, FAR))
    return replace(graph, slots=always, capacity=always)


def _first(most: int, holds: Callable[[int], bool]) -> int:
    """The least number up to `most` from which something holds, by bisection."""
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high


def _best(audit: Audit, like: Plan, goal: Goal, slots: int, clock: Clock, share: float) -> float:
    """The value (ms) of a plan on so many slots, found in a small part of the time."""
    graph = resized(audit.graph, slots)
    part = clock.until_left(clock.left * (1 - share / 10))
    plan = planned(graph, like, goal, audit.actual, part)
    check_plan(graph, plan)
    return goal(plan.job_end)


def _bound(audit: Audit, graph: StageGraph) -> Bound:
    if audit.objective == "makespan":
        return makespan_bound(graph)
    return job_time_bound(graph, heads_and_tails(graph))
