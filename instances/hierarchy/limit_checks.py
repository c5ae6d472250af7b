"""The independent checker of allocations under guarantees and limits."""

from __future__ import annotations

import numpy as np

from ...core.arrays import BoolArray, FloatArray
from ...core.errors import InputError
from .allocation import Allocation
from .node_shares import above_limits
from .plain_shares import PlainTree
from .quotas import TOTAL, Quotas, check_feasible, promised

MOST_LEAVES = 2000
"""Most leaves of a tree whose shares are computed again event by event."""

TOLERANCE = 1e-7
"""Relative difference by which shares may differ."""


def limit_violations(allocation: Allocation, quotas: Quotas) -> list[str]:
    """Limits, guarantees and fairness; the tasks themselves are checked elsewhere."""
    tree = allocation.hierarchy
    wrong = above_limits(tree, allocation.tasks, TOLERANCE)
    if allocation.whole:
        return wrong
    try:
        check_feasible(quotas, tree.capacity, tree.parent, tree.resources, tree.path, tree.wanted)
    except InputError:  # then guarantees were scaled, if there is an allocation
        quotas = quotas.scaled(tree.capacity, tree.parent, tree.wanted)
    wrong += _could_grow(allocation)
    if len(tree.resources) == 1:
        return wrong + _siblings(allocation, quotas)
    if tree.leaves <= MOST_LEAVES:
        return wrong + _computed(allocation, quotas)
    return wrong + _leaves_short(allocation, quotas)


def _could_grow(allocation: Allocation) -> list[str]:
    """Leaves with tasks left that need no full resource and are below no full limit."""
    tree = allocation.hierarchy
    if tree.shares_each and len(tree.resources) > 1:
        return []  # What one resource denies a leaf, another need not be full for.
    left = allocation.tasks < tree.tasks * (1 - TOLERANCE)
    return [
        f"leaf {tree.paths[i]!r}: could grow, nothing that it needs is full"
        for i in np.flatnonzero(left & ~_stopped(allocation).any(axis=1))
    ]


def _stopped(allocation: Allocation) -> BoolArray:
    """Resources that each leaf needs and that are full for it, shape (leaves, resources).

    Within a reserve that is not used up, nothing above it is full.
    """
    tree, shares = allocation.hierarchy, allocation.nodes
    full = shares.taken >= np.where(
        np.arange(tree.nodes)[:, None] == 0, tree.capacity, shares.quotas.limit
    ) * (1 - TOLERANCE)
    for n in range(1, tree.nodes):
        full[n] |= full[tree.parent[n]] & ~shares.kept[n]
    stopped: BoolArray = (tree.demand > 0) & full[tree.leaf]
    return stopped


def _computed(allocation: Allocation, quotas: Quotas) -> list[str]:
    """Leaves whose tasks differ from those that are computed again."""
    tree = allocation.hierarchy
    tasks = tree.tasks.copy()
    for only in range(len(tree.resources)) if tree.shares_each else (-1,):
        alone = PlainTree(tree, quotas, only)
        needs = alone.size > 0
        permitted = alone.shares()[0][needs] / alone.size[needs]
        tasks[needs] = np.minimum(tasks[needs], permitted)
    scale = tree.demand.max(axis=1) / tree.capacity.max()
    differ = np.abs(allocation.tasks - tasks) > TOLERANCE * np.maximum(tasks, 1e-3 / scale)
    return [
        f"leaf {tree.paths[i]!r}: runs {allocation.tasks[i]:.6g} tasks, its fair share is "
        f"{tasks[i]:.6g}"
        for i in np.flatnonzero(differ)
    ]


def _leaves_short(allocation: Allocation, quotas: Quotas) -> list[str]:
    """Leaves that have less than their own guarantees give them.

    A guarantee of the one resource that counts is worth no more than there is of the others.
    """
    tree, made = allocation.hierarchy, PlainTree(allocation.hierarchy, quotas)
    goal = made.own_part() / made.size
    stopped = _stopped(allocation)[:, ~made.counts].any(axis=1)
    return [
        f"leaf {tree.paths[i]!r}: runs {allocation.tasks[i]:.6g} tasks, guaranteed {goal[i]:.6g}"
        for i in np.flatnonzero(~stopped & (allocation.tasks < goal * (1 - TOLERANCE)))
    ]


def _siblings(allocation: Allocation, quotas: Quotas) -> list[str]:
    """One resource: children add up, stand between their least and most, at one level.

    These conditions have one solution, so they are sufficient.
    """
    tree = allocation.hierarchy
    amount: FloatArray = allocation.nodes.taken[:, 0]
    low = promised(quotas, tree.parent, tree.wanted)[:, 0]
    high = np.zeros(tree.nodes)
    high[tree.leaf] = tree.wanted[tree.leaf, 0]
    below: dict[int, list[int]] = {}
    for n in range(tree.nodes - 1, 0, -1):
        high[n] = max(min(high[n], quotas.limit[n, 0]), quotas.reserve[n, 0])
        high[tree.parent[n]] += high[n]
        below.setdefault(int(tree.parent[n]), []).append(n)
    served_last = int(quotas.priority.min(initial=0)) - 1
    rank = np.where(tree.weight > 0, quotas.priority, served_last)
    weight = np.where(tree.weight > 0, tree.weight, 1.0)
    slack = TOLERANCE * tree.capacity[0]
    begin = np.zeros(tree.nodes) if quotas.surplus == TOTAL else low
    level = (amount - begin) / weight
    wrong = [
        f"queue {tree.path(n)!r}: {amount[n]:.6g} of {tree.resources[0]}, guaranteed {low[n]:.6g}"
        for n in np.flatnonzero(amount < np.minimum(low, high) - slack).tolist()
    ]
    for children in below.values():
        gave = [c for c in children if amount[c] > low[c] + slack]
        for c in gave:
            for d in children:
                room = amount[d] < high[d] - slack
                later = rank[c] < rank[d] or (
                    rank[c] == rank[d] and level[c] > level[d] + slack / min(weight[c], weight[d])
                )
                if room and later:
                    wrong.append(
                        f"queue {tree.path(d)!r}: has less for its weight than {tree.path(c)!r}"
                    )
                    break
    return wrong
