"""Which formulations have lessons, and what a lesson needs to know: one module a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pyomo.environ as pyo

from ...core.advice import did_you_mean
from ...core.errors import InputError
from ...instances.views import view

Role = Literal["core", "speed", "cut"]
"""What a component of a model is there for: without a core rule the model believes in what is not
allowed; a speed rule helps the solver; a cut follows from all core rules together."""

FAMILIES: dict[str, str] = {
    "allocation": "teaching.lessons.datacenter.allocation:FAMILY",
    "fair-share": "teaching.lessons.hierarchy.fair_share:FAMILY",
    "job-order": "teaching.lessons.mapreduce.job_order:FAMILY",
    "machine-assignment": "teaching.lessons.datacenter.machine_assignment:FAMILY",
    "sequence": "teaching.lessons.mapreduce.sequence:FAMILY",
}
"""The lesson family of each model, `module:attribute` below the package."""


@dataclass(frozen=True)
class Family:
    """What makes lessons of one model."""

    model: str
    """Name of the formulation."""
    scripts: tuple[str, ...]
    """Files in `page/` that the model's pages carry beside those of all pages, in their order."""
    build: Callable[[Any], tuple[pyo.ConcreteModel, float | None]]
    """Makes the Pyomo model of a problem, and says its horizon (s) or None."""
    variable: Callable[[str, tuple[Any, ...]], str]
    """Name of a variable in the lesson, from its component and its index."""
    document: Callable[[Any], dict[str, Any]]
    """The problem as JSON."""
    optimum: Callable[[Any], float]
    """The proven optimum of a problem."""
    refuse: Callable[[Any], None]
    """Raises `InputError` for a problem that is too large for a page, or has parts that the page
    does not know."""
    witness: str
    """Name of the example that is used if no problem is given: dropping any core rule alone leads
    to something that is not allowed."""
    unit: Callable[[Any], str]
    """Unit of a problem's objective."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Role of each constraint component; core if not named."""
    without: Mapping[str, float | None] = field(default_factory=dict)
    """Optimum of the witness's model without each core statement, by label; None where it has none.
    """
    facts: Callable[[Any], dict[str, Any]] | None = None
    """What else the package knows of a problem, which the page compares with its own."""

    def role(self, component: str) -> Role:
        """The role of a constraint component."""
        return self.roles.get(component, "core")


def family(model: str) -> Family:
    """The lesson family of a model. Raises `InputError` if there are no lessons on it."""
    if model not in FAMILIES:
        guess = did_you_mean(model, list(FAMILIES))
        raise InputError(f"no lesson on {model!r}: {guess}there are some on {', '.join(FAMILIES)}")
    its_family = view(FAMILIES[model])
    assert isinstance(its_family, Family)
    return its_family
