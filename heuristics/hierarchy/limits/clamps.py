"""One resource in a tree with guarantees and limits: two passes, compiled.

From the leaves up, every node gets the least and the most that it can have; from the root down,
every group divides what it has so that all children stand at one level, but for those at their
least or most. docs/heuristics/limits.md proves that the amounts exist and are unique.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import counted
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.quotas import TOTAL, Quotas
from ....instances.hierarchy.replay import ranks
from ..tree_layout import TreeLayout, layout

FEW = 24
"""Numbers that are sorted by insertion sooner than by other means."""


class Divided(NamedTuple):
    """Amounts of one resource as fractions of the capacity, both of shape (nodes,)."""

    amount: FloatArray
    guaranteed: FloatArray


class _Clamped(NamedTuple):
    """What the two passes need; arrays of shape (nodes,), amounts as fractions of the capacity."""

    layout: TreeLayout
    weight: FloatArray
    rank: IntArray
    most: FloatArray
    guarantee: FloatArray
    limit: FloatArray
    reserve: FloatArray
    total: bool
    """Whether weights divide everything, not what lies above the guarantees."""


def divide(hierarchy: Hierarchy, quotas: Quotas, j: int) -> Divided:
    """Divide resource number `j`, of which there is enough for all guarantees."""
    capacity = hierarchy.capacity[j]
    rank, weight = ranks(hierarchy.weight, quotas.priority)
    most = np.full(hierarchy.nodes, np.inf)
    most[hierarchy.leaf] = 0.0
    needs = hierarchy.demand[:, j] > 0
    most[hierarchy.leaf[needs]] = hierarchy.tasks[needs] * hierarchy.demand[needs, j] / capacity
    tree = _Clamped(
        layout(hierarchy),
        weight,
        rank,
        most,
        quotas.guarantee[:, j] / capacity,
        quotas.limit[:, j] / capacity,
        quotas.reserve[:, j] / capacity,
        quotas.surplus == TOTAL,
    )
    return Divided(*_divide(tree))


@counted
def _divide(tree: _Clamped) -> tuple[FloatArray, FloatArray]:
    parent, first, children = tree.layout.parent, tree.layout.first, tree.layout.children
    most, reserve = tree.most, tree.reserve
    nodes = len(parent)
    low, high = np.zeros(nodes), np.zeros(nodes)
    low_below, high_below = np.zeros(nodes), np.zeros(nodes)
    for n in range(nodes - 1, -1, -1):
        high[n] = min(tree.limit[n], most[n] if children[n] == 0 else high_below[n])
        low[n] = max(min(high[n], max(tree.guarantee[n], low_below[n])), reserve[n])
        high[n] = max(high[n], reserve[n])
        if n:
            low_below[parent[n]] += low[n]
            high_below[parent[n]] += high[n]
    ends, change = np.empty((2, 2 * children.max()))
    amount, base = np.zeros(nodes), np.zeros(nodes)
    amount[0], base[0] = min(1.0, high[0]), low_below[0]
    for n in range(nodes):
        if children[n] > 0:
            group = tree.layout.child[first[n] : first[n] + children[n]]
            _share_out(tree, group, amount[n], low, high, amount, ends, change)
            _share_out(tree, group, base[n], low, high, base, ends, change)
        elif n:
            amount[n], base[n] = min(amount[n], most[n]), min(base[n], most[n])
    return amount, base


@counted
def _share_out(
    tree: _Clamped,
    group: IntArray,
    amount: float,
    low: FloatArray,
    high: FloatArray,
    result: FloatArray,
    ends: FloatArray,
    change: FloatArray,
) -> None:
    """Divide an amount among siblings: the classes one after the other, each at one level."""
    weight, rank, total = tree.weight, tree.rank, tree.total
    left = amount
    for c in group:
        result[c] = low[c]
        left -= low[c]
    if left <= 0:
        return
    done = np.iinfo(np.int64).max
    while left > 0:
        now, found = np.iinfo(np.int64).min, False
        for c in group:
            if rank[c] < done and (not found or rank[c] > now):
                now, found = rank[c], True
        if not found:
            return
        # A child rises from the level `ends[2k]` to `ends[2k + 1]`.
        count = 0
        for c in group:
            if rank[c] == now and high[c] > low[c]:
                begin = low[c] if total else 0.0
                ends[count] = begin / weight[c]
                ends[count + 1] = (high[c] - low[c] + begin) / weight[c]
                change[count], change[count + 1] = weight[c], -weight[c]
                count += 2
        _sort(ends, change, count)
        level, slope, sum_, lost = 0.0, 0.0, 0.0, 0.0
        for k in range(count):
            given = slope * (ends[k] - level) if slope > 0 else 0.0
            if given >= left:
                break
            left -= given
            level = ends[k]
            # Beside great weights a sum forgets small ones, so what each step loses is kept.
            before, sum_ = sum_, sum_ + change[k]
            great, small = before, change[k]
            if abs(great) < abs(small):
                great, small = small, great
            lost += great - sum_ + small
            slope = sum_ + lost
        else:
            slope = 0.0
        if slope > 0:
            level += left / slope
            left = 0.0
        for c in group:
            if rank[c] == now:
                raised = weight[c] * level if total else low[c] + weight[c] * level
                result[c] = min(high[c], max(low[c], raised))
        done = now


@counted
def _sort(ends: FloatArray, change: FloatArray, count: int) -> None:
    """Sort both by `ends`; the few children of most groups in place."""
    if count > FEW:
        order = np.argsort(ends[:count])
        ends[:count], change[:count] = ends[:count][order], change[:count][order]
        return
    for k in range(1, count):
        end, by, at = ends[k], change[k], k
        while at > 0 and ends[at - 1] > end:
            ends[at], change[at] = ends[at - 1], change[at - 1]
            at -= 1
        ends[at], change[at] = end, by
