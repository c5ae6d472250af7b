"""Weighted dominant resource fairness [DRF] of a flat tree, the fluid version."""

from __future__ import annotations

import numpy as np

from ...core.arrays import FloatArray
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from .flatten import fill
from .saturation import Saturation


def drf(hierarchy: Hierarchy) -> Allocation:
    """All leaves compete with one another by their own weights; groups do not count."""
    return flat_allocation(hierarchy, "drf", hierarchy.weight[hierarchy.leaf])


def flat_allocation(hierarchy: Hierarchy, method: str, weight: FloatArray) -> Allocation:
    """Raise the dominant shares in the ratio of weights until every leaf is stopped.

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
