"""Fair shares under guarantees and limits in plain NumPy, the whole tree again at each event.

The checker compares allocations with it, and tests compare the engine, with which it shares nothing
but the model in docs/heuristics/limits.md. It takes seconds for some thousand nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arrays import BoolArray, FloatArray
from ...core.errors import InputError
from .hierarchy import Hierarchy
from .promises import kept_quotas
from .quotas import TOTAL, Quotas

MOST_LEAVES = 2000
"""Most leaves of a tree with guarantees and limits that is computed event by event."""

ROUNDING = 1e-12
"""Part of a reserve that counts as none."""


def guaranteed_tasks(tree: Hierarchy) -> FloatArray:
    """Tasks that each leaf has by stated guarantees, shape (leaves,)."""
    quotas, tasks = kept_quotas(tree), tree.tasks.copy()
    for only in range(len(tree.resources)) if tree.shares_each else (-1,):
        alone = PlainTree(tree, quotas, only)
        needs = alone.size > 0
        tasks[needs] = np.minimum(tasks[needs], alone.base()[needs] / alone.size[needs])
    return tasks


class PlainTree:
    """A tree whose shares are a part of the dominant resource, or of one resource."""

    def __init__(self, tree: Hierarchy, quotas: Quotas, only: int = -1) -> None:
        columns = list(range(len(tree.resources))) if only < 0 else [only]
        capacity, counts = tree.capacity[columns], tree.counted if only < 0 else 0
        part = (tree.demand / tree.capacity)[:, columns]
        self.size: FloatArray = part.max(axis=1, initial=0.0) if counts < 0 else part[:, counts]
        busy = self.size > 0
        if only < 0 and not busy.all():
            raise InputError("a leaf does not need the resource that shares count")
        self.need = part / np.where(busy, self.size, 1.0)[:, None]
        self.most: FloatArray = np.where(busy, tree.tasks, 0.0) * np.where(busy, self.size, 1.0)
        self.counts = np.array([counts in (-1, j) for j in range(len(columns))])
        self.guarantee, self.limit = quotas.guarantee[:, columns], quotas.limit[:, columns]
        self.guarantee, self.limit = self.guarantee / capacity, self.limit / capacity
        if counts >= 0:  # A guarantee of what counts comes with what tasks take of the others.
            others = np.where(self.guarantee[:, [counts]] > 0, self.limit, 0.0)
            self.guarantee = np.where(self.counts, self.guarantee, others)
        self.reserve = quotas.reserve[:, columns] / capacity
        self.parent, self.leaf, self.total = tree.parent, tree.leaf, quotas.surplus == TOTAL
        self.weight = np.where(tree.weight > 0, tree.weight, 1.0)
        last = int(quotas.priority.min(initial=0)) - 1
        self.rank = np.where(tree.weight > 0, quotas.priority, last)
        self.number = np.full(tree.nodes, -1)
        self.number[tree.leaf] = np.arange(tree.leaves)
        depth = np.zeros(tree.nodes, dtype=np.int64)
        for n in range(1, tree.nodes):
            depth[n] = depth[tree.parent[n]] + 1
        self.depth = depth

    def base(self) -> FloatArray:
        """The guaranteed part of the share of each leaf, shape (leaves,)."""
        base = self.own_part()
        nothing_full = np.zeros(len(self.counts), dtype=np.bool_)
        for n in range(len(self.parent) - 1, 0, -1):
            if self.number[n] < 0 and self.guarantee[n].any():
                limit = self.limit.copy()
                limit[n] = np.minimum(limit[n], self.guarantee[n])
                rise = _Rise(self, n, limit, base, base, self.most, nothing_full)
                rise.run()
                base = rise.share
        return self._cut(base)

    def shares(self) -> tuple[FloatArray, FloatArray]:
        """Shares of all leaves and their guaranteed parts, shape (leaves,)."""
        base, limit = self.base(), self.limit.copy()
        limit[0] = 1.0
        share, most, full = base, self.most, np.zeros(len(self.counts), dtype=np.bool_)
        while True:
            rise = _Rise(self, 0, limit, base, share, most, full)
            stop = rise.run()
            share, most = rise.share, rise.most
            if stop < 0:
                return share, base
            full[stop] = True

    def own_part(self) -> FloatArray:
        """The share that each leaf's own guarantee gives it."""
        own = np.minimum(self.guarantee, self.limit)[self.leaf]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(self.need > 0, own / self.need, np.inf).min(axis=1)
        part: FloatArray = np.minimum(self.most, share)
        return part

    def _cut(self, base: FloatArray) -> FloatArray:
        """Guaranteed parts within limits and beside reserves of what does not count.

        All below a limit lose the same part of what they need beyond their reserves.
        """
        limit, nodes = self.limit.copy(), len(self.parent)
        limit[0] = 1.0
        for j in np.flatnonzero(~self.counts):
            use, kept = np.zeros(nodes), np.zeros(nodes)
            use[self.leaf] = base * self.need[:, j]
            goal, firm = np.zeros(nodes), np.zeros(nodes)
            for n in range(nodes - 1, -1, -1):
                goal[n] = min(max(use[n], self.reserve[n, j]), limit[n, j])
                firm[n] = min(max(kept[n], self.reserve[n, j]), limit[n, j])
                if n:
                    use[self.parent[n]] += goal[n]
                    kept[self.parent[n]] += firm[n]
            for n in range(1, nodes):
                up = self.parent[n]
                if use[up] > max(goal[up], kept[up]):
                    left = max(goal[up] - kept[up], 0.0) / (use[up] - kept[up])
                    goal[n] = firm[n] + left * (goal[n] - firm[n])
            over = use[self.leaf] > goal[self.leaf]
            base = base.copy()
            base[over] *= (goal[self.leaf] / np.where(over, use[self.leaf], 1.0))[over]
        return base


class _Rise:
    """The level below `top` rises until a resource of the cluster is full or nobody rises."""

    def __init__(
        self,
        tree: PlainTree,
        top: int,
        limit: FloatArray,
        base: FloatArray,
        share: FloatArray,
        most: FloatArray,
        full: BoolArray,
    ) -> None:
        self.tree, self.top, self.limit = tree, top, limit
        self.share, self.most = share.copy(), most.copy()
        nodes, parent = len(tree.parent), tree.parent
        self.inside = np.zeros(nodes, dtype=np.bool_)
        self.inside[top] = True
        for n in range(top + 1, nodes):
            self.inside[n] = self.inside[parent[n]]
        below = np.flatnonzero(self.inside & (np.arange(nodes) != top))
        depths = tree.depth[below]
        self.levels = [below[depths == d] for d in np.unique(depths)]
        self.start, self.target = np.zeros(nodes), np.zeros(nodes)
        self.apart = np.zeros_like(base) if tree.total else base
        if tree.total:
            self.start = self._use(base)[:, tree.counts].max(axis=1)
            self.start[top] = 0.0
        self.begun = self.start <= 0
        self.reached = self._use(share) >= tree.reserve * (1 - ROUNDING)
        self.reached[top] = True
        kept = ~self.reached
        for ids in self.levels:
            kept[ids] |= kept[parent[ids]]
        stopped = ((tree.need > 0) & full & ~kept[tree.leaf]).any(axis=1)
        self.open = self.inside[tree.leaf] & (most > 0) & ~stopped
        self.risen = np.zeros(len(base), dtype=np.bool_)

    def _use(self, share: FloatArray) -> FloatArray:
        """What subtrees use, with what is reserved inside them, shape (nodes, resources)."""
        tree, use = self.tree, np.zeros(self.limit.shape)
        use[tree.leaf] = share[:, None] * tree.need
        for ids in reversed(self.levels):
            np.add.at(use, tree.parent[ids], np.maximum(use[ids], tree.reserve[ids]))
        return use

    def run(self) -> int:
        """The resource that is full at the end, -1 if none is."""
        tree = self.tree
        while True:
            begun = self.begun[tree.leaf]
            floor = self.share - self.apart
            self.risen |= self.open & begun & (self.target[tree.leaf] >= floor)
            self.open &= ~(self.risen & (self.share >= self.most))
            front = self._front()
            if not front.any():
                return -1
            if self._pass_levels(front):
                continue
            speed, rate = self._rates(front)
            wait = np.where(self.begun, np.inf, self.start - self.target)
            goal = np.where(self.risen, self.most - self.share, floor - self.target[tree.leaf])
            wait[tree.leaf] = np.where(begun, goal, wait[tree.leaf])
            use = self._use(self.share)
            with np.errstate(divide="ignore", invalid="ignore"):
                wait = np.where(speed > 0, np.maximum(wait, 0) / speed, np.inf)
                room = np.maximum(np.where(self.reached, self.limit, tree.reserve) - use, 0)
                fills = np.where(rate > 0, room / rate, np.inf)
            step = min(wait.min(), fills.min())
            if step == np.inf:
                return -1
            moved = self.target + step * speed
            due = (wait <= step) & (speed > 0)
            grows = self.open & self.risen & (speed[tree.leaf] > 0)
            more = np.where(due[tree.leaf], self.most, self.share + step * speed[tree.leaf])
            floors = due & self.begun
            moved[tree.leaf] = np.where(floors[tree.leaf] & ~self.risen, floor, moved[tree.leaf])
            self.target = np.where(due & ~self.begun, self.start, moved)
            self.share = np.where(grows, np.minimum(more, self.most), self.share)
            self.begun |= due
            if fills.min() <= step:
                n, j = (int(k) for k in np.unravel_index(fills.argmin(), fills.shape))
                if not self.reached[n, j]:
                    self.reached[n, j] = True
                elif n == 0:
                    return j
                else:
                    self._stop(n, j)

    def _front(self) -> Any:
        """Who can still have more and is of the first class of such siblings."""
        tree = self.tree
        awake = np.zeros(len(tree.parent), dtype=np.bool_)
        awake[tree.leaf] = self.open
        for ids in reversed(self.levels):
            awake[tree.parent[ids[awake[ids]]]] = True
        awake[self.top] = False
        first = np.full(len(awake), np.iinfo(np.int64).min)
        ids = np.flatnonzero(awake & self.inside)
        np.maximum.at(first, tree.parent[ids], tree.rank[ids])
        return awake & self.inside & (tree.rank == first[tree.parent])

    def _pass_levels(self, front: BoolArray) -> bool:
        """Pass levels of groups in which no child has begun; whether there are any."""
        parent, weight = self.tree.parent, self.tree.weight
        has, moves = np.zeros_like(front), np.zeros_like(front)
        has[parent[front]] = True
        moves[parent[front & self.begun]] = True
        waits = front & (has & ~moves & self.begun)[parent]
        if not waits.any():
            return False
        level = (self.start - self.target) / weight
        least = np.full(len(level), np.inf)
        np.minimum.at(least, parent[waits], level[waits])
        begin = waits & (level <= least[parent])
        self.target[waits] += (least[parent] * weight)[waits]
        self.target[begin] = self.start[begin]
        self.begun |= begin
        return True

    def _rates(self, front: BoolArray) -> tuple[FloatArray, FloatArray]:
        """How fast targets and uses rise when the level below the top does by one."""
        tree, nodes = self.tree, len(self.tree.parent)
        wants, takes = np.zeros(self.limit.shape), np.zeros(self.limit.shape)
        wants[tree.leaf] = tree.need
        takes[tree.leaf] = np.where((self.open & self.risen)[:, None], tree.need, 0.0)
        charge = np.ones(nodes)
        group = tree.number < 0
        for ids in reversed([np.array([self.top]), *self.levels]):
            groups = ids[group[ids]]
            most = wants[groups][:, tree.counts].max(axis=1)
            charge[groups] = np.where(most > 0, most, 1.0)
            rises = ids[(front & self.begun)[ids]]
            part = (tree.weight / charge)[rises, None]
            np.add.at(wants, tree.parent[rises], part * wants[rises])
            np.add.at(takes, tree.parent[rises], part * takes[rises] * self.reached[rises])
        speed, level = np.zeros(nodes), np.zeros(nodes)
        level[self.top] = 1.0
        for ids in self.levels:
            speed[ids] = np.where(front[ids], tree.weight[ids] * level[tree.parent[ids]], 0.0)
            level[ids] = np.where(self.begun[ids], speed[ids] / charge[ids], 0.0)
        return speed, takes * level[:, None]

    def _stop(self, node: int, j: int) -> None:
        """A limit is full: who needs the resource below it has all that he can get."""
        tree = self.tree
        below = np.zeros(len(tree.parent), dtype=np.bool_)
        below[node] = True
        for ids in self.levels:
            below[ids] |= below[tree.parent[ids]] & self.reached[ids, j]
        stopped = below[tree.leaf] & (tree.need[:, j] > 0)
        self.most = np.where(stopped & self.open, self.share, self.most)
