"""Several resources with guarantees and limits: guaranteed parts, then the rest in stages.

Every group with a guarantee of its own is filled like a cluster of its own, from the leaves up.
Then shares rise as without guarantees, in sweeps that stop at full limits: above these parts, or
from them on where weights divide the total.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import by_reference, inner
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.replay import Filled
from ....instances.hierarchy.replay_stage import Tree
from ..saturation import ROUNDING
from ..sweep import raise_all, raise_below
from ..sweep_state import Sweep, sweep_of, turns_of
from ..tree_layout import layout


def fill_by_stages(hierarchy: Hierarchy, tree: Tree) -> Filled:
    """Shares and guaranteed parts of all leaves. Nothing may be reserved."""
    need, leaf, order = tree.need, hierarchy.leaf, np.arange(hierarchy.nodes)
    limit = tree.limit.copy()
    guarantee = np.minimum(tree.guarantee, limit)
    most = np.minimum(tree.most, _within(limit[leaf], need))
    base = np.minimum(most, _within(guarantee[leaf], need))
    total = tree.total and bool(guarantee.any())
    guarantee[leaf] = 0.0
    limit[0] = 1.0
    places = layout(hierarchy)._replace(weight=tree.weight)
    sweep = sweep_of(
        places,
        need,
        most > 0,
        np.zeros(hierarchy.leaves),
        most.copy(),
        limit.copy(),
        base.copy() if total else None,
    )._replace(turns=turns_of(places, tree.rank), counted=hierarchy.counted)
    if guarantee.any():
        _guaranteed_parts(sweep, most, guarantee, limit, base, order.copy(), most.copy())
    _all_rooms(sweep, order, limit, limit, base)
    # What is counted apart from shares, and what they begin with.
    apart, first = (np.zeros_like(base), base) if total else (base, np.zeros_like(base))
    now, wanted = sweep.floor, np.maximum(0.0, most - apart)
    now[:], sweep.most[:] = first, wanted
    if total:
        sweep.standing[:] = base
    full = np.zeros(need.shape[1], dtype=np.bool_)
    while (sweep.rising & (now < sweep.most)).any():
        raised = now.copy()
        raise_all(sweep, order, raised)
        now[:] = raised
        if sweep.hit[0] < 0:
            break
        needed = (need[sweep.rising] > 0).any(axis=0)
        full |= needed & (now @ need >= sweep.room[0] - ROUNDING)
        full[sweep.hit[0]] = True
        sweep.rising[:] &= ~(need[:, full] > 0).any(axis=1)
    return Filled(np.where(now >= wanted, most, apart + now), base)


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
            if i >= 0 and s.total:
                s.floor[i] = s.standing[i] = raised[i] = base[i]
                s.most[i] = most[i]
            elif i >= 0:
                s.most[i] = max(0.0, most[i] - base[i])
        raise_below(s, order, count, raised)
        for at in range(count):
            i = tree.leaf_of[order[at]]
            if i >= 0:
                base[i] = raised[i] if s.total else base[i] + raised[i]


@by_reference
def _all_rooms(
    s: Sweep, order: IntArray, own: FloatArray, limit: FloatArray, base: FloatArray
) -> None:
    _rooms(s, order, len(order), own, limit, base)


@inner
def _rooms(
    s: Sweep, order: IntArray, count: int, own: FloatArray, limit: FloatArray, base: FloatArray
) -> None:
    """What may be used above guaranteed parts, or in total; of the first node's `own` limits."""
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
            s.room[n, j] = most if s.total else max(0.0, most - use)
