"""The integer program of [LJR], equations (1) to (12), constraint by constraint.

It departs from the printed program in three points, where the paper contradicts itself or is
silent. First, the reduce setup time depends on where the job's map tasks ran, as section 4.4 says;
the printed program takes it as a parameter of the slot. Second, a job without reduce tasks counts
towards the makespan with its map tasks, which equations (1) and (3) leave out. Third, a reduce task
whose job has no map tasks cannot end before its own processing time.
"""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import IntArray
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, timed
from ..coefficients import Coefficients

HEAD, TAIL = -1, -2
"""The dummy tasks v_h before the first and v_t after the last task of a slot."""


def build(
    instance: Instance,
    *,
    horizon: float | None = None,
    lower_bound: float = 0.0,
) -> pyo.ConcreteModel:
    """Build the printed program.

    Parameters
    ----------
    instance
        The instance.
    horizon
        Makespan (s) of a known schedule, used as big-M. By default the big-M is the sum of all
        setup and processing times, as printed.
    lower_bound
        A valid lower bound on the makespan (s).

    Returns
    -------
    pyo.ConcreteModel
        The model. Its main variables are `makespan`, `map_follows[k, v, w]` and
        `reduce_follows[k, v, w]`, u of the paper: 1 if task v is the immediate predecessor of w on
        slot k.
    """
    data = Coefficients(instance)
    model = pyo.ConcreteModel(name=f"sequence model of {instance.name}")
    model.data = data
    # Rounding must not cut off the known schedule itself.
    model.big_m = (data.serial_makespan if horizon is None else horizon) * (1 + 1e-9)
    phases = (
        ("map", data.map_tasks, data.map_slots),
        ("reduce", data.reduce_tasks, data.reduce_slots),
    )
    for phase, tasks, slots in phases:
        _sequence_variables(model, phase, tasks, slots)
    model.makespan = pyo.Var(bounds=(lower_bound, model.big_m))
    _objective(model)
    _completions(model)
    _setups(model)
    for phase, tasks, slots in phases:
        _precedence_on_slots(model, phase, tasks, slots)
        _sequences(model, phase, tasks, slots)
    _forbidden_slots(model)
    return model


def estimated_terms(instance: Instance) -> float:
    """Estimate the number of nonzeros of the model without building it."""
    map_slots, reduce_slots = instance.cluster.map_slots.sum(), instance.cluster.reduce_slots.sum()
    maps, reduces = float(instance.map_tasks), float(instance.reduce_tasks)
    reads = float((instance.reduces_of * instance.maps_of).sum()) * map_slots * reduce_slots
    return float(6 * maps**2 * map_slots + 6 * reduces**2 * reduce_slots + reads * (maps + reduces))


def _sequence_variables(model: pyo.ConcreteModel, phase: str, tasks: range, slots: range) -> None:
    # (11), u_vv = 0, and (12): a task cannot follow itself, so that variable does not exist.
    arcs = [(v, w) for v in (*tasks, HEAD) for w in (*tasks, TAIL) if v != w]
    limit = (0, model.big_m)
    model.add_component(f"{phase}_follows", pyo.Var(slots, arcs, domain=pyo.Binary))
    model.add_component(f"{phase}_setup", pyo.Var(tasks, bounds=limit))
    model.add_component(f"{phase}_completion", pyo.Var(tasks, bounds=limit))


def _objective(model: pyo.ConcreteModel) -> None:
    """(1): the makespan is the last completion of a reduce task, or of a map task."""
    data: Coefficients = model.data
    model.objective = pyo.Objective(expr=model.makespan, sense=pyo.minimize)
    model.eq1_makespan = pyo.Constraint(
        data.reduce_tasks, rule=lambda model, w: model.makespan >= model.reduce_completion[w]
    )
    model.eq1_makespan_without_reduce = pyo.Constraint(
        [t for t in data.map_tasks if not data.reduces[data.map_job[t]]],
        rule=lambda model, t: model.makespan >= model.map_completion[t],
    )


def _completions(model: pyo.ConcreteModel) -> None:
    """(2), (3): no task ends before its setup and processing; reduces wait for their maps."""
    data: Coefficients = model.data
    model.eq2_map_completion = pyo.Constraint(
        data.map_tasks,
        rule=lambda model, t: (
            model.map_completion[t] >= model.map_setup[t] + _processing(model, "map", t)
        ),
    )
    model.eq3_reduce_completion = pyo.Constraint(
        [(w, t) for w in data.reduce_tasks for t in data.maps[data.reduce_job[w]]],
        rule=lambda model, w, t: (
            model.reduce_completion[w]
            >= model.reduce_setup[w] + _processing(model, "reduce", w) + model.map_completion[t]
        ),
    )
    model.eq3_reduce_completion_without_map = pyo.Constraint(
        [w for w in data.reduce_tasks if not data.maps[data.reduce_job[w]]],
        rule=lambda model, w: (
            model.reduce_completion[w] >= model.reduce_setup[w] + _processing(model, "reduce", w)
        ),
    )


def _processing(model: pyo.ConcreteModel, phase: str, task: int) -> pyo.Expression | float:
    """The task's processing time: a number, or that of its slot if slots differ in speed."""
    data: Coefficients = model.data
    times = (data.map_time if phase == "map" else data.reduce_time)[task]
    if data.instance.speed_factors is None:
        return float(times[0])
    return pyo.quicksum(
        float(time) * _on_slot(model, phase, task, k) for k, time in enumerate(times)
    )


def _on_slot(model: pyo.ConcreteModel, phase: str, task: int, slot: int) -> pyo.Expression:
    """1 if the task runs on the slot: the sum of u over its successors there, as in (4)."""
    data: Coefficients = model.data
    tasks = data.map_tasks if phase == "map" else data.reduce_tasks
    follows = model.component(f"{phase}_follows")
    return pyo.quicksum(follows[slot, task, v] for v in (*tasks, TAIL) if v != task)


def _setups(model: pyo.ConcreteModel) -> None:
    """(4): the setup time of the slot a task is on; for reduces with the reads of section 4.4."""
    data: Coefficients = model.data
    model.eq4_map_setup = pyo.Constraint(
        data.map_tasks,
        rule=lambda model, t: (
            model.map_setup[t]
            == pyo.quicksum(
                float(data.map_setup[t, k]) * _on_slot(model, "map", t, k) for k in data.map_slots
            )
        ),
    )

    def read(model: pyo.ConcreteModel, w: int, slot: int) -> pyo.Expression:
        maps = data.maps[data.reduce_job[w]]
        seconds = data.read_seconds[:, slot]
        reach = pyo.quicksum(
            float(seconds[data.map_slot_node[k]] * data.share[t]) * _on_slot(model, "map", t, k)
            for t in maps
            for k in data.map_slots
        )
        most = float(seconds.max() * data.share[maps].sum())
        return model.reduce_setup[w] >= reach - most * (1 - _on_slot(model, "reduce", w, slot))

    model.eq4_reduce_setup = pyo.Constraint(
        [w for w in data.reduce_tasks if data.maps[data.reduce_job[w]]],
        data.reduce_slots,
        rule=read,
    )


def _precedence_on_slots(model: pyo.ConcreteModel, phase: str, tasks: range, slots: range) -> None:
    """(5): a task ends at least its setup and processing after its immediate predecessor."""
    follows = model.component(f"{phase}_follows")
    setup = model.component(f"{phase}_setup")
    completion = model.component(f"{phase}_completion")

    def precedence(model: pyo.ConcreteModel, v: int, w: int) -> pyo.Expression:
        follows_directly = pyo.quicksum(follows[k, v, w] for k in slots)
        duration = setup[w] + _processing(model, phase, w)
        return completion[w] - completion[v] >= duration + model.big_m * (follows_directly - 1)

    arcs = [(v, w) for v in tasks for w in tasks if v != w]
    model.add_component(f"eq5_{phase}_precedence", pyo.Constraint(arcs, rule=precedence))


def _sequences(model: pyo.ConcreteModel, phase: str, tasks: range, slots: range) -> None:
    """(6) to (10): on each slot one chain of tasks from v_h to v_t, every task in one chain."""
    follows = model.component(f"{phase}_follows")

    def one_predecessor(model: pyo.ConcreteModel, w: int) -> pyo.Expression:
        return pyo.quicksum(follows[k, v, w] for k in slots for v in (*tasks, HEAD) if v != w) == 1

    def one_successor(model: pyo.ConcreteModel, v: int) -> pyo.Expression:
        return pyo.quicksum(follows[k, v, w] for k in slots for w in (*tasks, TAIL) if v != w) == 1

    def one_first(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        return pyo.quicksum(follows[k, HEAD, w] for w in (*tasks, TAIL)) == 1

    def one_last(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        return pyo.quicksum(follows[k, v, TAIL] for v in (*tasks, HEAD)) == 1

    def flow(model: pyo.ConcreteModel, k: int, w: int) -> pyo.Expression:
        into = pyo.quicksum(follows[k, v, w] for v in (*tasks, HEAD) if v != w)
        out = pyo.quicksum(follows[k, w, v] for v in (*tasks, TAIL) if v != w)
        return into == out

    model.add_component(f"eq6_{phase}_one_predecessor", pyo.Constraint(tasks, rule=one_predecessor))
    model.add_component(f"eq7_{phase}_one_successor", pyo.Constraint(tasks, rule=one_successor))
    model.add_component(f"eq8_{phase}_one_first", pyo.Constraint(slots, rule=one_first))
    model.add_component(f"eq9_{phase}_one_last", pyo.Constraint(slots, rule=one_last))
    model.add_component(f"eq10_{phase}_flow", pyo.Constraint(slots, tasks, rule=flow))


def _forbidden_slots(model: pyo.ConcreteModel) -> None:
    """No task follows another, or is the first, on a slot that it may not run on."""
    data: Coefficients = model.data
    for t, k in np.argwhere(~data.map_allowed).tolist():
        for v in (*data.map_tasks, HEAD):
            if v != t:
                model.map_follows[k, v, t].fix(0)
    for k in data.lost_reduce_slots:
        for w in data.reduce_tasks:
            for v in (*data.reduce_tasks, HEAD):
                if v != w:
                    model.reduce_follows[k, v, w].fix(0)


def start(model: pyo.ConcreteModel, schedule: Schedule) -> None:
    """Give the sequences on slots their values in a schedule; the solver finds the others."""
    for phase, rows in (("map", schedule.map), ("reduce", schedule.reduce)):
        follows = model.component(f"{phase}_follows")
        for index in follows:
            follows[index] = 0
        slots = model.data.map_slots if phase == "map" else model.data.reduce_slots
        for k in slots:
            on_slot = np.flatnonzero(rows.slot == k)
            chain = on_slot[np.lexsort((on_slot, rows.end[on_slot], rows.start[on_slot]))].tolist()
            for v, w in zip([HEAD, *chain], [*chain, TAIL], strict=True):
                follows[k, v, w] = 1


def schedule(model: pyo.ConcreteModel) -> Schedule:
    """Read off the schedule: slots and sequences from the variables, timed anew."""
    data: Coefficients = model.data
    map_slot, map_rank = _chains(model.map_follows, data.map_tasks, data.map_slots)
    reduce_slot, reduce_rank = _chains(model.reduce_follows, data.reduce_tasks, data.reduce_slots)
    # Tasks without duration may form a circle apart from their slot's chain, which (5) lets pass.
    # They cost nothing before all other map tasks, and nothing after all other reduce tasks.
    reduce_rank[reduce_rank < 0] = len(data.reduce_tasks)
    return timed(data.instance, map_slot, map_rank, reduce_slot, reduce_rank)


def _chains(follows: pyo.Var, tasks: range, slots: range) -> tuple[IntArray, IntArray]:
    """Slot of each task, and its position in the chain from v_h on, -1 if it is in none."""
    slot = np.full(len(tasks), -1, dtype=np.int64)
    rank = np.full(len(tasks), -1, dtype=np.int64)
    for k in slots:
        successor = {v: w for i, v, w in follows if i == k and pyo.value(follows[i, v, w]) > 0.5}
        slot[[v for v in successor if v != HEAD]] = k
        v, place = successor[HEAD], 0
        while v != TAIL:
            rank[v] = place
            v, place = successor[v], place + 1
    return slot, rank
