"""The best bound of the mean job time of a graph: closed, or by the program of busy times."""

from __future__ import annotations

from itertools import pairwise

from ...core.clock import Clock
from ...formulations.busy_times import Stages
from ...formulations.history.job_time_bounds import (
    alone_ends,
    job_time_bound,
    own_tails,
)
from ...formulations.history.makespan_bounds import Bound
from ...instances.history.heads_tails import HeadsTails, capacity_steps, heads_and_tails
from ...instances.history.stage_graph import StageGraph
from ..busy_times import CUT, busy_time_bound

SECOND = 1000.0
"""Milliseconds of the program's unit."""


def best_job_time_bound(graph: StageGraph, value: float, clock: Clock) -> Bound:
    """The best bound of the weighted mean job time (ms); `value` is that of some plan."""
    times = heads_and_tails(graph)
    closed = job_time_bound(graph, times)
    if closed.value >= value * (1 - CUT):
        return closed
    solved = busy_time_bound(stages_of(graph, times), value / SECOND, clock)
    if solved is None:
        return closed
    return max(closed, Bound(solved * SECOND, "mean busy times"), key=lambda b: b.value)


def stages_of(graph: StageGraph, times: HeadsTails) -> Stages:
    """The graph as stages of the program."""
    offsets = graph.task_offsets.tolist()
    return Stages(
        job=graph.stage_job,
        pool=graph.stage_pool,
        head=times.head / SECOND,
        earliest_end=times.earliest_end / SECOND,
        alone=times.alone / SECOND,
        tail=own_tails(graph, times) / SECOND,
        held=[graph.held[a:b] / SECOND for a, b in pairwise(offsets)],
        arcs=[(p, c, lag / SECOND) for p, c, lag in graph.arcs.triples()],
        slots=[capacity_steps(graph, pool).most for pool in range(len(graph.pools))],
        share=graph.job_weight / graph.job_weight.sum(),
        release=graph.job_release / SECOND,
        job_alone=alone_ends(graph, times) / SECOND,
    )
