"""Fair shares under guarantees and limits, one linear program per event.

An independent check of `exact` for trees of some dozens of leaves. docs/heuristics/limits.md has
the rules; reserves are not among what it knows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyomo.environ as pyo

from ...core.arrays import BoolArray, FloatArray
from ...core.errors import InputError
from ...formulations.hierarchy.level_step import Rises, build
from ...heuristics.hierarchy.limits.exact import allocation_of, feasible_quotas
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.hierarchy.replay import Filled, tree_of
from ...instances.hierarchy.replay_stage import Tree, fit
from ..backends.highs import linear_duals

CLOSE = 1e-8
"""Difference of shares that counts as none."""


def exact_by_steps(hierarchy: Hierarchy) -> Allocation:
    """Compute the exact allocation under guarantees and limits by one linear program per event.

    Raises `InputError` for reserves, for resources that are shared each for itself, and for
    guarantees that do not fit.
    """
    quotas = feasible_quotas(hierarchy)
    if quotas.reserve.any() or quotas.shares == "each":
        raise InputError("the linear programs know no reserves, and no shares of each resource")
    tree = tree_of(hierarchy, quotas)
    return allocation_of(hierarchy, "lp", tree, _filled(tree))


def _filled(tree: Tree) -> Filled:
    nodes, (leaves, m) = len(tree.parent), tree.need.shape
    leaf_at = {int(tree.leaf_of[n]): n for n in range(nodes) if tree.leaf_of[n] >= 0}
    base = np.zeros(leaves)
    for i, n in leaf_at.items():
        needed = tree.need[i] > 0
        own = np.minimum(tree.guarantee[n], tree.limit[n])[needed] / tree.need[i][needed]
        base[i] = min(tree.most[i], own.min())
    for n in range(nodes - 1, 0, -1):
        if tree.leaf_of[n] < 0 and tree.guarantee[n].any():
            limit = tree.limit.copy()
            limit[n] = np.minimum(limit[n], tree.guarantee[n])
            filling = _Filling(tree, n, limit, base.copy(), base.copy(), tree.most > 0)
            filling.run()
            base = filling.share
    fit(tree.parent, tree.leaf_of, tree.need, tree.charged, tree.limit, base, np.zeros(nodes))
    limit = tree.limit.copy()
    limit[0] = 1.0
    share, most, full = base.copy(), tree.most, np.zeros(m, dtype=np.bool_)
    while True:
        rising = (tree.most > 0) & ~(tree.need[:, full] > 0).any(axis=1)
        if not (rising & (share < most)).any():
            return Filled(share, base)
        filling = _Filling(tree, 0, limit, base, share, rising, most)
        newly = filling.run()
        share, most = filling.share, filling.most
        if not newly:
            return Filled(share, base)
        needed = (tree.need[rising] > 0).any(axis=0)
        full |= needed & (share @ tree.need >= 1 - CLOSE)
        full[newly] = True


class _Below(NamedTuple):
    """What a node does: its use per unit of its target, and whether it wants and does rise."""

    rate: FloatArray
    wants: bool
    rises: bool


class _Filling:
    """A stage: the level below `root` rises until a resource is full or nobody rises."""

    def __init__(
        self,
        tree: Tree,
        root: int,
        limit: FloatArray,
        base: FloatArray,
        share: FloatArray,
        rising: BoolArray,
        most: FloatArray | None = None,
    ) -> None:
        self.tree, self.root, self.limit = tree, root, limit
        self.share, self.most = share.copy(), (tree.most if most is None else most).copy()
        self.done = ~rising
        nodes = len(tree.parent)
        self.inside = [root]
        self.children: dict[int, list[int]] = {n: [] for n in range(nodes)}
        for n in range(root + 1, nodes):
            if tree.parent[n] in self.inside:
                self.inside.append(n)
                self.children[int(tree.parent[n])].append(n)
        self.target, self.start = np.zeros(nodes), np.zeros(nodes)
        self.counts_from = np.zeros_like(base) if tree.total else base
        if tree.total:
            held = self._use(base)
            for n in self.inside[1:]:
                self.start[n] = held[n][tree.charged].max()
        self.charge: dict[int, float] = {}
        self.front: dict[int, list[int]] = {}

    def run(self) -> list[int]:
        """The resources of the cluster that are full at the end; none if all stand still."""
        while self._look(self.root).rises:
            rises = self._rises()
            model = build(rises)
            linear_duals(model, list(model.S3_wait.values()))
            step = {n: pyo.value(level) for n, level in model.level.items()}
            full = self._events(rises, step)
            if full:
                return full
        return []

    def _use(self, share: FloatArray) -> FloatArray:
        """What subtrees use, shape (nodes, resources)."""
        use = np.zeros(self.limit.shape)
        for n in reversed(self.inside):
            i = self.tree.leaf_of[n]
            if i >= 0:
                use[n] = share[i] * self.tree.need[i]
            if n != self.root:
                use[self.tree.parent[n]] += use[n]
        return use

    def _begun(self, n: int) -> bool:
        return bool(n == self.root or self.target[n] >= self.start[n])

    def _waits_for(self, i: int) -> float:
        """The target at which a leaf begins to rise above what it has."""
        return float(self.share[i] - self.counts_from[i])

    def _look(self, n: int) -> _Below:
        """Find who rises below a node; empty levels of groups that have begun are passed."""
        i, still = self.tree.leaf_of[n], np.zeros(self.tree.need.shape[1])
        if i >= 0:
            at_floor = self._begun(n) and self.target[n] >= self._waits_for(i)
            if at_floor and self.share[i] >= self.most[i]:
                self.done[i] = True
            wants = not self.done[i]
            return _Below(self.tree.need[i], wants, wants and self._begun(n))
        below = {c: self._look(c) for c in self.children[n]}
        awake = [c for c in below if below[c].wants]
        self.charge.pop(n, None)
        self.front[n] = []
        if not awake:
            return _Below(still, wants=False, rises=False)
        first = max(self.tree.rank[c] for c in awake)
        self.front[n] = front = [c for c in awake if self.tree.rank[c] == first]
        if not self._begun(n):
            return _Below(still, wants=True, rises=False)
        if not any(below[c].rises for c in front):
            levels = {c: (self.start[c] - self.target[c]) / self.tree.weight[c] for c in front}
            least = min(levels.values())
            for c in front:
                self.target[c] += least * self.tree.weight[c]
                if levels[c] <= least:
                    self.target[c] = self.start[c]
            return self._look(n)
        rate = sum((self.tree.weight[c] * below[c].rate for c in front if below[c].rises), still)
        charge = float(rate[self.tree.charged].max())
        self.charge[n] = charge
        return _Below(rate / charge, wants=True, rises=True)

    def _rises(self) -> Rises:
        """The linear program's data: what rises from the root down."""
        tree, above, wait, need = self.tree, {}, {}, {}
        groups, charge = [self.root], {}
        for n in groups:
            charge[n] = self.charge[n]
            for c in self.front[n]:
                above[c] = n, float(tree.weight[c])
                i = int(tree.leaf_of[c])
                if not self._begun(c):
                    wait[c] = float(self.start[c] - self.target[c])
                elif i < 0:
                    if c in self.charge:
                        groups.append(c)
                elif self.target[c] < self._waits_for(i):
                    wait[c] = self._waits_for(i) - float(self.target[c])
                else:
                    need[c] = tree.need[i].tolist()
                    if self.most[i] < np.inf:
                        wait[c] = float(self.most[i] - self.share[i])
        use, users = self._use(self.share), {n: [n] for n in need}
        for n in reversed(self.inside[1:]):
            users.setdefault(int(tree.parent[n]), []).extend(users.get(n, []))
        room = {}
        for n in users:
            for j in range(len(use[n])):
                by = [leaf for leaf in users[n] if need[leaf][j] > 0]
                if by and self.limit[n, j] < np.inf:
                    room[n, j] = max(0.0, float(self.limit[n, j] - use[n, j])), by
        return Rises(self.root, charge, above, wait, need, room)

    def _events(self, rises: Rises, step: dict[int, float]) -> list[int]:
        """Rise by the step, and do what happens then."""
        tree = self.tree
        for n, (group, weight) in rises.above.items():
            self.target[n] += weight * step[group]
            i, left = tree.leaf_of[n], rises.wait.get(n, np.inf) - weight * step[group]
            if n in rises.need:
                self.share[i] += weight * step[group]
                if left <= CLOSE:
                    self.share[i], self.done[i] = self.most[i], True
            elif left <= CLOSE:
                goal = self._waits_for(i) if self._begun_before(n, rises, step) else self.start[n]
                self.target[n] = goal
        full, use = [], self._use(self.share)
        for (n, j), (_, leaves) in rises.room.items():
            if use[n, j] < self.limit[n, j] - CLOSE:
                continue
            if n == 0:
                full.append(j)
            for leaf in leaves if n else []:
                i = tree.leaf_of[leaf]
                self.most[i], self.done[i] = self.share[i], True
        return full

    def _begun_before(self, n: int, rises: Rises, step: dict[int, float]) -> bool:
        """Whether what a child waited for was not its guaranteed part."""
        group, weight = rises.above[n]
        return bool(self.target[n] - weight * step[group] >= self.start[n])
