"""Fair shares with guarantees and limits by plain simulation: everything again at each event.

Slow and simple, for trees of some thousand nodes: the checker replays allocations by it, and it
computes what no sweep does. docs/heuristics/limits.md has the model.

In a stage the level of the root's children rises. The target of a child is its weight times the
level of its group; the level of a group is such that the group is charged its target. What a group
is charged for each unit of its children's level is the largest entry of what its rising children
need. A full resource of the cluster ends the stage. A full limit stops the leaves below it that
need the resource: they stand still, as leaves do whose tasks all run, for good.

All amounts are fractions of the capacity. Shares of leaves are counted above their guaranteed
parts where weights divide the surplus, and in total otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.errors import InputError
from ...core.kernels.decorators import by_reference, inner
from .hierarchy import Hierarchy
from .quotas import TOTAL, Quotas
from .replay_stage import Scratch, Tree, fit, scratch_of, stage


class Filled(NamedTuple):
    """Shares of all leaves and their guaranteed parts, both of shape (leaves,).

    Both are amounts of the resource that counts, as fractions of its capacity: the dominant one, or
    the one that is named.
    """

    share: FloatArray
    guaranteed: FloatArray


def tree_of(hierarchy: Hierarchy, quotas: Quotas) -> Tree:
    """Raises `InputError` for a leaf that does not need the one resource that counts."""
    need = hierarchy.demand / hierarchy.capacity
    counted_one = hierarchy.counted
    size = need.max(axis=1, initial=0.0) if counted_one < 0 else need[:, counted_one].copy()
    for i in np.flatnonzero(size <= 0)[:1]:
        raise InputError(
            f"leaf {hierarchy.paths[i]!r}: needs no {hierarchy.resources[counted_one]}, "
            "the one resource that shares count"
        )
    charged = np.ones(need.shape[1], dtype=np.bool_)
    if counted_one >= 0:
        charged[:] = False
        charged[counted_one] = True
    leaf_of = np.full(hierarchy.nodes, -1, dtype=np.int64)
    leaf_of[hierarchy.leaf] = np.arange(hierarchy.leaves)
    guarantee, limit = quotas.guarantee / hierarchy.capacity, quotas.limit / hierarchy.capacity
    if counted_one >= 0:  # What tasks take of the others comes with it.
        stated = guarantee[:, [counted_one]] > 0
        guarantee = np.where(charged, guarantee, np.where(stated, limit, 0.0))
    rank, weight = ranks(hierarchy.weight, quotas.priority)
    return Tree(
        parent=hierarchy.parent,
        weight=weight,
        rank=rank,
        leaf_of=leaf_of,
        need=need / size[:, None],
        size=size,
        most=hierarchy.tasks * size,
        charged=charged,
        guarantee=guarantee,
        limit=limit,
        reserve=quotas.reserve / hierarchy.capacity,
        total=quotas.surplus == TOTAL,
    )


def ranks(weight: FloatArray, priority: IntArray) -> tuple[IntArray, FloatArray]:
    """Class of each node, that of weight 0 below all, and the weight in its class."""
    last = int(priority.min(initial=0)) - 1
    return np.where(weight > 0, priority, last), np.where(weight > 0, weight, 1.0)


def replay(tree: Tree) -> Filled:
    """Guaranteed parts first, then stages until nobody can have more."""
    scratch = scratch_of(tree)
    _replay(tree, scratch)
    return Filled(scratch.share, scratch.base)


@by_reference
def _replay(tree: Tree, at: Scratch) -> None:
    leaves, m = tree.need.shape
    nodes = len(tree.parent)
    _guaranteed(tree, at)
    for i in range(leaves):
        at.share[i] = at.base[i]
    for n in range(nodes):
        at.inside[n] = True
        for j in range(m):
            at.limit[n, j] = tree.limit[n, j]
    while True:
        hungry = False
        for i in range(leaves):
            at.rising[i] = tree.most[i] > 0
            for j in range(m):
                if at.full[j] and tree.need[i, j] > 0:
                    at.rising[i] = False
            hungry = hungry or (at.rising[i] and at.share[i] < at.most[i])
        if not hungry:
            return
        for j in range(m):
            at.capacity[j] = 1.0
        newly = stage(tree, at, 0, at.base, at.share, at.most)
        if newly < 0:
            return
        at.full[newly] = True


@inner
def _guaranteed(tree: Tree, at: Scratch) -> None:
    """The guaranteed part of each leaf: what it would have if every guarantee were a cluster."""
    leaves, m = tree.need.shape
    nodes = len(tree.parent)
    base, inside = at.base, at.inside
    for n in range(nodes):
        i = tree.leaf_of[n]
        if i >= 0:
            base[i] = tree.most[i]
            for j in range(m):
                if tree.need[i, j] > 0:
                    own = min(tree.guarantee[n, j], tree.limit[n, j])
                    base[i] = min(base[i], own / tree.need[i, j])
    for j in range(m):
        at.capacity[j] = np.inf
    for n in range(nodes - 1, 0, -1):
        stated = False
        for j in range(m):
            stated = stated or tree.guarantee[n, j] > 0
        if tree.leaf_of[n] >= 0 or not stated:
            continue
        for c in range(nodes):
            inside[c] = c == n or (c > n and inside[tree.parent[c]])
            for j in range(m):
                at.limit[c, j] = tree.limit[c, j]
                if c == n:
                    at.limit[c, j] = min(tree.limit[c, j], tree.guarantee[c, j])
            i = tree.leaf_of[c]
            if i >= 0:
                at.rising[i] = inside[c] and tree.most[i] > 0
        for i in range(leaves):
            at.base_now[i], at.most_now[i] = base[i], tree.most[i]
        stage(tree, at, n, at.base_now, base, at.most_now)
    fit(tree.parent, tree.leaf_of, tree.need, tree.charged, tree.limit, base, at.target)
