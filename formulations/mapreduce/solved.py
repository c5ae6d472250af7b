"""From a solved model back to a schedule."""

from __future__ import annotations

from importlib import import_module

import pyomo.environ as pyo

from ...core.errors import InputError
from ...instances.mapreduce.schedule import Schedule

_MODEL_OF = {"on_map": "job_order", "map_follows": "sequence", "map_count": "heterogeneous"}
"""The formulation that has a variable."""


def schedule_of(model: pyo.ConcreteModel) -> Schedule:
    """The schedule that a solved model means, whatever solver has found it.

    Slots and orders are those of the variables; times are worked out anew, so that no task starts
    earlier than it can. `slotwise.check` says whether the schedule is valid.

    Parameters
    ----------
    model : pyomo.environ.ConcreteModel
        A model that `slotwise.build` made, `job-order`, `sequence` or `heterogeneous`, with the
        values that a solver has given its variables. It may have constraints of your own.

    Returns
    -------
    Schedule
        The schedule; its makespan can be below the model's objective, never above.

    Raises
    ------
    InputError
        For another model, and for one without a solution.
    """
    known = [name for name in _MODEL_OF if model.component(name) is not None]
    if not known or not hasattr(model, "data"):
        raise InputError(
            "schedule_of: needs a model of slotwise.build: job-order, sequence or heterogeneous "
            "(the others are bounds, whose solutions are no schedules)"
        )
    free = [v for v in model.component(known[0]).values() if v.value is None and not v.fixed]
    if free:
        raise InputError(
            f"schedule_of: the model has no solution, {free[0].name} has no value: solve it first"
        )
    formulation = import_module(f".{_MODEL_OF[known[0]]}.model", __package__)
    found: Schedule = formulation.schedule(model)
    return found
