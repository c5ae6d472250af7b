"""The exact allocation of a hierarchy with guarantees and limits.

Guarantees first, then the surplus by priority and weight, then weight 0;
docs/heuristics/limits.md states the model.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray
from ....core.notices import progress
from ....instances.hierarchy.allocation import SATISFIED, Allocation
from ....instances.hierarchy.hierarchy import Hierarchy
from ....instances.hierarchy.quotas import Quotas, check_feasible
from ....instances.hierarchy.replay import Filled, replay, tree_of
from ....instances.hierarchy.replay_stage import Tree
from .clamps import divide
from .stages import fill_by_stages

MANY = 3000
"""Nodes from which on a simulation event by event takes more than seconds."""


def feasible_quotas(hierarchy: Hierarchy, *, scale_guarantees: bool = False) -> Quotas:
    """The quotas, scaled where they promise more than there is if that is wanted.

    Raises `InputError` for promises that cannot be kept.
    """
    quotas = hierarchy.quotas or Quotas.none(hierarchy.nodes, len(hierarchy.resources))
    if scale_guarantees:
        quotas = quotas.scaled(hierarchy.capacity, hierarchy.parent, hierarchy.wanted)
    check_feasible(
        quotas,
        hierarchy.capacity,
        hierarchy.parent,
        hierarchy.resources,
        hierarchy.path,
        hierarchy.wanted,
    )
    return quotas


def exact_with_limits(hierarchy: Hierarchy, *, scale_guarantees: bool = False) -> Allocation:
    """Raises `InputError` for guarantees that do not fit, and for a leaf that does not need the one
    resource that counts.
    """
    quotas = feasible_quotas(hierarchy, scale_guarantees=scale_guarantees)
    if hierarchy.shares_each:
        return _allocation(hierarchy, "exact", *each_for_itself(hierarchy, quotas))
    tree = tree_of(hierarchy, quotas)
    if not quotas.reserve.any():
        return allocation_of(hierarchy, "exact", tree, fill_by_stages(hierarchy, tree))
    if hierarchy.nodes > MANY:
        progress(f"reserves: {hierarchy.nodes} nodes event by event, which can take minutes")
    return allocation_of(hierarchy, "exact", tree, replay(tree))


def allocation_of(hierarchy: Hierarchy, method: str, tree: Tree, filled: Filled) -> Allocation:
    """The allocation with given shares; leaves with all their tasks have exactly these."""
    tasks = np.where(filled.share >= tree.most, hierarchy.tasks, filled.share / tree.size)
    return _allocation(hierarchy, method, tasks, filled.guaranteed / tree.size)


def _allocation(
    hierarchy: Hierarchy, method: str, tasks: FloatArray, guaranteed: FloatArray
) -> Allocation:
    load = tasks @ hierarchy.demand / hierarchy.capacity
    needed = np.where(hierarchy.demand > 0, load, -1.0)
    left = tasks < hierarchy.tasks * (1 - 1e-12)
    return Allocation(
        hierarchy=hierarchy,
        method=method,
        tasks=tasks,
        weight=np.where(hierarchy.tasks > 0, hierarchy.weight[hierarchy.leaf], 0.0),
        bottleneck=np.where(left, needed.argmax(axis=1), SATISFIED),
        guaranteed_tasks=np.minimum(guaranteed, tasks),
    )


def each_for_itself(hierarchy: Hierarchy, quotas: Quotas) -> tuple[FloatArray, FloatArray]:
    """Tasks that the amounts of all resources permit, and guarantee, both of shape (leaves,)."""
    tasks, guaranteed = hierarchy.tasks.copy(), hierarchy.tasks.copy()
    for j, capacity in enumerate(hierarchy.capacity.tolist()):
        needs = hierarchy.demand[:, j] > 0
        divided = divide(hierarchy, quotas, j)
        per_task = hierarchy.demand[needs, j] / capacity
        for result, amount in ((tasks, divided.amount), (guaranteed, divided.guaranteed)):
            permitted = amount[hierarchy.leaf[needs]] / per_task
            result[needs] = np.minimum(result[needs], permitted)
    return tasks, guaranteed
