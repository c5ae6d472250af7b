"""What becomes of an optimum without each core rule: what a lesson's problem was searched for."""

from __future__ import annotations

from typing import Any

import pyomo.environ as pyo

from ...core.clock import StopReason
from ...formulations import FORMULATIONS
from ...reports.explain import statement_of
from ...solvers.backends import highs
from .family import Family


def without_each(about: Family, problem: Any) -> dict[str, float | None]:
    """Solve the model again without each core statement, and without cuts.

    Cuts follow from all core rules together, so none may stay when one of these goes.

    Returns optimum by the statement's label; None where there is none.
    """
    optimum_without: dict[str, float | None] = {}
    for statement in statement_of(FORMULATIONS.lookup(about.model)).statements:
        components = {component.name for component in statement.components}
        if not components or any(about.role(name) != "core" for name in components):
            continue
        model, _ = about.build(problem)
        for constraint in model.component_objects(pyo.Constraint, active=True):
            if constraint.name in components or about.role(constraint.name) == "cut":
                constraint.deactivate()
        outcome = highs.solve(model)
        proven = outcome.stop is StopReason.GAP_CLOSED
        optimum_without[statement.label] = outcome.incumbent if proven else None
    return optimum_without
