"""Which class a request belongs to that names none."""

from __future__ import annotations

from collections.abc import Sequence

from .live.plan import Plan, Units


def nearest_class(plan: Plan, demand: Units, able: Sequence[bool]) -> int | None:
    """The class, of those that are `able`, whose request is nearest, None if none is.

    Distances are Euclidean between amounts in parts of the largest machine; of equals the first.
    """
    largest = [max(column) or 1 for column in zip(*plan.capacity, strict=True)]

    def distance(k: int) -> float:
        return sum(
            ((need - usual) / most) ** 2
            for need, usual, most in zip(demand, plan.request[k], largest, strict=True)
        )

    return min((k for k, can in enumerate(able) if can), key=distance, default=None)
