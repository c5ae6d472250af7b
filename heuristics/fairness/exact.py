"""The exact fluid allocation: flatten the tree again at every saturation.

In each stage all leaves that still rise follow their flat weights, and nobody falls below what it
has. When a resource is full, the leaves that need it are blocked, and the tree is flattened without
them. There are no more stages than resources. docs/fairness.md proves that every guarantee is met.
"""

from __future__ import annotations

import numpy as np

from ...instances.arrays import FloatArray
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .flatten import fill, flatten
from .saturation import Stops
from .task_limits import limited_stage


def exact(hierarchy: Hierarchy) -> Allocation:
    """The fluid allocation that raises all leaves as the tree wants it.

    Without task limits, every stage is a weighted flat tree, O(nodes x resources). A stage in
    which leaves run out of tasks is swept from event to event, each at the cost of the logarithms
    of the groups' sizes on the path to the root.
    """
    share, weight = np.zeros(hierarchy.leaves), np.zeros(hierarchy.leaves)
    stops = Stops(hierarchy)
    while stops.hungry.any():
        flat = flatten(hierarchy, stops.hungry).weight
        weight[stops.hungry] = flat[stops.hungry]
        share = _stage(stops, flat, share)
        stops.update(share)
    return stops.allocation("exact", share, weight)


def _stage(stops: Stops, flat: FloatArray, share: FloatArray) -> FloatArray:
    """Dominant shares when the next resource is full, or every leaf has all its tasks."""
    tree = stops.hierarchy
    content = np.where(stops.rising, tree.most_share, share)
    if np.isfinite(content).all() and (content @ tree.normalised <= 1).all():
        return content
    if (stops.rising == stops.hungry).all():
        level = fill(flat, tree.normalised, share, np.full(tree.leaves, np.inf))
        raised = np.maximum(share, level * flat)
        if (raised <= tree.most_share).all():
            return raised
    return limited_stage(tree, stops.rising, share)
