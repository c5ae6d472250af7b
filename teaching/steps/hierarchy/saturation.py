"""Which resources are full, and which leaves they stop."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray
from ....instances.hierarchy.allocation import SATISFIED, Allocation
from ....instances.hierarchy.hierarchy import Hierarchy

ROUNDING = 1e-12
"""A resource is full when no more than this part of it is left."""


class Saturation:
    """The state of a fluid allocation between its stages.

    `rising`: leaves that need no full resource.
    `hungry`: those of them that have tasks left.
    `full`: numbers of the full resources.
    `stopped_by`: the resource that stopped each leaf, or `SATISFIED`.
    """

    def __init__(self, tree: Hierarchy) -> None:
        self.tree = tree
        self.rising = [tasks > 0 for tasks in tree.tasks.tolist()]
        self.hungry = list(self.rising)
        self.full: set[int] = set()
        self.stopped_by = [SATISFIED] * tree.leaves

    def settle(self, share: list[float]) -> tuple[list[int], list[int]]:
        """After a stage: what is full now, and which leaves that stops.

        Returns resources and leaves; both are empty if all leaves that rose have all their tasks.
        """
        need = self.tree.normalised > 0
        most = self.tree.most_share.tolist()
        leaves = range(self.tree.leaves)
        self.hungry = [self.rising[i] and share[i] < most[i] for i in leaves]
        if not any(self.hungry):
            return [], []
        # Added up as the allocators do, so that both see the same resource as full.
        load = (np.array(share) @ self.tree.normalised).tolist()
        wanted = [
            j
            for j in range(len(load))
            if j not in self.full and any(self.hungry[i] and need[i, j] for i in leaves)
        ]
        fullest = min(1.0, max(load[j] for j in wanted))
        newly = [j for j in wanted if load[j] >= fullest - ROUNDING]
        stopped = [i for i in leaves if self.hungry[i] and any(need[i, j] for j in newly)]
        for i in stopped:
            self.stopped_by[i] = next(j for j in newly if need[i, j])
        self.full |= set(newly)
        self.rising = [r and not any(need[i, j] for j in self.full)
                       for i, r in enumerate(self.rising)]  # fmt: skip
        self.hungry = [h and r for h, r in zip(self.hungry, self.rising, strict=True)]
        return newly, stopped

    def allocation(self, method: str, share: list[float], weight: list[float]) -> Allocation:
        tree = self.tree
        shares: FloatArray = np.array(share, dtype=float)
        return Allocation(
            hierarchy=tree,
            method=method,
            tasks=np.where(shares >= tree.most_share, tree.tasks, shares / tree.task_share),
            weight=np.where(tree.tasks > 0, np.array(weight, dtype=float), 0.0),
            bottleneck=np.array(self.stopped_by, dtype=np.int64),
        )
