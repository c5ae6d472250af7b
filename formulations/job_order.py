"""The job-order model: assignment variables and one order of the jobs for every slot.

Some optimal schedule runs the jobs in one order on every map slot and every reduce slot (proof in
docs/job-order.md). Given the assignments and that order, the makespan is a longest path,

    C = max over jobs i, map slots k, reduce slots l of
        (map work on k of the jobs up to i) + (reduce work on l of the jobs from i on),

so the model needs neither task sequences nor start times. The constraint components are named and
numbered (J1) to (J16) as in docs/job-order.md.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pyomo.environ as pyo

from ..instances.errors import InputError
from ..instances.mapreduce import FloatArray, Instance, IntArray
from ..instances.schedule import Schedule, map_completions, timed
from .coefficients import Coefficients

CUTS = ("area", "heads", "horizon")
"""Families of valid inequalities; `build` adds all of them unless told otherwise."""


def build(
    instance: Instance,
    *,
    horizon: float | None = None,
    lower_bound: float = 0.0,
    cuts: Collection[str] = CUTS,
) -> pyo.ConcreteModel:
    """The job-order model of `instance`.

    `horizon` is the makespan (s) of a known schedule: no longer schedule is looked for, and no
    big-M is larger. `lower_bound` (s) must be valid. `cuts` names the families of inequalities to
    add, none of which cuts off every optimal schedule. Main variables: `makespan`; `on_map[t, k]`
    and `on_reduce[w, l]`, task on slot; `before[i, j]` for i < j, job i precedes job j.
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
    _order(model)
    _reads(model)
    _map_phase(model)
    _reduce_phase(model)
    if "area" in cuts:
        _area_cuts(model)
    if "heads" in cuts:
        _head_cuts(model)
    if "horizon" in cuts:
        _horizon_cuts(model)
    return model


def estimated_terms(instance: Instance) -> float:
    """About how many nonzeros the model has, without building it."""
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
    model.before = pyo.Var([(i, j) for i, j in data.pairs if i < j], domain=pyo.Binary)
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
            data.reduce_processing[w] * model.on_reduce[w, slot] + model.read[w, slot]
            for w in data.reduces[i]
        )

    model.map_work = pyo.Expression(data.jobs, data.map_slots, rule=map_work)
    model.reduce_work = pyo.Expression(data.jobs, data.reduce_slots, rule=reduce_work)


def _precedes(model: pyo.ConcreteModel, i: int, j: int) -> pyo.Expression:
    return model.before[i, j] if i < j else 1 - model.before[j, i]


def _assignment(model: pyo.ConcreteModel) -> None:
    """Every task runs on exactly one slot of its phase."""
    data: Coefficients = model.data
    model.J1_map_task_on_one_slot = pyo.Constraint(
        data.map_tasks,
        rule=lambda model, t: pyo.quicksum(model.on_map[t, k] for k in data.map_slots) == 1,
    )
    model.J2_reduce_task_on_one_slot = pyo.Constraint(
        data.reduce_tasks,
        rule=lambda model, w: pyo.quicksum(model.on_reduce[w, k] for k in data.reduce_slots) == 1,
    )


def _slot_symmetry(model: pyo.ConcreteModel) -> None:
    """Of a node's equal slots, a task opens one only after a lower task is on the slot before."""
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


def _order(model: pyo.ConcreteModel) -> None:
    """`before` is a total order: no cycle of three, hence none at all."""
    data: Coefficients = model.data
    model.J5_no_cycle = pyo.Constraint(
        [(i, j, k) for i in data.jobs for j, k in data.pairs if i < j and i < k],
        rule=lambda model, i, j, k: (
            _precedes(model, i, j) + _precedes(model, j, k) + _precedes(model, k, i) <= 2
        ),
    )
    # Jobs without map tasks are ready at 0, jobs without reduce tasks can go last.
    model.J6_fixed_order = pyo.Constraint(
        [(i, j) for i, j in data.pairs if data.comes_first(i, j)],
        rule=lambda model, i, j: _precedes(model, i, j) == 1,
    )


def _reads(model: pyo.ConcreteModel) -> None:
    """A reduce task reads its share of every map output of its job, at the rate of the placement.

    (LJR section 4.4.) `reach` is the read time on a slot if the task ran there.
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
    """A job's map phase ends when, on every map slot, the jobs up to it have been worked off."""
    data: Coefficients = model.data

    def work_before(model: pyo.ConcreteModel, j: int, i: int, k: int) -> pyo.Expression:
        most = min(data.most_map_work[j, k], model.horizon - data.tail[j])
        return model.map_work_before[j, i, k] >= model.map_work[j, k] - most * (
            1 - _precedes(model, j, i)
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
    # Binding for jobs without reduce tasks; implied by (J12) for the others.
    model.J10b_makespan = pyo.Constraint(
        data.jobs, rule=lambda model, i: model.makespan >= model.map_completion[i]
    )


def _reduce_phase(model: pyo.ConcreteModel) -> None:
    """After a job's map phase every reduce slot still has that job and all later ones to do."""
    data: Coefficients = model.data

    def work_after(model: pyo.ConcreteModel, j: int, i: int, slot: int) -> pyo.Expression:
        most = min(data.most_reduce_work[j, slot], model.horizon - data.head[j])
        return model.reduce_work_after[j, i, slot] >= model.reduce_work[j, slot] - most * (
            1 - _precedes(model, i, j)
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


def _area_cuts(model: pyo.ConcreteModel) -> None:
    """A job that precedes another leaves at least its least work before it, over all slots."""
    data: Coefficients = model.data
    model.J13_map_area = pyo.Constraint(
        data.pairs,
        rule=lambda model, j, i: (
            pyo.quicksum(model.map_work_before[j, i, k] for k in data.map_slots)
            >= data.map_area[j] * _precedes(model, j, i)
        ),
    )
    model.J13_reduce_area = pyo.Constraint(
        data.pairs,
        rule=lambda model, j, i: (
            pyo.quicksum(model.reduce_work_after[j, i, k] for k in data.reduce_slots)
            >= data.reduce_area[j] * _precedes(model, i, j)
        ),
    )


def _head_cuts(model: pyo.ConcreteModel) -> None:
    """A reduce slot idles for the head of its first job, a map slot for the tail of its last."""
    data: Coefficients = model.data
    model.first_job = pyo.Var(data.jobs, data.reduce_slots, bounds=(0, 1))
    model.last_job = pyo.Var(data.jobs, data.map_slots, bounds=(0, 1))

    def some_job(end_job: pyo.Var, on_slot: pyo.Var, task: int, slot: int) -> pyo.Expression:
        return pyo.quicksum(end_job[i, slot] for i in data.jobs) >= on_slot[task, slot]

    def is_there(
        end_job: pyo.Var, on_slot: pyo.Var, tasks: range, i: int, slot: int
    ) -> pyo.Expression:
        return end_job[i, slot] <= pyo.quicksum(on_slot[t, slot] for t in tasks)

    model.J14_some_first_job = pyo.Constraint(
        data.reduce_tasks,
        data.reduce_slots,
        rule=lambda model, w, k: some_job(model.first_job, model.on_reduce, w, k),
    )
    model.J14_first_job_is_there = pyo.Constraint(
        data.jobs,
        data.reduce_slots,
        rule=lambda model, i, k: is_there(model.first_job, model.on_reduce, data.reduces[i], i, k),
    )
    model.J14_reduce_slot_makespan = pyo.Constraint(
        data.reduce_slots,
        rule=lambda model, k: (
            model.makespan
            >= pyo.quicksum(
                data.head[i] * model.first_job[i, k] + model.reduce_work[i, k] for i in data.jobs
            )
        ),
    )
    model.J15_some_last_job = pyo.Constraint(
        data.map_tasks,
        data.map_slots,
        rule=lambda model, t, k: some_job(model.last_job, model.on_map, t, k),
    )
    model.J15_last_job_is_there = pyo.Constraint(
        data.jobs,
        data.map_slots,
        rule=lambda model, i, k: is_there(model.last_job, model.on_map, data.maps[i], i, k),
    )
    model.J15_map_slot_makespan = pyo.Constraint(
        data.map_slots,
        rule=lambda model, k: (
            model.makespan
            >= pyo.quicksum(
                data.tail[i] * model.last_job[i, k] + model.map_work[i, k] for i in data.jobs
            )
        ),
    )


def _horizon_cuts(model: pyo.ConcreteModel) -> None:
    """The least work on a slot fits between the least head (or tail) and the horizon.

    Knapsack rows with a constant right-hand side, for the solver's cover cuts.
    """
    data: Coefficients = model.data
    head = min((data.head[i] for i in data.jobs if data.reduces[i]), default=0.0)
    tail = min((data.tail[i] for i in data.jobs if data.maps[i]), default=0.0)
    model.J16_reduce_knapsack = pyo.Constraint(
        data.reduce_slots if data.reduce_tasks else (),
        rule=lambda model, k: (
            pyo.quicksum(data.least_reduce[w] * model.on_reduce[w, k] for w in data.reduce_tasks)
            <= model.horizon - head
        ),
    )
    model.J16_map_knapsack = pyo.Constraint(
        data.map_slots if data.map_tasks else (),
        rule=lambda model, k: (
            pyo.quicksum(data.map_work[t, k] * model.on_map[t, k] for t in data.map_tasks)
            <= model.horizon - tail
        ),
    )


def start(model: pyo.ConcreteModel, schedule: Schedule) -> None:
    """Give every variable the value it has in `schedule`, for solvers that take a start.

    The schedule is read as slots and an order of the jobs by map completion; slots of one node are
    renamed as the symmetry rows (J3), (J4) want them.
    """
    data: Coefficients = model.data
    on_map = _canonical(schedule.map.slot, data.map_slot_node)
    on_reduce = _canonical(schedule.reduce.slot, data.reduce_slot_node)
    position = data.positions(map_completions(data.instance, schedule.map.end))
    timing = timed(
        data.instance,
        on_map,
        position[data.instance.map_job],
        on_reduce,
        position[data.instance.reduce_job],
    )
    _set_assignment(model.on_map, on_map)
    _set_assignment(model.on_reduce, on_reduce)
    for i, j in model.before:
        model.before[i, j] = int(position[i] < position[j])
    for w in data.reduce_tasks:
        for k in data.reduce_slots:
            model.read[w, k] = float(timing.reduce.setup[w]) if on_reduce[w] == k else 0.0
    work = data.map_work[data.map_tasks, on_map]
    _set_work(model.map_work_before, position, data.map_job, on_map, work, before=True)
    work = timing.reduce.setup + data.reduce_processing
    _set_work(model.reduce_work_after, position, data.reduce_job, on_reduce, work, before=False)
    completion = map_completions(data.instance, timing.map.end)
    for i in data.jobs:
        # A job's map phase counts as over when its turn has passed on every slot.
        earlier = position <= position[i]
        model.map_completion[i].set_value(
            float(completion[earlier].max(initial=0.0)), skip_validation=True
        )
    model.makespan.set_value(timing.makespan, skip_validation=True)
    if model.component("first_job") is not None:
        _set_end_job(model.first_job, position, data.reduce_job, on_reduce, first=True)
        _set_end_job(model.last_job, position, data.map_job, on_map, first=False)


def schedule(model: pyo.ConcreteModel) -> Schedule:
    """The schedule in the model's variables: slots and job order read off, then timed."""
    data: Coefficients = model.data
    position = np.array(
        [
            sum(round(pyo.value(_precedes(model, j, i))) for j in data.jobs if j != i)
            for i in data.jobs
        ],
        dtype=np.int64,
    )
    return timed(
        data.instance,
        _assigned(model.on_map, data.map_tasks, data.map_slots),
        position[data.instance.map_job],
        _assigned(model.on_reduce, data.reduce_tasks, data.reduce_slots),
        position[data.instance.reduce_job],
    )


def _canonical(slot: IntArray, slot_node: list[int]) -> IntArray:
    """Slots of each node renamed in the order in which tasks, by number, first use them."""
    renamed: dict[int, int] = {}
    unused: dict[int, list[int]] = {}
    for k in reversed(range(len(slot_node))):
        unused.setdefault(slot_node[k], []).append(k)
    for k in slot.tolist():
        if k not in renamed:
            renamed[k] = unused[slot_node[k]].pop()
    return np.array([renamed[k] for k in slot.tolist()], dtype=np.int64)


def _set_assignment(var: pyo.Var, slot: IntArray) -> None:
    for task, k in var:
        var[task, k] = int(slot[task] == k)


def _set_work(
    var: pyo.Var,
    position: IntArray,
    job_of: list[int],
    slot: IntArray,
    work: FloatArray,
    *,
    before: bool,
) -> None:
    total = np.zeros((len(position), 1 + slot.max(initial=0)))
    np.add.at(total, (np.array(job_of, dtype=np.int64), slot), work)
    for j, i, k in var:
        counts = position[j] < position[i] if before else position[j] > position[i]
        work_there = float(total[j, k]) if counts and k < total.shape[1] else 0.0
        var[j, i, k].set_value(work_there, skip_validation=True)


def _set_end_job(
    var: pyo.Var, position: IntArray, job_of: list[int], slot: IntArray, *, first: bool
) -> None:
    for i, k in var:
        var[i, k] = 0
    for k in set(slot.tolist()):
        there = {job_of[t] for t in np.flatnonzero(slot == k)}
        end = min(there, key=lambda i: position[i] if first else -position[i])
        var[end, k] = 1


def _assigned(var: pyo.Var, tasks: range, slots: range) -> IntArray:
    chosen = [max(slots, key=lambda k: pyo.value(var[t, k])) for t in tasks]
    return np.array(chosen, dtype=np.int64)
