"""A cluster filled from empty in small steps, each to whom the scheduler's key puts first."""

from __future__ import annotations

import numpy as np

from ....core.arrays import BoolArray, FloatArray
from ....core.kernels.decorators import counted
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.quotas import Quotas
from ....instances.hierarchy.replay import tree_of
from ....instances.hierarchy.replay_stage import Tree

STEP = 1 / 4000
"""Dominant share of a step."""


def filled(hierarchy: Hierarchy, quotas: Quotas) -> FloatArray:
    """Tasks of each leaf when nothing is left to give, shape (leaves,).

    In every group the next step goes to the child whose whole use, above its guarantee where
    weights divide the surplus, has the least dominant share for its weight; a child below its
    guarantee goes before all others. Use is summed within groups, unlike in `exact`.
    """
    tree = tree_of(hierarchy, quotas)
    share: FloatArray = _fill(tree, STEP)
    tasks: FloatArray = np.minimum(share / tree.size, hierarchy.tasks)
    return tasks


@counted
def _fill(tree: Tree, step: float) -> FloatArray:
    nodes, (leaves, m) = len(tree.parent), tree.need.shape
    use, share = np.zeros((nodes, m)), np.zeros(leaves)
    promised = tree.guarantee.copy()
    below = np.zeros((nodes, m))
    for n in range(nodes - 1, 0, -1):
        for j in range(m):
            promised[n, j] = max(promised[n, j], below[n, j])
            below[tree.parent[n], j] += promised[n, j]
    open_ = np.zeros(nodes, dtype=np.bool_)
    for n in range(nodes):
        i = tree.leaf_of[n]
        if i >= 0 and tree.most[i] > 0:
            _set_open(tree, n, open_)
    while open_[0]:
        n = 0
        while tree.leaf_of[n] < 0:
            n = _first(tree, n, open_, use, promised)
        i = tree.leaf_of[n]
        more = min(step, tree.most[i] - share[i])
        fits = more > 0
        up = n
        while up >= 0 and fits:
            for j in range(m):
                most = tree.limit[up, j] if up else 1.0
                if tree.need[i, j] > 0 and use[up, j] + more * tree.need[i, j] > most + 1e-12:
                    fits = False
            up = tree.parent[up]
        if not fits:
            _close(tree, n, open_)
            continue
        share[i] += more
        up = n
        while up >= 0:
            for j in range(m):
                use[up, j] += more * tree.need[i, j]
            up = tree.parent[up]
    return share


@counted
def _set_open(tree: Tree, n: int, open_: BoolArray) -> None:
    while n >= 0 and not open_[n]:
        open_[n] = True
        n = tree.parent[n]


@counted
def _close(tree: Tree, n: int, open_: BoolArray) -> None:
    """Close a leaf, and every group in which nobody is open any more."""
    open_[n] = False
    up = tree.parent[n]
    while up >= 0:
        for c in range(up + 1, len(tree.parent)):
            if tree.parent[c] == up and open_[c]:
                return
        open_[up] = False
        up = tree.parent[up]


@counted
def _first(tree: Tree, group: int, open_: BoolArray, use: FloatArray, promised: FloatArray) -> int:
    """The child that goes next."""
    best, rank, key = -1, np.iinfo(np.int64).min, np.inf
    for c in range(group + 1, len(tree.parent)):
        if tree.parent[c] != group or not open_[c]:
            continue
        part, above, guaranteed = 0.0, 0.0, False
        for j in range(tree.need.shape[1]):
            if tree.charged[j]:
                beyond = use[c, j] if tree.total else max(0.0, use[c, j] - promised[c, j])
                above = max(above, beyond)
                if promised[c, j] > 0:
                    guaranteed = True
                    part = max(part, use[c, j] / promised[c, j])
        now, own = tree.rank[c], above / tree.weight[c]
        if guaranteed and part < 1:
            now, own = np.iinfo(np.int64).max, part
        if now > rank or (now == rank and own < key):
            best, rank, key = c, now, own
    return best
