"""Hierarchical max-min fairness by linear programs: an independent check of `exact`."""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from ...core.errors import InputError
from ...formulations.hierarchy.fair_share.model import build, shares
from ...instances.hierarchy.allocation import SATISFIED, Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from ..backends.highs import linear_duals

PRICE = 1e-9
"""A resource stops a stage if more of it would raise the level by this fraction."""


def fair_share(hierarchy: Hierarchy) -> Allocation:
    """Compute the exact fluid allocation by one linear program per saturation.

    The duals of the capacities tell which resources are full; leaves that need them are blocked.

    Raises `InputError` if a task limit would bind, which these programs do not model.
    """
    floor = np.zeros(hierarchy.leaves)
    weight = np.zeros(hierarchy.leaves)
    bottleneck = np.full(hierarchy.leaves, SATISFIED, dtype=np.int64)
    rising = hierarchy.tasks > 0
    while rising.any():
        model = build(hierarchy, rising=rising, floor=floor)
        rows = list(model.F4_capacity.values())
        duals = linear_duals(model, rows)
        prices = {row.index(): abs(duals[row]) for row in rows}
        floor = shares(model, hierarchy, floor)
        level = max(pyo.value(model.level[0]), 1e-300)
        weight[rising] = [
            pyo.value(model.level[p]) for p in hierarchy.parent[hierarchy.leaf[rising]]
        ]
        weight[rising] *= hierarchy.weight[hierarchy.leaf[rising]] / level
        full = np.array(
            [prices.get(j, 0.0) > PRICE * level for j in range(len(hierarchy.resources))]
        )
        needs = hierarchy.normalised > 0
        stopped = rising & needs[:, full].any(axis=1)
        bottleneck[stopped] = np.flatnonzero(full)[needs[stopped][:, full].argmax(axis=1)]
        rising = rising & ~stopped
    for i in np.flatnonzero(floor > hierarchy.most_share)[:1]:
        raise InputError(
            f"leaf {hierarchy.paths[i]!r}: its task limit binds, and the linear programs know none"
        )
    return Allocation(hierarchy, "lp", floor / hierarchy.task_share, weight, bottleneck)
