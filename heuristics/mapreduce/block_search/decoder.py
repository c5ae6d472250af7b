"""From a solution to a node for every task, compiled.

The jobs take turns in the order of the solution. A job's map tasks go, the longest first, to the
node of the job's block with the least value of first free slot + omega * setup. Then the jobs take
turns by map completion. A job's reduce tasks go, the longest first, to the node with the least
value of max(first free slot, map completion) + beta * read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import counted
from .scaled_instance import MOST_UNITS, BlockProblem


class Solution(NamedTuple):
    """A solution of the search."""

    order: IntArray
    """The jobs in order, shape (jobs,)."""
    low: IntArray
    high: IntArray
    """`low`, `high`: block of each job: its map tasks run on the nodes `low` to `high` - 1, shape
    (jobs,)."""
    omega: IntArray
    """Weight of the setup time of each job's map tasks, >= 0, shape (jobs,)."""
    beta: IntArray
    """Weight of the read time of each job's reduce tasks, >= 0, shape (jobs,)."""


NO_SLOT = 1 << 60
"""Time at which a missing slot becomes free."""


class Scratch(NamedTuple):
    """Scratch arrays of the decoder."""

    free: IntArray
    """Times at which the map slots become free, ascending within each node; shape (slots,)."""
    first: IntArray
    """The first of these times on each node; shape (nodes,)."""
    held: IntArray
    """Map output of the present job on each node; shape (nodes,)."""
    least: IntArray
    """The node of each rack whose map slot becomes free first; shape (racks,)."""
    reduce_free: IntArray
    """Times at which the reduce slots become free, ascending within each node; shape (slots,)."""
    key: IntArray
    """Value of each node for the next reduce task; shape (nodes,)."""


@counted
def new_work(problem: BlockProblem) -> Scratch:
    nodes = len(problem.rack_of)
    i8 = np.int64
    return Scratch(
        np.zeros(problem.map_slots[-1], i8),
        np.zeros(nodes, i8),
        np.zeros(nodes, i8),
        np.zeros(len(problem.rack_begin) - 1, i8),
        np.zeros(problem.reduce_slots[-1], i8),
        np.zeros(nodes, i8),
    )


@counted
def _first_free(first: IntArray, low: int, high: int) -> int:
    best = low
    for v in range(low + 1, high):
        if first[v] < first[best]:
            best = v
    return best


@counted
def _put(free: IntArray, begin: int, end: int, until: int) -> None:
    """Occupy the slot of a node that is free first until a time."""
    k = begin
    while k + 1 < end and free[k + 1] < until:
        free[k] = free[k + 1]
        k += 1
    free[k] = until


@counted
def decode_maps(
    problem: BlockProblem, work: Scratch, job: int, low: int, high: int, omega: int, on: IntArray
) -> int:
    """Place the map tasks of a job on the slots in `work.free`.

    `work`: scratch arrays. `work.held` becomes the job's map output on each node.
    `on`: receives the node of each map task, shape (map tasks,), or is empty.
    """
    first, free, least, held = work.first, work.free, work.least, work.held
    rack_begin, rack_of, slots = problem.rack_begin, problem.rack_of, problem.map_slots
    held[:] = 0
    rack_low, rack_high = rack_of[low], rack_of[high - 1]
    for r in range(rack_low, rack_high + 1):
        least[r] = _first_free(first, max(low, rack_begin[r]), min(high, rack_begin[r + 1]))
    completion = 0
    for t in range(problem.map_begin[job], problem.map_begin[job + 1]):
        best, node, setup = NO_SLOT, -1, 0
        s = problem.map_setup[t, 0]
        for k in range(problem.replica_begin[t], problem.replica_begin[t + 1]):
            v = problem.replicas[k]
            if low <= v < high and first[v] + omega * s < best:
                best, node, setup = first[v] + omega * s, v, s
        s = problem.map_setup[t, 1]
        for k in range(problem.near_begin[t], problem.near_begin[t + 1]):
            r = problem.near[k]
            if rack_low <= r <= rack_high and first[least[r]] + omega * s < best:
                node, setup = least[r], s
                best = first[node] + omega * s
        s = problem.map_setup[t, 2]
        for r in range(rack_low, rack_high + 1):
            if first[least[r]] + omega * s < best:
                node, setup = least[r], s
                best = first[node] + omega * s
        end = first[node] + setup + problem.map_time[t]
        completion = max(completion, end)
        held[node] += problem.output[t]
        if len(on):
            on[t] = node
        _put(free, slots[node], slots[node + 1], end)
        first[node] = free[slots[node]]
        r = rack_of[node]
        if least[r] == node:
            least[r] = _first_free(first, max(low, rack_begin[r]), min(high, rack_begin[r + 1]))
    return completion


@counted
def reads(problem: BlockProblem, held: IntArray, read: IntArray) -> None:
    """Compute what a reduce task of a job reads on each node."""
    total = 0
    for amount in held:
        total += amount
    near, rack, far = problem.rates
    for r in range(len(problem.rack_begin) - 1):
        inside = 0
        for v in range(problem.rack_begin[r], problem.rack_begin[r + 1]):
            inside += held[v]
        for v in range(problem.rack_begin[r], problem.rack_begin[r + 1]):
            units = held[v] * near + (inside - held[v]) * rack + (total - inside) * far
            read[v] = np.int64(min(units, MOST_UNITS) + 0.5)


@counted
def decode_reduces(
    problem: BlockProblem,
    work: Scratch,
    job: int,
    beta: int,
    completion: int,
    read: IntArray,
    on: IntArray,
) -> int:
    """Place the reduce tasks of a job on the slots in `work.reduce_free`.

    `completion`: end of the job's map phase.
    `on`: receives the node of each reduce task, shape (reduce tasks,), or is empty.
    Returns the last end, 0 without tasks.
    """
    free, key, slots = work.reduce_free, work.key, problem.reduce_slots
    begin, end = problem.reduce_begin[job], problem.reduce_begin[job + 1]
    if begin == end:
        return 0
    nodes = len(key)
    for v in range(nodes):
        key[v] = NO_SLOT
        if slots[v] < slots[v + 1]:
            key[v] = max(free[slots[v]], completion) + beta * read[v]
    last = 0
    for w in range(begin, end):
        node = 0
        for v in range(1, nodes):
            if key[v] < key[node]:
                node = v
        until = max(free[slots[node]], completion) + read[node] + problem.reduce_time[w]
        last = max(last, until)
        _put(free, slots[node], slots[node + 1], until)
        key[node] = max(free[slots[node]], completion) + beta * read[node]
        if len(on):
            on[w] = node
    return last


@counted
def free_all_slots(problem: BlockProblem, work: Scratch) -> None:
    """Set all slots free at time 0."""
    work.free[:] = 0
    work.reduce_free[:] = 0
    for v in range(len(work.first)):
        work.first[v] = 0 if problem.map_slots[v] < problem.map_slots[v + 1] else NO_SLOT


@counted
def decode(
    problem: BlockProblem,
    solution: Solution,
    work: Scratch,
    map_node: IntArray,
    reduce_node: IntArray,
) -> int:
    """Decode a solution and return its makespan.

    `work`: scratch arrays. They receive the completion times of the slots.
    `map_node`, `reduce_node`: receive the node of each task, shape (tasks,), or are empty.
    """
    completion = np.zeros(len(solution.order), np.int64)
    read = np.zeros((len(completion), len(problem.rack_of)), np.int64)
    free_all_slots(problem, work)
    for i in solution.order:
        completion[i] = decode_maps(
            problem, work, i, solution.low[i], solution.high[i], solution.omega[i], map_node
        )
        if problem.reduce_begin[i] < problem.reduce_begin[i + 1]:
            reads(problem, work.held, read[i])
    makespan = 0
    for i in np.argsort(completion, kind="mergesort"):
        last = decode_reduces(
            problem, work, i, solution.beta[i], completion[i], read[i], reduce_node
        )
        makespan = max(makespan, completion[i], last)
    return makespan
