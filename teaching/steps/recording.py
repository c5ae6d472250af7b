"""`slotwise.steps`: record the decisions of any method that has a recorder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ...core.advice import did_you_mean
from ...core.calls import check_call, checked
from ...core.errors import InputError
from ...formulations.mapreduce.bounds.closed_form import best_lower_bound
from ...instances.datacenter.datacenter import Datacenter
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.mapreduce.instance import Instance
from ...instances.views import view
from . import RECORDERS
from .record import Mark, Steps

MOST_SOLVED = 60
"""Most tasks of an instance whose optimum is looked for."""

SAME = 1e-6
"""Relative difference up to which two marks are one."""


@checked
def steps(
    instance: Instance | Hierarchy | Datacenter,
    method: str,
    *,
    optimum: float | None = None,
    **parameters: Any,
) -> Steps:
    """Record what a method decides, one decision after another, and why.

    Parameters
    ----------
    instance : Instance, Hierarchy or Datacenter
        What it is to decide about.
    method : str
        Name of a heuristic, an allocator or a dispatching policy that has a recorder.
    optimum : float, optional
        Look for the optimum of an instance of at most 60 tasks for so many seconds and mark it.
    **parameters
        Those of the method, for example `omega=0.5`.

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
    record = recorder(method)
    (instance,), parameters = check_call(f"steps of {method}", record, (instance,), parameters)
    recorded: Steps = record(instance, **parameters)
    if isinstance(instance, Instance) and recorded.makespan is not None:
        marks = (*recorded.marks, *instance_marks(instance, recorded.makespan, optimum))
        recorded = replace(recorded, marks=marks)
    return recorded


def recorder(method: str) -> Callable[..., Steps]:
    """The function that records a method.

    Raises `InputError` for a method without one; the message lists those that have one.
    """
    if method not in RECORDERS:
        guess = did_you_mean(method, list(RECORDERS))
        raise InputError(f"no steps of {method[:60]!r}: {guess}choose from {', '.join(RECORDERS)}")
    record: Callable[..., Steps] = view(RECORDERS[method])
    return record


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
    from ...solvers.mapreduce.result import Status
    from ...solvers.mapreduce.solve import solve

    result = solve(instance, time_limit=optimum)
    if result.makespan is not None and result.status is Status.OPTIMAL:
        marks.append(Mark("optimum", result.makespan))
    elif result.lower_bound > bound * (1 + SAME):
        marks = [Mark(f"bound ({result.bound_name})", result.lower_bound, dashed=True)]
    return tuple(marks)
