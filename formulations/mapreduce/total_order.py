"""One order of the jobs for all slots: what the models that have it share."""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from ...core.arrays import IntArray
from ...instances.mapreduce.schedule import Schedule, map_completions
from .coefficients import Coefficients


def add_order(model: pyo.ConcreteModel) -> None:
    """Add `before[i, j]` for i < j, and `precedes[i, j]` for all pairs: job i precedes job j."""
    data: Coefficients = model.data
    model.before = pyo.Var([(i, j) for i, j in data.pairs if i < j], domain=pyo.Binary)

    def precedes(model: pyo.ConcreteModel, i: int, j: int) -> pyo.Expression:
        return model.before[i, j] if i < j else 1 - model.before[j, i]

    model.precedes = pyo.Expression(data.pairs, rule=precedes)


def no_cycle(data: Coefficients) -> pyo.Constraint:
    """`before` is a total order: no cycle of three, hence none at all."""
    return pyo.Constraint(
        [(i, j, k) for i in data.jobs for j, k in data.pairs if i < j and i < k],
        rule=lambda model, i, j, k: (
            model.precedes[i, j] + model.precedes[j, k] + model.precedes[k, i] <= 2
        ),
    )


def fixed_order(data: Coefficients) -> pyo.Constraint:
    """Jobs without map tasks are ready at 0, jobs without reduce tasks can go last."""
    return pyo.Constraint(
        [(i, j) for i, j in data.pairs if data.comes_first(i, j)],
        rule=lambda model, i, j: model.precedes[i, j] == 1,
    )


def job_order(model: pyo.ConcreteModel) -> IntArray:
    """The jobs in the order that the model's variables hold, shape (jobs,)."""
    jobs = model.data.jobs
    position = [sum(round(pyo.value(model.precedes[j, i])) for j in jobs if j != i) for i in jobs]
    return np.argsort(np.array(position, dtype=np.int64), kind="stable")


def set_order(model: pyo.ConcreteModel, schedule: Schedule) -> None:
    """Order the jobs by the ends of their map phases, in which they take no longer."""
    data: Coefficients = model.data
    position = data.positions(map_completions(data.instance, schedule.map.end))
    for i, j in model.before:
        model.before[i, j] = int(position[i] < position[j])
