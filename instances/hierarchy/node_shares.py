"""What every node of an allocation uses, is guaranteed, may hold, and what limits it."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...core.arrays import BoolArray, FloatArray
from .hierarchy import Hierarchy
from .promises import kept_quotas
from .quotas import Quotas, sums_below

FULL = 1e-9
"""Relative difference from which on nothing is left of a resource or limit."""


class NodeShares:
    """An allocation node by node, all amounts in the units of the capacity."""

    def __init__(
        self, tree: Hierarchy, tasks: FloatArray, guaranteed_tasks: FloatArray | None = None
    ) -> None:
        self.tree, self.tasks, self.guaranteed_tasks = tree, tasks, guaranteed_tasks
        self.quotas = tree.quotas or Quotas.none(tree.nodes, len(tree.resources))
        self.most = self.quotas.limit.copy()
        """What each node may hold, the root the capacity, shape (nodes, resources)."""
        self.most[0] = tree.capacity

    def _below(
        self, of_leaves: FloatArray | BoolArray, least: FloatArray | None = None
    ) -> FloatArray:
        own = np.zeros((self.tree.nodes, len(self.tree.resources)))
        own[self.tree.leaf] = of_leaves
        return sums_below(self.tree.parent, own, least)

    @cached_property
    def used(self) -> FloatArray:
        """What runs in each subtree, shape (nodes, resources)."""
        return self._below(self.tasks[:, None] * self.tree.demand)

    @cached_property
    def guaranteed(self) -> FloatArray:
        """What of it stated guarantees give, shape (nodes, resources)."""
        if self.guaranteed_tasks is None:
            return np.zeros_like(self.used)
        return self._below(self.guaranteed_tasks[:, None] * self.tree.demand)

    @cached_property
    def taken(self) -> FloatArray:
        """What is used or reserved in each subtree, shape (nodes, resources)."""
        return self._below(self.tasks[:, None] * self.tree.demand, self.reserve)

    @cached_property
    def reserve(self) -> FloatArray:
        """What is reserved, cut like guarantees if they are more than there is."""
        reserve = self.quotas.reserve
        return kept_quotas(self.tree).reserve if reserve.any() else reserve

    @cached_property
    def kept(self) -> BoolArray:
        """Where a reserve is not used up: nothing above is full for those inside, like `taken`."""
        inside = np.zeros_like(self.taken)
        inside[self.tree.leaf] = self.tasks[:, None] * self.tree.demand
        np.add.at(inside, self.tree.parent[1:], self.taken[1:])
        kept: BoolArray = inside < self.reserve * (1 - FULL)
        return kept

    @cached_property
    def dominant_share(self) -> FloatArray:
        """Largest fraction of a resource that each subtree uses, shape (nodes,)."""
        share: FloatArray = (self.used / self.tree.capacity).max(axis=1)
        return share

    @cached_property
    def full(self) -> BoolArray:
        """Where a limit, or at the root the capacity, is full, shape (nodes, resources)."""
        full: BoolArray = self.taken >= self.most * (1 - FULL)
        return full

    @cached_property
    def _lacks(self) -> BoolArray:
        """Resources that some leaf of a subtree with tasks left needs, (nodes, resources)."""
        left = self.tasks < self.tree.tasks * (1 - FULL)
        lacks: BoolArray = self._below((self.tree.demand > 0) & left[:, None]) > 0
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
        if not self._lacks[n].any():
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
            if self._lacks[c].any():
                inside += self.limited_by(c)
        return list(dict.fromkeys(inside))

    def amounts(self, amounts: FloatArray, n: int) -> dict[str, float]:
        """Finite amounts of node `n` by resource."""
        named = zip(self.tree.resources, amounts[n].tolist(), strict=True)
        return {name: amount for name, amount in named if np.isfinite(amount)}

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


def above_limits(tree: Hierarchy, tasks: FloatArray, tolerance: float = 1e-7) -> list[str]:
    """A line for every node that holds more than its limit, and for every overloaded resource."""
    shares = NodeShares(tree, tasks)
    lines = []
    for n, j in np.argwhere(shares.taken > shares.most * (1 + tolerance) + 1e-12).tolist():
        amount, most, name = shares.taken[n, j], shares.most[n, j], tree.resources[j]
        if n:
            holds = f"queue {tree.path(n)!r}: {amount:.6g} of {name}"
            lines.append(f"{holds}, more than its limit of {most:.6g}")
        else:
            lines.append(f"resource {name!r}: {amount:.6g}, more than the capacity of {most:.6g}")
    return lines
