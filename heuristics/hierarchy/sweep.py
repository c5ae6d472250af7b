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

Of siblings of several classes only those rise whose turn it is; when they all stand still, the next
ones start at level 0. Where weights divide the total, a node stands until its target is what its
guaranteed part is charged; a level of a group at which nobody rises is passed free of charge.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.kernels.decorators import by_reference, inner
from .sweep_state import ON_FLOOR, RISING, STANDING, STILL, Sweep


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
    root, fresh = order[0], not s.total
    _first_turns(s, order, count)
    for at in range(count - 1, -1, -1):
        n = order[at]
        i = s.tree.leaf_of[n]
        if i >= 0:
            fresh = fresh and s.floor[i] <= 0
            if s.total and s.standing[i] > 0:
                s.state[i] = STANDING
            else:
                s.state[i] = ON_FLOOR if s.floor[i] > 0 else (RISING if s.most[i] > 0 else STILL)
            _leaf_row(s, n)
        else:
            s.level[n] = s.share[n] = 0.0
            s.begun[n] = True
            for k in range(s.tree.children[n] - 1, 0, -1):
                _join(s, 2 * s.tree.first[n], k)
        if s.total:
            _stand(s, n, at == 0)
        if i < 0:
            _group_row(s, n)
    while s.due[root] < np.inf:
        s.level[root] = s.due[root]
        if root == 0 and s.hit[root] >= 0:
            break
        n = _first_event(s, root)
        if s.tree.leaf_of[n] >= 0:
            _next_state(s, s.tree.leaf_of[n])
            _leaf_row(s, n)
        else:
            # Where nobody waits on what he had, a group of which all need the resource is closed.
            closed = fresh and s.everyone[s.hit[n]]
            if not closed and (not s.total or s.begun[n]):
                _stop_below(s, n)
            s.begun[n] = not closed
            _group_row(s, n)
        while n != root:
            n = _join_above(s, n)
            _group_row(s, n)
    for at in range(1, count):
        n = order[at]
        i = s.tree.leaf_of[n]
        now = not s.turns.several or s.turns.turn[n] <= s.front[s.tree.parent[n]]
        closed = not s.total and not s.begun[s.tree.parent[n]]
        if i < 0:
            if now:
                _come(s, n)
            if closed:
                s.begun[n] = False
        elif s.rising[i]:
            shares[i] = s.floor[i]
            if now:
                shares[i] = s.most[i] if s.state[i] == STILL else _now(s, n, i)
            if closed:
                s.most[i] = shares[i]


@inner
def _first_turns(s: Sweep, order: IntArray, count: int) -> None:
    if not s.turns.several:
        return
    for at in range(count):
        n = order[at]
        s.front[n] = s.after[n] = 0
        while s.after[n] < s.tree.children[n]:
            if s.turns.turn[s.turns.order[s.tree.first[n] + s.after[n]]] > 0:
                break
            s.after[n] += 1


@inner
def _stand(s: Sweep, n: int, is_root: bool) -> None:
    """A node stands on what is guaranteed below it; it was charged that."""
    i = s.tree.leaf_of[n]
    if i >= 0:
        for j in range(s.demand.shape[1]):
            s.held[n, j] = s.standing[i] * s.demand[i, j]
    else:
        for j in range(s.demand.shape[1]):
            s.held[n, j] = 0.0
            for k in range(s.tree.first[n], s.tree.first[n] + s.tree.children[n]):
                s.held[n, j] += s.held[s.tree.child[k], j]
            if s.counted < 0 or s.counted == j:
                s.share[n] = max(s.share[n], s.held[n, j])
        s.begun[n] = is_root or s.share[n] <= 0


@inner
def _next_state(s: Sweep, i: int) -> None:
    """The level comes to what a leaf waits for."""
    if s.state[i] == STANDING and s.floor[i] > s.standing[i]:
        s.state[i] = ON_FLOOR
    elif s.state[i] != RISING and s.floor[i] < s.most[i]:
        s.state[i] = RISING
    else:
        s.state[i] = STILL


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
    """The node whose event is next; groups above it come to it.

    It is a leaf, a group with a full limit, or a group that begins to rise.
    """
    n = root
    while s.tree.leaf_of[n] < 0 and (not s.total or s.begun[n]):
        if n != root:
            s.share[n] += s.speed[n] * (s.due[n] - s.level[n])
            s.level[n] = s.due[n]
        if s.hit[n] >= 0:
            break
        n = _first_child(s, n)
    return n


@inner
def _first_child(s: Sweep, n: int) -> int:
    """The child of a group with the first event."""
    k, row = 1, 2 * s.tree.first[n]
    while k < s.tree.children[n]:
        k = 2 * k if s.event[row + 2 * k] <= s.event[row + 2 * k + 1] else 2 * k + 1
    child: int = s.tree.child[s.tree.first[n] + k - s.tree.children[n]]
    return child


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
def _join_above(s: Sweep, n: int) -> int:
    """Renew the sums above the row of a node; return its group."""
    up: int = s.tree.parent[n]
    k = (s.tree.children[up] + s.tree.place[n]) >> 1
    while k >= 1:
        _join(s, 2 * s.tree.first[up], k)
        k >>= 1
    return up


@inner
def _leaf_row(s: Sweep, n: int) -> None:
    up, i, m, weight = s.tree.parent[n], s.tree.leaf_of[n], s.demand.shape[1], s.tree.weight[n]
    row = 2 * s.tree.first[up] + s.tree.children[up] + s.tree.place[n]
    state = s.state[i]
    wants = s.rising[i] and state != STILL
    if s.turns.several:
        wants = wants and s.turns.turn[n] == s.front[up]
    climbs, charged = wants and state == RISING, wants and state != STANDING
    fixed = s.most[i] if s.rising[i] and state == STILL else s.floor[i]
    for j in range(m):
        s.sums[row, j] = weight * s.demand[i, j] if charged else 0.0
        s.sums[row, m + j] = 0.0 if climbs else fixed * s.demand[i, j]
        s.sums[row, 2 * m + j] = weight * s.demand[i, j] if climbs else 0.0
    goal = s.most[i] if climbs else s.floor[i]
    if state == STANDING:
        goal = s.standing[i]
    s.event[row] = goal / weight if wants else np.inf


@inner
def _group_row(s: Sweep, n: int) -> None:
    """What a group is charged, its next event, and its row among its siblings."""
    m, top = s.demand.shape[1], 2 * s.tree.first[n] + 1
    s.speed[n], s.due[n], s.hit[n] = 0.0, np.inf, -1
    while s.tree.children[n] > 0 and (s.total or s.begun[n]):
        for j in range(m):
            if s.counted < 0 or j == s.counted:
                s.speed[n] = max(s.speed[n], s.sums[top, j])
        if s.speed[n] > 0 or not _start(s, n):
            break
    if s.speed[n] > 0:
        s.due[n] = s.event[top]
        if s.bounded or n == 0:
            for j in range(m):
                rate = s.sums[top, 2 * m + j]
                if rate > 0 and s.room[n, j] < np.inf:
                    full = max(s.level[n], (s.room[n, j] - s.sums[top, m + j]) / rate)
                    if full <= s.due[n]:
                        s.due[n], s.hit[n] = full, j
    if n > 0:
        _charged_row(s, n)


@inner
def _start(s: Sweep, n: int) -> bool:
    """Let somebody start in a group in which nobody rises; return whether there is anybody."""
    if s.total and s.event[2 * s.tree.first[n] + 1] < np.inf:
        s.level[n] = s.event[2 * s.tree.first[n] + 1]
        c = _first_child(s, n)
        if s.tree.leaf_of[c] >= 0:
            _next_state(s, s.tree.leaf_of[c])
            _leaf_row(s, c)
        else:
            s.begun[c] = True
            _charged_row(s, c)
        _join_above(s, c)
        return True
    if not s.turns.several or s.after[n] == s.tree.children[n]:
        return False
    s.level[n] = 0.0
    s.front[n] += 1
    while s.after[n] < s.tree.children[n]:
        c = s.turns.order[s.tree.first[n] + s.after[n]]
        if s.turns.turn[c] > s.front[n]:
            break
        if s.tree.leaf_of[c] >= 0:
            _leaf_row(s, c)
        else:
            _charged_row(s, c)
        _join_above(s, c)
        s.after[n] += 1
    return True


@inner
def _charged_row(s: Sweep, n: int) -> None:
    m, top, speed = s.demand.shape[1], 2 * s.tree.first[n] + 1, s.speed[n]
    up, weight = s.tree.parent[n], s.tree.weight[n]
    row = 2 * s.tree.first[up] + s.tree.children[up] + s.tree.place[n]
    wants = speed > 0
    if s.turns.several:
        wants = wants and s.turns.turn[n] == s.front[up]
    if not wants or (s.total and not s.begun[n]):
        for j in range(m):
            s.sums[row, j] = s.sums[row, m + j] = s.sums[row, 2 * m + j] = 0.0
            if s.tree.children[n] > 0:
                s.sums[row, m + j] = s.sums[top, m + j] + s.level[n] * s.sums[top, 2 * m + j]
        s.event[row] = s.share[n] / weight if wants else np.inf
        return
    # The level of the children, when the group is charged y, is start + y / speed.
    start = s.level[n] - s.share[n] / speed
    for j in range(m):
        s.sums[row, j] = weight * (s.sums[top, j] / speed)
        s.sums[row, m + j] = s.sums[top, m + j] + start * s.sums[top, 2 * m + j]
        s.sums[row, 2 * m + j] = weight * (s.sums[top, 2 * m + j] / speed)
    s.event[row] = (s.share[n] + (s.due[n] - s.level[n]) * speed) / weight
