"""Weights as a scheduler can hold them: integers, or none below one."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ..hierarchy import Hierarchy

MOST_EXACT = 1000
"""Weights that are integers after multiplication by a number up to this are kept exactly."""


@dataclass(frozen=True)
class RoundedWeights:
    """Weights that a scheduler can hold."""

    weight: FloatArray
    """Weight of each node, shape (nodes,)."""
    error: float
    """Greatest relative change of a leaf's share of the whole."""


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
        positive = weight[group][weight[group] > 0]
        weight[group] /= min(1.0, float(positive.min(initial=1.0)))
    return RoundedWeights(weight, share_error(hierarchy, weight))


def share_error(hierarchy: Hierarchy, weight: FloatArray) -> float:
    """Greatest relative change of a leaf's share of the whole under other weights.

    Returns the change.
    """
    true, changed = (_shares(hierarchy, w)[hierarchy.leaf] for w in (hierarchy.weight, weight))
    some = true > 0
    return float(np.max(np.abs(changed[some] / true[some] - 1), initial=0.0))


def sum_of_children(hierarchy: Hierarchy, amount: FloatArray) -> FloatArray:
    """The sum over the children of each node, shape (nodes,)."""
    found = np.zeros(hierarchy.nodes)
    np.add.at(found, hierarchy.parent[1:], amount[1:])
    return found


def implied_amounts(hierarchy: Hierarchy) -> FloatArray:
    """What the weights of all siblings, busy or not, give each node, shape (nodes, resources)."""
    found = _shares(hierarchy, hierarchy.weight)[:, None] * hierarchy.capacity
    return np.asarray(found, dtype=float)


def _shares(hierarchy: Hierarchy, weight: FloatArray) -> FloatArray:
    """Each node's share of the whole: the product, down the tree, of weight over siblings'."""
    parent = hierarchy.parent
    together = sum_of_children(hierarchy, weight)
    together[together == 0] = 1.0
    share = np.ones(hierarchy.nodes)
    for n in range(1, hierarchy.nodes):
        share[n] = share[parent[n]] * weight[n] / together[parent[n]]
    return share


def _sibling_groups(hierarchy: Hierarchy) -> list[IntArray]:
    order = 1 + np.argsort(hierarchy.parent[1:], kind="stable")
    starts = np.flatnonzero(np.diff(hierarchy.parent[order])) + 1
    return [group for group in np.split(order, starts) if group.size]


def _whole(weight: FloatArray, most: int) -> FloatArray:
    """Whole weights; 0 stays 0."""
    if not weight.any():
        return weight
    for factor in range(1, MOST_EXACT + 1):
        scaled = weight * factor
        whole = np.rint(scaled)
        if np.all(np.abs(scaled - whole) <= 1e-9 * scaled):
            divisor = 1 if whole.max() <= most else gcd(*map(int, whole.tolist()))
            if whole.max() / divisor <= most:
                return whole / divisor
            break
    least = np.where(weight > 0, 1.0, 0.0)
    rounded: FloatArray = np.maximum(least, np.rint(weight / weight.max() * most))
    return rounded
