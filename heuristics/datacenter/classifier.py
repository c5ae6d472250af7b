"""Which class a request belongs to that names none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .live.plan import Plan, Units

CLASS_LABEL = "slotwise.dev/class"
"""Label of a request that names its class."""


def named_class(
    plan: Plan, labels: Mapping[str, str], is_able: Callable[[int], bool]
) -> int | None:
    """The class, of those that are able, that labels name, None if they name none.

    `CLASS_LABEL` comes first, then the plan's rules in their order.
    """
    named = [labels.get(CLASS_LABEL, "")]
    named += [name for label, value, name in plan.rules if labels.get(label) == value]
    numbers = (plan.number_of_class.get(name) for name in named)
    return next((k for k in numbers if k is not None and is_able(k)), None)


def nearest_class(plan: Plan, demand: Units, able: Sequence[bool]) -> int | None:
    """The class, of those that are `able`, whose request is nearest, None if none is.

    Distances are Euclidean in the plan's metric; of equals the first.
    """

    def distance(k: int) -> float:
        return sum(
            ((need - usual) / scale) ** 2
            for need, usual, scale in zip(demand, plan.request[k], plan.scale, strict=True)
        )

    return min((k for k, can in enumerate(able) if can), key=distance, default=None)
