"""What every node of an allocation uses, is guaranteed, may hold, and what limits it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.kernels.decorators import counted
from .hierarchy import Hierarchy
from .quotas import Quotas
from .subtree_sums import subtree_sums

FULL = 1e-9
"""Relative difference from which on nothing is left of a resource or limit."""


class NodeShares:
    """An allocation node by node, all amounts in the units of the capacity."""

    def __init__(
        self, tree: Hierarchy, tasks: FloatArray, guaranteed_tasks: FloatArray | None = None
    ) -> None:
        self.tree, self.tasks, self.guaranteed_tasks = tree, tasks, guaranteed_tasks
        self.quotas = tree.quotas or Quotas.none(tree.nodes, len(tree.resources))

    def _of_leaves(self, tasks: FloatArray) -> FloatArray:
        own = np.zeros((self.tree.nodes, len(self.tree.resources)))
        own[self.tree.leaf] = tasks[:, None] * self.tree.demand
        return own

    def _of_tasks(self, tasks: FloatArray) -> FloatArray:
        return subtree_sums(self.tree.parent, self._of_leaves(tasks))

    @cached_property
    def used(self) -> FloatArray:
        """What runs in each subtree, shape (nodes, resources)."""
        return self._of_tasks(self.tasks)

    @cached_property
    def guaranteed(self) -> FloatArray:
        """What of it stated guarantees give, shape (nodes, resources)."""
        stated = self.guaranteed_tasks
        return self._of_tasks(np.zeros(self.tree.leaves) if stated is None else stated)

    @cached_property
    def taken(self) -> FloatArray:
        """What is used or reserved in each subtree, shape (nodes, resources)."""
        if not self.quotas.reserve.any():
            return self.used
        own = self._of_leaves(self.tasks)
        taken: FloatArray = _taken(own, self.quotas.reserve, self.tree.parent)
        return taken

    @cached_property
    def kept(self) -> BoolArray:
        """Where a reserve is not used up: nothing above is full for those inside, like `taken`."""
        inside = self._of_leaves(self.tasks)
        np.add.at(inside, self.tree.parent[1:], self.taken[1:])
        kept: BoolArray = inside < self.quotas.reserve * (1 - FULL)
        return kept

    @cached_property
    def dominant_share(self) -> FloatArray:
        """Largest fraction of a resource that each subtree uses, shape (nodes,)."""
        share: FloatArray = (self.used / self.tree.capacity).max(axis=1)
        return share

    @cached_property
    def full(self) -> BoolArray:
        """Where a limit, or at the root the capacity, is full, shape (nodes, resources)."""
        most = self.quotas.limit.copy()
        most[0] = self.tree.capacity
        full: BoolArray = self.taken >= most * (1 - FULL)
        return full

    @cached_property
    def _has_all(self) -> BoolArray:
        """Whether all tasks run in each subtree, shape (nodes,)."""
        short = np.zeros((self.tree.nodes, 1))
        goal = self.tree.tasks * (1 - FULL)
        short[self.tree.leaf, 0] = self.tasks < goal
        has_all: BoolArray = subtree_sums(self.tree.parent, short)[:, 0] == 0
        return has_all

    @cached_property
    def _lacks(self) -> BoolArray:
        """Resources that some leaf of a subtree with tasks left needs, (nodes, resources)."""
        short = np.zeros(self.used.shape)
        left = self.tasks < self.tree.tasks * (1 - FULL)
        short[self.tree.leaf[left]] = self.tree.demand[left] > 0
        lacks: BoolArray = subtree_sums(self.tree.parent, short) > 0
        return lacks

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        below: dict[int, list[int]] = {}
        for n, up in enumerate(self.tree.parent.tolist()):
            below.setdefault(up, []).append(n)
        return below

    def limited_by(self, n: int) -> list[str]:
        """What stops a node: `tasks`, `capacity:cpu`, `limit:eng:cpu`, as many as there are.

        A group that nothing at or above it stops is stopped by the limits inside.
        """
        if self._has_all[n]:
            return ["tasks"]
        reasons, needs, up = [], self._lacks[n].copy(), n
        while up >= 0:
            for j in np.flatnonzero(self.full[up] & needs).tolist():
                name = self.tree.resources[j]
                place = f"limit:{self.tree.path(up)}:" if up else "capacity:"
                reasons.append(place + name)
            needs &= ~self.kept[up]
            up = int(self.tree.parent[up])
        reasons.reverse()
        if reasons:
            return reasons
        inside = []
        for c in self._children.get(n, []):
            if not self._has_all[c]:
                inside += self.limited_by(c)
        return list(dict.fromkeys(inside))

    def amounts(self, amounts: FloatArray, n: int) -> dict[str, float]:
        """Finite amounts of node `n` by resource."""
        return {
            name: amount
            for name, amount in zip(self.tree.resources, amounts[n].tolist(), strict=True)
            if np.isfinite(amount)
        }

    def document(self) -> dict[str, dict[str, Any]]:
        """What `slotwise/allocation/2` says of each node below the root, by path."""
        return {
            path: {
                "used": self.amounts(self.used, n),
                "guaranteed": self.amounts(self.guaranteed, n),
                "limit": self.amounts(self.quotas.limit, n),
                "dominant_share": float(self.dominant_share[n]),
                "limited_by": self.limited_by(n),
            }
            for n, path in enumerate(self.tree.node_paths)
            if n
        }


@counted
def _taken(own: FloatArray, reserve: FloatArray, parent: IntArray) -> FloatArray:
    taken = own.copy()
    for n in range(len(parent) - 1, -1, -1):
        for j in range(own.shape[1]):
            taken[n, j] = max(taken[n, j], reserve[n, j])
            if n > 0:
                taken[parent[n], j] += taken[n, j]
    return taken


def above_limits(tree: Hierarchy, tasks: FloatArray, tolerance: float = 1e-7) -> list[str]:
    """A line for every node that holds more than its limit, and for every overloaded resource."""
    shares = NodeShares(tree, tasks)
    most = shares.quotas.limit.copy()
    most[0] = tree.capacity
    lines = []
    for n, j in np.argwhere(shares.taken > most * (1 + tolerance) + 1e-12).tolist():
        holder = f"queue {tree.path(n)!r}" if n else "the cluster"
        what = "its limit" if n else "its capacity"
        lines.append(
            f"{holder}: {shares.taken[n, j]:.6g} of {tree.resources[j]}, "
            f"more than {what} of {most[n, j]:.6g}"
        )
    return lines
