"""Flat weights: trees flattened, flat trees filled, and the methods that do both once.

[MCH] has the two steps. A group rises so that the dominant shares of its children rise in the ratio
of their weights. Its demand is the weighted sum of its children's normalised demands ([MCH],
equation (2)), and its mu is the largest entry of that. While the dominant share of the group is y,
a child of weight w has w y / mu. So at level x a leaf has x times its flat weight: the product of
all weights on its path from below the root, divided by the mu of all groups between it and the
root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.errors import InputError
from ...core.kernels.decorators import counted
from ...instances.hierarchy.allocation import SATISFIED, Allocation
from ...instances.hierarchy.hierarchy import Hierarchy

ROUNDING = 1e-12
"""A resource is full when no more than this fraction of it is left."""


def drf(hierarchy: Hierarchy) -> Allocation:
    """Weighted dominant resource fairness [DRF], fluid: leaves compete by their own weights."""
    return flat_allocation(hierarchy, "drf", hierarchy.weight[hierarchy.leaf])


def ch(hierarchy: Hierarchy, resource: str | None = None) -> Allocation:
    """Collapsed hierarchies [CH]: share by guarantees.

    The dominant shares rise in the ratio of the guarantees, or with `resource` the shares of that
    resource (C-CH and M-CH of [MCH], section IV-B). Leaves that do not need it rise by their
    dominant share.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    resource
        Name of a resource, or None.

    Returns
    -------
    Allocation
        The allocation.

    Raises
    ------
    InputError
        If the hierarchy does not have the resource.
    """
    weight, method = hierarchy.guarantee, "ch"
    if resource is not None:
        if resource not in hierarchy.resources:
            names = ", ".join(hierarchy.resources)
            raise InputError(f"unknown resource {resource!r}: the hierarchy has {names}")
        share = hierarchy.normalised[:, hierarchy.resources.index(resource)]
        weight = weight / np.where(share > 0, share, 1.0)
        method = f"ch by {resource}"
    return flat_allocation(hierarchy, method, weight)


def mch(hierarchy: Hierarchy) -> Allocation:
    """Multi-resource collapsed hierarchies as printed ([MCH], section III-A): flatten once.

    A leaf that needs the first saturated resource k' has as its flat weight the product of 1/mu
    over its groups (cases 1 and 2.2), any other leaf its own weight from the start (case 2.1). The
    paper does not say how to find k'; here it is the largest demand of the root. The paper has all
    weights 1; here others multiply along the path, and a leaf of case 2.1 keeps its own.
    """
    flat = flatten(hierarchy, hierarchy.tasks > 0)
    first_full = flat.root_demand.argmax()
    needs = hierarchy.demand[:, first_full] > 0
    return flat_allocation(
        hierarchy, "mch", np.where(needs, flat.weight, hierarchy.weight[hierarchy.leaf])
    )


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


class Saturation:
    """Full resources, rising leaves, and the resource that stopped each of the others.

    `rising`: leaves that need no full resource, shape (leaves,).
    `hungry`: those of them that have tasks left to run, shape (leaves,).
    `bottleneck`: resource that stopped each leaf, or `SATISFIED`, shape (leaves,).
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.full = np.zeros(len(hierarchy.resources), dtype=np.bool_)
        self.rising: BoolArray = hierarchy.tasks > 0
        self.hungry: BoolArray = self.rising.copy()
        self.bottleneck = np.full(hierarchy.leaves, SATISFIED, dtype=np.int64)

    def update(self, share: FloatArray) -> None:
        """After a stage, mark the fullest resource as full, unless every leaf has all its tasks."""
        needs = self.hierarchy.normalised > 0
        self.hungry = self.rising & (share < self.hierarchy.most_share)
        if not self.hungry.any():
            return
        load = share @ self.hierarchy.normalised
        # What filled up may be needed by leaves alone that have just got all their tasks.
        wanted = needs[self.rising].any(axis=0) & ~self.full
        newly = wanted & (load >= min(1.0, load[wanted].max()) - ROUNDING)
        self.full |= newly
        stopped = self.hungry & needs[:, newly].any(axis=1)
        self.bottleneck[stopped] = np.flatnonzero(newly)[needs[stopped][:, newly].argmax(axis=1)]
        self.rising &= ~needs[:, self.full].any(axis=1)
        self.hungry &= self.rising

    def allocation(self, method: str, share: FloatArray, weight: FloatArray) -> Allocation:
        tree = self.hierarchy
        all_run = share >= tree.most_share
        return Allocation(
            hierarchy=tree,
            method=method,
            tasks=np.where(all_run, tree.tasks, share / tree.task_share),
            weight=np.where(tree.tasks > 0, weight, 0.0),
            bottleneck=self.bottleneck,
        )


class Flat(NamedTuple):
    """Flat weight of each leaf, 0 where it does not rise, and the demand of the root."""

    weight: FloatArray
    root_demand: FloatArray


def flatten(hierarchy: Hierarchy, rising: BoolArray) -> Flat:
    leaf_of = np.full(hierarchy.nodes, -1, dtype=np.int64)
    leaf_of[hierarchy.leaf] = np.arange(hierarchy.leaves)
    return Flat(
        *_flatten(
            hierarchy.parent,
            hierarchy.weight,
            leaf_of,
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
