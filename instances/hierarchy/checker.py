"""The independent checker of allocations: capacity, limits, guarantees, and fairness.

An allocation is fair if no leaf could have more without a leaf with less losing something. To check
this, all leaves are brought down to the common level of the smallest of them (but not below what
they had when the last resource filled up); then a resource must be full that one of them needs. The
leaves that need it are settled, and the rest is examined again. The shares at a level are computed
here from curves: the charge of a group as a piecewise linear function of its children's level, from
the leaves up.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import BoolArray, FloatArray
from ...core.calls import checked
from ...core.wording import percent
from ..verdict import Verdict
from .allocation import Allocation
from .hierarchy import Hierarchy
from .limit_checks import limit_violations

TOLERANCE = 1e-7
"""Relative difference by which shares and loads may differ."""

FULL = 1 - 1e-6
"""Load from which on a resource counts as full."""

MOST_LOAD = 1e300
"""Greater loads, infinite ones among them, are told as this one."""


@checked
@np.errstate(over="ignore", invalid="ignore")
def check_allocation(allocation: Allocation) -> Verdict:
    """Check an allocation against its hierarchy, from its numbers of tasks alone.

    Whole tasks are not held to fluid levels: no leaf may have room for one more task. Group
    guarantees are checked for fluid allocations.

    Parameters
    ----------
    allocation
        The allocation, which knows its hierarchy.
    """
    tree = allocation.hierarchy
    tasks, share = allocation.tasks, allocation.tasks * tree.task_share
    absurd = np.flatnonzero(~(np.isfinite(tasks) & (tasks >= 0)))
    if absurd.size:
        return Verdict([f"leaf {tree.paths[i]!r}: {tasks[i]} tasks" for i in absurd])
    load = np.minimum(tasks @ tree.demand / tree.capacity, MOST_LOAD)
    found = [
        f"leaf {tree.paths[i]!r}: runs {tasks[i]:.6g} tasks of {tree.tasks[i]:.6g}"
        for i in np.flatnonzero(tasks > tree.tasks * (1 + TOLERANCE))
    ]
    found += [
        f"resource {tree.resources[j]!r}: {percent(load[j] - 1)} more than the capacity is used"
        for j in np.flatnonzero(load > 1 + TOLERANCE)
    ]
    if tree.quotas is not None:
        return Verdict(found + limit_violations(allocation, tree.quotas))
    found += [
        f"leaf {tree.paths[i]!r}: dominant share {share[i]:.6g}, guaranteed "
        f"{min(tree.guarantee[i], tree.most_share[i]):.6g}"
        for i in np.flatnonzero(~allocation.met)
    ]
    if allocation.whole:
        fits = (tree.demand / tree.capacity <= 1 - load - TOLERANCE).all(axis=1)
        found += [
            f"leaf {tree.paths[i]!r}: there is room for another of its tasks"
            for i in np.flatnonzero(fits & (tasks + 1 <= tree.tasks))
        ]
        return Verdict(found)
    return Verdict(found + _groups_short(tree, share) + _unfair(tree, share))


def _groups_short(tree: Hierarchy, share: FloatArray) -> list[str]:
    """Groups that have less than their guarantee although all their leaves have tasks left."""
    use = np.zeros((tree.nodes, len(tree.resources)))
    hungry = np.ones(tree.nodes, dtype=np.bool_)
    use[tree.leaf] = share[:, None] * tree.normalised
    hungry[tree.leaf] = (share < tree.most_share * (1 - TOLERANCE)) | (tree.tasks == 0)
    together = np.zeros(tree.nodes)
    for n in range(tree.nodes - 1, 0, -1):
        up = tree.parent[n]
        use[up] += use[n]
        hungry[up] &= hungry[n]
        together[up] += tree.weight[n] if tree.active[n] else 0.0
    guarantee = np.ones(tree.nodes)
    is_leaf = np.zeros(tree.nodes, dtype=np.bool_)
    is_leaf[tree.leaf] = True
    found = []
    for n in range(1, tree.nodes):
        if not tree.active[n]:
            continue
        guarantee[n] = guarantee[tree.parent[n]] * tree.weight[n] / together[tree.parent[n]]
        if not is_leaf[n] and hungry[n] and use[n].max() < guarantee[n] * (1 - TOLERANCE):
            found.append(
                f"group {tree.path(n)!r}: dominant share {use[n].max():.6g}, "
                f"guaranteed {guarantee[n]:.6g}"
            )
    return found


def _unfair(tree: Hierarchy, share: FloatArray) -> list[str]:
    """Leaves that could grow at the cost of larger ones only."""
    settled = np.zeros(tree.leaves)
    open_leaves: BoolArray = tree.tasks > 0
    full = np.zeros(len(tree.resources), dtype=np.bool_)
    for _ in tree.resources:
        hungry = open_leaves & (share < tree.most_share * (1 - TOLERANCE))
        if not hungry.any():
            return []
        curves = _Curves(tree, open_leaves)
        ceiling = np.maximum(share, settled) * (1 + TOLERANCE) + 1e-15
        # A group is charged at most the sum of what it uses of each resource.
        low, high = 0.0, len(full) / float(tree.weight[tree.parent == 0].min())
        while high - low > 1e-14 * high:
            level = (low + high) / 2
            if level in (low, high):
                break
            if (curves.shares(level) <= ceiling)[hungry].all():
                low = level
            else:
                high = level
        excess = np.where(hungry, curves.shares(high) - ceiling, -np.inf)
        smallest = int(excess.argmax())
        settled = np.maximum(settled, curves.shares(low))
        load = settled @ tree.normalised
        newly = ~full & (load >= FULL)
        newly &= (tree.normalised[hungry] > 0).any(axis=0)
        if not newly.any():
            return [
                f"leaf {tree.paths[smallest]!r}: could grow without hurting a smaller one; when "
                "all are at its level, nothing that it needs is full"
            ]
        full |= newly
        open_leaves = open_leaves & ~(tree.normalised[:, full] > 0).any(axis=1)
    return []


class _Curves:
    """The charge of every group as a function of the level of its children."""

    def __init__(self, tree: Hierarchy, open_leaves: BoolArray) -> None:
        self.tree, self.open_leaves = tree, open_leaves
        self.leaf_of = np.full(tree.nodes, -1)
        self.leaf_of[tree.leaf] = np.arange(tree.leaves)
        self.level_of: dict[int, tuple[FloatArray, FloatArray]] = {}
        # Per group: share and demand per share of its children, at the ends of their pieces.
        pieces: dict[int, list[tuple[FloatArray, FloatArray]]] = {}
        for n in range(tree.nodes - 1, 0, -1):
            i = self.leaf_of[n]
            if i >= 0:
                if not open_leaves[i]:
                    continue
                # Above a share of 1 a resource is overloaded by the leaf alone.
                share, demand = np.array([0.0, min(1.0, tree.most_share[i])]), tree.normalised[[i]]
            elif n in pieces:
                level, rate = _together(pieces.pop(n))
                charge = rate.max(axis=1)
                share = np.concatenate(([0.0], np.cumsum(charge * np.diff(level))))
                demand = rate / charge[:, None]
                self.level_of[n] = share, level
            else:
                continue
            weight = tree.weight[n]
            pieces.setdefault(int(tree.parent[n]), []).append((share / weight, weight * demand))

    def shares(self, level: float) -> FloatArray:
        """Shares of the leaves when the root's children are at this level."""
        tree = self.tree
        levels, shares = np.zeros(tree.nodes), np.zeros(tree.leaves)
        levels[0] = level
        for n in range(1, tree.nodes):
            share = tree.weight[n] * levels[tree.parent[n]]
            i = self.leaf_of[n]
            if i >= 0:
                if self.open_leaves[i]:
                    shares[i] = min(share, tree.most_share[i])
            elif n in self.level_of:
                levels[n] = np.interp(share, *self.level_of[n])
        return shares


def _together(pieces: list[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    """The sum of functions that are constant between the levels where they change."""
    levels, where = np.unique(np.concatenate([ends for ends, _ in pieces]), return_inverse=True)
    change, at = np.zeros((len(levels), pieces[0][1].shape[1])), 0
    for ends, rate in pieces:
        spots = where[at : at + len(ends)]
        np.add.at(change, spots[:-1], rate)
        np.add.at(change, spots[1:], -rate)
        at += len(ends)
    rates = np.cumsum(change, axis=0)[:-1]
    return levels, np.maximum(rates, np.finfo(float).tiny)
