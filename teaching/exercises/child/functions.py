"""Answers of submissions that define a function: its value, or that of the model that it builds."""

from __future__ import annotations

import math
from typing import Any

MODEL_GAP = 1e-9


def answer(name: str, function: Any, document: Any) -> Any:
    """Call the function; a model that `build` makes is solved.

    Parameters
    ----------
    name
        Its name.
    function
        The function.
    document
        The instance.

    Returns
    -------
    Any
        What JSON can hold.
    """
    value = function(document)
    return solved(value) if name == "build" else value


def solved(model: Any) -> dict[str, Any]:
    """Minimise a Pyomo model with HiGHS.

    Parameters
    ----------
    model
        The model, which has a variable or an expression `makespan`.

    Returns
    -------
    dict
        `status` (`optimal`, `infeasible`, `unbounded` or another word) and `makespan` (s).

    Raises
    ------
    AttributeError
        If the model has no `makespan`.
    """
    import pyomo.environ as pyo

    if not hasattr(model, "makespan"):
        raise AttributeError("the model has no `makespan`")
    if next(model.component_data_objects(pyo.Objective, active=True), None) is None:
        model.add_component(
            "_makespan_objective", pyo.Objective(expr=model.makespan, sense=pyo.minimize)
        )
    # Presolve has been seen to cut off the optimum of a small model: the better of two answers.
    found = [_solved(model, presolve) for presolve in ("choose", "off")]
    values = [value for status, value in found if status == "optimal"]
    if not values:
        return {"status": found[0][0], "makespan": None}
    least = min(values)
    return {"status": "optimal", "makespan": least if math.isfinite(least) else None}


def _solved(model: Any, presolve: str) -> tuple[str, float]:
    """Status, and the value of `makespan`; infinite without one."""
    import pyomo.environ as pyo
    from pyomo.contrib.appsi.solvers.highs import Highs

    solver = Highs()
    solver.config.load_solution = False
    solver.highs_options = {
        "threads": 1,
        "output_flag": False,
        "presolve": presolve,
        "mip_rel_gap": MODEL_GAP,
        "mip_feasibility_tolerance": 1e-9,
        "primal_feasibility_tolerance": 1e-9,
    }
    results = solver.solve(model)
    status = results.termination_condition.name
    if status != "optimal":
        return status, math.inf
    results.solution_loader.load_vars()
    return status, float(pyo.value(model.makespan))
