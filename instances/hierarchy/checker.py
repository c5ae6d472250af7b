"""The independent checker of allocations: tasks, capacity, limits, guarantees and fairness.

Of one resource, fairness is a condition between siblings, and of any whole tree. Of several, the
shares are computed again by `plain_shares`, which has nothing in common with the allocators.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import BoolArray, FloatArray
from ...core.calls import checked
from ..verdict import Verdict
from .allocation import Allocation
from .node_shares import above_limits
from .plain_shares import MOST_LEAVES, PlainTree
from .promises import kept_quotas, promised
from .quotas import TOTAL, Quotas, sums_below

MOST_BY_WEIGHT = 20_000
"""Most leaves of a tree without guarantees and limits whose shares are computed again."""

TOLERANCE = 1e-7
"""Relative difference by which shares and loads may differ."""


@checked
@np.errstate(over="ignore", invalid="ignore")
def check_allocation(allocation: Allocation) -> Verdict:
    """Check an allocation against its hierarchy, from its numbers of tasks alone.

    Whole tasks are not held to fluid levels: no leaf may have room for one more task.

    Parameters
    ----------
    allocation
        The allocation, which knows its hierarchy.
    """
    tree, tasks = allocation.hierarchy, allocation.tasks
    absurd = np.flatnonzero(~(np.isfinite(tasks) & (tasks >= 0)))
    if absurd.size:
        return Verdict([f"leaf {tree.paths[i]!r}: {tasks[i]} tasks" for i in absurd])
    found = [
        f"leaf {tree.paths[i]!r}: runs {tasks[i]:.6g} tasks of {tree.tasks[i]:.6g}"
        for i in np.flatnonzero(tasks > tree.tasks * (1 + TOLERANCE))
    ]
    found += above_limits(tree, tasks, TOLERANCE)
    over = bool(found)
    if tree.quotas is None:
        found += _short(allocation)
    if allocation.whole and tree.quotas is None:
        left = 1 - allocation.used - TOLERANCE
        fits = (tree.demand / tree.capacity <= left).all(axis=1)
        found += [
            f"leaf {tree.paths[i]!r}: there is room for another of its tasks"
            for i in np.flatnonzero(fits & (tasks + 1 <= tree.tasks))
        ]
    if allocation.whole or over:
        return Verdict(found)
    quotas = kept_quotas(tree)
    if grows := _could_grow(allocation):
        return Verdict(found + grows)
    if len(tree.resources) == 1:
        return Verdict(found + _siblings(allocation, quotas))
    if tree.leaves <= (MOST_BY_WEIGHT if tree.quotas is None else MOST_LEAVES):
        return Verdict(found + _computed(allocation, quotas))
    return Verdict(found + _leaves_short(allocation, quotas))


def _short(allocation: Allocation) -> list[str]:
    """Nodes that have less than their guarantee by weights, groups of fluid tasks among them.

    A group with a leaf all of whose tasks run may have less.
    """
    tree, share = allocation.hierarchy, allocation.share
    found = [
        f"leaf {tree.paths[i]!r}: dominant share {share[i]:.6g}, guaranteed "
        f"{min(tree.guarantee[i], tree.most_share[i]):.6g}"
        for i in np.flatnonzero(~allocation.met)
    ]
    if allocation.whole:
        return found
    content = np.zeros((tree.nodes, 1))
    all_run = share >= tree.most_share * (1 - TOLERANCE)
    content[tree.leaf, 0] = all_run & (tree.tasks > 0)
    hungry = sums_below(tree.parent, content)[:, 0] == 0
    hungry[0] = hungry[tree.leaf] = False
    used, least = allocation.nodes.dominant_share, tree.node_guarantee
    return found + [
        f"group {tree.path(int(n))!r}: dominant share {used[n]:.6g}, guaranteed {least[n]:.6g}"
        for n in np.flatnonzero(hungry & (used < least * (1 - TOLERANCE)))
    ]


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
    full = shares.taken >= shares.most * (1 - TOLERANCE)
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
    low = promised(tree, quotas)[:, 0]
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
