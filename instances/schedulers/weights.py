"""Weights as a scheduler can hold them: integers, or none below one."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np

from ..arrays import FloatArray, IntArray
from ..hierarchy.hierarchy import Hierarchy

MOST_EXACT = 1000
"""Weights that are integers after multiplication by a number up to this are kept exactly."""


@dataclass(frozen=True)
class RoundedWeights:
    """Weights that a scheduler can hold.

    Parameters
    ----------
    weight
        Weight of each node, shape (nodes,).
    error
        Greatest relative change of a leaf's share of the whole.
    """

    weight: FloatArray
    error: float


def whole_weights(hierarchy: Hierarchy, most: int) -> RoundedWeights:
    """Scale each group of siblings by one factor and round to integers."""
    weight = hierarchy.weight.copy()
    weight[0] = 1.0
    for group in _sibling_groups(hierarchy):
        weight[group] = _whole(hierarchy.weight[group], most)
    return RoundedWeights(weight, share_error(hierarchy, weight))


def weights_from_one(hierarchy: Hierarchy) -> RoundedWeights:
    """Scale each group of siblings, if necessary, so that its least weight is 1."""
    weight = hierarchy.weight.copy()
    weight[0] = 1.0
    for group in _sibling_groups(hierarchy):
        weight[group] /= min(1.0, float(weight[group].min()))
    return RoundedWeights(weight, share_error(hierarchy, weight))


def share_error(hierarchy: Hierarchy, weight: FloatArray) -> float:
    """Greatest relative change of a leaf's share of the whole under other weights.

    Returns the change.
    """
    true, changed = (_shares(hierarchy, w)[hierarchy.leaf] for w in (hierarchy.weight, weight))
    return float(np.max(np.abs(changed / true - 1), initial=0.0))


def _shares(hierarchy: Hierarchy, weight: FloatArray) -> FloatArray:
    """Each node's share of the whole: the product, down the tree, of weight over siblings'."""
    parent = hierarchy.parent
    together = np.bincount(parent[1:], weights=weight[1:], minlength=hierarchy.nodes)
    share = np.ones(hierarchy.nodes)
    for n in range(1, hierarchy.nodes):
        share[n] = share[parent[n]] * weight[n] / together[parent[n]]
    return share


def _sibling_groups(hierarchy: Hierarchy) -> list[IntArray]:
    order = 1 + np.argsort(hierarchy.parent[1:], kind="stable")
    starts = np.flatnonzero(np.diff(hierarchy.parent[order])) + 1
    return [group for group in np.split(order, starts) if group.size]


def _whole(weight: FloatArray, most: int) -> FloatArray:
    for factor in range(1, MOST_EXACT + 1):
        scaled = weight * factor
        whole = np.rint(scaled)
        if np.all(np.abs(scaled - whole) <= 1e-9 * scaled):
            divisor = 1 if whole.max() <= most else gcd(*map(int, whole.tolist()))
            if whole.max() / divisor <= most:
                return whole / divisor
            break
    rounded: FloatArray = np.maximum(1.0, np.rint(weight / weight.max() * most))
    return rounded
