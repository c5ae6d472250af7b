"""Several resources with guarantees and limits: guaranteed parts, then the rest in stages.

Every group with a guarantee of its own is filled like a cluster of its own, from the leaves up.
Then shares rise as without guarantees, in sweeps that stop at full limits: above these parts, or
from them on where weights divide the total.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.kernels.decorators import by_reference, inner
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.replay import Filled
from ....instances.hierarchy.replay_stage import Tree, fit
from ..saturation import ROUNDING
from ..sweep import raise_below
from ..sweep_state import Sweep, in_turns, sweep_of
from ..tree_layout import layout


class _Stages(NamedTuple):
    """A sweep, what it is filled by, and scratch.

    `most`: with all tasks, within the limits of the leaves. `own`: what the leaves' own guarantees
    permit. `guarantee` and `limit`: of groups, fractions of the capacity. `base`, `share`: what is
    guaranteed to the leaves and what they have in the end.
    """

    sweep: Sweep
    most: FloatArray
    own: FloatArray
    guarantee: FloatArray
    limit: FloatArray
    base: FloatArray
    share: FloatArray
    any_stated: bool
    order: IntArray
    below: IntArray
    raised: FloatArray
    full: BoolArray
    needed: BoolArray
    charged: BoolArray


def fill_by_stages(hierarchy: Hierarchy, tree: Tree) -> Filled:
    """Shares and guaranteed parts of all leaves. Nothing may be reserved."""
    stages = _stages(hierarchy, tree)
    _fill(stages)
    return Filled(stages.share, stages.base)


def _stages(hierarchy: Hierarchy, tree: Tree) -> _Stages:
    need, leaf = tree.need, hierarchy.leaf
    limit = tree.limit.copy()
    guarantee = np.minimum(tree.guarantee, limit)
    most = np.minimum(tree.most, _within(limit[leaf], need))
    own = _within(guarantee[leaf], need)
    total = tree.total and bool(guarantee.any())
    guarantee[leaf] = 0.0
    limit[0] = 1.0
    nothing = np.zeros(hierarchy.leaves)
    places = layout(hierarchy)._replace(weight=tree.weight)
    sweep = sweep_of(
        places,
        need,
        most > 0,
        nothing,
        most.copy(),
        limit.copy(),
        nothing.copy() if total else None,
    )._replace(counted=hierarchy.counted)
    order, full = np.arange(hierarchy.nodes), np.zeros(need.shape[1], dtype=np.bool_)
    return _Stages(
        sweep=in_turns(sweep, tree.rank),
        most=most,
        own=own,
        guarantee=guarantee,
        limit=limit,
        base=nothing.copy(),
        share=nothing.copy(),
        any_stated=bool(guarantee.any()),
        order=order,
        below=order.copy(),
        raised=nothing.copy(),
        full=full,
        needed=full.copy(),
        charged=tree.charged,
    )


@by_reference
def _fill(stages: _Stages) -> None:
    s, most, base, full = stages.sweep, stages.most, stages.base, stages.full
    leaves, m = s.demand.shape
    for i in range(leaves):
        base[i] = min(most[i], stages.own[i])
        s.rising[i] = most[i] > 0
        s.floor[i] = 0.0
    if stages.any_stated:
        _guaranteed_parts(stages)
    fit(s.tree.parent, s.tree.leaf_of, s.demand, stages.charged, stages.limit, base, s.level)
    _rooms(s, stages.order, len(stages.order), stages.limit, stages.limit, base)
    for i in range(leaves):
        if s.total:
            s.floor[i] = s.standing[i] = base[i]
            s.most[i] = most[i]
        else:
            s.floor[i], s.most[i] = 0.0, max(0.0, most[i] - base[i])
        stages.raised[i] = s.floor[i]
    for j in range(m):
        full[j] = False
    while True:
        hungry = False
        for i in range(leaves):
            hungry = hungry or (s.rising[i] and s.floor[i] < s.most[i])
        if not hungry:
            break
        raise_below(s, stages.order, len(stages.order), stages.raised)
        for i in range(leaves):
            s.floor[i] = stages.raised[i]
        if s.hit[0] < 0:
            break
        _fill_up(stages)
    for i in range(leaves):
        apart = 0.0 if s.total else base[i]
        has_all = s.floor[i] >= max(0.0, most[i] - apart)
        stages.share[i] = most[i] if has_all else apart + s.floor[i]


@inner
def _fill_up(stages: _Stages) -> None:
    """After a stage, find the full resources, and block the leaves that need them."""
    s, full, needed = stages.sweep, stages.full, stages.needed
    leaves, m = s.demand.shape
    for j in range(m):
        load, needed[j] = 0.0, False
        for i in range(leaves):
            load += s.floor[i] * s.demand[i, j]
            needed[j] = needed[j] or (s.rising[i] and s.demand[i, j] > 0)
        if needed[j] and load >= s.room[0, j] - ROUNDING:
            full[j] = True
    full[s.hit[0]] = True
    for i in range(leaves):
        for j in range(m):
            if full[j] and s.demand[i, j] > 0:
                s.rising[i] = False


def _within(amounts: FloatArray, need: FloatArray) -> FloatArray:
    """Share of each leaf that amounts of all resources permit."""
    with np.errstate(divide="ignore", invalid="ignore"):
        permitted: FloatArray = np.where(need > 0, amounts / need, np.inf).min(axis=1)
    return permitted


@inner
def _guaranteed_parts(stages: _Stages) -> None:
    """Fill groups that are guaranteed something, those inside first; `base` has what leaves have.

    What is above a group does not limit what it is guaranteed.
    """
    s, most, base, order = stages.sweep, stages.most, stages.base, stages.below
    guarantee, raised = stages.guarantee, stages.raised
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
        _rooms(s, order, count, guarantee, stages.limit, base)
        for at in range(count):
            i = tree.leaf_of[order[at]]
            if i >= 0 and s.total:
                s.floor[i] = s.standing[i] = raised[i] = base[i]
                s.most[i] = most[i]
            elif i >= 0:
                s.most[i], raised[i] = max(0.0, most[i] - base[i]), 0.0
        raise_below(s, order, count, raised)
        for at in range(count):
            i = tree.leaf_of[order[at]]
            if i >= 0:
                base[i] = raised[i] if s.total else base[i] + raised[i]


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
