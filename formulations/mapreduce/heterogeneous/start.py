"""A schedule as values of the variables of the heterogeneous model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import FloatArray, IntArray
from ....instances.mapreduce.schedule import Schedule, map_completions
from ..coefficients import Coefficients
from ..total_order import set_end_job, set_order

if TYPE_CHECKING:
    from .phases import ClassPhase


def start(model: pyo.ConcreteModel, schedule: Schedule) -> None:
    """Give every variable its value in a schedule, for solvers that accept a start.

    The schedule is reduced to numbers of tasks on slots and an order of the jobs by map completion.
    It is sorted and timed again until that order is stable (docs/formulations/proofs/job-order.md).
    """
    data: Coefficients = model.data
    maps: ClassPhase = model.maps
    reduces: ClassPhase = model.reduces
    _set_count(model.map_count, maps, schedule.map.slot)
    _set_count(model.reduce_count, reduces, schedule.reduce.slot)
    map_work = _work(maps, schedule.map.slot, len(data.jobs))
    completion = map_completions(data.instance, schedule.map.end)
    position, before = data.positions(completion), None
    while before is None or not np.array_equal(before, position):
        before = position
        loads = np.cumsum(map_work[np.argsort(position)], axis=0)[position]
        completion = np.where(map_work > 0, loads, 0.0).max(axis=1, initial=0.0)
        position = data.positions(completion)
    set_order(model, position)
    for (t, i, k), part in model.map_count_before.items():
        part.set_value(model.map_count[t, k].value if position[maps.job[t]] < position[i] else 0)
    for (v, i, k), part in model.reduce_count_after.items():
        follows = position[reduces.job[v]] > position[i]
        part.set_value(model.reduce_count[v, k].value if follows else 0)
    # A job's map phase counts as over when its turn has passed on every slot.
    order = np.argsort(position)
    over = np.cumsum(map_work[order], axis=0).max(axis=1, initial=0.0)[position]
    reduce_work = _work(reduces, schedule.reduce.slot, len(data.jobs))
    to_come = np.cumsum(reduce_work[order][::-1], axis=0)[::-1][position]
    makespan = (over + to_come.max(axis=1, initial=0.0)).max(initial=0.0)
    for i in data.jobs:
        model.map_completion[i].set_value(float(over[i]), skip_validation=True)
    model.makespan.set_value(float(makespan), skip_validation=True)
    if model.component("first_job") is not None:
        set_end_job(model.first_job, reduce_work > 0, position)
        set_end_job(model.last_job, map_work > 0, -position)


def _set_count(count: pyo.Var, phase: ClassPhase, slot: IntArray) -> None:
    for t, alike in phase.tasks.items():
        there = np.bincount(slot[alike], minlength=len(phase.slots))
        for k in phase.slots:
            count[t, k] = int(there[k])


def _work(phase: ClassPhase, slot: IntArray, jobs: int) -> FloatArray:
    """Work of each job on each slot (s), shape (jobs, slots)."""
    work = np.zeros((jobs, len(phase.slots)))
    for t, alike in phase.tasks.items():
        np.add.at(work[phase.job[t]], slot[alike], phase.seconds[t, slot[alike]])
    return work
