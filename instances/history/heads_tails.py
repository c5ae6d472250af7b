"""Heads and tails of stages: what must pass before a stage begins, and after it has ended.

h of a stage is its least time alone: the longest task; its tasks level on the most slots at once;
of any k M + 1 longest tasks the k + 1 shortest, which some slot of M must run. No task of a stage
begins before every parent is done, so heads and tails add up along arcs. A head also counts
the slots that are there: with n tasks and c(t) slots at t, the work done in [a, b] is at most the
integral of min(c, n).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import IntArray
from ...core.kernels.decorators import counted
from ...core.once import once
from .stage_graph import FAR, StageGraph


@dataclass(frozen=True)
class HeadsTails:
    """For every stage (ms): earliest begin, least time alone, least time from its end to the end
    of all, and earliest end."""

    head: IntArray
    alone: IntArray
    tail: IntArray
    earliest_end: IntArray


@dataclass(frozen=True)
class Steps:
    """How many slots of a pool are there over time: from `time[k]` on, `slots[k]`."""

    time: IntArray
    slots: IntArray

    @property
    def most(self) -> int:
        """The most slots at once."""
        return int(self.slots.max(initial=0))


def capacity_steps(graph: StageGraph, pool: int) -> Steps:
    """The slots of a pool over time; the first step begins before time 0, the last never ends."""
    of = graph.capacity.pool == pool
    times = np.concatenate((graph.capacity.since[of], graph.capacity.until[of]))
    change = np.repeat([1, -1], of.sum())
    time, where = np.unique(np.append(times, -FAR), return_inverse=True)
    slots = np.cumsum(np.bincount(where, weights=np.append(change, 0), minlength=len(time)))
    return Steps(time, slots.astype(np.int64))


@once
def heads_and_tails(graph: StageGraph) -> HeadsTails:
    """Heads and tails of all stages of a graph."""
    steps = [capacity_steps(graph, pool) for pool in range(len(graph.pools))]
    alone = np.zeros(graph.stages, dtype=np.int64)
    head, end, tail = graph.stage_release.copy(), alone.copy(), alone.copy()
    begin, parent, lag = graph.parents
    for s in graph.order.tolist():
        of = slice(graph.task_offsets[s], graph.task_offsets[s + 1])
        for k in range(begin[s], begin[s + 1]):
            head[s] = max(head[s], end[parent[k]] + lag[k])
        end[s] = head[s]
        if of.stop > of.start:
            pool = steps[graph.stage_pool[s]]
            held = graph.held[of]
            alone[s] = max(int(graph.tasks.time[of].max()), least_time(held, pool.most))
            area = int(held.sum())
            filled = filled_at(pool.time, pool.slots, int(head[s]), area, of.stop - of.start)
            end[s] = max(head[s] + alone[s], filled)
    begin, child, lag = graph.children
    for s in graph.order[::-1].tolist():
        for k in range(begin[s], begin[s + 1]):
            tail[s] = max(tail[s], lag[k] + alone[child[k]] + tail[child[k]])
    return HeadsTails(head, alone, tail, end)


def least_time(held: IntArray, slots: int) -> int:
    """Least time (ms) of tasks on so many slots: longest, area and pigeonhole."""
    if not len(held) or slots < 1:
        return 0
    longest = np.sort(held)[::-1]
    best = max(int(longest[0]), -(-int(longest.sum()) // slots))
    sums = np.append(0, np.cumsum(longest))
    for k in range(1, (len(longest) - 1) // slots + 1):
        count = k * slots + 1
        best = max(best, int(sums[count] - sums[count - k - 1]))
    return best


@counted
def filled_at(time: IntArray, slots: IntArray, begin: int, work: int, tasks: int) -> int:
    """When at the earliest `work` (slot-ms) of so many tasks is done on these steps."""
    left = work
    now = begin
    if left <= 0:
        return begin
    k = np.searchsorted(time, begin, side="right") - 1
    while True:
        rate = min(slots[k], tasks)
        last = k + 1 == len(time)
        if rate > 0 and (last or rate * (time[k + 1] - now) >= left):
            return int(now + (left + rate - 1) // rate)
        if last:
            return begin
        left -= rate * (time[k + 1] - now)
        k += 1
        now = int(time[k])
