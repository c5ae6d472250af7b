"""A sweep of the level of a group from event to event, compiled.

A leaf whose tasks all run stays at its share. Its siblings take up what it leaves, before any leaf
outside their group: the rates at which leaves rise are those of the tree without it, while its
group stays charged for what it has. The same holds for the leaves below a full limit that need the
resource. Shares are then piecewise linear in the level. A sweep follows them from event to event: a
leaf begins to rise above what it had, a leaf has all its tasks, or a limit is full.

Between events the use of a node is P + y Q, where y is the dominant share that it is charged, and
its target grows by B for each unit of y (largest entry 1). Each group keeps the sums over its
children and the first of their events in a binary tree (see `layout`), so an event of a leaf costs
the logarithms of the groups' sizes on its way up. When a limit is full, the sweep walks down where
something rises that needs the resource; each leaf is stopped once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.kernels.decorators import by_reference, inner
from .tree_layout import TreeLayout

ON_FLOOR, RISING, STILL = 0, 1, 2
"""States of a leaf: at the share it had, rising, stopped for good."""


class Sweep(NamedTuple):
    """What a sweep knows of the tree, and its place in it.

    `room`: what subtrees may use, infinite without limits; row 0 is what is left of the cluster,
    and the only one unless `bounded`. Rows of `sums` are w B, P, w Q of a node, or sums of these,
    and `event` is the next level of the group's children at which something happens in them. The
    children of a group are at `level`; it was charged `share` there, and is charged `speed` more
    for each unit of level until the level `due`, at which its limit of resource `hit` is full if
    that is not -1. `most` and `hit` tell afterwards who was stopped, and why the sweep ended.
    """

    tree: TreeLayout
    demand: FloatArray
    rising: BoolArray
    floor: FloatArray
    most: FloatArray
    room: FloatArray
    bounded: bool
    state: IntArray
    sums: FloatArray
    event: FloatArray
    level: FloatArray
    share: FloatArray
    speed: FloatArray
    due: FloatArray
    hit: IntArray
    queue: IntArray


def sweep_of(
    tree: TreeLayout,
    demand: FloatArray,
    rising: BoolArray,
    floor: FloatArray,
    most: FloatArray,
    room: FloatArray,
) -> Sweep:
    """A sweep before it begins. `most` is changed: a leaf below a full limit gets no more."""
    nodes, (leaves, m) = len(tree.parent), demand.shape
    bounded = len(room) > 1
    return Sweep(
        tree=tree,
        demand=demand,
        rising=rising,
        floor=floor,
        most=most,
        room=room,
        bounded=bounded,
        state=np.empty(leaves, dtype=np.int64),
        sums=np.zeros((2 * nodes, 3 * m)),
        event=np.full(2 * nodes, np.inf),
        level=np.zeros(nodes),
        share=np.zeros(nodes),
        speed=np.zeros(nodes),
        due=np.full(nodes, np.inf),
        hit=np.full(nodes, -1),
        queue=np.empty((2 * nodes if bounded else 0, 2), dtype=np.int64),
    )


@by_reference
def raise_all(s: Sweep, order: IntArray, shares: FloatArray) -> None:
    """Raise the first node of `order`, all of whose subtree follows, parents before children.

    It ends when a resource of the cluster is full, for the root, or everybody stands still.
    `shares`: gets what the leaves that rise have.
    """
    raise_below(s, order, len(order), shares)


@inner
def raise_below(s: Sweep, order: IntArray, count: int, shares: FloatArray) -> None:
    """`raise_all` by the first `count` nodes of `order`."""
    root = order[0]
    for at in range(count - 1, -1, -1):
        n = order[at]
        i = s.tree.leaf_of[n]
        if i >= 0:
            s.state[i] = ON_FLOOR if s.floor[i] > 0 else (RISING if s.most[i] > 0 else STILL)
            _leaf_row(s, n)
        else:
            s.level[n] = s.share[n] = 0.0
            for k in range(s.tree.children[n] - 1, 0, -1):
                _join(s, 2 * s.tree.first[n], k)
            _group_row(s, n)
    while s.due[root] < np.inf:
        s.level[root] = s.due[root]
        if root == 0 and s.hit[root] >= 0:
            break
        n = _first_event(s, root)
        if s.tree.leaf_of[n] >= 0:
            i = s.tree.leaf_of[n]
            s.state[i] = RISING if s.state[i] == ON_FLOOR and s.floor[i] < s.most[i] else STILL
            _leaf_row(s, n)
        else:
            _stop_below(s, n)
            _group_row(s, n)
        while n != root:
            up = s.tree.parent[n]
            k = (s.tree.children[up] + s.tree.place[n]) >> 1
            while k >= 1:
                _join(s, 2 * s.tree.first[up], k)
                k >>= 1
            n = up
            _group_row(s, n)
    for at in range(1, count):
        n = order[at]
        i = s.tree.leaf_of[n]
        if i < 0:
            _come(s, n)
        elif s.rising[i]:
            shares[i] = s.most[i] if s.state[i] == STILL else _now(s, n, i)


@inner
def _now(s: Sweep, n: int, i: int) -> float:
    """What a leaf has that may rise."""
    target = s.tree.weight[n] * s.level[s.tree.parent[n]]
    has: float = max(s.floor[i], min(s.most[i], target))
    return has


@inner
def _come(s: Sweep, n: int) -> None:
    """Bring a group to the level of its parent, but not beyond its next event."""
    if s.speed[n] > 0:
        target = s.tree.weight[n] * s.level[s.tree.parent[n]]
        step = min(s.due[n] - s.level[n], max(0.0, target - s.share[n]) / s.speed[n])
        s.level[n] += step
        s.share[n] += s.speed[n] * step


@inner
def _first_event(s: Sweep, root: int) -> int:
    """The leaf, or the group with a full limit, whose event is next; groups above it come to it."""
    n = root
    while s.tree.leaf_of[n] < 0:
        if n != root:
            s.share[n] += s.speed[n] * (s.due[n] - s.level[n])
            s.level[n] = s.due[n]
        if s.hit[n] >= 0:
            break
        k, row = 1, 2 * s.tree.first[n]
        while k < s.tree.children[n]:
            k = 2 * k if s.event[row + 2 * k] <= s.event[row + 2 * k + 1] else 2 * k + 1
        n = s.tree.child[s.tree.first[n] + k - s.tree.children[n]]
    return n


@inner
def _stop_below(s: Sweep, group: int) -> None:
    """A limit is full: who rises below it and needs the resource stands still."""
    column = 2 * s.demand.shape[1] + s.hit[group]
    s.queue[0, 0], s.queue[0, 1] = group, 1
    head, count = 0, 1
    while head < count:
        n, k = s.queue[head, 0], s.queue[head, 1]
        head += 1
        if k < s.tree.children[n]:
            for below in range(2 * k, 2 * k + 2):
                if s.sums[2 * s.tree.first[n] + below, column] > 0:
                    s.queue[count, 0], s.queue[count, 1] = n, below
                    count += 1
            continue
        c = s.tree.child[s.tree.first[n] + k - s.tree.children[n]]
        i = s.tree.leaf_of[c]
        if i >= 0:
            s.most[i] = _now(s, c, i)
            s.state[i] = STILL
        else:
            _come(s, c)
            s.queue[count, 0], s.queue[count, 1] = c, 1
            count += 1
    for at in range(count - 1, -1, -1):
        n, k = s.queue[at, 0], s.queue[at, 1]
        if k < s.tree.children[n]:
            _join(s, 2 * s.tree.first[n], k)
            continue
        c = s.tree.child[s.tree.first[n] + k - s.tree.children[n]]
        if s.tree.leaf_of[c] >= 0:
            _leaf_row(s, c)
        else:
            _group_row(s, c)


@inner
def _join(s: Sweep, begin: int, k: int) -> None:
    row, left = begin + k, begin + 2 * k
    for c in range(s.sums.shape[1]):
        s.sums[row, c] = s.sums[left, c] + s.sums[left + 1, c]
    s.event[row] = min(s.event[left], s.event[left + 1])


@inner
def _leaf_row(s: Sweep, n: int) -> None:
    up, i, m, weight = s.tree.parent[n], s.tree.leaf_of[n], s.demand.shape[1], s.tree.weight[n]
    row = 2 * s.tree.first[up] + s.tree.children[up] + s.tree.place[n]
    wants = s.rising[i] and s.state[i] != STILL
    climbs = wants and s.state[i] == RISING
    fixed = s.most[i] if s.rising[i] and s.state[i] == STILL else s.floor[i]
    for j in range(m):
        s.sums[row, j] = weight * s.demand[i, j] if wants else 0.0
        s.sums[row, m + j] = 0.0 if climbs else fixed * s.demand[i, j]
        s.sums[row, 2 * m + j] = weight * s.demand[i, j] if climbs else 0.0
    s.event[row] = (s.most[i] if climbs else s.floor[i]) / weight if wants else np.inf


@inner
def _group_row(s: Sweep, n: int) -> None:
    """The row of a group among its siblings, and its next event."""
    m, top = s.demand.shape[1], 2 * s.tree.first[n] + 1
    speed = 0.0
    s.due[n], s.hit[n] = np.inf, -1
    if s.tree.children[n] > 0:
        for j in range(m):
            speed = max(speed, s.sums[top, j])
        s.due[n] = s.event[top]
        if s.bounded or n == 0:
            for j in range(m):
                rate = s.sums[top, 2 * m + j]
                if rate > 0 and s.room[n, j] < np.inf:
                    full = max(s.level[n], (s.room[n, j] - s.sums[top, m + j]) / rate)
                    if full <= s.due[n]:
                        s.due[n], s.hit[n] = full, j
    s.speed[n] = speed
    if n == 0:
        return
    up = s.tree.parent[n]
    row = 2 * s.tree.first[up] + s.tree.children[up] + s.tree.place[n]
    if speed == 0:
        for j in range(m):
            s.sums[row, j] = s.sums[row, 2 * m + j] = 0.0
            s.sums[row, m + j] = s.sums[top, m + j] if s.tree.children[n] > 0 else 0.0
        s.event[row] = np.inf
        return
    # The level of the children, when the group is charged y, is start + y / speed.
    weight, start = s.tree.weight[n], s.level[n] - s.share[n] / speed
    for j in range(m):
        s.sums[row, j] = weight * (s.sums[top, j] / speed)
        s.sums[row, m + j] = s.sums[top, m + j] + start * s.sums[top, 2 * m + j]
        s.sums[row, 2 * m + j] = weight * (s.sums[top, 2 * m + j] / speed)
    s.event[row] = (s.share[n] + (s.due[n] - s.level[n]) * speed) / weight
