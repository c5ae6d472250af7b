"""What callers give, checked: anything wrong is a `ValueError`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from operator import index
from typing import Any, Protocol, runtime_checkable

from .machine import Job
from .plan import MOST_AMOUNT, Plan
from .rule import Options


@runtime_checkable
class Documented(Protocol):
    """What can tell its document, as slotwise's `Guidance` can."""

    def document(self) -> dict[str, Any]:
        """The `slotwise/guidance/1` document."""


@contextmanager
def shape_of(what: str) -> Iterator[None]:
    """Lets documents of another shape lead to a `ValueError` that names `what`."""
    try:
        yield
    except (KeyError, TypeError, IndexError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"{what}: {type(error).__name__} at {error}") from None


def is_number(value: object) -> bool:
    return isinstance(value, Real) and not math.isnan(value)


def is_whole(value: Any, least: int) -> bool:
    """Whether a value is an integer, of any library, that is not below `least`."""
    return hasattr(value, "__index__") and index(value) >= least


def whole(where: str, value: Any) -> int:
    if not is_whole(value, 0):
        raise ValueError(f"state: {where}: need an integer >= 0, got {value!r}")
    return index(value)


def checked_plan(guidance: Mapping[str, Any] | Documented | Plan, options: Options) -> Plan:
    """The plan of a document, or a plan made before, with all that the options need."""
    with shape_of("guidance"):
        if isinstance(guidance, Plan):
            plan = guidance
        else:
            plan = Plan(guidance.document() if isinstance(guidance, Documented) else guidance)
        if options.policy == "bid-price":
            _ = plan.worth  # what is wrong with prices shows now
        return plan


def known(numbers: Mapping[str, int], kind: str, name: str) -> int:
    if not isinstance(name, str) or name not in numbers:
        raise ValueError(f"unknown {kind} {name!r}")
    return numbers[name]


def checked_amounts(
    plan: Plan, where: str, amounts: Mapping[str, float], of: str = ""
) -> dict[str, float]:
    if not isinstance(amounts, Mapping):
        raise ValueError(f"{where}: need amounts by resource, got {amounts!r}")
    checked = {}
    for resource, amount in amounts.items():
        if resource not in plan.resources:
            raise ValueError(f"{where}: unknown resource {resource!r}")
        try:
            checked[resource] = float(amount)
        except (TypeError, ValueError, OverflowError):
            checked[resource] = math.nan
        if not 0 <= checked[resource] <= MOST_AMOUNT:
            need = f"need a finite number >= 0, at most {MOST_AMOUNT:g}"
            raise ValueError(f"{where}: {of}{resource} is {amount}: {need}")
    return checked


def checked_labels(labels: Mapping[str, str]) -> Mapping[str, str]:
    if not isinstance(labels, Mapping) or not all(isinstance(v, str) for v in labels.values()):
        raise ValueError(f"labels: need text by name, got {labels!r}")
    return labels


def new_job(
    plan: Plan, number: int, where: str, name: str, job_class: str, demand: Mapping[str, float]
) -> Job:
    if not isinstance(name, str):
        raise ValueError(f"{where}: need a name")
    try:
        k = known(plan.number_of_class, "class", job_class)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    given = checked_amounts(plan, where, demand, "demand of ")
    if not any(given.values()):
        raise ValueError(f"{where}: demands nothing")
    return Job(name, k, given, plan.in_units(given), number, number)
