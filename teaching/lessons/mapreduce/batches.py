"""What lessons on batches of jobs share."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pyomo.environ as pyo

from ....core.errors import InputError
from ....formulations.mapreduce.coefficients import Coefficients
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....solvers.mapreduce.result import Status
from ....solvers.mapreduce.solve import solve
from ..family import family
from ..ranges import WHY
from ..rows import plain_model

SCRIPTS = (
    "draw.js",
    "job_order_data.js",
    "job_order_picture.js",
    "job_order_check.js",
    "job_order.js",
    "sequence.js",
)
"""Of pages on the job-order and the sequence model: each knows both."""

SECONDS = 300.0
"""Time for the proof that a lesson compares with."""

MOST_SECONDS = 1e6
"""Of all work one after another: the models have a big-M of that length."""


def refuse_unsolvable(instance: Instance) -> None:
    """Raise `InputError` if there is no schedule, and if all work is longer than a big-M may be."""
    reason = impossible(instance)
    if reason is not None:
        raise InputError(f"instance {instance.name!r}: no schedule exists: {reason}")
    length = float(Coefficients(instance).serial_makespan)
    if not length <= MOST_SECONDS:
        raise InputError(
            f"instance {instance.name!r}: all work one after another takes {length:.10g} s; a "
            f"lesson page takes at most {MOST_SECONDS:.10g} s, as its big-M is that long: {WHY}"
        )


def built(formulation: ModuleType) -> Callable[[Instance], tuple[pyo.ConcreteModel, float]]:
    """What builds a formulation of an instance, with the time (s) of all work in turn."""

    def build(instance: Instance) -> tuple[pyo.ConcreteModel, float]:
        model = formulation.build(instance)
        return model, float(model.data.serial_makespan)

    return build


def beside(model: str) -> Callable[[Instance], dict[str, Any]]:
    """What a page needs to show an instance in another model, too."""

    def facts(instance: Instance) -> dict[str, Any]:
        """The rows, or why there are none."""
        other = family(model)
        try:
            other.refuse(instance)
        except InputError as error:
            return {"beside": {"model": model, "refused": str(error)}}
        built = plain_model(other.build(instance)[0], other.variable)
        return {"beside": {"model": model} | vars(built)}

    return facts


def proven_makespan(instance: Instance) -> float:
    """The shortest makespan (s).

    Raises `InputError` if it is not proven in time.
    """
    result = solve(instance, time_limit=SECONDS)
    if result.status is not Status.OPTIMAL or result.makespan is None:
        raise InputError(
            f"instance {instance.name!r}: no proven optimum in {SECONDS:g} s, so a lesson has "
            "nothing to compare with: take a smaller one"
        )
    return float(result.makespan)
