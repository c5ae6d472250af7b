"""A cluster filled from empty by a scheduler that sums use within groups, from event to event.

The next bit goes to the child of a group that the scheduler's key puts first. Children with equal
keys rise together so that their keys stay equal; all amounts are linear until a key comes to that
of a sibling, another resource is the dominant one, or something is full.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.kernels.decorators import counted
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.quotas import Quotas
from ....instances.hierarchy.replay import tree_of
from ....instances.hierarchy.replay_stage import Tree

CLOSE = 1e-11
"""Difference of shares and keys that counts as none."""

FIRST = int(np.iinfo(np.int64).max)
"""The class of children that have less than their guarantee."""


def filled(hierarchy: Hierarchy, quotas: Quotas) -> FloatArray:
    """Tasks of each leaf when nothing is left to give, shape (leaves,).

    The key of a child is its use, above its guarantee where weights divide the surplus, of the
    resource of which it has most for its weight. Where weights divide the surplus, use counts as a
    fraction of what its group could have, as Kueue does. A child below its guarantee goes first.
    """
    tree = tree_of(hierarchy, quotas)
    nodes, m = len(tree.parent), tree.need.shape[1]
    fill = _Fill(
        tree=tree,
        child=np.argsort(tree.parent[1:], kind="stable") + 1,
        end=np.cumsum(np.bincount(tree.parent[1:], minlength=nodes)),
        promised=_from_children(tree, tree.guarantee),
        lendable=_lendable(tree) if not tree.total else np.ones((nodes, m)),
        share=np.zeros(hierarchy.leaves),
        open=np.zeros(nodes, dtype=np.bool_),
        use=np.zeros((nodes, m)),
        direction=np.zeros((nodes, m)),
        rank=np.zeros(nodes, dtype=np.int64),
        key=np.zeros(nodes),
        slope=np.zeros(nodes),
        piece=np.zeros(nodes),
        part=np.zeros(nodes),
        speed=np.zeros(nodes),
        next_key=np.zeros(nodes),
    )
    _fill(fill)
    tasks: FloatArray = np.where(fill.share >= tree.most, hierarchy.tasks, fill.share / tree.size)
    return tasks


class _Fill(NamedTuple):
    """The tree, and what its nodes do.

    A node rises in a `direction` of use. For one unit along it its `key` rises by `slope`, up to
    `piece` units, and of a unit of its group it has the `part`. `next_key`: units of a group after
    which the keys of its first children come to the next one.
    """

    tree: Tree
    child: IntArray
    end: IntArray
    promised: FloatArray
    lendable: FloatArray
    share: FloatArray
    open: BoolArray
    use: FloatArray
    direction: FloatArray
    rank: IntArray
    key: FloatArray
    slope: FloatArray
    piece: FloatArray
    part: FloatArray
    speed: FloatArray
    next_key: FloatArray


def _from_children(tree: Tree, amounts: FloatArray) -> FloatArray:
    """Amounts of nodes, or the sums of their children's where those are more."""
    most, below = amounts.copy(), np.zeros_like(amounts)
    for n in range(len(tree.parent) - 1, 0, -1):
        most[n] = np.maximum(most[n], below[n])
        below[tree.parent[n]] += most[n]
    return most


def _lendable(tree: Tree) -> FloatArray:
    """Most that each group could have, without what is kept for its children."""
    kept = _from_children(tree, tree.reserve)
    below = np.zeros_like(kept)
    np.add.at(below, tree.parent[1:], kept[1:])
    lendable = 1.0 - below
    for n in range(1, len(tree.parent)):
        most = np.minimum(tree.limit[n], kept[n] + lendable[tree.parent[n]])
        lendable[n] = most - below[n]
    return lendable


@counted
def _fill(f: _Fill) -> None:
    tree, nodes = f.tree, len(f.tree.parent)
    for n in range(nodes):
        f.open[n] = tree.leaf_of[n] >= 0 and tree.most[tree.leaf_of[n]] > 0
    while True:
        _close(f)
        if not f.open[0]:
            return
        for n in range(nodes - 1, -1, -1):
            if f.open[n]:
                _set_direction(f, n)
                if n:
                    _set_key(f, n)
        step = np.inf
        f.speed[0] = 1.0
        for n in range(nodes):
            if n:
                f.speed[n] = f.speed[tree.parent[n]] * f.part[n] if f.open[n] else 0.0
            if f.speed[n] > 0:
                step = min(step, _until_event(f, n) / f.speed[n])
        if step == np.inf:
            return
        for n in range(nodes):
            i = tree.leaf_of[n]
            if i >= 0 and f.speed[n] > 0:
                f.share[i] = min(tree.most[i], f.share[i] + f.speed[n] * step)


@counted
def _close(f: _Fill) -> None:
    """Compute what subtrees use, and close leaves that can have no more."""
    tree, m = f.tree, f.use.shape[1]
    f.use[:] = 0.0
    for n in range(len(tree.parent) - 1, -1, -1):
        i = tree.leaf_of[n]
        if i < 0:
            f.open[n] = False
        for j in range(m):
            if i >= 0:
                f.use[n, j] = f.share[i] * tree.need[i, j]
            if n:
                f.use[tree.parent[n], j] += max(f.use[n, j], tree.reserve[n, j])
    for leaf in range(len(tree.parent)):
        if not f.open[leaf] or tree.leaf_of[leaf] < 0:
            continue
        i = tree.leaf_of[leaf]
        fits = f.share[i] < tree.most[i] - CLOSE
        for j in range(m):
            n, takes = leaf, tree.need[i, j] > 0
            while takes and n >= 0 and fits:
                most = tree.limit[n, j] if n else 1.0
                fits = f.use[n, j] < most - CLOSE
                # What is kept for a subtree is used already.
                takes = f.use[n, j] >= tree.reserve[n, j] - CLOSE
                n = tree.parent[n]
        if not fits:
            f.open[leaf] = False
            continue
        n = tree.parent[leaf]
        while n >= 0 and not f.open[n]:
            f.open[n] = True
            n = tree.parent[n]


@counted
def _set_direction(f: _Fill, n: int) -> None:
    """The direction of a node, and the parts of its children."""
    tree, m = f.tree, f.use.shape[1]
    i = tree.leaf_of[n]
    f.direction[n] = 0.0
    if i >= 0:
        f.direction[n] = tree.need[i]
        return
    begin = f.end[n - 1] if n else 0
    first, key = -1, np.inf
    for c in f.child[begin : f.end[n]]:
        if f.open[c] and (
            first < 0
            or f.rank[c] > f.rank[first]
            or (f.rank[c] == f.rank[first] and f.key[c] < key)
        ):
            first, key = c, f.key[c]
    same, flat, after = key + CLOSE * max(1.0, abs(key)), False, np.inf
    for c in f.child[begin : f.end[n]]:
        if f.open[c] and f.rank[c] == f.rank[first]:
            if f.key[c] > same:
                after = min(after, f.key[c])
            elif f.slope[c] <= 0:
                flat = True
    f.next_key[n] = np.inf if flat else after - key
    for c in f.child[begin : f.end[n]]:
        f.part[c] = 0.0
        if f.open[c] and f.rank[c] == f.rank[first] and f.key[c] <= same:
            if not flat:
                f.part[c] = 1 / f.slope[c]
            elif f.slope[c] <= 0:
                f.part[c] = 1.0
        for j in range(m):
            if f.use[c, j] >= tree.reserve[c, j] - CLOSE:
                f.direction[n, j] += f.part[c] * f.direction[c, j]


@counted
def _set_key(f: _Fill, n: int) -> None:
    """Class and key of a child, how the key rises, and how far it does so evenly."""
    tree, m, up = f.tree, f.use.shape[1], f.tree.parent[n]
    needy, guaranteed = not tree.total, False
    f.piece[n] = np.inf
    for j in range(m):
        if not tree.charged[j]:
            continue
        beyond, speed = f.use[n, j] - f.promised[n, j], f.direction[n, j]
        guaranteed = guaranteed or f.promised[n, j] > 0
        if tree.total:
            continue
        if beyond > CLOSE or (beyond > -CLOSE and speed > 0):
            needy = False
        elif speed > 0:
            f.piece[n] = min(f.piece[n], -beyond / speed)
    if tree.total and guaranteed:
        part, rises = 0.0, False
        for j in range(m):
            if tree.charged[j] and f.promised[n, j] > 0:
                part = max(part, f.use[n, j] / f.promised[n, j])
                rises = rises or f.direction[n, j] > 0
        needy = rises and part < 1 - CLOSE
    if not needy:
        f.piece[n] = np.inf
    f.rank[n] = FIRST if needy else tree.rank[n]
    key, slope = -np.inf, 0.0
    for again in range(2):
        for j in range(m):
            unit = f.promised[n, j] if needy else f.lendable[up, j] * tree.weight[n]
            if not tree.charged[j] or unit <= 0:
                continue
            apart = 0.0 if needy or tree.total else f.promised[n, j]
            value, rate = (f.use[n, j] - apart) / unit, f.direction[n, j] / unit
            if again == 0:
                key = max(key, value)
            elif value >= key - CLOSE * max(1.0, abs(key)):
                slope = max(slope, rate)
    f.key[n], f.slope[n] = max(key, 0.0), slope
    for j in range(m):
        unit = f.promised[n, j] if needy else f.lendable[up, j] * tree.weight[n]
        if not tree.charged[j] or unit <= 0:
            continue
        apart = 0.0 if needy or tree.total else f.promised[n, j]
        value, rate = (f.use[n, j] - apart) / unit, f.direction[n, j] / unit
        if rate > slope and value < key - CLOSE * max(1.0, abs(key)):
            f.piece[n] = min(f.piece[n], (key - value) / (rate - slope))
    if needy and slope > 0:
        f.piece[n] = min(f.piece[n], (1 - key) / slope)


@counted
def _until_event(f: _Fill, n: int) -> float:
    """Units along the direction of a node until something happens to it."""
    tree = f.tree
    i = tree.leaf_of[n]
    step: float = tree.most[i] - f.share[i] if i >= 0 else f.next_key[n]
    if n:
        step = min(step, f.piece[n])
    for j in range(f.use.shape[1]):
        rate = f.direction[n, j]
        if rate > 0:
            most = tree.limit[n, j] if n else 1.0
            step = min(step, max(0.0, most - f.use[n, j]) / rate)
            if f.use[n, j] < tree.reserve[n, j] - CLOSE:
                step = min(step, (tree.reserve[n, j] - f.use[n, j]) / rate)
    return step
