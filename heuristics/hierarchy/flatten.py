"""A tree turned into flat weights, and a flat tree filled: the two steps of [MCH], compiled.

A group rises so that the dominant shares of its children rise in the ratio of their weights. Its
demand is the weighted sum of its children's normalised demands ([MCH], equation (2)), and its mu is
the largest entry of that. While the dominant share of the group is y, a child of weight w has w y /
mu. So at level x a leaf has x times its flat weight: the product of all weights on its path from
below the root, divided by the mu of all groups between it and the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.kernels.decorators import counted
from ...instances.hierarchy.hierarchy import Hierarchy
from .tree_layout import leaf_of


class Flat(NamedTuple):
    """Flat weight of each leaf, 0 where it does not rise, and the demand of the root."""

    weight: FloatArray
    root_demand: FloatArray


def flatten(hierarchy: Hierarchy, rising: BoolArray) -> Flat:
    return Flat(
        *_flatten(
            hierarchy.parent,
            hierarchy.weight,
            leaf_of(hierarchy),
            hierarchy.normalised,
            rising,
        )
    )


def fill(weight: FloatArray, normalised: FloatArray, floor: FloatArray, most: FloatArray) -> float:
    """Compute the level at which the first resource is full, infinite if none ever is.

    At a level, leaf i has the dominant share `min(most[i], max(floor[i], level * weight[i]))`.
    """
    return float(_fill(weight, normalised, floor, most))


@counted
def _flatten(
    parent: IntArray, weight: FloatArray, leaf_of: IntArray, demand: FloatArray, rising: BoolArray
) -> tuple[FloatArray, FloatArray]:
    nodes, resources = len(parent), demand.shape[1]
    total = np.zeros((nodes, resources))
    for n in range(nodes - 1, 0, -1):
        up, i = parent[n], leaf_of[n]
        if i >= 0:
            if rising[i]:
                for j in range(resources):
                    total[up, j] += weight[n] * demand[i, j]
        else:
            mu = total[n].max()
            if mu > 0:
                for j in range(resources):
                    total[up, j] += weight[n] * (total[n, j] / mu)
    flat = np.zeros(demand.shape[0])
    reach = np.zeros(nodes)
    reach[0] = 1.0
    for n in range(1, nodes):
        share, i = reach[parent[n]] * weight[n], leaf_of[n]
        if i >= 0:
            if rising[i]:
                flat[i] = share
        else:
            mu = total[n].max()
            if mu > 0:
                reach[n] = share / mu
    return flat, total[0].copy()


@counted
def _fill(weight: FloatArray, demand: FloatArray, floor: FloatArray, most: FloatArray) -> float:
    """Newton's method on a piecewise linear, increasing load, kept between a low and a high level.

    Without limits the load is convex and the steps go straight to the solution.
    """
    leaves, resources = demand.shape
    load, slope = np.zeros(resources), np.zeros(resources)
    top = 0.0
    for i in range(leaves):
        if weight[i] > 0:
            top = max(top, most[i] / weight[i])
            for j in range(resources):
                slope[j] += weight[i] * demand[i, j]
    # A resource that no rising leaf needs may be full already, give or take rounding.
    wanted = slope > 0
    level = np.inf
    for j in range(resources):
        if wanted[j]:
            level = min(level, 1.0 / slope[j])
    if level == np.inf:
        return level
    low, high = 0.0, np.inf
    for _ in range(200):
        load[:] = 0.0
        slope[:] = 0.0
        for i in range(leaves):
            share = max(floor[i], level * weight[i])
            moves = share > floor[i] and share < most[i]
            share = min(share, most[i])
            for j in range(resources):
                load[j] += share * demand[i, j]
                if moves:
                    slope[j] += weight[i] * demand[i, j]
        fullest = load[wanted].max()
        if fullest >= 1.0:
            high = level
        else:
            low = level
            if level >= top:
                return np.inf
        step = np.inf
        for j in range(resources):
            if slope[j] > 0:
                step = min(step, level + (1.0 - load[j]) / slope[j])
        if abs(step - level) <= 1e-14 * level:
            break
        if not (low < step < high):
            step = 2 * level if high == np.inf else 0.5 * (low + high)
            if step in (low, high):
                break
        level = step
    return level
