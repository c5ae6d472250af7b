"""The exact fluid allocation: flatten the tree again at every saturation.

In each stage all leaves that still rise follow their flat weights, and no leaf loses what it has.
When a resource is full, the leaves that need it are blocked, and the tree is flattened without
them. There are no more stages than resources. docs/heuristics/fairness.md proves that every
guarantee is met.
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np

from ...core.arrays import FloatArray
from ...core.kernels.decorators import plain
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import SMALL, Hierarchy
from .flatten import fill, flatten
from .limits.exact import exact_with_limits
from .saturation import Saturation
from .sweep import raise_all
from .sweep_state import sweep_of
from .tree_layout import layout


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
    Without task limits every stage is a weighted flat tree and costs O(nodes x resources). A stage
    in which leaves run out of tasks is swept from event to event; each event costs the logarithms
    of the groups' sizes on the path to the root.
    """
    with plain() if hierarchy.nodes <= SMALL else nullcontext():
        if hierarchy.quotas is not None:
            return exact_with_limits(hierarchy, scale_guarantees=scale_guarantees)
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
    raised, room = share.copy(), np.ones((1, len(tree.resources)))
    sweep = sweep_of(layout(tree), tree.normalised, saturation.rising, share, tree.most_share, room)
    raise_all(sweep, np.arange(tree.nodes), raised)
    return raised
