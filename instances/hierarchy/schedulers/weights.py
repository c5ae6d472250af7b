"""What the weights of siblings say: parts of the whole, or none of them below one."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray
from ..hierarchy import Hierarchy


def weights_from_one(hierarchy: Hierarchy) -> FloatArray:
    """The weight of each node, shape (nodes,); each group of siblings, if its least is below 1, is
    scaled to a least weight of 1.
    """
    weight = hierarchy.weight.copy()
    weight[0] = 1.0
    order = 1 + np.argsort(hierarchy.parent[1:], kind="stable")
    starts = np.flatnonzero(np.diff(hierarchy.parent[order])) + 1
    for group in np.split(order, starts):
        positive = weight[group][weight[group] > 0]
        weight[group] /= min(1.0, float(positive.min(initial=1.0)))
    return weight


def sum_of_children(hierarchy: Hierarchy, amount: FloatArray) -> FloatArray:
    """The sum over the children of each node, shape (nodes,)."""
    found = np.zeros(hierarchy.nodes)
    np.add.at(found, hierarchy.parent[1:], amount[1:])
    return found


def implied_amounts(hierarchy: Hierarchy) -> FloatArray:
    """What the weights of all siblings, busy or not, give each node, shape (nodes, resources)."""
    parent, weight = hierarchy.parent, hierarchy.weight
    together = sum_of_children(hierarchy, weight)
    together[together == 0] = 1.0
    share = np.ones(hierarchy.nodes)
    for n in range(1, hierarchy.nodes):
        share[n] = share[parent[n]] * weight[n] / together[parent[n]]
    return np.asarray(share[:, None] * hierarchy.capacity, dtype=float)
