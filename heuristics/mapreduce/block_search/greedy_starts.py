"""Greedy starts: each job in turn on the block of nodes that costs the cluster least time.

A block is a short interval of nodes, a rack, or all nodes. If the reduce phase is the bottleneck,
keeping map output together saves reading. If the map phase is the bottleneck, all nodes with a high
weight of locality are best. One cost covers both cases: what the job adds to the mean completion of
the reduce slots (idle time included) and of the map slots, and a small part of its own map
completion, so that reduce tasks can begin soon. Orders and weights are varied at random; the best
solution is kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import counted
from ..search_kernels import below, copy, shift, uniform
from .decoder import (
    Scratch,
    Solution,
    decode,
    decode_maps,
    decode_reduces,
    free_all_slots,
    new_work,
    reads,
)
from .scaled_instance import BlockProblem

MOST_BLOCK_NODES = 7
"""Nodes of the longest block tried, besides racks and the whole cluster."""

SMOOTHING = 0.01
"""Width of the transition between the needs of the two phases, as a share of them."""


@counted
def _candidates(problem: BlockProblem, work: Scratch, low: IntArray, high: IntArray) -> int:
    """Write the blocks worth trying to `low` and `high` and return their number.

    For each length these are the blocks with the least load.
    """
    nodes, count = len(problem.rack_of), 0
    loads = np.zeros((2, nodes + 1))
    for phase in range(2):
        slots = problem.map_slots if phase == 0 else problem.reduce_slots
        free = work.free if phase == 0 else work.reduce_free
        for v in range(nodes):
            load = 0
            for k in range(slots[v], slots[v + 1]):
                load += free[k]
            loads[phase, v + 1] = loads[phase, v] + load / max(slots[v + 1] - slots[v], 1)
    for length in range(1, min(MOST_BLOCK_NODES, nodes) + 1):
        for kind in range(3):
            best, at = np.inf, -1
            for v in range(nodes - length + 1):
                w = v + length
                if problem.map_slots[v] == problem.map_slots[w]:
                    continue
                maps, reduces = loads[0, w] - loads[0, v], loads[1, w] - loads[1, v]
                load = maps if kind == 0 else reduces if kind == 1 else maps + reduces
                # Reads within a rack are cheap.
                if problem.rack_of[v] != problem.rack_of[w - 1]:
                    continue
                if load < best:
                    best, at = load, v
            if at >= 0 and not (count and low[count - 1] == at and high[count - 1] == at + length):
                low[count], high[count] = at, at + length
                count += 1
    for r in range(len(problem.rack_begin) - 1):
        a, b = problem.rack_begin[r], problem.rack_begin[r + 1]
        if problem.map_slots[a] < problem.map_slots[b]:
            low[count], high[count] = a, b
            count += 1
    low[count], high[count] = 0, nodes
    return count + 1


@counted
def _greedy(
    stop: IntArray, problem: BlockProblem, solution: Solution, work: Scratch, weights: FloatArray
) -> bool:
    """Choose blocks and weights of all jobs in `solution.order`; False if stopped before the last.

    `weights` are those of the reduce slots' time, the map slots' time and the job's own completion,
    omega on blocks, omega on all nodes, and beta.
    """
    nodes = len(problem.rack_of)
    most = 3 * MOST_BLOCK_NODES + len(problem.rack_begin)
    low, high = np.zeros(most, np.int64), np.zeros(most, np.int64)
    no_task = np.empty(0, np.int64)
    read = np.zeros(nodes, np.int64)
    slots = problem.map_slots
    saved, saved_first = np.empty_like(work.free), np.empty_like(work.first)
    saved_reduce = np.empty_like(work.reduce_free)
    map_share = weights[1] / max(slots[-1], 1)
    reduce_share = weights[0] / max(problem.reduce_slots[-1], 1)
    beta = int(weights[5])
    free_all_slots(problem, work)
    for i in solution.order:
        if stop[0]:
            return False
        if problem.map_begin[i] == problem.map_begin[i + 1]:
            low[0], high[0] = 0, nodes
            count = 1
        else:
            count = _candidates(problem, work, low, high)
        copy(work.free, saved)
        copy(work.first, saved_first)
        copy(work.reduce_free, saved_reduce)
        best, chosen = np.inf, 0
        for c in range(count + 1):
            # The last round repeats the best.
            pick = c if c < count else chosen
            a, b = low[pick], high[pick]
            omega = int(weights[4] if b - a == nodes else weights[3])
            end = decode_maps(problem, work, i, a, b, omega, no_task)
            reads(problem, work.held, read)
            decode_reduces(problem, work, i, beta, end, read, no_task)
            if c == count:
                solution.low[i], solution.high[i] = a, b
                solution.omega[i], solution.beta[i] = omega, beta
                break
            cost = weights[2] * end
            for k in range(slots[a], slots[b]):
                cost += map_share * (work.free[k] - saved[k])
                work.free[k] = saved[k]
            for v in range(a, b):
                work.first[v] = saved_first[v]
            for k in range(len(saved_reduce)):
                cost += reduce_share * (work.reduce_free[k] - saved_reduce[k])
            copy(saved_reduce, work.reduce_free)
            if cost < best:
                best, chosen = cost, pick
    return True


class Style(NamedTuple):
    """How a thread makes its starts."""

    makespan: float
    """Weight of the makespan beside the mean needs; the polish will shorten the makespan anyway."""
    blocks: int
    """One pass in this many chooses blocks. Such a pass takes as long as about eight others."""


class _Kind:
    """The best solution of one kind, and the weights that made it."""

    def __init__(self, order: IntArray, nodes: int) -> None:
        jobs = len(order)
        low, omega, beta = (np.zeros(jobs, dtype=np.int64) for _ in range(3))
        self.best = Solution(order.copy(), low, np.full(jobs, nodes), omega, beta)
        self.weights = np.array([1.0, 1.0, 3e-4, 4.0, 50.0, 60.0])
        self.cost = np.inf


def greedy_starts(
    stop: IntArray,
    random: IntArray,
    problem: BlockProblem,
    orders: IntArray,
    passes: int,
    tail: float,
    style: Style,
) -> list[Solution]:
    """Make greedy solutions and return the best with blocks and the best with all nodes.

    `stop`: the search ends when `stop[0]` is set, shape (1,).
    `orders`: job orders to begin with, shape (orders, jobs). Each is tried with blocks and with all
    nodes; then the best order and weights of each kind are varied.
    `tail`: least mean time from the end of a map slot to the end of the schedule.
    """
    jobs, nodes = len(problem.longest), len(problem.rack_of)
    work, no_task = new_work(problem), np.empty(0, dtype=np.int64)
    kinds = [_Kind(orders[0], nodes) for _ in range(2)]
    for count in range(passes):
        if stop[0]:
            break
        fresh = count < 2 * len(orders)
        all_nodes = bool(count % 2 if fresh else count % style.blocks)
        kind = kinds[all_nodes]
        trial = Solution(*(part.copy() for part in kind.best))
        weights = kind.weights.copy()
        if fresh:
            trial.order[:] = orders[count // 2]
        else:
            _vary(random, weights)
            for _ in range(below(random, 4)):
                shift(trial.order, below(random, jobs), below(random, jobs))
        if all_nodes:
            trial.low[:], trial.high[:] = 0, nodes
            trial.omega[:], trial.beta[:] = int(weights[4]), int(weights[5])
        elif not _greedy(stop, problem, trial, work, weights):
            break
        makespan = decode(problem, trial, work, no_task, no_task)
        # Cost of a solution: a share of the makespan plus the greater mean need of the two phases.
        # The mean need of the map phase is the mean completion of its slots plus `tail`, the least
        # time that must follow. The maximum is smoothed, so that both phases count where they are
        # close.
        share = 1.0 if all_nodes else style.makespan
        maps = work.free.sum() / max(len(work.free), 1) + tail
        reduces = work.reduce_free.sum() / max(len(work.reduce_free), 1)
        width = SMOOTHING * max(maps, reduces, 1.0)
        cost = float(share * makespan + width * np.logaddexp(maps / width, reduces / width))
        if cost < kind.cost:
            kind.best, kind.weights, kind.cost = trial, weights, cost
    return [kind.best for kind in kinds if kind.cost < np.inf] or [kinds[1].best]


def _vary(random: IntArray, weights: FloatArray) -> None:
    """Multiply each weight of `_greedy` but the first by a random factor, half of the time."""
    least = (1.0, 0.02, 1e-5, 1.0, 5.0, 2.0)
    most = (1.0, 3.0, 1e-2, 100.0, 1000.0, 500.0)
    for k in range(1, 6):
        if below(random, 2):
            factor = 4.0 ** (2.0 * uniform(random) - 1.0)
            weights[k] = min(max(weights[k] * factor, least[k]), most[k])
