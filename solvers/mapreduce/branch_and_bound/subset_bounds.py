"""Lower bounds for every subset of the jobs: tables over all 2^n sets, compiled.

All times are integer time units.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import counted, inner
from ....formulations.mapreduce.bounds.packing import packed, pigeonhole
from .integer_times import UNITS_OF_HORIZON, IntegerInstance

UNREACHABLE = int(4 * UNITS_OF_HORIZON)


class Tables(NamedTuple):
    """Bounds that do not depend on the makespan sought.

    The rows of `starts` and `map_area` are job sets.
    """

    head: IntArray
    """Least makespan of each job set's map tasks."""
    tail: IntArray
    """Least makespan of each job set's reduce tasks."""
    starts: IntArray
    """See `least_starts`."""
    map_area: IntArray
    """Least work of each job set's map tasks."""
    unplaced: IntArray
    """Least work of the reduce tasks of each job set from each task on: (reduce tasks + 1, 2^jobs).
    """
    work_left: IntArray
    """Least work of each map task and its successors in the job."""
    reads_left: IntArray
    """Least read, on each node, of the output of each map task's successors in the job."""
    shortest: IntArray
    """Shortest map task of each job on each node, `UNREACHABLE` without one."""
    most_reads: IntArray
    """Longest read of each job's output on each node."""


def tables(p: IntegerInstance, stop: IntArray) -> Tables:
    """Compute all tables.

    `p`: the instance in integer time units.
    `stop`: from when `stop[0]` is set, the bounds are quick and weak; shape (1,) or more.
    """
    jobs, nodes = len(p.before), p.map_work.shape[1]
    maps, reduces = len(p.map_work), len(p.reduce_job)
    map_job = np.repeat(np.arange(jobs), np.diff(p.map_begin))
    order = np.argsort(-p.least_work, kind="stable")
    head = least_makespans(stop, jobs, map_job[order], p.least_work[order], len(p.map_node))
    reads = p.least_reads[:, np.unique(p.reduce_node)].min(axis=1, initial=UNREACHABLE)
    length = p.processing + reads[p.reduce_job]
    tail = least_makespans(stop, jobs, p.reduce_job, length, len(p.reduce_node))

    map_area = np.zeros(jobs, dtype=np.int64)
    np.add.at(map_area, map_job, p.least_work)
    unplaced = np.zeros((reduces + 1, jobs), dtype=np.int64)
    for w in range(reduces - 1, -1, -1):
        unplaced[w] = unplaced[w + 1]
        unplaced[w, p.reduce_job[w]] += length[w]
    work_left = p.least_work.copy()
    reads_left = np.zeros((maps, nodes), dtype=np.int64)
    for t in range(maps - 2, -1, -1):
        if map_job[t] == map_job[t + 1]:
            work_left[t] += work_left[t + 1]
            reads_left[t] = reads_left[t + 1] + p.least_read[t + 1]
    most_reads = np.zeros((jobs, nodes), dtype=np.int64)
    np.add.at(most_reads, map_job, p.read.max(axis=1))
    shortest = np.full((jobs, nodes), UNREACHABLE, dtype=np.int64)
    np.minimum.at(shortest, map_job, p.map_work)
    members = (np.arange(1 << jobs)[:, None] >> np.arange(jobs)) & 1
    return Tables(
        head=head,
        tail=tail,
        starts=least_starts(p.before, head, p.reduces_of, len(p.reduce_node)),
        map_area=members @ map_area,
        unplaced=np.ascontiguousarray(unplaced @ members.T),
        work_left=work_left,
        reads_left=reads_left,
        shortest=shortest,
        most_reads=most_reads,
    )


@counted
def least_makespans(
    stop: IntArray, jobs: int, job: IntArray, length: IntArray, machines: int
) -> IntArray:
    """Lower bounds on the makespan of each job set's tasks on identical machines (P||Cmax).

    They are exact where the search ends, else closed forms, and do not fall when the set grows.

    `stop`: from when `stop[0]` is set, only closed forms are computed.
    """
    least = np.zeros(1 << jobs, dtype=np.int64)
    chosen = np.empty(len(length), dtype=np.int64)
    load = np.zeros(max(machines, 1), dtype=np.int64)
    before, place = np.zeros_like(chosen), np.zeros_like(chosen)
    for mask in range(1, 1 << jobs):
        bound = least[0]
        for i in range(jobs):
            if mask >> i & 1:
                bound = max(bound, least[mask ^ 1 << i])
        count = _choose(mask, job, length, chosen)
        if count == 0 or machines == 0:
            continue
        tasks = chosen[:count]
        bound = max(bound, pigeonhole(tasks, machines), -(-tasks.sum() // machines))
        least[mask] = bound
        if stop[0] == 0:
            load[:] = 0
            least[mask] = max(bound, packed(tasks, load, before, place, bound))
    return least


@inner
def _choose(mask: int, job: IntArray, length: IntArray, chosen: IntArray) -> int:
    """Copy the positive lengths of the tasks of a job set and return their number."""
    count = 0
    for t in range(len(length)):
        if mask >> job[t] & 1 and length[t] > 0:
            chosen[count] = length[t]
            count += 1
    return count


def least_starts(before: IntArray, head: IntArray, tasks_of: IntArray, slots: int) -> IntArray:
    """Least sum of the times from which the slots work for job i and its successors.

    Entry (P, i), for job i in P, assumes that i is the last of the jobs in P, which go first. A
    slot works from the head of the first set whose last job has a task there.

    `before`: mask of the jobs that may precede each job, shape (jobs,).
    """
    jobs, sets = len(before), len(head)
    mask = np.arange(sets)
    size = np.array([m.bit_count() for m in range(sets)])
    q = np.arange(slots + 1)
    rest = np.tile(q * head[-1], (sets, 1))
    starts = np.zeros((sets, jobs), dtype=np.int64)
    for count in range(jobs - 1, -1, -1):
        for j in range(jobs):
            first = mask[(size == count) & (mask >> j & 1 == 0) & (before[j] & ~mask == 0)]
            wider = first | 1 << j
            opened = np.minimum(q, tasks_of[j])
            start = opened * head[wider][:, None] + rest[wider][:, q - opened]
            rest[first] = np.minimum(rest[first], start)
    for i in range(jobs):
        opened = min(slots, int(tasks_of[i]))
        starts[:, i] = opened * head + rest[:, slots - opened]
    return starts
