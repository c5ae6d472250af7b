"""Tasks placed one by one, compiled; after each the whole tree or one path is computed again.

A task goes to the leaf that is reached from the root by the unblocked child with the smallest
dominant share over weight, the first of equals. A leaf is blocked when its next task does not fit
or when it has none. Needs and uses are fractions of the capacity.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.kernels.decorators import counted
from ...instances.hierarchy.allocation import SATISFIED
from .tree_layout import TreeLayout

FITS = 1e-9
"""Tasks that exceed what is left by at most this fraction of the capacity fit."""

TIE = 1e-12
"""Dominant shares that differ by at most this fraction are equal."""


@counted
def path_only(
    tree: TreeLayout,
    need: FloatArray,
    order: IntArray,
    most: FloatArray,
    running: FloatArray,
    rescale: bool,
    set_apart: bool,
) -> tuple[FloatArray, IntArray]:
    """Place tasks; each costs the path from its leaf to the root.

    Notes
    -----
    A group's row of `sums` holds, over its children, the use of those that count in full, and the
    sum of weight times normalised use of those that are scaled down; `least` is the smallest
    dominant share over weight of the latter, `pick` of those that are not blocked.
    """
    nodes, m = len(tree.parent), need.shape[1]
    tasks, room = running.copy(), _room(need, running)
    bottleneck = np.full(need.shape[0], SATISFIED, dtype=np.int64)
    blocked = np.zeros(nodes, dtype=np.bool_)
    sums, use = np.zeros((2 * nodes, 2 * m)), np.zeros((nodes, m))
    least, pick = np.full(2 * nodes, np.inf), np.full(2 * nodes, np.inf)
    counted, begun = np.ones(m, dtype=np.bool_), np.zeros(m, dtype=np.int64)
    node_of = _nodes_of(tree.leaf_of, need.shape[0])
    for i in range(len(most)):
        blocked[node_of[i]] = tasks[i] + 1 > most[i]
        for j in range(m):
            use[node_of[i], j] = tasks[i] * need[i, j]
    _all_rows(tree, m, blocked, use, counted, rescale, set_apart, sums, least, pick)
    while True:
        # Leaves whose next task no longer fits, then resources that nobody can use any more.
        rebuild = False
        for j in range(m):
            while begun[j] < len(most) and need[order[j, begun[j]], j] > room[j] + FITS:
                i = order[j, begun[j]]
                begun[j] += 1
                if not blocked[node_of[i]]:
                    bottleneck[i] = j
                    blocked[node_of[i]] = True
                    _path_rows(node_of[i], tree, m, blocked, use, counted, rescale, set_apart,
                               sums, least, pick)  # fmt: skip
            nobody = begun[j] == len(most) or need[order[j, begun[j]], j] == 0
            if set_apart and counted[j] and nobody:
                counted[j], rebuild = False, True
        if rebuild:
            _all_rows(tree, m, blocked, use, counted, rescale, set_apart, sums, least, pick)
        if pick[1] == np.inf:
            return tasks, bottleneck
        n = 0
        while tree.leaf_of[n] < 0:
            k, row = 1, 2 * tree.first[n]
            while k < tree.children[n]:
                left = pick[row + 2 * k] <= pick[row + 2 * k + 1] * (1 + TIE)
                k = 2 * k if left else 2 * k + 1
            n = tree.child[tree.first[n] + k - tree.children[n]]
        i = tree.leaf_of[n]
        tasks[i] += 1
        for j in range(m):
            room[j] -= need[i, j]
            use[n, j] = tasks[i] * need[i, j]
        blocked[n] = tasks[i] + 1 > most[i]
        _path_rows(n, tree, m, blocked, use, counted, rescale, set_apart, sums, least, pick)


@counted
def _room(need: FloatArray, running: FloatArray) -> FloatArray:
    room = np.ones(need.shape[1])
    for i in range(len(running)):
        for j in range(len(room)):
            room[j] -= running[i] * need[i, j]
    return room


@counted
def _nodes_of(leaf_of: IntArray, leaves: int) -> IntArray:
    node_of = np.zeros(leaves, dtype=np.int64)
    for n in range(len(leaf_of)):
        if leaf_of[n] >= 0:
            node_of[leaf_of[n]] = n
    return node_of


@counted
def _path_rows(
    n: int,
    tree: TreeLayout,
    m: int,
    blocked: BoolArray,
    use: FloatArray,
    counted: BoolArray,
    rescale: bool,
    set_apart: bool,
    sums: FloatArray,
    least: FloatArray,
    pick: FloatArray,
) -> None:
    """Compute again everything that depends on node n."""
    while n > 0:
        _row(n, tree, m, blocked, use, counted, rescale, set_apart, sums, least, pick)
        up = tree.parent[n]
        k = (tree.children[up] + tree.place[n]) >> 1
        while k >= 1:
            _join(2 * tree.first[up], k, sums, least, pick)
            k >>= 1
        _summed(up, tree, m, blocked, use, sums, least, pick)
        n = up


@counted
def _all_rows(
    tree: TreeLayout,
    m: int,
    blocked: BoolArray,
    use: FloatArray,
    counted: BoolArray,
    rescale: bool,
    set_apart: bool,
    sums: FloatArray,
    least: FloatArray,
    pick: FloatArray,
) -> None:
    for n in range(len(tree.parent) - 1, -1, -1):
        if tree.leaf_of[n] < 0:
            for k in range(tree.children[n] - 1, 0, -1):
                _join(2 * tree.first[n], k, sums, least, pick)
            _summed(n, tree, m, blocked, use, sums, least, pick)
        if n > 0:
            _row(n, tree, m, blocked, use, counted, rescale, set_apart, sums, least, pick)


@counted
def _join(begin: int, k: int, sums: FloatArray, least: FloatArray, pick: FloatArray) -> None:
    row, left = begin + k, begin + 2 * k
    for c in range(sums.shape[1]):
        sums[row, c] = sums[left, c] + sums[left + 1, c]
    least[row] = min(least[left], least[left + 1])
    pick[row] = min(pick[left], pick[left + 1])


@counted
def _summed(
    n: int,
    tree: TreeLayout,
    m: int,
    blocked: BoolArray,
    use: FloatArray,
    sums: FloatArray,
    least: FloatArray,
    pick: FloatArray,
) -> None:
    """The use of group n, from the top row of its children."""
    top = 2 * tree.first[n] + 1
    blocked[n] = tree.children[n] == 0 or pick[top] == np.inf
    for j in range(m):
        use[n, j] = 0.0
        if tree.children[n] > 0:
            use[n, j] = sums[top, j]
            if least[top] < np.inf:
                use[n, j] += least[top] * sums[top, m + j]


@counted
def _row(
    n: int,
    tree: TreeLayout,
    m: int,
    blocked: BoolArray,
    use: FloatArray,
    counted: BoolArray,
    rescale: bool,
    set_apart: bool,
    sums: FloatArray,
    least: FloatArray,
    pick: FloatArray,
) -> None:
    up = tree.parent[n]
    row = 2 * tree.first[up] + tree.children[up] + tree.place[n]
    share = 0.0
    for j in range(m):
        if counted[j]:
            share = max(share, use[n, j])
    share /= tree.weight[n]
    # An inactive leaf, or an empty group, must not hold its siblings at nothing.
    in_full = not rescale or (blocked[n] and (set_apart or share == 0))
    for j in range(m):
        sums[row, j] = use[n, j] if in_full else 0.0
        sums[row, m + j] = 0.0 if in_full or share == 0 else use[n, j] / share
    least[row] = np.inf if in_full else share
    pick[row] = np.inf if blocked[n] else share


@counted
def every_node(
    tree: TreeLayout,
    need: FloatArray,
    order: IntArray,
    most: FloatArray,
    running: FloatArray,
    rescale: bool,
    set_apart: bool,
) -> tuple[FloatArray, IntArray]:
    """As `path_only`, with the whole tree computed again for every task; `order` is not used."""
    parent, weight, leaf_of, children, first, _, child = tree
    nodes, m = len(parent), need.shape[1]
    tasks, room = running.copy(), _room(need, running)
    bottleneck = np.full(need.shape[0], SATISFIED, dtype=np.int64)
    blocked = np.zeros(nodes, dtype=np.bool_)
    share, use = np.zeros(nodes), np.zeros((nodes, m))
    while True:
        counted = np.zeros(m, dtype=np.bool_)
        for n in range(nodes):
            i = leaf_of[n]
            if i >= 0 and not blocked[n]:
                blocked[n] = tasks[i] + 1 > most[i]
                for j in range(m):
                    if not blocked[n] and need[i, j] > room[j] + FITS:
                        blocked[n], bottleneck[i] = True, j
                for j in range(m):
                    counted[j] |= not blocked[n] and need[i, j] > 0
        for n in range(nodes - 1, -1, -1):
            i = leaf_of[n]
            use[n] = 0.0
            if i >= 0:
                for j in range(m):
                    use[n, j] = tasks[i] * need[i, j]
            else:
                least = np.inf
                blocked[n] = True
                for c in child[first[n] : first[n] + children[n]]:
                    blocked[n] &= blocked[c]
                    if not (blocked[c] and (set_apart or share[c] == 0)):
                        least = min(least, share[c])
                for c in child[first[n] : first[n] + children[n]]:
                    scale = 1.0
                    if rescale and share[c] > 0 and not (blocked[c] and set_apart):
                        scale = least / share[c]
                    for j in range(m):
                        use[n, j] += scale * use[c, j]
            share[n] = 0.0
            for j in range(m):
                if counted[j] or not set_apart:
                    share[n] = max(share[n], use[n, j] / weight[n])
        if blocked[0]:
            return tasks, bottleneck
        n = 0
        while leaf_of[n] < 0:
            best = -1
            for c in child[first[n] : first[n] + children[n]]:
                if blocked[c]:
                    continue
                # Of equals the one with the lower number.
                equal = best >= 0 and abs(share[c] - share[best]) <= TIE * share[best]
                if best < 0 or (c < best if equal else share[c] < share[best]):
                    best = c
            n = best
        i = leaf_of[n]
        tasks[i] += 1
        for j in range(m):
            room[j] -= need[i, j]
