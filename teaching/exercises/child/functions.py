"""Answers of submissions: what may be one, and the value of a function or of a model it builds."""

from __future__ import annotations

import math
from typing import Any

MODEL_GAP = 1e-9


def answer(name: str, function: Any, document: Any) -> Any:
    """Call the function; a model that `build` makes is solved."""
    value = function(document)
    return solved(value) if name == "build" else value


def solved(model: Any, instead: Any = None) -> dict[str, Any]:
    """Minimise a Pyomo model with HiGHS; its variables get their values.

    Returns `status` (`optimal`, `infeasible`, `unbounded` or another word) and `makespan` (s).
    Raises `AttributeError` if the model has no `makespan`.
    """
    import pyomo.environ as pyo

    if not hasattr(model, "makespan"):
        raise AttributeError("the model has no `makespan`")
    least = model.makespan if instead is None else instead
    if next(model.component_data_objects(pyo.Objective, active=True), None) is None:
        model.add_component("_objective", pyo.Objective(expr=least, sense=pyo.minimize))
    # Presolve has been seen to cut off the optimum of a small model: the better of two answers.
    solutions = [_solved(model, presolve, least) for presolve in ("choose", "off")]
    value, best = min(solutions, key=lambda solution: solution[0])
    if not math.isfinite(value):
        return {"status": best.termination_condition.name, "makespan": None}
    best.solution_loader.load_vars()
    return {"status": "optimal", "makespan": float(pyo.value(model.makespan))}


def _solved(model: Any, presolve: str, least: Any) -> tuple[float, Any]:
    """The least value, infinite without a proof, and the solver's answer."""
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
    if results.termination_condition.name != "optimal":
        return math.inf, results
    results.solution_loader.load_vars()
    return float(pyo.value(least)), results


class Unfit(Exception):
    """A value that is no part of an answer; the message says why."""


def plain(value: Any) -> Any:
    """Numbers and arrays of numpy, fractions, decimals and iterables as what JSON holds.

    `value`: a value that JSON does not hold.
    Returns one that it holds, perhaps with parts to be made plain.
    Raises `Unfit` if there is none.
    """
    if type(value).__name__ == "DataFrame":
        raise Unfit("a DataFrame is no list of rows: return frame.to_dict('records')")
    for method in ("tolist", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    if hasattr(value, "__float__"):
        return float(value)
    if hasattr(value, "__iter__"):
        return list(value)
    raise Unfit(f"a {type(value).__name__} is no part of an answer")
