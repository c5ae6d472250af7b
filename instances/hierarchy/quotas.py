"""Guarantees, limits, reserves and priorities of the queues of a hierarchy.

docs/heuristics/limits.md states the model: what a node is guaranteed, how the surplus is divided,
and when a file asks for more than there is.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.errors import InputError
from ...core.kernels.decorators import counted, plain
from ...core.values import ByValue
from ..array_checks import check_arrays

ABOVE: Literal["above"] = "above"
"""Weights divide what lies above the guarantees."""

TOTAL: Literal["total"] = "total"
"""Weights divide everything; a guarantee only lifts whoever would have less."""

DOMINANT, EACH = "dominant", "each"
"""What is shared fairly: the dominant resource, or each resource for itself."""

AMOUNTS = {"guarantee": 0.0, "limit": np.inf, "reserve": 0.0}
"""Amounts of a node by resource, and what each is where a node says nothing."""

SMALL = 50
"""Most nodes of a tree of which kernels take less time as plain Python than to be compiled."""

ROUNDING = 1e-9
"""Relative difference of amounts that counts as rounding."""


@dataclass(frozen=True, eq=False)
class Quotas(ByValue):
    """What each node is guaranteed and may hold, in the units of the capacity.

    Parameters
    ----------
    guarantee
        What a subtree has whenever it wants it, shape (nodes, resources).
    limit
        What a subtree never exceeds, infinite if there is none, shape (nodes, resources).
    reserve
        What is kept for a subtree even while it is idle, shape (nodes, resources).
    priority
        Classes of siblings: higher ones take the surplus first, shape (nodes,).
    surplus
        What weights divide: "above" the guarantees, or in "total".
    shares
        What is shared fairly: "dominant", "each", or the name of one resource. Of that one alone
        guarantees count; tasks take the others with it.
    """

    guarantee: FloatArray
    limit: FloatArray
    reserve: FloatArray
    priority: IntArray
    surplus: str = ABOVE
    shares: str = DOMINANT

    @classmethod
    def none(cls, nodes: int, resources: int) -> Quotas:
        """Quotas that ask for nothing and forbid nothing."""
        guarantee, limit, reserve = (np.full((nodes, resources), x) for x in AMOUNTS.values())
        return cls(guarantee, limit, reserve, np.zeros(nodes, np.int64))

    def of_node(self, n: int, resources: tuple[str, ...]) -> dict[str, Any]:
        """Amounts of node `n` by resource, and its priority; nothing that is usual."""
        said: dict[str, Any] = {}
        for what, usual in AMOUNTS.items():
            amounts = zip(resources, getattr(self, what)[n].tolist(), strict=True)
            if given := {name: amount for name, amount in amounts if amount != usual}:
                said[what] = given
        if self.priority[n]:
            said["priority"] = int(self.priority[n])
        return said

    def check(self, names: tuple[str, ...], nodes: int, path: Callable[[int], str]) -> None:
        """Raise `InputError` for what is wrong with a node by itself; `names`: of resources."""
        shape = nodes, len(names)
        for what in AMOUNTS:
            check_arrays(self, "hierarchy, ", np.float64, **{what: shape})
            amounts = getattr(self, what)
            wrong = ~(amounts >= 0) | (np.isinf(amounts) if what != "limit" else False)
            for n, j in np.argwhere(wrong)[:1]:
                raise InputError(
                    f"node {path(n)!r}, {what}, {names[j]!r}: must be finite and >= 0, "
                    f"got {amounts[n, j]}"
                )
        check_arrays(self, "hierarchy, ", np.int64, priority=shape[:1])
        if self.surplus not in (ABOVE, TOTAL):
            raise InputError(f"hierarchy, surplus: need above or total, got {self.surplus!r}")
        if self.shares not in (DOMINANT, EACH, *names):
            known = ", ".join((DOMINANT, EACH, *names))
            raise InputError(f"hierarchy, shares: choose from {known}, got {self.shares!r}")
        for less, more in (("guarantee", "limit"), ("reserve", "guarantee")):
            low, high = getattr(self, less), getattr(self, more)
            for n, j in np.argwhere(low > high * (1 + ROUNDING))[:1]:
                raise InputError(
                    f"node {path(n)!r}: {less} {low[n, j]:g} of {names[j]}, "
                    f"more than its {more} {high[n, j]:g}"
                )
        if self.limit[0].min(initial=np.inf) < np.inf or self.guarantee[0].any():
            raise InputError(
                f"node {path(0)!r}: the root has no guarantee and no limit but the capacity"
            )


def sums_below(parent: IntArray, own: FloatArray, least: FloatArray | None = None) -> FloatArray:
    """What each node has itself and in its subtree, and at least `least`, of several amounts.

    All have shape (nodes, amounts).
    """
    with plain() if len(parent) <= SMALL else nullcontext():
        sums: FloatArray = _sums_below(parent, own, np.zeros_like(own) if least is None else least)
    return sums


@counted
def _sums_below(parent: IntArray, own: FloatArray, least: FloatArray) -> FloatArray:
    total = own.copy()
    for n in range(len(parent) - 1, -1, -1):
        for j in range(own.shape[1]):
            total[n, j] = max(total[n, j], least[n, j])
            if n > 0:
                total[parent[n], j] += total[n, j]
    return total
