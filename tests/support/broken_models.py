"""What the models of lessons say without one of their rules, and the schedule they believe in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.environ as pyo

from slotwise.core.arrays import FloatArray, IntArray
from slotwise.core.clock import StopReason
from slotwise.formulations import FORMULATIONS
from slotwise.formulations.mapreduce.coefficients import Coefficients
from slotwise.formulations.mapreduce.job_order import model as job_order
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import PhaseSchedule, Schedule
from slotwise.reports.explain import statement_of
from slotwise.solvers.backends import highs
from slotwise.teaching.lessons.family import Family

CORE = {
    "J5": "J5_no_cycle",
    "J7": "J7_read",
    "J9": "J9_map_work_before",
    "J11": "J11_reduce_work_after",
    "J10": "J10_map_completion",
    "J12": "J12_makespan",
    "J1": "J1_map_task_on_one_slot",
    "J2": "J2_reduce_task_on_one_slot",
}
"""The rules needed for truth; the one that is least often needed first."""

DROPPED = {
    "J1": ("each task once", 12.0),
    "J2": ("each task once", 4.631578947368421),
    "J5": ("one task at a time", 16.738828202581924),
    "J7": ("setup as placed", 16.63157894736842),
    "J9": ("one task at a time", 16.738828202581924),
    "J10": ("reduce after maps", 12.0),
    "J11": ("one task at a time", 16.738828202581924),
    "J12": ("reduce after maps", 4.631578947368421),
}
"""Of the example lesson-job-order without a core rule and all cuts: a rule, as the page calls it,
that the schedule then breaks, and what the relaxation says (s)."""


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


def without(instance: Instance, rule: str | None) -> tuple[float, Schedule]:
    """The model of an instance without a core rule, and without cuts, which need them all.

    `rule`: label of a rule in `CORE`, or None.
    Returns what the model says (s), and the schedule that it believes in.
    """
    model = job_order.build(instance, cuts=())
    if rule is not None:
        model.component(CORE[rule]).deactivate()
    value = highs.solve(model, threads=1).incumbent
    assert value is not None, f"the model of {instance.name!r} without {rule} was not solved"
    return value, believed(model)


def believed(model: pyo.ConcreteModel) -> Schedule:
    """The schedule that a solved model believes in, whatever rules it has left.

    Slots and order are the model's. Every other variable gets the least value that the active rows
    leave it, in the order read, work before, work after, map completion, makespan. Map work begins
    when the work before it is over; reduce work ends as late as the work after it allows.

    Returns the schedule; slot -1 where a task runs nowhere.
    """
    data: Coefficients = model.data
    _least(model.read, model.J7_read, model.J8_local_read)
    _least(model.map_work_before, model.J9_map_work_before)
    _least(model.reduce_work_after, model.J11_reduce_work_after)
    _least(model.map_completion, model.J10_map_completion)
    _least(model.makespan, model.J10b_makespan, model.J12_makespan)
    makespan = pyo.value(model.makespan)
    maps = _empty(len(data.map_tasks))
    for i in data.jobs:
        for k in data.map_slots:
            work = [(t, data.map_setup[t, k], data.map_time[t, k]) for t in data.maps[i]]
            chosen = [task for task in work if round(pyo.value(model.on_map[task[0], k])) == 1]
            begin = _sum(model.map_work_before, data, i, k)
            _place(maps, k, begin, chosen)
    reduces = _empty(len(data.reduce_tasks))
    for i in data.jobs:
        for slot in data.reduce_slots:
            work = [
                (w, pyo.value(model.read[w, slot]), data.reduce_time[w, slot])
                for w in data.reduces[i]
            ]
            chosen = [
                task for task in work if round(pyo.value(model.on_reduce[task[0], slot])) == 1
            ]
            length = sum(setup + time for _, setup, time in chosen)
            begin = makespan - _sum(model.reduce_work_after, data, i, slot) - length
            _place(reduces, slot, begin, chosen)
    return Schedule(data.instance.name, maps, reduces, makespan)


def _least(variable: pyo.Var, *rows: pyo.Constraint) -> None:
    """Set each variable to the least value that the active rows of these components allow.

    It stands in them with coefficient 1 on the greater side, and its index begins theirs.
    """
    for entry in variable.values():
        entry.set_value(0.0, skip_validation=True)
    least: dict[Any, float] = {}
    for component in rows:
        for index, row in component.items():
            if row.active:
                key = index if variable.dim() > 1 else index[0] if variable.dim() else None
                body = pyo.value(row.body)
                short = body - row.ub if row.has_ub() else row.lb - body
                least[key] = max(least.get(key, 0.0), float(short))
    for key, value in least.items():
        variable[key].set_value(value, skip_validation=True)


def _empty(tasks: int) -> PhaseSchedule:
    slot: IntArray = np.full(tasks, -1, dtype=np.int64)
    start, setup, end = np.zeros((3, tasks))
    return PhaseSchedule(slot, start, setup, end)


def _place(
    phase: PhaseSchedule, slot: int, begin: float, tasks: list[tuple[int, float, float]]
) -> None:
    times: tuple[FloatArray, FloatArray, FloatArray] = (phase.start, phase.setup, phase.end)
    for task, setup, time in tasks:
        end = begin + setup + time
        phase.slot[task] = slot
        for column, value in zip(times, (begin, setup, end), strict=True):
            column[task] = value
        begin = end


def _sum(work: pyo.Var, data: Coefficients, i: int, slot: int) -> float:
    return float(sum(pyo.value(work[j, i, slot]) for j in data.jobs if j != i))
