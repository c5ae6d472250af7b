"""What stopped each leaf while a fluid allocation is filled resource by resource."""

from __future__ import annotations

import numpy as np

from ...core.arrays import BoolArray, FloatArray
from ...instances.hierarchy.allocation import SATISFIED, Allocation
from ...instances.hierarchy.hierarchy import Hierarchy

ROUNDING = 1e-12
"""A resource is full when no more than this fraction of it is left."""


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
