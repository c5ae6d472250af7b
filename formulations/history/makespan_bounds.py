"""Lower bounds of the makespan of any graph of stages: paths, and sets of tasks.

With heads E, tails T and least times h of stages (`instances.history.heads_tails`):

- *path*: E_s + h_s + T_s of any stage s;
- *sets*: for the tasks of a pool with E >= a and T >= b, n of them with work W, some u of them
  are the first on their slots and u the last, so the makespan is at least the minimum over
  u <= min(n, slots) of (u least E + u least T + W) / u; and W must fit between a and the makespan
  minus b into min(n, slots there at the time).

Proofs are in docs/formulations/audit.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import IntArray
from ...core.kernels.decorators import counted
from ...instances.history.heads_tails import (
    HeadsTails,
    capacity_steps,
    filled_at,
    heads_and_tails,
)
from ...instances.history.stage_graph import StageGraph

MOST_VALUES = 150
"""Heads and tails of one pool that sets are made of; of more, some are left out."""


class Bound(NamedTuple):
    """A lower bound (ms) and what proves it."""

    value: float
    proved_by: str


def makespan_bound(graph: StageGraph, times: HeadsTails | None = None) -> Bound:
    """The best bound of the makespan (ms) from paths and sets."""
    times = heads_and_tails(graph) if times is None else times
    bounds = [Bound(path_bound(times), "path")]
    bounds += [
        Bound(set_bound(graph, times, pool), f"set of tasks on {name}")
        for pool, name in enumerate(graph.pools)
    ]
    return max(bounds, key=lambda bound: bound.value)


def path_bound(times: HeadsTails) -> float:
    """The longest path of heads, least times and tails (ms)."""
    return float((np.maximum(times.head + times.alone, times.earliest_end) + times.tail).max())


def set_bound(graph: StageGraph, times: HeadsTails, pool: int) -> float:
    """The best bound (ms) of the sets of tasks of one pool."""
    count = np.diff(graph.task_offsets)
    stages = np.flatnonzero((graph.stage_pool == pool) & (count > 0))
    if not len(stages):
        return 0.0
    steps = capacity_steps(graph, pool)
    work = np.diff(np.append(0, np.cumsum(graph.held))[graph.task_offsets])
    by_head = stages[np.argsort(times.head[stages], kind="stable")]
    by_tail = stages[np.argsort(times.tail[stages], kind="stable")]
    return float(
        _best_set(
            _some(times.head[stages]),
            _some(times.tail[stages]),
            by_head,
            by_tail,
            times.head,
            times.tail,
            count,
            work,
            int((graph.capacity.pool == pool).sum()),
            steps.time,
            steps.slots,
        )
    )


def _some(values: IntArray) -> IntArray:
    """The different values, at most `MOST_VALUES` of them, the least always."""
    different = np.unique(values)
    step = -(-len(different) // MOST_VALUES)
    return different[::step]


@counted
def _best_set(
    heads: IntArray,
    tails: IntArray,
    by_head: IntArray,
    by_tail: IntArray,
    head: IntArray,
    tail: IntArray,
    count: IntArray,
    work: IntArray,
    slots: int,
    step_time: IntArray,
    step_slots: IntArray,
) -> float:
    best = 0.0
    least_head = np.empty(slots, dtype=np.int64)
    least_tail = np.empty(slots, dtype=np.int64)
    for a in heads:
        for b in tails:
            in_all, total, used = 0, 0, 0
            for s in by_head:
                if head[s] >= a and tail[s] >= b:
                    in_all += count[s]
                    total += work[s]
                    for _ in range(min(count[s], slots - used)):
                        least_head[used] = head[s]
                        used += 1
            if in_all == 0:
                break
            last = 0
            for s in by_tail:
                if head[s] >= a and tail[s] >= b:
                    for _ in range(min(count[s], used - last)):
                        least_tail[last] = tail[s]
                        last += 1
                    if last == used:
                        break
            least = np.inf
            ends = 0
            for u in range(used):
                ends += least_head[u] + least_tail[u]
                least = min(least, (ends + total) / (u + 1))
            best = max(best, least)
            best = max(best, float(b + filled_at(step_time, step_slots, a, total, in_all)))
    return best
