"""Guarantees, limits, reserves and priorities of the queues of a hierarchy.

docs/heuristics/limits.md states the model: what a node is guaranteed, how the surplus is divided,
and when a file asks for more than there is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.errors import InputError
from ...core.kernels.decorators import counted
from ...core.values import ByValue
from ..array_checks import check_arrays

ABOVE: Literal["above"] = "above"
"""Weights divide what lies above the guarantees."""

TOTAL: Literal["total"] = "total"
"""Weights divide everything; a guarantee only lifts whoever would have less."""

SURPLUS = (ABOVE, TOTAL)

DOMINANT, EACH = "dominant", "each"
"""What is shared fairly: the dominant resource, or each resource for itself."""

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
        shape = nodes, resources
        return cls(
            np.zeros(shape), np.full(shape, np.inf), np.zeros(shape), np.zeros(nodes, np.int64)
        )

    def of_node(self, n: int, resources: Sequence[str]) -> dict[str, Any]:
        """Amounts of node `n` by resource, and its priority; nothing that is usual."""
        said: dict[str, Any] = {}
        for what, amounts, usual in (
            ("guarantee", self.guarantee[n], 0.0),
            ("limit", self.limit[n], np.inf),
            ("reserve", self.reserve[n], 0.0),
        ):
            given = {
                name: amount
                for name, amount in zip(resources, amounts.tolist(), strict=True)
                if amount != usual
            }
            if given:
                said[what] = given
        if self.priority[n]:
            said["priority"] = int(self.priority[n])
        return said

    def check(self, resources: Sequence[str], nodes: int, path: Callable[[int], str]) -> None:
        """Raise `InputError` for what is wrong with a node by itself; `path` names a node."""
        shape = nodes, len(resources)
        for what in ("guarantee", "limit", "reserve"):
            check_arrays(self, "hierarchy, ", np.float64, **{what: shape})
            amounts = getattr(self, what)
            wrong = ~(amounts >= 0) | (np.isinf(amounts) if what != "limit" else False)
            for n, j in np.argwhere(wrong)[:1]:
                raise InputError(
                    f"node {path(n)!r}, {what}, {resources[j]!r}: must be finite and >= 0, "
                    f"got {amounts[n, j]}"
                )
        check_arrays(self, "hierarchy, ", np.int64, priority=(nodes,))
        if self.surplus not in SURPLUS:
            raise InputError(
                f"hierarchy, surplus: choose from {', '.join(SURPLUS)}, got {self.surplus!r}"
            )
        if self.shares not in (DOMINANT, EACH, *resources):
            known = ", ".join((DOMINANT, EACH, *resources))
            raise InputError(f"hierarchy, shares: choose from {known}, got {self.shares!r}")
        for less, more in (("guarantee", "limit"), ("reserve", "guarantee")):
            low, high = getattr(self, less), getattr(self, more)
            for n, j in np.argwhere(low > high * (1 + ROUNDING))[:1]:
                raise InputError(
                    f"node {path(n)!r}: {less} {low[n, j]:g} of {resources[j]}, "
                    f"more than its {more} {high[n, j]:g}"
                )
        if self.limit[0].min(initial=np.inf) < np.inf or self.guarantee[0].any():
            raise InputError(
                f"node {path(0)!r}: the root has no guarantee and no limit but the capacity"
            )

    def scaled(self, capacity: FloatArray, parent: IntArray, wanted: FloatArray) -> Quotas:
        """Guarantees cut, from the root down, so that those of siblings fit above them.

        A group's own amount is divided among its children in the ratio of what they are promised.
        `wanted`: most that each subtree can use, shape (nodes, resources).
        """
        asked = promised(self, parent, wanted)
        room = _room(asked, self.limit, capacity, parent)
        cut = room < asked
        return replace(
            self,
            guarantee=np.where(cut, np.minimum(self.guarantee, room), self.guarantee),
            reserve=np.where(cut, np.minimum(self.reserve, room), self.reserve),
        )


def promised(quotas: Quotas, parent: IntArray, wanted: FloatArray) -> FloatArray:
    """What each subtree is promised of what it wants, shape (nodes, resources).

    Its own guarantee or the sum of its children's promises, whichever is more, and at least what is
    reserved; in the units of the capacity. `wanted`: most that each subtree can use.
    """
    promises: FloatArray = _promised(quotas.guarantee, quotas.reserve, parent, wanted)
    return promises


@counted
def _promised(
    guarantee: FloatArray, reserve: FloatArray, parent: IntArray, wanted: FloatArray
) -> FloatArray:
    total = np.zeros_like(guarantee)
    for n in range(len(parent) - 1, -1, -1):
        for j in range(guarantee.shape[1]):
            own = max(min(guarantee[n, j], wanted[n, j]), reserve[n, j])
            total[n, j] = max(total[n, j], own)
            if n:
                total[parent[n], j] += total[n, j]
    return total


@counted
def _room(
    asked: FloatArray, limit: FloatArray, capacity: FloatArray, parent: IntArray
) -> FloatArray:
    """What each subtree may ask for if siblings share what is above them."""
    together, room = np.zeros_like(asked), np.zeros_like(asked)
    for n in range(1, len(parent)):
        together[parent[n]] += asked[n]
    room[0] = capacity
    for n in range(1, len(parent)):
        up = parent[n]
        for j in range(asked.shape[1]):
            part = 1.0
            if together[up, j] > room[up, j]:
                part = room[up, j] / together[up, j]
            room[n, j] = min(asked[n, j] * part, limit[n, j])
    return room


def check_feasible(
    quotas: Quotas,
    capacity: FloatArray,
    parent: IntArray,
    resources: Sequence[str],
    path: Callable[[int], str],
    wanted: FloatArray,
) -> None:
    """Raise `InputError` if promises exceed a limit above them or the capacity.

    `wanted`: most that each subtree can use; a guarantee that is not wanted need not fit.
    """
    total = promised(quotas, parent, wanted)
    most = quotas.limit.copy()
    most[0] = capacity
    for n, j in np.argwhere(total > most * (1 + ROUNDING))[:1]:
        children = [c for c in np.flatnonzero(parent == n).tolist() if total[c, j] > 0]
        named = [f"{path(c).rsplit('/', 1)[-1]} {total[c, j]:g}" for c in children[:4]]
        if len(children) > len(named):
            named.append(f"{len(children) - len(named)} more")
        top = "the capacity is" if n == 0 else "limit"
        where = "" if n == 0 else f"{path(n)}: "
        raise InputError(
            f"{where}guarantees of {' + '.join(named)} = {total[n, j]:g} {resources[j]}, "
            f"{top} {most[n, j]:g}"
        )
