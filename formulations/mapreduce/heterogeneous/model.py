"""The heterogeneous model for [HMHS]: how many of a job's identical tasks run on each slot.

As in the job-order model, one order of the jobs suffices for all slots, and the makespan is a
longest path through order and assignment. Identical tasks do not need a slot each, only a number
per slot. The product of such a number and the order variable "job j precedes job i" is the number
of tasks of j that run on the slot before i; it needs no big-M, because either all tasks of j
precede i or none does. A class of identical tasks is identified by its first task; the jobs of HMHS
have one class per phase.

The model requires that no reduce setup depends on where the map tasks ran (`applies`). The
constraint components are numbered (H1) to (H13) as in docs/formulations/heterogeneous.md.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, timed_by_job
from ..coefficients import Coefficients
from ..identical_tasks import (
    ClassPhase,
    map_classes,
    reads_are_uniform,
    reduce_classes,
)
from ..total_order import add_order, fixed_order, job_order, no_cycle, set_order
from .cuts import CUTS

__all__ = ["CUTS", "applies", "build", "estimated_terms", "schedule", "start"]


def applies(instance: Instance) -> bool:
    """Whether the model fits an instance: no reduce setup depends on the placement of the maps."""
    return reads_are_uniform(instance)


def build(
    instance: Instance,
    *,
    horizon: float | None = None,
    lower_bound: float = 0.0,
    cuts: Collection[str] = tuple(CUTS),
) -> pyo.ConcreteModel:
    """Build the heterogeneous model.

    Parameters
    ----------
    instance
        The instance.
    horizon
        Makespan (s) of a known schedule; longer schedules are excluded.
    lower_bound
        A valid lower bound on the makespan (s).
    cuts
        Names of the families of valid inequalities to add, see `CUTS`.

    Returns
    -------
    pyo.ConcreteModel
        The model. Its main variables are `makespan`, `map_count[t, k]` and `reduce_count[v, l]`,
        the tasks of the class of t (or v) on a slot, and `before[i, j]` for i < j, 1 if job i
        precedes job j.

    Raises
    ------
    InputError
        If the model does not apply, or a name in `cuts` is unknown.
    """
    if not applies(instance):
        raise InputError(
            f"instance {instance.name!r}: reduce setups depend on where the map tasks run, which "
            "the heterogeneous model cannot express: use job-order"
        )
    unknown = sorted(set(cuts) - set(CUTS))
    if unknown:
        raise InputError(f"unknown cuts {', '.join(unknown)}: choose from {', '.join(CUTS)}")
    data = Coefficients(instance)
    model = pyo.ConcreteModel(name=f"heterogeneous model of {instance.name}")
    model.data = data
    model.maps = ClassPhase(
        map_classes(instance), data.map_job, data.jobs, data.map_work, data.map_allowed
    )
    model.reduces = ClassPhase(
        reduce_classes(instance),
        data.reduce_job,
        data.jobs,
        _reduce_seconds(data),
        np.tile(~np.isin(data.reduce_slots, data.lost_reduce_slots), (instance.reduce_tasks, 1)),
    )
    # Rounding must not cut off the known schedule itself.
    model.horizon = (data.serial_makespan if horizon is None else horizon) * (1 + 1e-9)
    model.makespan = pyo.Var(bounds=(lower_bound, model.horizon))
    model.map_completion = pyo.Var(data.jobs, bounds=(0, model.horizon))
    model.objective = pyo.Objective(expr=model.makespan, sense=pyo.minimize)
    add_order(model)
    model.H3_no_cycle = no_cycle(model.data)
    model.H4_fixed_order = fixed_order(model.data)
    _place(model, model.maps, maps=True)
    _place(model, model.reduces, maps=False)
    _longest_path(model)
    for name, add in CUTS.items():
        if name in cuts:
            add(model)
    return model


def estimated_terms(instance: Instance) -> float:
    """Estimate the number of nonzeros of the model without building it."""
    cluster = instance.cluster
    counts = len(map_classes(instance)) * float(cluster.map_slots.sum())
    counts += len(reduce_classes(instance)) * float(cluster.reduce_slots.sum())
    jobs = float(instance.jobs)
    return 4 * jobs * counts + 6 * counts + jobs**3


def _reduce_seconds(data: Coefficients) -> FloatArray:
    """Processing plus read time of each reduce task on each slot, shape (reduce tasks, slots)."""
    output = np.array([data.share[maps].sum() for maps in data.maps])
    read = data.read_seconds[data.map_slot_node[:1]].sum(axis=0)
    seconds: FloatArray = data.reduce_time + output[data.reduce_job, None] * read
    return seconds


def _place(model: pyo.ConcreteModel, phase: ClassPhase, *, maps: bool) -> None:
    """(H1), (H2) and (H5) to (H8): numbers of tasks, and those of jobs before or after a job."""
    count = pyo.Var(
        phase.classes,
        phase.slots,
        domain=pyo.NonNegativeIntegers,
        bounds=lambda _, t, k: (0, phase.count[t] if phase.allowed[t, k] else 0),
    )
    # Of the tasks like t on slot k those that come before job i; of reduce tasks, after it.
    part = pyo.Var(phase.others, phase.slots, bounds=lambda _, t, i, k: (0, phase.count[t]))

    def placed(model: pyo.ConcreteModel, t: int) -> pyo.Expression:
        return pyo.quicksum(count[t, k] for k in phase.slots) == phase.count[t]

    def all_of_them(model: pyo.ConcreteModel, t: int, i: int) -> pyo.Expression:
        job = phase.job[t]
        ordered = model.precedes[job, i] if maps else model.precedes[i, job]
        return pyo.quicksum(part[t, i, k] for k in phase.slots) >= phase.count[t] * ordered

    def where_they_are(model: pyo.ConcreteModel, t: int, i: int, k: int) -> pyo.Expression:
        return part[t, i, k] <= count[t, k]

    rows = (
        pyo.Constraint(phase.classes, rule=placed),
        pyo.Constraint(phase.others, rule=all_of_them),
        pyo.Constraint(phase.others, phase.slots, rule=where_they_are),
    )
    if maps:
        model.map_count, model.map_count_before = count, part
        model.H1_map_tasks_placed, model.H5_map_all_before, model.H6_map_where_they_are = rows
    else:
        model.reduce_count, model.reduce_count_after = count, part
        model.H2_reduce_tasks_placed, model.H7_reduce_all_after = rows[:2]
        model.H8_reduce_where_they_are = rows[2]


def _longest_path(model: pyo.ConcreteModel) -> None:
    """(H9) to (H11): the map phase of i ends after the work up to i; later work follows it."""
    data: Coefficients = model.data

    def work(count: pyo.Var, part: pyo.Var, phase: ClassPhase, i: int, k: int) -> pyo.Expression:
        return pyo.quicksum(
            phase.seconds[t, k] * (count[t, k] if phase.job[t] == i else part[t, i, k])
            for t in phase.classes
        )

    model.H9_map_completion = pyo.Constraint(
        data.jobs,
        data.map_slots,
        rule=lambda model, i, k: (
            model.map_completion[i]
            >= work(model.map_count, model.map_count_before, model.maps, i, k)
        ),
    )
    # Implied by (H11) unless the cluster has no reduce slot.
    model.H10_makespan = pyo.Constraint(
        data.jobs, rule=lambda model, i: model.makespan >= model.map_completion[i]
    )
    model.H11_makespan = pyo.Constraint(
        data.jobs,
        data.reduce_slots,
        rule=lambda model, i, k: (
            model.makespan
            >= model.map_completion[i]
            + work(model.reduce_count, model.reduce_count_after, model.reduces, i, k)
        ),
    )


def schedule(model: pyo.ConcreteModel) -> Schedule:
    """Read off the schedule: numbers of tasks and job order from the variables, timed anew."""
    instance: Instance = model.data.instance
    map_slot = _slots(model.map_count, model.maps, instance.map_tasks)
    reduce_slot = _slots(model.reduce_count, model.reduces, instance.reduce_tasks)
    return timed_by_job(instance, map_slot, reduce_slot, job_order(model))


def _slots(count: pyo.Var, phase: ClassPhase, tasks: int) -> IntArray:
    """The slot of each task: the tasks of a class fill its slots in ascending order."""
    slot = np.empty(tasks, dtype=np.int64)
    for t, alike in phase.tasks.items():
        there = [round(pyo.value(count[t, k])) for k in phase.slots]
        slot[alike] = np.repeat(phase.slots, there)
    return slot


def start(model: pyo.ConcreteModel, schedule: Schedule) -> None:
    """Give numbers of tasks and the order their values in a schedule; the solver finds the others.

    Jobs are ordered by the ends of their map phases.
    """
    for count, phase, slot in (
        (model.map_count, model.maps, schedule.map.slot),
        (model.reduce_count, model.reduces, schedule.reduce.slot),
    ):
        for t, k in count:
            count[t, k] = int(np.count_nonzero(slot[phase.tasks[t]] == k))
    set_order(model, schedule)
