"""The exact fluid allocation.

Without guarantees and limits the tree is flattened again at every saturation: in each stage all
leaves that still rise follow their flat weights, and no leaf loses what it has. When a resource is
full, the leaves that need it are blocked, and the tree is flattened without them. There are no more
stages than resources. docs/heuristics/fairness.md proves that every guarantee is met. Where tasks
or quotas limit somebody, shares rise from event to event; docs/heuristics/limits.md has that model.
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from ...core.arrays import FloatArray
from ...core.kernels.decorators import plain
from ...core.notices import progress
from ...instances.hierarchy.allocation import SATISFIED, Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.hierarchy.promises import feasible
from ...instances.hierarchy.quotas import SMALL, Quotas
from .flat import Saturation, fill, flatten
from .shares import fair_shares, raise_below, tree_of

MANY = 10_000
"""Nodes from which on to go event by event can take more than seconds."""


def exact(hierarchy: Hierarchy, *, scale_guarantees: bool = False) -> Allocation:
    """Compute the exact fluid allocation.

    Parameters
    ----------
    hierarchy
        The hierarchy. Its quotas hold: guarantees first, then the surplus by priority and weight.
    scale_guarantees
        Whether to scale guarantees that are more than there is; otherwise they are an error.

    Returns
    -------
    Allocation
        The allocation.

    Notes
    -----
    A stage in which nobody meets a limit is a weighted flat tree and costs O(nodes x resources);
    otherwise each event costs as much as the part of the tree that can still rise.
    """
    with plain() if hierarchy.nodes <= SMALL else nullcontext():
        if hierarchy.quotas is not None:
            return _with_quotas(hierarchy, scale_guarantees=scale_guarantees)
        share, weight = np.zeros(hierarchy.leaves), np.zeros(hierarchy.leaves)
        saturation = Saturation(hierarchy)
        while saturation.hungry.any():
            flat = flatten(hierarchy, saturation.hungry).weight
            weight[saturation.hungry] = flat[saturation.hungry]
            share = _stage(saturation, flat, share)
            saturation.update(share)
        return saturation.allocation("exact", share, weight)


def _stage(saturation: Saturation, flat: FloatArray, share: FloatArray) -> FloatArray:
    """Dominant shares when the next resource is full, or every leaf has all its tasks."""
    tree = saturation.hierarchy
    content = np.where(saturation.rising, tree.most_share, share)
    if np.isfinite(content).all() and (content @ tree.normalised <= 1).all():
        return content
    if (saturation.rising == saturation.hungry).all():
        level = fill(flat, tree.normalised, share, np.full(tree.leaves, np.inf))
        raised = np.maximum(share, level * flat)
        if (raised <= tree.most_share).all():
            return raised
    _tell_if_long(tree)
    plain_tree, _ = tree_of(tree, Quotas.none(tree.nodes, len(tree.resources)))
    raised, limit = share.copy(), plain_tree.limit
    limit[0] = 1.0
    none = np.zeros(tree.leaves)
    raise_below(plain_tree, 0, limit, none, raised, plain_tree.most, saturation.full)
    return raised


def _tell_if_long(tree: Hierarchy) -> None:
    if tree.nodes > MANY:
        progress(f"limits: {tree.nodes} nodes event by event, which can take minutes")


def _with_quotas(hierarchy: Hierarchy, *, scale_guarantees: bool) -> Allocation:
    """Raises `InputError` for guarantees that do not fit, and for a leaf that does not need the one
    resource that counts.
    """
    quotas = feasible(hierarchy, scale=scale_guarantees)
    _tell_if_long(hierarchy)
    tasks, guaranteed = hierarchy.tasks.copy(), hierarchy.tasks.copy()
    for only in range(len(hierarchy.resources)) if hierarchy.shares_each else (-1,):
        tree, size = tree_of(hierarchy, quotas, only)
        share, base = fair_shares(tree)
        needs = size > 0
        # A leaf with all its tasks has exactly these.
        short = needs & (share < hierarchy.tasks * size)
        tasks[short] = np.minimum(tasks[short], share[short] / size[short])
        guaranteed[needs] = np.minimum(guaranteed[needs], base[needs] / size[needs])
    load = tasks @ hierarchy.demand / hierarchy.capacity
    needed = np.where(hierarchy.demand > 0, load, -1.0)
    left = tasks < hierarchy.tasks * (1 - 1e-12)
    return Allocation(
        hierarchy=hierarchy,
        method="exact",
        tasks=tasks,
        weight=np.where(hierarchy.tasks > 0, hierarchy.weight[hierarchy.leaf], 0.0),
        bottleneck=np.where(left, needed.argmax(axis=1), SATISFIED),
        guaranteed_tasks=np.minimum(guaranteed, tasks),
    )
