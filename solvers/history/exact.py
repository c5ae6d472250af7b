"""Small graphs solved by CP-SAT, where OR-Tools is installed: a plan, and a bound."""

from __future__ import annotations

import heapq
import math
import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import IntArray
from ...core.clock import Clock
from ...formulations.history.makespan_bounds import Bound
from ...heuristics.history.search import Goal
from ...instances.history.plan_checker import violations
from ...instances.history.stage_graph import FAR, Plan, StageGraph, timed
from ..backends import cp_sat
from .replay import carried

Json = dict[str, Any]

MODEL = Path(__file__).with_name("cp_sat_model.py")

MOST_TASKS = 60
"""CP-SAT is tried on graphs of so many tasks; on more the search's plans are as good, and its own
bounds lead."""

MOST_WORKERS = 8
LEAST_SECONDS = 0.5
"""With less time CP-SAT is not started."""

PROOF = "CP-SAT"


class Exact(NamedTuple):
    """The best plan known, and the best bound (ms) of the goal in the graph."""

    plan: Plan
    bound: float


def is_small(graph: StageGraph) -> bool:
    """Whether CP-SAT is there and the graph small enough for it."""
    return len(graph.tasks) <= MOST_TASKS and find_spec("ortools") is not None


def counts_for_all(graph: StageGraph, goal: Goal) -> bool:
    """Whether a bound of the graph is one of the audit: of all slots, however late jobs are, and
    whatever tasks did before their gates opened."""
    return graph.whole and goal.latest is None and not graph.tasks.overlap.any()


def exact_bound(graph: StageGraph, plan: Plan, goal: Goal, bound: Bound, clock: Clock) -> Bound:
    """The bound, or what CP-SAT proves if that is more: no plan of the graph is better, even if no
    task needs time before its gate opens."""
    least = replace(graph, tasks=replace(graph.tasks, overlap=np.zeros_like(graph.tasks.overlap)))
    anyone = replace(goal, latest=None)
    if not is_small(graph) or not counts_for_all(least, anyone):
        return bound
    plan = carried(plan, graph, least)
    proved = solve_exactly(least, plan, anyone, bound.value, clock).bound
    return Bound(proved, PROOF) if proved > bound.value + 1e-6 else bound


def solve_exactly(graph: StageGraph, plan: Plan, goal: Goal, bound: float, clock: Clock) -> Exact:
    """What CP-SAT makes of a plan and a bound (ms) in the time; at worst just these."""
    known = Exact(plan, bound)
    if goal(plan.job_end) <= bound or clock.left < LEAST_SECONDS:
        return known
    document, parts = problem(graph, plan, goal, bound)
    final = cp_sat.solve(MODEL, {**document, "time_limit": clock.left}, clock.stop, lambda _: None)
    if final is None:
        return known
    proved = max(bound, min(final["bound"] / parts, goal(plan.job_end)))
    if final["solution"] is not None:
        found = _plan(graph, final["solution"])
        better = goal(found.job_end) < goal(plan.job_end) and not goal.excess(found.job_end)
        if better and not violations(graph, found):
            return Exact(found, min(proved, goal(found.job_end)))
    return Exact(plan, proved)


def problem(graph: StageGraph, plan: Plan, goal: Goal, bound: float) -> tuple[Json, float]:
    """The document that the process reads, and how many parts of a ms its objective counts."""
    tasks, makespan = graph.tasks, goal.weight is None
    last = max(plan.makespan, int(graph.stage_release.max(initial=0)))
    if not makespan:
        last += int((tasks.overlap + tasks.time).sum() + graph.arcs.lag.sum())
    weight, parts = [1] * graph.jobs, 1.0
    if goal.weight is not None:
        weight, parts = cp_sat.whole_weights(goal.weight, last)
    latest = [None] * graph.jobs if goal.latest is None else goal.latest.tolist()
    columns = (tasks.stage, tasks.time, tasks.overlap, tasks.cut, plan.start)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    document = {
        "workers": min(MOST_WORKERS, os.cpu_count() or 1),
        "relative_gap": 0.0,
        "absolute_gap": 0.0,
        "horizon": last,
        "lower_bound": max(0, math.floor(bound * parts * (1 - 1e-9))),
        "makespan": makespan,
        "stage_release": graph.stage_release.tolist(),
        "stage_job": graph.stage_job.tolist(),
        "arcs": list(graph.arcs.triples()),
        "tasks": [
            dict(zip(("stage", "time", "overlap", "cut", "hint"), row, strict=True)) for row in rows
        ],
        "pools": [_pool(graph, pool) for pool in range(len(graph.pools))],
        "jobs": [
            {"release": r, "weight": w, "latest": d}
            for r, w, d in zip(graph.job_release.tolist(), weight, latest, strict=True)
        ],
    }
    return document, parts


def _pool(graph: StageGraph, pool: int) -> Json:
    """The tasks of a pool, the number of its slots, and when they are there if not always."""
    own = np.flatnonzero(graph.slots.pool == pool)
    since, until = graph.slots.since[own], graph.slots.until[own]
    comes_and_goes = (since > 0).any() or (until < FAR).any()
    windows = zip(own.tolist(), since.tolist(), until.tolist(), strict=True)
    return {
        "tasks": np.flatnonzero(graph.stage_pool[graph.tasks.stage] == pool).tolist(),
        "slots": len(own),
        "windows": list(windows) if comes_and_goes else None,
    }


def _plan(graph: StageGraph, solution: Json) -> Plan:
    """The plan of these starts; where slots are always there, each task takes the first free."""
    start = np.array(solution["start"], dtype=np.int64)
    slot = np.array([-1 if m is None else m for m in solution["slot"]], dtype=np.int64)
    freed = timed(graph, start, slot).end - graph.tasks.cut
    free: dict[int, list[tuple[int, int]]] = {}
    for m, pool in enumerate(graph.slots.pool.tolist()):
        free.setdefault(pool, []).append((-FAR, m))
    for t in _by_start(start, freed):
        if slot[t] < 0:
            heap = free[int(graph.stage_pool[graph.tasks.stage[t]])]
            slot[t] = heap[0][1]
            if freed[t] > start[t]:
                heapq.heapreplace(heap, (int(freed[t]), int(slot[t])))
    return timed(graph, start, slot)


def _by_start(start: IntArray, freed: IntArray) -> list[int]:
    order: list[int] = np.lexsort((freed, start)).tolist()
    return order
