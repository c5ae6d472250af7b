"""`slotwise.steps`: record the decisions of any method that has a recorder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from inspect import signature
from typing import Any

from ...formulations.bounds.closed_form import best_lower_bound
from ...instances.advice import did_you_mean
from ...instances.errors import InputError
from ...instances.mapreduce.instance import Instance
from ...instances.parameters import need_values
from . import RECORDERS
from .record import Mark, Steps

MOST_SOLVED = 60
"""Most tasks of an instance whose optimum is looked for."""

SAME = 1e-6
"""Relative difference up to which two marks are one."""


def steps(
    method: str,
    problem: Any,
    *,
    optimum: float | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Steps:
    """Record what a method decides, one decision after another, and why.

    Parameters
    ----------
    method : str
        Name of a heuristic, an allocator or a dispatching policy that has a recorder.
    problem : Instance, Hierarchy or Datacenter
        What it is to decide about.
    optimum : float, optional
        Look for the optimum of an instance of at most 60 tasks for so many seconds and mark it.
    parameters : mapping, optional
        Keyword arguments of the method.

    Returns
    -------
    Steps
        Shows itself as a page in notebooks; `slotwise.write_step_page` writes that page,
        `slotwise.write_slides` a picture for each step.

    Raises
    ------
    InputError
        For an unknown method or parameter, a problem of another kind, and one that is too large to
        step through.
    """
    record, given = recorder(method), dict(parameters or {})
    _, *known = signature(record).parameters
    for name in given:
        if name not in known:
            takes = f"choose from {', '.join(known)}" if known else "it has none"
            raise InputError(f"steps of {method}: unknown parameter {name!r}: {takes}")
    need_values(f"steps of {method}", record, given)
    recorded: Steps = record(problem, **given)
    if isinstance(problem, Instance) and recorded.makespan is not None:
        found = (*recorded.marks, *instance_marks(problem, recorded.makespan, optimum))
        recorded = replace(recorded, marks=found)
    return recorded


def recorder(method: str) -> Callable[..., Steps]:
    """The function that records a method.

    Raises `InputError` for a method without one; the message lists those that have one.
    """
    if method not in RECORDERS:
        guess = did_you_mean(method, list(RECORDERS))
        raise InputError(f"no steps of {method[:60]!r}: {guess}choose from {', '.join(RECORDERS)}")
    module, function = RECORDERS[method].split(":")
    package = __name__.split(".", 1)[0]
    found: Callable[..., Steps] = getattr(import_module(f"{package}.{module}"), function)
    return found


def instance_marks(
    instance: Instance, makespan: float, optimum: float | None = None
) -> tuple[Mark, ...]:
    """The best closed-form bound of an instance, and its optimum if it is wanted and found.

    `makespan`: makespan of the schedule that is drawn (s).
    `optimum`: seconds to look for the optimum; None not to.
    """
    bound, name = best_lower_bound(instance)
    marks = [Mark(f"bound ({name})", bound, dashed=True)]
    if optimum is None:
        return tuple(marks)
    tasks = instance.map_tasks + instance.reduce_tasks
    if tasks > MOST_SOLVED:
        raise InputError(
            f"optimum: looked for up to {MOST_SOLVED} tasks, instance {instance.name!r} has {tasks}"
        )
    from ...solvers.result import Status
    from ...solvers.solve import solve

    result = solve(instance, time_limit=optimum)
    if result.makespan is not None and result.status is Status.OPTIMAL:
        marks.append(Mark("optimum", result.makespan))
    elif result.lower_bound > bound * (1 + SAME):
        marks = [Mark(f"bound ({result.bound})", result.lower_bound, dashed=True)]
    return tuple(marks)
