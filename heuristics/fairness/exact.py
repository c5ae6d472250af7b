"""The exact fluid allocation: flatten the tree again at every saturation.

In each stage all leaves that still rise follow their flat weights, and no leaf loses what it has.
When a resource is full, the leaves that need it are blocked, and the tree is flattened without
them. There are no more stages than resources. docs/heuristics/fairness.md proves that every
guarantee is met.
"""

from __future__ import annotations

import numpy as np

from ...instances.arrays import FloatArray
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .flatten import fill, flatten
from .saturation import Saturation
from .task_limits import limited_stage


def exact(hierarchy: Hierarchy) -> Allocation:
    """Compute the exact fluid allocation.

    Parameters
    ----------
    hierarchy
        The hierarchy.

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
    return limited_stage(tree, saturation.rising, share)
