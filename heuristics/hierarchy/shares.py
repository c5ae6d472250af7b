"""Fair shares of a tree of queues: guarantees first, then the surplus event by event, compiled.

One engine for weights, guarantees, limits, reserves, priorities and weight 0, whether weights
divide the surplus or everything, by one resource or the dominant one. docs/heuristics/limits.md has
the model.

A stage raises the level of the children of a group. A child's target is its weight times the level
of its group; a group's level is such that the largest counted entry of what its rising children
need is its target. All of this is linear between events: a target comes to what a node waits for, a
reserve is used up, or a limit is full. A full limit stops the leaves below it that need the
resource, a full resource of the cluster ends the stage; neither is full for a leaf inside a reserve
that is not used up.

Amounts are fractions of the capacity. Shares are counted above the guaranteed parts where weights
divide the surplus, and in total otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.errors import InputError
from ...core.kernels.decorators import counted
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.hierarchy.quotas import TOTAL, Quotas

WAITS, HELD, RISES, STILL = 0, 1, 2, 3
"""States: on the guaranteed part, on what it had, rising, and a leaf that is stopped for good."""

LAST = int(np.iinfo(np.int64).min)
"""A class below all."""

CLOSE = 1e-12
"""Part of a reserve that counts as none."""


class Tree(NamedTuple):
    """What the engine knows of a tree; arrays over nodes but for those of leaves."""

    parent: IntArray
    weight: FloatArray
    rank: IntArray
    """Class among the siblings; the highest goes first."""
    leaf_of: IntArray
    """Number of the leaf, -1 for a group."""
    need: FloatArray
    """Of each leaf per unit of share, shape (leaves, resources)."""
    most: FloatArray
    """Share of each leaf with all its tasks, shape (leaves,)."""
    charged: BoolArray
    """Resources that count as a charge, shape (resources,)."""
    guarantee: FloatArray
    limit: FloatArray
    reserve: FloatArray
    """`guarantee`, `limit`, `reserve`: shape (nodes, resources)."""
    total: bool
    """Whether weights divide everything, not what lies above the guarantees."""


def tree_of(hierarchy: Hierarchy, quotas: Quotas, only: int = -1) -> tuple[Tree, FloatArray]:
    """The tree, of the resource `only` if that is not -1, and the share of one task of each leaf.

    A share is a part of the resource that counts: the dominant one, or the one that is named.
    Raises `InputError` for a leaf that does not need the named one.
    """
    chosen = slice(None) if only < 0 else slice(only, only + 1)
    capacity, counts = hierarchy.capacity[chosen], hierarchy.counted if only < 0 else 0
    part = hierarchy.demand[:, chosen] / capacity
    size = part.max(axis=1, initial=0.0) if counts < 0 else part[:, counts].copy()
    idle = size <= 0
    if only < 0:
        for i in np.flatnonzero(idle)[:1]:
            raise InputError(
                f"leaf {hierarchy.paths[i]!r}: needs no {hierarchy.resources[counts]}, "
                "the one resource that shares count"
            )
    guarantee, limit = quotas.guarantee[:, chosen] / capacity, quotas.limit[:, chosen] / capacity
    charged = np.ones(len(capacity), dtype=np.bool_)
    if counts >= 0:  # What tasks take of the others comes with it.
        charged = np.arange(len(capacity)) == counts
        stated = guarantee[:, [counts]] > 0
        guarantee = np.where(charged, guarantee, np.where(stated, limit, 0.0))
    need = np.where(idle[:, None], 1.0, part / np.where(idle, 1.0, size)[:, None])
    most = np.where(idle, 0.0, hierarchy.tasks * np.where(idle, 1.0, size))
    with np.errstate(divide="ignore", invalid="ignore"):
        within = np.where(need > 0, limit[hierarchy.leaf] / need, np.inf).min(axis=1)
    leaf_of = np.full(hierarchy.nodes, -1, dtype=np.int64)
    leaf_of[hierarchy.leaf] = np.arange(hierarchy.leaves)
    last = int(quotas.priority.min(initial=0)) - 1
    made = Tree(
        parent=hierarchy.parent,
        weight=np.where(hierarchy.weight > 0, hierarchy.weight, 1.0),
        rank=np.where(hierarchy.weight > 0, quotas.priority, last),
        leaf_of=leaf_of,
        need=np.ascontiguousarray(need),
        most=np.minimum(most, within),
        charged=charged,
        guarantee=np.ascontiguousarray(np.minimum(guarantee, limit)),
        limit=np.ascontiguousarray(limit),
        reserve=np.ascontiguousarray(quotas.reserve[:, chosen] / capacity),
        total=quotas.surplus == TOTAL,
    )
    return made, size


@counted
def fair_shares(t: Tree) -> tuple[FloatArray, FloatArray]:
    """Shares of all leaves and their guaranteed parts, both of shape (leaves,).

    Every group with a guarantee of its own is filled like a cluster of its own, those inside first.
    """
    base, limit = t.most.copy(), t.limit.copy()
    (nodes, m), leaves = t.guarantee.shape, len(base)
    full = np.zeros(m, dtype=np.bool_)
    for n in range(nodes):
        i = t.leaf_of[n]
        if i >= 0:
            for j in range(m):
                if t.need[i, j] > 0:
                    base[i] = min(base[i], t.guarantee[n, j] / t.need[i, j])
    for n in range(nodes - 1, 0, -1):
        if t.leaf_of[n] < 0 and t.guarantee[n].max() > 0:
            limit[n] = t.guarantee[n]
            raise_below(t, n, limit, base.copy(), base, t.most.copy(), full)
            limit[n] = t.limit[n]
    fit(t, base)
    share, most = base.copy(), t.most.copy()
    limit[0] = 1.0
    for _ in range(m + leaves * m):
        j = raise_below(t, 0, limit, base, share, most, full)
        if j < 0:
            break
        full[j] = True
    return share, base


@counted
def fit(t: Tree, base: FloatArray) -> None:
    """Cut guaranteed parts to what limits and reserves leave of resources that do not count.

    All below a limit lose the same part of what they need beyond their reserves, from the lowest
    limits up.
    """
    nodes = len(t.parent)
    for j in range(len(t.charged)):
        if t.charged[j]:
            continue
        # Of each node: what is reserved, what is used with it, and the sums of its children.
        kept, used = np.zeros(nodes), np.zeros(nodes)
        kept_below, used_below = np.zeros(nodes), np.zeros(nodes)
        for n in range(nodes - 1, -1, -1):
            i = t.leaf_of[n]
            if i >= 0:
                used_below[n] = base[i] * t.need[i, j]
            most = t.limit[n, j] if n > 0 else 1.0
            kept[n] = min(max(kept_below[n], t.reserve[n, j]), most)
            used[n] = min(max(used_below[n], t.reserve[n, j]), most)
            if n > 0:
                kept_below[t.parent[n]] += kept[n]
                used_below[t.parent[n]] += used[n]
        for n in range(nodes):
            if n > 0:
                up = t.parent[n]
                beyond = used_below[up] - kept_below[up]
                if used_below[up] > used[up] and beyond > 0:
                    part = max(used[up] - kept_below[up], 0.0) / beyond
                    used[n] = kept[n] + part * (used[n] - kept[n])
            i = t.leaf_of[n]
            if i >= 0 and used_below[n] > used[n]:
                base[i] *= used[n] / used_below[n]


@counted
def raise_below(
    t: Tree,
    top: int,
    limit: FloatArray,
    base: FloatArray,
    share: FloatArray,
    most: FloatArray,
    full: BoolArray,
) -> int:
    """Raise the level of the children of `top`; the resource of the cluster that is full, or -1.

    `share` and `most` are changed: a leaf below a full limit gets no more than it has. `full`:
    resources of the cluster, whose leaves do not rise.
    """
    nodes, m = t.guarantee.shape
    live, count = np.empty(nodes, dtype=np.int64), 0
    inside = np.zeros(nodes, dtype=np.bool_)
    for n in range(top, nodes):
        inside[n] = n == top or (n > top and inside[t.parent[n]])
        if inside[n]:
            live[count] = n
            count += 1
    used, held = np.zeros((nodes, m)), np.zeros((nodes, m))
    reached, shielded = np.ones((nodes, m), dtype=np.bool_), np.zeros((nodes, m), dtype=np.bool_)
    start, target, state = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes, dtype=np.int64)
    apart = np.zeros(len(base)) if t.total else base
    for at in range(count - 1, 0, -1):
        n = live[at]
        i, up = t.leaf_of[n], t.parent[n]
        for j in range(m):
            if i >= 0:
                used[n, j], held[n, j] = share[i] * t.need[i, j], base[i] * t.need[i, j]
            if t.total and t.charged[j]:
                start[n] = max(start[n], held[n, j])
            reached[n, j] = used[n, j] >= t.reserve[n, j] * (1 - CLOSE)
            used[up, j] += max(used[n, j], t.reserve[n, j])
            held[up, j] += max(held[n, j], t.reserve[n, j])
    state[top] = RISES
    for at in range(1, count):
        n = live[at]
        i = t.leaf_of[n]
        state[n] = WAITS if start[n] > 0 else (RISES if i < 0 else HELD)
        for j in range(m):
            shielded[n, j] = shielded[t.parent[n], j] or not reached[n, j]
            if i >= 0 and full[j] and t.need[i, j] > 0 and not shielded[n, j]:
                state[n] = STILL
        if i >= 0:
            if most[i] <= 0:
                state[n] = STILL
            elif state[n] == HELD and share[i] - apart[i] <= 0:
                state[n] = RISES if share[i] < most[i] else STILL
    need, eat = np.zeros((nodes, m)), np.zeros((nodes, m))
    first, level, speed = np.zeros(nodes, dtype=np.int64), np.zeros(nodes), np.zeros(nodes)
    awake, moving = np.zeros(nodes, dtype=np.bool_), np.zeros(nodes, dtype=np.bool_)
    stopped = np.zeros(nodes, dtype=np.bool_)
    charge, wait = np.zeros(nodes), np.zeros(nodes)
    while True:
        # From the leaves up: who can still rise, the class that goes first, and what it needs.
        for at in range(count):
            n = live[at]
            awake[n], moving[n], first[n] = False, False, LAST
            for j in range(m):
                need[n, j] = eat[n, j] = 0.0
        passing = False
        for at in range(count - 1, -1, -1):
            n = live[at]
            i, up = t.leaf_of[n], t.parent[n]
            awake[n] = awake[n] or (i >= 0 and state[n] != STILL)
            if not awake[n]:
                continue
            if i < 0:
                charge[n] = 1e-300
                for j in range(m):
                    if t.charged[j]:
                        charge[n] = max(charge[n], need[n, j])
                if state[n] == RISES and not moving[n]:
                    passing, charge[n] = True, 1.0
            if n == top:
                break
            awake[up] = True
            if t.rank[n] > first[up]:
                first[up], moving[up] = t.rank[n], False
                for j in range(m):
                    need[up, j] = eat[up, j] = 0.0
            if t.rank[n] == first[up] and state[n] != WAITS:
                moving[up] = True
                for j in range(m):
                    if i >= 0:
                        wants = t.need[i, j]
                        takes = wants if state[n] == RISES else 0.0
                    else:
                        wants, takes = need[n, j] / charge[n], eat[n, j] / charge[n]
                    need[up, j] += t.weight[n] * wants
                    if reached[n, j]:
                        eat[up, j] += t.weight[n] * takes
        if not awake[top]:
            return -1
        if passing:
            _pass_levels(t, live[:count], state, awake, moving, first, start, target, share, most)
            continue
        # From the root down: how fast targets rise, and the first event.
        step, hit, hit_j, kept = np.inf, -1, -1, 0
        for at in range(count):
            n = live[at]
            if not awake[n]:
                continue
            live[kept] = n
            kept += 1
            i, up = t.leaf_of[n], t.parent[n]
            level[n], wait[n] = 1.0, np.inf
            if n != top:
                speed[n] = t.weight[n] * level[up] if t.rank[n] == first[up] else 0.0
                level[n] = speed[n] / charge[n] if i < 0 and state[n] == RISES else 0.0
                if speed[n] > 0:
                    if state[n] == WAITS:
                        wait[n] = (start[n] - target[n]) / speed[n]
                    elif i >= 0 and state[n] == HELD:
                        wait[n] = (share[i] - apart[i] - target[n]) / speed[n]
                    elif i >= 0:
                        wait[n] = (most[i] - share[i]) / speed[n]
                    wait[n] = max(wait[n], 0.0)
                if wait[n] < step:
                    step, hit = wait[n], -1
            for j in range(m):
                rate = eat[n, j] * level[n]
                if i >= 0:
                    rate = t.need[i, j] * speed[n] if state[n] == RISES else 0.0
                if rate > 0:
                    room = limit[n, j] if reached[n, j] else t.reserve[n, j]
                    if i >= 0 and reached[n, j]:
                        room = np.inf  # The limit of a leaf is in what it has at most.
                    if max(room - used[n, j], 0.0) / rate < step:
                        step, hit, hit_j = max(room - used[n, j], 0.0) / rate, n, j
        count = kept
        if step == np.inf:
            return -1
        for at in range(count):
            n = live[at]
            i = t.leaf_of[n]
            for j in range(m):
                if i < 0:
                    used[n, j] += step * eat[n, j] * level[n]
                elif state[n] == RISES:
                    used[n, j] += step * t.need[i, j] * speed[n]
            if n == top or speed[n] <= 0:
                continue
            due, was = wait[n] <= step, state[n]
            target[n] += step * speed[n]
            if was == RISES and i >= 0:
                share[i] = most[i] if due else min(most[i], share[i] + step * speed[n])
                state[n] = STILL if due else RISES
            elif due and was == WAITS:
                target[n] = start[n]
                state[n] = RISES if i < 0 else HELD
                if i >= 0 and share[i] <= start[n]:
                    state[n] = RISES if share[i] < most[i] else STILL
            elif due:
                target[n] = share[i] - apart[i]
                state[n] = RISES if share[i] < most[i] else STILL
        if hit < 0:
            continue
        if not reached[hit, hit_j]:
            reached[hit, hit_j] = True
            used[hit, hit_j] = t.reserve[hit, hit_j]
        elif hit == 0:
            return hit_j
        else:
            used[hit, hit_j] = limit[hit, hit_j]
            for at in range(count):
                n = live[at]
                i = t.leaf_of[n]
                stopped[n] = n == hit or (n > hit and stopped[t.parent[n]] and reached[n, hit_j])
                if i >= 0 and stopped[n] and t.need[i, hit_j] > 0:
                    most[i] = share[i]
                    state[n] = STILL if state[n] == RISES else state[n]


@counted
def _pass_levels(
    t: Tree,
    live: IntArray,
    state: IntArray,
    awake: BoolArray,
    moving: BoolArray,
    first: IntArray,
    start: FloatArray,
    target: FloatArray,
    share: FloatArray,
    most: FloatArray,
) -> None:
    """Pass, free of charge, the levels of groups at which none of their children has begun."""
    least = np.full(len(t.parent), np.inf)
    for begins in (False, True):
        for n in live[1:]:
            up, i = t.parent[n], t.leaf_of[n]
            if not awake[n] or t.rank[n] != first[up]:
                continue
            level = (start[n] - target[n]) / t.weight[n]
            if not begins:
                if state[up] == RISES and not moving[up]:
                    least[up] = min(least[up], level)
            elif least[up] == np.inf:
                continue
            elif level > least[up]:
                target[n] += least[up] * t.weight[n]
            else:
                target[n] = start[n]
                state[n] = RISES if i < 0 else HELD
                if i >= 0 and share[i] <= start[n]:
                    state[n] = RISES if share[i] < most[i] else STILL
