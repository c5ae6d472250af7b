"""A stage of the exact allocation in which leaves run out of tasks.

A leaf whose tasks all run stays at its share. Its siblings take up what it leaves, before any leaf
outside their group: the rates at which leaves rise are those of the tree without it, while its
group stays charged for what it has. Shares are then piecewise linear in the level of the root. A
sweep follows them from event to event: a leaf begins to rise above what it had, or a leaf has all
its tasks.

Between events the use of a node is P + y Q, where y is the dominant share that it is charged, and
its target grows by B for each unit of y (largest entry 1). Each group keeps the sums over its
children and the first of their events in a binary tree (see `layout`), so an event costs the
logarithms of the groups' sizes on its way to the root.
"""

from __future__ import annotations

import numpy as np

from ...instances.arrays import BoolArray, FloatArray, IntArray
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.kernels.decorators import counted
from .tree_layout import TreeLayout, layout

ON_FLOOR, RISING, STILL = 0, 1, 2
"""States of a leaf: at the share it had, rising, at its task limit."""


def limited_stage(hierarchy: Hierarchy, rising: BoolArray, share: FloatArray) -> FloatArray:
    """Compute the shares when the next resource is full or every leaf has all its tasks."""
    shares: FloatArray = _sweep(
        layout(hierarchy), hierarchy.normalised, rising, share, hierarchy.most_share
    )
    return shares


@counted
def _sweep(
    tree: TreeLayout, demand: FloatArray, rising: BoolArray, floor: FloatArray, most: FloatArray
) -> FloatArray:
    """Sweep the level. Rows of `sums` are w B, P, w Q of a node, or sums of these.

    `event` is the group's next level. The children of a group are at `level`; it was charged
    `share` there, and is charged `speed` more for each unit of level until the level `due`.
    """
    nodes, m = len(tree.parent), demand.shape[1]
    sums, event = np.zeros((2 * nodes, 3 * m)), np.full(2 * nodes, np.inf)
    level, share, speed = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
    due = np.full(nodes, np.inf)
    state = np.where(floor > 0, ON_FLOOR, RISING)
    # A resource that no rising leaf needs may be full already, give or take rounding.
    wanted = np.zeros(m, dtype=np.bool_)
    for i in range(len(state)):
        for j in range(m):
            wanted[j] |= rising[i] and demand[i, j] > 0
    for n in range(nodes - 1, -1, -1):
        if tree.leaf_of[n] >= 0:
            _leaf_row(n, tree, demand, rising, floor, most, state, sums, event)
        else:
            for k in range(tree.children[n] - 1, 0, -1):
                _join(2 * tree.first[n], k, sums, event)
            if n > 0:
                _group_row(n, tree, m, sums, event, level, share, speed, due)
    while True:
        stop = np.inf
        for j in range(m):
            if wanted[j] and sums[1, 2 * m + j] > 0:
                stop = min(stop, (1 - sums[1, m + j]) / sums[1, 2 * m + j])
        if stop <= event[1] or event[1] == np.inf:
            level[0] = max(level[0], stop)
            break
        level[0] = max(level[0], event[1])
        # Down to the leaf whose event it is,
        n = 0
        while tree.leaf_of[n] < 0:
            if n > 0:
                share[n] += speed[n] * (due[n] - level[n])
                level[n] = due[n]
            k, row = 1, 2 * tree.first[n]
            while k < tree.children[n]:
                k = 2 * k if event[row + 2 * k] <= event[row + 2 * k + 1] else 2 * k + 1
            n = tree.child[tree.first[n] + k - tree.children[n]]
        i = tree.leaf_of[n]
        state[i] = RISING if state[i] == ON_FLOOR and floor[i] < most[i] else STILL
        # and up again to the root.
        while n > 0:
            if tree.leaf_of[n] >= 0:
                _leaf_row(n, tree, demand, rising, floor, most, state, sums, event)
            else:
                _group_row(n, tree, m, sums, event, level, share, speed, due)
            up = tree.parent[n]
            k = (tree.children[up] + tree.place[n]) >> 1
            while k >= 1:
                _join(2 * tree.first[up], k, sums, event)
                k >>= 1
            n = up
    shares = floor.copy()
    for n in range(1, nodes):
        target = tree.weight[n] * level[tree.parent[n]]
        i = tree.leaf_of[n]
        if i >= 0:
            if rising[i]:
                shares[i] = most[i] if state[i] == STILL else max(floor[i], min(most[i], target))
        elif speed[n] > 0:
            level[n] = min(due[n], level[n] + max(0.0, target - share[n]) / speed[n])
    return shares


@counted
def _join(begin: int, k: int, sums: FloatArray, event: FloatArray) -> None:
    row, left = begin + k, begin + 2 * k
    for c in range(sums.shape[1]):
        sums[row, c] = sums[left, c] + sums[left + 1, c]
    event[row] = min(event[left], event[left + 1])


@counted
def _leaf_row(
    n: int,
    tree: TreeLayout,
    demand: FloatArray,
    rising: BoolArray,
    floor: FloatArray,
    most: FloatArray,
    state: IntArray,
    sums: FloatArray,
    event: FloatArray,
) -> None:
    up, i, m, weight = tree.parent[n], tree.leaf_of[n], demand.shape[1], tree.weight[n]
    row = 2 * tree.first[up] + tree.children[up] + tree.place[n]
    still, climbs = state[i] == STILL, rising[i] and state[i] == RISING
    fixed = most[i] if still else floor[i]
    for j in range(m):
        sums[row, j] = weight * demand[i, j] if rising[i] and not still else 0.0
        sums[row, m + j] = 0.0 if climbs else fixed * demand[i, j]
        sums[row, 2 * m + j] = weight * demand[i, j] if climbs else 0.0
    event[row] = np.inf
    if rising[i] and not still:
        event[row] = (most[i] if climbs else floor[i]) / weight


@counted
def _group_row(
    n: int,
    tree: TreeLayout,
    m: int,
    sums: FloatArray,
    event: FloatArray,
    level: FloatArray,
    share: FloatArray,
    speed: FloatArray,
    due: FloatArray,
) -> None:
    up, top = tree.parent[n], 2 * tree.first[n] + 1
    row = 2 * tree.first[up] + tree.children[up] + tree.place[n]
    sums[row], event[row], speed[n], due[n] = 0.0, np.inf, 0.0, np.inf
    if tree.children[n] == 0:
        return
    speed[n] = sums[top, :m].max()
    if speed[n] == 0:
        sums[row, m : 2 * m] = sums[top, m : 2 * m]
        return
    # The level of the children, when the group is charged y, is start + y / speed.
    due[n], start = event[top], level[n] - share[n] / speed[n]
    for j in range(m):
        sums[row, j] = tree.weight[n] * (sums[top, j] / speed[n])
        sums[row, m + j] = sums[top, m + j] + start * sums[top, 2 * m + j]
        sums[row, 2 * m + j] = tree.weight[n] * (sums[top, 2 * m + j] / speed[n])
    event[row] = (share[n] + (due[n] - level[n]) * speed[n]) / tree.weight[n]
