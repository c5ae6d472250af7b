"""Lower bounds of the mean job time: each job alone, and one fast machine.

- *alone*: no job ends before its longest path;
- *fast machine*: a pool of M slots does no more than one machine M times as fast, with preemption;
  there the sum of the ends is least with the shortest remaining time first (equal weights), and
  the sum of w (mean busy time + p / 2) with the largest w / p first (any weights).

Proofs are in docs/formulations/audit.md.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...instances.history.heads_tails import HeadsTails, capacity_steps
from ...instances.history.stage_graph import StageGraph
from ..one_machine import least_ends
from .makespan_bounds import Bound


def job_time_bound(graph: StageGraph, times: HeadsTails) -> Bound:
    """The best of these bounds of the weighted mean job time (ms)."""
    alone = mean_of_ends(graph, alone_ends(graph, times))
    bounds = [Bound(alone, "every job alone")]
    bounds += [
        Bound(mean_of_ends(graph, ends), f"one fast machine for {name}")
        for pool, name in enumerate(graph.pools)
        if (ends := _fast_machine(graph, times, pool)) is not None
    ]
    return max(bounds, key=lambda bound: bound.value)


def alone_ends(graph: StageGraph, times: HeadsTails) -> IntArray:
    """When each job ends at the earliest (ms)."""
    ends = graph.job_release.copy()
    named = np.flatnonzero(graph.stage_job >= 0)
    longest = np.maximum(times.head + times.alone, times.earliest_end) + own_tails(graph, times)
    np.maximum.at(ends, graph.stage_job[named], longest[named])
    return ends


def own_tails(graph: StageGraph, times: HeadsTails) -> IntArray:
    """Least time (ms) from the end of each stage to that of its own job, along arcs within it."""
    begin, child, lag = graph.children
    tail = np.zeros(graph.stages, dtype=np.int64)
    for s in graph.order[::-1].tolist():
        for k in range(begin[s], begin[s + 1]):
            if graph.stage_job[child[k]] == graph.stage_job[s]:
                tail[s] = max(tail[s], lag[k] + times.alone[child[k]] + tail[child[k]])
    return tail


def mean_of_ends(graph: StageGraph, ends: FloatArray | IntArray) -> float:
    """The weighted mean job time (ms) of these ends."""
    weight = graph.job_weight
    return float(weight @ (ends - graph.job_release) / weight.sum())


def _fast_machine(graph: StageGraph, times: HeadsTails, pool: int) -> FloatArray | None:
    """Ends (ms) whose weighted sum is at most that of every schedule; only the sum says something.

    None if the pool has no work.
    """
    count = np.diff(graph.task_offsets)
    stages = np.flatnonzero((graph.stage_pool == pool) & (count > 0) & (graph.stage_job >= 0))
    slots = capacity_steps(graph, pool).most
    if not len(stages) or not slots:
        return None
    work = np.diff(np.append(0, np.cumsum(graph.held))[graph.task_offsets]).astype(float)
    job = graph.stage_job[stages]
    need = np.bincount(job, work[stages], minlength=graph.jobs) / slots
    head = np.full(graph.jobs, np.inf)
    tail = np.full(graph.jobs, np.inf)
    np.minimum.at(head, job, times.head[stages])
    np.minimum.at(tail, job, own_tails(graph, times)[stages])
    busy = np.flatnonzero(need > 0)
    ends = alone_ends(graph, times).astype(float)
    ends[busy] = least_ends(head[busy], need[busy], graph.job_weight[busy]) + tail[busy]
    return ends
