"""Whole slots, one task after the other, each to the pool that Spark's order puts first."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import counted
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.quotas import Quotas
from ....instances.hierarchy.replay import ranks

MOST_TASKS = 100_000
"""Most tasks that are given one by one; shares of more are as good as fluid."""


def whole_tasks(hierarchy: Hierarchy, quotas: Quotas) -> FloatArray | None:
    """Tasks of each leaf when no slot is free, shape (leaves,); None if there are too many.

    In every group a pool below its guarantee goes first, by what it uses of it; then the least use
    for the weight; then the name. There is one resource: the first one.
    """
    size, capacity = hierarchy.demand[:, 0], float(hierarchy.capacity[0])
    if not capacity / size.min() <= MOST_TASKS:
        return None
    rank, weight = ranks(hierarchy.weight, quotas.priority)
    number = np.zeros(hierarchy.nodes, dtype=np.int64)
    number[hierarchy.leaf] = np.arange(hierarchy.leaves) + 1
    by_name = np.argsort(np.argsort(np.array(hierarchy.names), kind="stable"))
    children = np.argsort(hierarchy.parent[1:], kind="stable") + 1
    ends = np.cumsum(np.bincount(hierarchy.parent[1:], minlength=hierarchy.nodes))
    tasks: FloatArray = _give(
        hierarchy.parent,
        number,
        children,
        ends,
        np.stack((weight, quotas.guarantee[:, 0])),
        np.stack((rank, by_name)),
        size,
        hierarchy.tasks,
        capacity,
    )
    return tasks


@counted
def _give(
    parent: IntArray,
    number: IntArray,
    children: IntArray,
    ends: IntArray,
    amounts: FloatArray,
    order: IntArray,
    size: FloatArray,
    wanted: FloatArray,
    capacity: float,
) -> FloatArray:
    """`number`: of leaves, from 1 on. Children of group n are before `ends[n]`."""
    use, tasks = np.zeros(len(parent)), np.zeros(len(size))
    waiting = np.zeros(len(parent), dtype=np.int64)
    for n in range(len(parent)):
        if number[n] > 0 and wanted[number[n] - 1] > 0:
            up = n
            while up >= 0:
                waiting[up] += 1
                up = parent[up]
    while waiting[0] > 0:
        n = 0
        while number[n] == 0:
            begin, best = ends[n - 1] if n else 0, -1
            for k in range(begin, ends[n]):
                c = children[k]
                if waiting[c] > 0 and (best < 0 or _before(c, best, use, amounts, order)):
                    best = c
            n = best
        i = number[n] - 1
        more = min(1.0, wanted[i] - tasks[i])
        fits = use[0] + more * size[i] <= capacity * (1 + 1e-9)
        if fits:
            tasks[i] += more
        done = not fits or tasks[i] >= wanted[i]
        while n >= 0:
            if fits:
                use[n] += more * size[i]
            if done:
                waiting[n] -= 1
            n = parent[n]
    return tasks


@counted
def _before(c: int, other: int, use: FloatArray, amounts: FloatArray, order: IntArray) -> bool:
    """Whether a pool goes before another."""
    first, second = use[c] < amounts[1, c], use[other] < amounts[1, other]
    if first != second:
        return bool(first)
    if first:
        one, two = use[c] / amounts[1, c], use[other] / amounts[1, other]
    else:
        if order[0, c] != order[0, other]:
            return bool(order[0, c] > order[0, other])
        one, two = use[c] / amounts[0, c], use[other] / amounts[0, other]
    return bool(one < two or (one == two and order[1, c] < order[1, other]))
