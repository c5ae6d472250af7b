"""Several resources with guarantees and limits: guaranteed parts, then the surplus in stages.

Every group with a guarantee of its own is filled like a cluster of its own, from the leaves up.
What is above these parts rises as without guarantees, in sweeps that stop at full limits. Weights
divide the surplus, and there is one class of siblings; `replay` knows the rest.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import by_reference, inner
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.quotas import DOMINANT, TOTAL, Quotas
from ..saturation import ROUNDING
from ..sweep import Sweep, raise_all, raise_below, sweep_of
from ..tree_layout import layout


def beyond_sweeps(hierarchy: Hierarchy, quotas: Quotas) -> str:
    """What quotas use that only `replay` knows; empty if there is nothing."""
    shared, among = hierarchy.parent[1:], np.zeros(hierarchy.nodes, dtype=np.int64)
    among[shared] = quotas.priority[1:]
    uses = {
        "weights that divide the total": quotas.surplus == TOTAL and quotas.guarantee.any(),
        f"shares of {quotas.shares} alone": quotas.shares != DOMINANT,
        "priorities": (quotas.priority[1:] != among[shared]).any(),
        "weights of 0": not (hierarchy.weight > 0).all(),
        "reserves": quotas.reserve.any(),
    }
    return ", ".join(what for what, used in uses.items() if used)


def fill_by_stages(hierarchy: Hierarchy, quotas: Quotas) -> tuple[FloatArray, FloatArray]:
    """Dominant shares and guaranteed parts of all leaves, both of shape (leaves,)."""
    tree, need, leaf = layout(hierarchy), hierarchy.normalised, hierarchy.leaf
    limit = quotas.limit / hierarchy.capacity
    guarantee = np.minimum(quotas.guarantee / hierarchy.capacity, limit)
    most = np.minimum(hierarchy.most_share, _within(limit[leaf], need))
    base = np.minimum(most, _within(guarantee[leaf], need))
    guarantee[leaf] = 0.0
    limit[0] = 1.0
    room, nothing = limit.copy(), np.zeros(hierarchy.leaves)
    sweep = sweep_of(tree, need, most > 0, nothing, most.copy(), room)
    nodes = np.arange(hierarchy.nodes)
    if guarantee.any():
        _guaranteed_parts(sweep, most, guarantee, limit, base, nodes.copy(), nothing.copy())
    _all_rooms(sweep, nodes, limit, limit, base)
    above, left = nothing, sweep.most
    left[:] = np.maximum(0.0, most - base)
    full = np.zeros(len(hierarchy.resources), dtype=np.bool_)
    while (sweep.rising & (above < left)).any():
        raised = above.copy()
        raise_all(sweep, nodes, raised)
        above[:] = raised
        if sweep.hit[0] < 0:
            break
        wanted = (need[sweep.rising] > 0).any(axis=0)
        full |= wanted & (above @ need >= room[0] - ROUNDING)
        full[sweep.hit[0]] = True
        sweep.rising[:] &= ~(need[:, full] > 0).any(axis=1)
    has_all = above >= np.maximum(0.0, most - base)
    return np.where(has_all, most, base + above), base


def _within(amounts: FloatArray, need: FloatArray) -> FloatArray:
    """Share of each leaf that amounts of all resources permit."""
    with np.errstate(divide="ignore", invalid="ignore"):
        permitted: FloatArray = np.where(need > 0, amounts / need, np.inf).min(axis=1)
    return permitted


@by_reference
def _guaranteed_parts(
    s: Sweep,
    most: FloatArray,
    guarantee: FloatArray,
    limit: FloatArray,
    base: FloatArray,
    order: IntArray,
    raised: FloatArray,
) -> None:
    """Fill groups that are guaranteed something, those inside first; `base` has what leaves have.

    What is above a group does not limit what it is guaranteed.
    """
    tree, m = s.tree, s.demand.shape[1]
    for group in range(len(tree.parent) - 1, 0, -1):
        stated = 0.0
        for j in range(m):
            stated += guarantee[group, j]
        if stated == 0 or tree.leaf_of[group] >= 0:
            continue
        order[0], count, at = group, 1, 0
        while at < count:
            n = order[at]
            at += 1
            for k in range(tree.first[n], tree.first[n] + tree.children[n]):
                order[count] = tree.child[k]
                count += 1
        _rooms(s, order, count, guarantee, limit, base)
        for at in range(count):
            i = tree.leaf_of[order[at]]
            if i >= 0:
                s.most[i] = max(0.0, most[i] - base[i])

        raise_below(s, order, count, raised)
        for at in range(count):
            i = tree.leaf_of[order[at]]
            if i >= 0:
                base[i] += raised[i]


@by_reference
def _all_rooms(
    s: Sweep, order: IntArray, own: FloatArray, limit: FloatArray, base: FloatArray
) -> None:
    _rooms(s, order, len(order), own, limit, base)


@inner
def _rooms(
    s: Sweep, order: IntArray, count: int, own: FloatArray, limit: FloatArray, base: FloatArray
) -> None:
    """What is left of limits above guaranteed parts; of the first node's `own` instead."""
    tree, m = s.tree, s.demand.shape[1]
    for at in range(count):
        for j in range(m):
            s.room[order[at], j] = 0.0
    for at in range(count - 1, -1, -1):
        n = order[at]
        i, up = tree.leaf_of[n], tree.parent[n]
        for j in range(m):
            use = s.room[n, j] if i < 0 else base[i] * s.demand[i, j]
            if at > 0:
                s.room[up, j] += use
            most = limit[n, j] if at > 0 else own[n, j]
            s.room[n, j] = max(0.0, most - use)
