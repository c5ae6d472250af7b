"""A Pyomo model as plain rows, by constraint component."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyomo.environ as pyo
from pyomo.repn import generate_standard_repn

Terms = dict[str, float]
Row = tuple[Terms, float | None, float | None]
Variable = dict[str, Any]
Named = Callable[[str, tuple[Any, ...]], str]


@dataclass(frozen=True)
class PlainModel:
    """A linear model as data: `{"integer", "lower", "upper"}` of each variable, "min" or "max", the
    objective's coefficients, and the rows of each component with their bounds.
    """

    variables: dict[str, Variable]
    sense: str
    objective: Terms
    rows: dict[str, list[Row]]


def plain_model(model: pyo.ConcreteModel, named: Named) -> PlainModel:
    """Read the active components of a Pyomo model.

    Fixed variables are put in as their value. Rows in which no variable is left are left out; so
    are zeros.
    """
    variables: dict[str, Variable] = {}
    names: dict[int, str] = {}
    for component in model.component_objects(pyo.Var, active=True):
        for index, variable in component.items():
            name = named(component.name, _tuple(index))
            assert name not in variables, f"two variables are called {name}"
            names[id(variable)] = name
            fixed = float(variable.value) if variable.fixed else None
            variables[name] = {
                "integer": not variable.is_continuous(),
                "lower": _number(variable.lb) if fixed is None else fixed,
                "upper": _number(variable.ub) if fixed is None else fixed,
            }
    (objective,) = model.component_data_objects(pyo.Objective, active=True)
    sense = "min" if objective.sense == pyo.minimize else "max"
    rows = {
        component.name: [
            row for constraint in component.values() if (row := _row(constraint, names))[0]
        ]
        for component in model.component_objects(pyo.Constraint, active=True)
    }
    return PlainModel(variables, sense, _terms(objective.expr, names)[0], rows)


def _tuple(index: Any) -> tuple[Any, ...]:
    if index is None:
        return ()
    return index if isinstance(index, tuple) else (index,)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _terms(expression: Any, names: dict[int, str]) -> tuple[Terms, float]:
    standard = generate_standard_repn(expression)
    assert standard.is_linear()
    pairs = zip(standard.linear_vars, standard.linear_coefs, strict=True)
    terms = {names[id(variable)]: float(factor) for variable, factor in pairs if factor}
    return terms, float(standard.constant)


def _row(constraint: Any, names: dict[int, str]) -> Row:
    terms, constant = _terms(constraint.body, names)
    lower, upper = _number(constraint.lb), _number(constraint.ub)
    return (
        terms,
        None if lower is None else lower - constant,
        None if upper is None else upper - constant,
    )
