"""The job-order model: assignment variables and one order of the jobs for every slot.

Some optimal schedule runs the jobs in one order on every map slot and every reduce slot:
docs/formulations/job-order.md has the proof. Given the assignments and that order, the
makespan is a longest path,

    C = max over jobs i, map slots k, reduce slots l of
        (map work on k of the jobs up to i) + (reduce work on l of the jobs from i on),

so the model needs neither task sequences nor start times. The constraint components are numbered
(J1) to (J19) as in docs/formulations/job-order.md.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import IntArray
from ....core.errors import InputError
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, timed_by_job
from ..coefficients import Coefficients
from ..total_order import add_order, fixed_order, job_order, no_cycle, set_order
from .cuts import CUTS

__all__ = ["CUTS", "build", "estimated_terms", "schedule", "start"]


def build(
    instance: Instance,
    *,
    horizon: float | None = None,
    lower_bound: float = 0.0,
    cuts: Collection[str] = tuple(CUTS),
) -> pyo.ConcreteModel:
    """Build the job-order model.

    Parameters
    ----------
    instance
        The instance.
    horizon
        Makespan (s) of a known schedule; longer schedules are excluded, and no big-M exceeds it.
    lower_bound
        A valid lower bound on the makespan (s).
    cuts
        Names of the families of valid inequalities to add, see `CUTS`.

    Returns
    -------
    pyo.ConcreteModel
        The model. Its main variables are `makespan`, `on_map[t, k]` and `on_reduce[w, l]`, 1 if a
        task is on a slot, and `before[i, j]` for i < j, 1 if job i precedes job j.

    Raises
    ------
    InputError
        If a name in `cuts` is unknown.
    """
    unknown = sorted(set(cuts) - set(CUTS))
    if unknown:
        raise InputError(f"unknown cuts {', '.join(unknown)}: choose from {', '.join(CUTS)}")
    data = Coefficients(instance)
    model = pyo.ConcreteModel(name=f"job-order model of {instance.name}")
    model.data = data
    # Rounding must not cut off the known schedule itself.
    model.horizon = (data.serial_makespan if horizon is None else horizon) * (1 + 1e-9)
    _variables(model, lower_bound)
    model.objective = pyo.Objective(expr=model.makespan, sense=pyo.minimize)
    _assignment(model)
    _slot_symmetry(model)
    model.J5_no_cycle = no_cycle(model.data)
    model.J6_fixed_order = fixed_order(model.data)
    _reads(model)
    _map_phase(model)
    _reduce_phase(model)
    for name, add in CUTS.items():
        if name in cuts:
            add(model)
    return model


def estimated_terms(instance: Instance) -> float:
    """Estimate the number of nonzeros of the model without building it."""
    map_slots, reduce_slots = instance.cluster.map_slots.sum(), instance.cluster.reduce_slots.sum()
    jobs, slots = float(instance.jobs), float(map_slots + reduce_slots)
    reads = float((instance.reduces_of * instance.maps_of).sum()) * map_slots * reduce_slots
    works = instance.map_tasks * map_slots + 2 * instance.reduce_tasks * reduce_slots
    symmetry = instance.map_tasks**2 * map_slots + instance.reduce_tasks**2 * reduce_slots
    return float(reads + symmetry / 2 + 3 * jobs * works + 3 * jobs**2 * slots + jobs**3)


def _variables(model: pyo.ConcreteModel, lower_bound: float) -> None:
    data: Coefficients = model.data
    limit = (0, model.horizon)
    model.makespan = pyo.Var(bounds=(lower_bound, model.horizon))
    model.on_map = pyo.Var(data.map_tasks, data.map_slots, domain=pyo.Binary)
    model.on_reduce = pyo.Var(data.reduce_tasks, data.reduce_slots, domain=pyo.Binary)
    add_order(model)
    model.map_completion = pyo.Var(data.jobs, bounds=limit)
    # Seconds that reduce task w reads if it runs on slot l, else 0.
    model.read = pyo.Var(data.reduce_tasks, data.reduce_slots, bounds=limit)
    # Work of job j on map slot k if j precedes i, else 0; of j on reduce slot l if j follows i.
    model.map_work_before = pyo.Var(data.pairs, data.map_slots, bounds=limit)
    model.reduce_work_after = pyo.Var(data.pairs, data.reduce_slots, bounds=limit)

    def map_work(model: pyo.ConcreteModel, i: int, k: int) -> pyo.Expression:
        return pyo.quicksum(data.map_work[t, k] * model.on_map[t, k] for t in data.maps[i])

    def reduce_work(model: pyo.ConcreteModel, i: int, slot: int) -> pyo.Expression:
        return pyo.quicksum(
            data.reduce_time[w, slot] * model.on_reduce[w, slot] + model.read[w, slot]
            for w in data.reduces[i]
        )

    model.map_work = pyo.Expression(data.jobs, data.map_slots, rule=map_work)
    model.reduce_work = pyo.Expression(data.jobs, data.reduce_slots, rule=reduce_work)


def _assignment(model: pyo.ConcreteModel) -> None:
    """Every task runs on exactly one eligible slot of its phase."""
    data: Coefficients = model.data
    for t, k in np.argwhere(~data.map_allowed).tolist():
        model.on_map[t, k].fix(0)
    for w in data.reduce_tasks:
        for k in data.lost_reduce_slots:
            model.on_reduce[w, k].fix(0)
    model.J1_map_task_on_one_slot = pyo.Constraint(
        data.map_tasks,
        rule=lambda model, t: pyo.quicksum(model.on_map[t, k] for k in data.map_slots) == 1,
    )
    model.J2_reduce_task_on_one_slot = pyo.Constraint(
        data.reduce_tasks,
        rule=lambda model, w: pyo.quicksum(model.on_reduce[w, k] for k in data.reduce_slots) == 1,
    )


def _slot_symmetry(model: pyo.ConcreteModel) -> None:
    """Of equal slots of a node, a task uses one only if a lower task is on the slot before."""
    data: Coefficients = model.data

    def opened(var: pyo.Var, task: int, slot: int) -> pyo.Expression:
        return var[task, slot] <= pyo.quicksum(var[s, slot - 1] for s in range(task))

    model.J3_map_slot_symmetry = pyo.Constraint(
        data.map_tasks,
        data.map_slots_with_twin,
        rule=lambda model, t, k: opened(model.on_map, t, k),
    )
    model.J4_reduce_slot_symmetry = pyo.Constraint(
        data.reduce_tasks,
        data.reduce_slots_with_twin,
        rule=lambda model, w, k: opened(model.on_reduce, w, k),
    )


def _reads(model: pyo.ConcreteModel) -> None:
    """A reduce task reads its share of every map output of its job, at the rate of the placement.

    See [LJR], section 4.4. `reach` is the read time on a slot if the task ran there.
    """
    data: Coefficients = model.data

    def read(model: pyo.ConcreteModel, w: int, slot: int) -> pyo.Expression:
        i = data.reduce_job[w]
        seconds = data.read_seconds[:, slot]
        reach = pyo.quicksum(
            seconds[data.map_slot_node[k]] * data.share[t] * model.on_map[t, k]
            for t in data.maps[i]
            for k in data.map_slots
        )
        most = float(seconds.max() * data.share[data.maps[i]].sum())
        return model.read[w, slot] >= reach - most * (1 - model.on_reduce[w, slot])

    readers = [w for w in data.reduce_tasks if data.local_read[data.reduce_job[w]] > 0]
    model.J7_read = pyo.Constraint(readers, data.reduce_slots, rule=read)
    model.J8_local_read = pyo.Constraint(
        readers,
        data.reduce_slots,
        rule=lambda model, w, k: (
            model.read[w, k] >= data.local_read[data.reduce_job[w]] * model.on_reduce[w, k]
        ),
    )


def _map_phase(model: pyo.ConcreteModel) -> None:
    """The map phase of a job ends when every map slot has finished the jobs up to it."""
    data: Coefficients = model.data

    def work_before(model: pyo.ConcreteModel, j: int, i: int, k: int) -> pyo.Expression:
        most = min(data.most_map_work[j, k], model.horizon - data.tail[j])
        return model.map_work_before[j, i, k] >= model.map_work[j, k] - most * (
            1 - model.precedes[j, i]
        )

    model.J9_map_work_before = pyo.Constraint(data.pairs, data.map_slots, rule=work_before)
    model.J10_map_completion = pyo.Constraint(
        data.jobs,
        data.map_slots,
        rule=lambda model, i, k: (
            model.map_completion[i]
            >= model.map_work[i, k]
            + pyo.quicksum(model.map_work_before[j, i, k] for j in data.jobs if j != i)
        ),
    )
    # Implied by (J12) unless the cluster has no reduce slot.
    model.J10b_makespan = pyo.Constraint(
        data.jobs, rule=lambda model, i: model.makespan >= model.map_completion[i]
    )


def _reduce_phase(model: pyo.ConcreteModel) -> None:
    """After the map phase of a job, every reduce slot still has that job and all later ones."""
    data: Coefficients = model.data

    def work_after(model: pyo.ConcreteModel, j: int, i: int, slot: int) -> pyo.Expression:
        most = min(data.most_reduce_work[j, slot], model.horizon - data.head[j])
        return model.reduce_work_after[j, i, slot] >= model.reduce_work[j, slot] - most * (
            1 - model.precedes[i, j]
        )

    model.J11_reduce_work_after = pyo.Constraint(data.pairs, data.reduce_slots, rule=work_after)
    model.J12_makespan = pyo.Constraint(
        data.jobs,
        data.reduce_slots,
        rule=lambda model, i, k: (
            model.makespan
            >= model.map_completion[i]
            + model.reduce_work[i, k]
            + pyo.quicksum(model.reduce_work_after[j, i, k] for j in data.jobs if j != i)
        ),
    )


def schedule(model: pyo.ConcreteModel) -> Schedule:
    """Read off the schedule: slots and job order from the variables, timed anew."""
    data: Coefficients = model.data
    map_slot = _assigned(model.on_map, data.map_tasks, data.map_slots)
    reduce_slot = _assigned(model.on_reduce, data.reduce_tasks, data.reduce_slots)
    return timed_by_job(data.instance, map_slot, reduce_slot, job_order(model))


def _assigned(var: pyo.Var, tasks: range, slots: range) -> IntArray:
    chosen = [max(slots, key=lambda k: pyo.value(var[t, k])) for t in tasks]
    return np.array(chosen, dtype=np.int64)


def start(model: pyo.ConcreteModel, schedule: Schedule) -> None:
    """Give slots and order their values in a schedule; the solver finds the others.

    Jobs are ordered by the ends of their map phases. Slots of one node are renamed as the symmetry
    rows (J3), (J4) require.
    """
    data: Coefficients = model.data
    for on_slot, slot, kinds in (
        (model.on_map, schedule.map.slot, data.map_slot_kind),
        (model.on_reduce, schedule.reduce.slot, data.reduce_slot_kind),
    ):
        renamed = _canonical(slot, kinds)
        for task, k in on_slot:
            on_slot[task, k] = int(renamed[task] == k)
    set_order(model, schedule)


def _canonical(slot: IntArray, slot_kind: list[int]) -> IntArray:
    """Rename equal slots in the order in which tasks, by number, first use them."""
    renamed: dict[int, int] = {}
    unused: dict[int, list[int]] = {}
    for k in reversed(range(len(slot_kind))):
        unused.setdefault(slot_kind[k], []).append(k)
    for k in slot.tolist():
        if k not in renamed:
            renamed[k] = unused[slot_kind[k]].pop()
    return np.array([renamed[k] for k in slot.tolist()], dtype=np.int64)
