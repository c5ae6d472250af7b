"""Hierarchical dominant resource fairness [H-DRF], and the naive adaptation of [DRF]: whole tasks.

From the root down, the unblocked child with the smallest dominant share over weight is chosen, the
first of equals; the leaf at the end gets one task. A leaf is blocked when its next task does not
fit or when it has none. In H-DRF the use of a group is computed from its children: those that can
still grow count as if scaled down to the one with the smallest dominant share over weight, so that
children of complementary demands do not penalise one another; blocked ones count in full. Full
resources are left out of dominant shares.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.errors import InputError
from ...core.kernels.decorators import counted
from ...instances.hierarchy.allocation import SATISFIED, Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .exact import exact

MOST_TASKS = 50_000_000
"""More tasks than this are not placed one by one."""

FITS = 1e-9
"""Tasks that exceed what is left by at most this fraction of the capacity fit."""

TIE = 1e-12
"""Dominant shares that differ by at most this fraction are equal."""


class Update(StrEnum):
    """What is computed again after a task: the path to the root, or every node of the tree."""

    PATH = "path"
    ALL = "all"


def hdrf(
    hierarchy: Hierarchy,
    *,
    running: FloatArray | None = None,
    update: Update | str = Update.PATH,
    set_apart: bool = True,
) -> Allocation:
    """H-DRF with rescaling to the smallest child.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    running
        Tasks that each leaf runs already, shape (leaves,).
    update
        With "path", a task costs the children of the groups on its way to the root, and each
        resource that fills up costs the whole tree once. With "all", every task costs the tree, as
        [MCH] assumes of H-DRF.
    set_apart
        If False, blocked nodes are treated like all others, the fault that [H-DRF] describes in its
        section on blocking.

    Returns
    -------
    Allocation
        The allocation.

    Raises
    ------
    InputError
        If there are more than `MOST_TASKS` tasks, or if what is running does not fit.
    """
    return _one_by_one(hierarchy, "hdrf", running, update, rescale=True, set_apart=set_apart)


def naive(
    hierarchy: Hierarchy,
    *,
    running: FloatArray | None = None,
    update: Update | str = Update.PATH,
) -> Allocation:
    """Give whole tasks to the child whose use has the smallest dominant share over weight.

    Hadoop and [Mesos] adapt [DRF] so: the dominant share of a group is that of all that its leaves
    use, without rescaling and with full resources. From an empty cluster it meets guarantees too.
    As tasks come and go, a leaf whose sibling holds all of another resource can starve.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    running
        Tasks that each leaf runs already, shape (leaves,).
    update
        As for `hdrf`.

    Returns
    -------
    Allocation
        The allocation.

    Raises
    ------
    InputError
        As for `hdrf`.
    """
    return _one_by_one(hierarchy, "naive", running, update, rescale=False, set_apart=False)


def _one_by_one(
    hierarchy: Hierarchy,
    method: str,
    running: FloatArray | None,
    update: Update | str,
    *,
    rescale: bool,
    set_apart: bool,
) -> Allocation:
    """Place whole tasks until no leaf can start another."""
    expected = float(exact(hierarchy).tasks.sum())
    if expected > MOST_TASKS:
        raise InputError(
            f"method {method}: about {expected:.2g} tasks to place one by one, more than "
            f"{MOST_TASKS:.2g}: use a fluid method, or larger tasks"
        )
    need = hierarchy.demand / hierarchy.capacity
    # Leaves by falling need of each resource: what is left of it blocks them in this order.
    order = np.ascontiguousarray(np.argsort(-need, axis=0, kind="stable").T)
    running = np.zeros(hierarchy.leaves) if running is None else np.asarray(running, dtype=float)
    if (running @ need > 1 + 1e-9).any() or (running > hierarchy.tasks).any():
        raise InputError(f"method {method}: more tasks running than there are, or than fit")
    count = np.bincount(hierarchy.parent[1:], minlength=hierarchy.nodes)
    leaf_of = np.full(hierarchy.nodes, -1, dtype=np.int64)
    leaf_of[hierarchy.leaf] = np.arange(hierarchy.leaves)
    tree = _Tree(
        hierarchy.parent,
        hierarchy.weight,
        leaf_of,
        hierarchy.leaf,
        np.concatenate(([0], np.cumsum(count))),
        np.argsort(hierarchy.parent[1:], kind="stable") + 1,
    )
    tasks, bottleneck = _place(
        tree,
        need,
        order,
        np.floor(hierarchy.tasks),
        running,
        rescale,
        set_apart,
        Update(update) is Update.ALL,
    )
    return Allocation(
        hierarchy=hierarchy,
        method=method,
        tasks=tasks,
        weight=np.where(hierarchy.tasks > 0, hierarchy.weight[hierarchy.leaf], 0.0),
        bottleneck=bottleneck,
        whole=True,
    )


class _Tree(NamedTuple):
    """The children of node n are `child[first[n] : first[n + 1]]`, in their own order."""

    parent: IntArray
    weight: FloatArray
    leaf_of: IntArray
    """Number of the leaf, -1 for a group."""
    leaf: IntArray
    first: IntArray
    child: IntArray


class _State(NamedTuple):
    """What is known of the nodes: use, dominant share over weight, and whether one is blocked."""

    use: FloatArray
    share: FloatArray
    blocked: BoolArray
    counted: BoolArray
    """Resources that dominant shares look at, shape (resources,)."""


@counted
def _place(
    t: _Tree,
    need: FloatArray,
    order: IntArray,
    most: FloatArray,
    running: FloatArray,
    rescale: bool,
    set_apart: bool,
    all_nodes: bool,
) -> tuple[FloatArray, IntArray]:
    """Tasks of the leaves and the resource that stopped each; needs are parts of the capacity."""
    nodes, (leaves, m) = len(t.parent), need.shape
    tasks, room, begun = running.copy(), np.ones(m), np.zeros(m, dtype=np.int64)
    bottleneck = np.full(leaves, SATISFIED, dtype=np.int64)
    s = _State(
        np.zeros((nodes, m)),
        np.zeros(nodes),
        np.zeros(nodes, dtype=np.bool_),
        np.ones(m, dtype=np.bool_),
    )
    for i in range(leaves):
        s.blocked[t.leaf[i]] = tasks[i] + 1 > most[i]
        for j in range(m):
            room[j] -= tasks[i] * need[i, j]
            s.use[t.leaf[i], j] = tasks[i] * need[i, j]
    every = True
    while True:
        # Leaves whose next task no longer fits, then resources that nobody can use any more.
        for j in range(m):
            while begun[j] < leaves and need[order[j, begun[j]], j] > room[j] + FITS:
                i = order[j, begun[j]]
                begun[j] += 1
                if not s.blocked[t.leaf[i]]:
                    bottleneck[i] = j
                    s.blocked[t.leaf[i]] = True
                    _update_path(t, s, t.leaf[i], rescale, set_apart)
            nobody = begun[j] == leaves or need[order[j, begun[j]], j] == 0
            if set_apart and s.counted[j] and nobody:
                s.counted[j], every = False, True
        if every or all_nodes:
            every = False
            for n in range(nodes - 1, -1, -1):
                _update(t, s, n, rescale, set_apart)
        if s.blocked[0]:
            return tasks, bottleneck
        n = 0
        while t.leaf_of[n] < 0:
            best = -1
            for c in t.child[t.first[n] : t.first[n + 1]]:
                if not s.blocked[c] and (
                    best < 0 or s.share[c] < s.share[best] - TIE * s.share[best]
                ):
                    best = c
            n = best
        i = t.leaf_of[n]
        tasks[i] += 1
        s.blocked[n] = tasks[i] + 1 > most[i]
        for j in range(m):
            room[j] -= need[i, j]
            s.use[n, j] = tasks[i] * need[i, j]
        if not all_nodes:
            _update_path(t, s, n, rescale, set_apart)


@counted
def _update_path(t: _Tree, s: _State, n: int, rescale: bool, set_apart: bool) -> None:
    while n >= 0:
        _update(t, s, n, rescale, set_apart)
        n = t.parent[n]


@counted
def _update(t: _Tree, s: _State, n: int, rescale: bool, set_apart: bool) -> None:
    """Use and dominant share of a node, from its children if it is a group."""
    m = s.use.shape[1]
    if t.leaf_of[n] < 0:
        least, blocked = np.inf, True
        for j in range(m):
            s.use[n, j] = 0.0
        for c in t.child[t.first[n] : t.first[n + 1]]:
            blocked &= s.blocked[c]
            # An inactive leaf, or an empty group, must not hold its siblings at nothing.
            if not (s.blocked[c] and (set_apart or s.share[c] == 0)):
                least = min(least, s.share[c])
        for c in t.child[t.first[n] : t.first[n + 1]]:
            scale = 1.0
            if rescale and s.share[c] > 0 and not (s.blocked[c] and set_apart):
                scale = least / s.share[c]
            for j in range(m):
                s.use[n, j] += scale * s.use[c, j]
        s.blocked[n] = blocked
    s.share[n] = 0.0
    for j in range(m):
        if s.counted[j]:
            s.share[n] = max(s.share[n], s.use[n, j] / t.weight[n])
