"""Which formulations have lessons, and what a lesson needs to know: one module a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

import pyomo.environ as pyo

from ....instances.advice import did_you_mean
from ....instances.errors import InputError

Role = Literal["core", "speed", "cut"]
"""What a component of a model is there for: without a core rule the model believes in what is not
allowed; a speed rule helps the solver; a cut follows from all core rules together."""

FAMILIES: dict[str, str] = {
    "allocation": "teaching.lessons.families.allocation:FAMILY",
    "fair-share": "teaching.lessons.families.fair_share:FAMILY",
    "job-order": "teaching.lessons.families.job_order:FAMILY",
    "machine-assignment": "teaching.lessons.families.machine_assignment:FAMILY",
    "sequence": "teaching.lessons.families.sequence:FAMILY",
}
"""The lesson family of each model, `module:attribute` below the package."""


@dataclass(frozen=True)
class Family:
    """What makes lessons of one model.

    Parameters
    ----------
    model
        Name of the formulation.
    scripts
        Files in `page/` that the model's pages carry beside those of all pages, in their order.
    build
        Makes the Pyomo model of a problem, and says its horizon (s) or None.
    variable
        Name of a variable in the lesson, from its component and its index.
    document
        The problem as JSON.
    optimum
        The proven optimum of a problem.
    refuse
        Raises `InputError` for a problem that is too large for a page, or has parts that the page
        does not know.
    witness
        Name of the example that is used if no problem is given: dropping any core rule alone leads
        to something that is not allowed.
    unit
        Unit of a problem's objective.
    roles
        Role of each constraint component; core if not named.
    without
        Optimum of the witness's model without each core statement, by label; None where it has
        none.
    facts
        What else the package knows of a problem, which the page compares with its own.
    limits
        What `refuse` measures a problem with; the page holds edited and opened ones to the same.
    """

    model: str
    scripts: tuple[str, ...]
    build: Callable[[Any], tuple[pyo.ConcreteModel, float | None]]
    variable: Callable[[str, tuple[Any, ...]], str]
    document: Callable[[Any], dict[str, Any]]
    optimum: Callable[[Any], float]
    refuse: Callable[[Any], None]
    witness: str
    unit: Callable[[Any], str]
    roles: Mapping[str, Role] = field(default_factory=dict)
    without: Mapping[str, float | None] = field(default_factory=dict)
    facts: Callable[[Any], dict[str, Any]] | None = None
    limits: Mapping[str, float] = field(default_factory=dict)

    def role(self, component: str) -> Role:
        """The role of a constraint component."""
        return self.roles.get(component, "core")


def family(model: str) -> Family:
    """The lesson family of a model. Raises `InputError` if there are no lessons on it."""
    if model not in FAMILIES:
        guess = did_you_mean(model, list(FAMILIES))
        raise InputError(f"no lesson on {model!r}: {guess}there are some on {', '.join(FAMILIES)}")
    module, attribute = FAMILIES[model].split(":")
    found = getattr(import_module(f"{__name__.partition('.')[0]}.{module}"), attribute)
    assert isinstance(found, Family)
    return found
