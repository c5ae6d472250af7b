"""Weighted dominant resource fairness of a flat tree, the fluid version.

A. Ghodsi, M. Zaharia, B. Hindman, A. Konwinski, S. Shenker, I. Stoica, "Dominant resource fairness:
fair allocation of multiple resource types", NSDI 2011.
"""

from __future__ import annotations

import numpy as np

from ...instances.arrays import FloatArray
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .flatten import fill
from .saturation import Saturation


def drf(hierarchy: Hierarchy) -> Allocation:
    """All leaves compete with one another by their own weights; groups do not count."""
    return flat_allocation(hierarchy, "drf", hierarchy.weight[hierarchy.leaf])


def flat_allocation(hierarchy: Hierarchy, method: str, weight: FloatArray) -> Allocation:
    """Dominant shares rise in the ratio of `weight` (leaves,) until each leaf is stopped.

    A leaf is stopped when it has all its tasks or when a resource that it needs is full.
    """
    share, most = np.zeros(hierarchy.leaves), hierarchy.most_share
    saturation = Saturation(hierarchy)
    while saturation.hungry.any():
        rising = np.where(saturation.rising, weight, 0.0)
        level = fill(rising, hierarchy.normalised, share, most)
        # A leaf of the smallest weight has all its tasks at an infinite level too.
        share = (
            np.minimum(most, np.maximum(share, level * rising))
            if level < np.inf
            else np.where(saturation.rising, most, share)
        )
        saturation.update(share)
    return saturation.allocation(method, share, weight)
