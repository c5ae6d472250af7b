"""A schedule as values of the variables of the job-order model."""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....instances.mapreduce.schedule import Schedule, map_completions, timed_by_job
from ..coefficients import Coefficients
from ..total_order import set_end_job, set_order


def start(model: pyo.ConcreteModel, schedule: Schedule) -> None:
    """Give every variable its value in a schedule, for solvers that accept a start.

    The schedule is reduced to slots and an order of the jobs by map completion; slots of one node
    are renamed as the symmetry rows (J3), (J4) require.
    """
    data: Coefficients = model.data
    on_map = _canonical(schedule.map.slot, data.map_slot_kind)
    on_reduce = _canonical(schedule.reduce.slot, data.reduce_slot_kind)
    position, timing = _settled(data, schedule, on_map, on_reduce)
    _set_assignment(model.on_map, on_map)
    _set_assignment(model.on_reduce, on_reduce)
    set_order(model, position)
    for w in data.reduce_tasks:
        for k in data.reduce_slots:
            model.read[w, k] = float(timing.reduce.setup[w]) if on_reduce[w] == k else 0.0
    work = data.map_work[data.map_tasks, on_map]
    _set_work(model.map_work_before, position, data.map_job, on_map, work, before=True)
    work = timing.reduce.end - timing.reduce.start
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
        reduces_there = _there(len(data.jobs), data.reduce_job, on_reduce, data.reduce_slots)
        maps_there = _there(len(data.jobs), data.map_job, on_map, data.map_slots)
        set_end_job(model.first_job, reduces_there, position)
        set_end_job(model.last_job, maps_there, -position)


def _settled(
    data: Coefficients, schedule: Schedule, on_map: IntArray, on_reduce: IntArray
) -> tuple[IntArray, Schedule]:
    """An order of the jobs, and a schedule in that order whose map phases end in that order.

    Jobs sorted by map completion and timed anew complete no later, but perhaps in another order.
    """
    timing, position = schedule, np.full(len(data.jobs), -1, dtype=np.int64)
    while True:
        sorted_again = data.positions(map_completions(data.instance, timing.map.end))
        if np.array_equal(sorted_again, position):
            return position, timing
        position = sorted_again
        timing = timed_by_job(data.instance, on_map, on_reduce, np.argsort(position))


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


def _there(jobs: int, job_of: list[int], slot: IntArray, slots: range) -> BoolArray:
    """Which jobs have a task on which slot, shape (jobs, slots)."""
    there = np.zeros((jobs, len(slots)), dtype=bool)
    there[job_of, slot] = True
    return there
