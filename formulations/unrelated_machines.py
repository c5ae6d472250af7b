"""A linear program for slots of different speed: the work of every job, spread over the slots.

The machine assignment of `R||Cmax` relaxed twice: tasks may be split, and the tasks of a job are
poured together. What it keeps is what the closed forms lose, that a slot is fast for some jobs and
slow for others. Its optimum is a lower bound of the makespan:

    (U1) every job's processing is spread over the slots of its phase, and so are all setups;
    (U2) a reduce slot is idle until the least head of a job, then busy with what it is given;
    (U3) a map slot is busy with what it is given, then idle for the least tail of a job.

Proof: let f[i, k] be the share of job i's processing time that a schedule runs on slot k. Slot k is
busy for the sum over i of P_i V_ik f[i, k] and the setups on it. No reduce task starts before some
job's map phase has ended, which takes at least the least head over the jobs with reduce tasks; no
map task ends later than some job's reduce phase before the makespan. So f with these setups
satisfies (U1) to (U3), with the schedule's makespan. (Setups count at their least, and anywhere.)
"""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo

from ..instances.mapreduce import FloatArray, Instance, IntArray
from ..instances.processing import (
    least_map_times,
    least_reduce_times,
    map_factors,
    reduce_factors,
)
from ..instances.setups import best_map_setups, best_reduce_setups


def build(instance: Instance) -> pyo.ConcreteModel:
    """The linear program of `instance`; `makespan` (s) is its objective.

    Variables: `map_share[i, k]` and `reduce_share[i, k]`, share of job i's processing on slot k;
    `map_setup[k]` and `reduce_setup[k]`, setups on slot k in s.
    """
    model = pyo.ConcreteModel(name=f"unrelated machines of {instance.name}")
    model.makespan = pyo.Var(bounds=(0, None))
    model.objective = pyo.Objective(expr=model.makespan, sense=pyo.minimize)
    map_setup = best_map_setups(instance)
    reduce_setup = best_reduce_setups(instance)[instance.reduce_job]
    head = _longest(least_map_times(instance) + map_setup, instance.map_job, instance.jobs)
    tail = _longest(least_reduce_times(instance) + reduce_setup, instance.reduce_job, instance.jobs)
    map_waits = tail[instance.maps_of > 0].min(initial=np.inf)
    reduce_waits = head[instance.reduces_of > 0].min(initial=np.inf)
    if instance.map_tasks:
        work = _work(instance.map_processing, instance.map_job, instance.jobs)
        seconds = work[:, None] * map_factors(instance)
        _phase(model, "map", seconds, float(map_setup.sum()), float(map_waits))
    if instance.reduce_tasks:
        work = _work(instance.reduce_processing, instance.reduce_job, instance.jobs)
        seconds = work[:, None] * reduce_factors(instance)
        _phase(model, "reduce", seconds, float(reduce_setup.sum()), float(reduce_waits))
    return model


def estimated_terms(instance: Instance) -> float:
    """About how many nonzeros the program has, without building it."""
    cluster = instance.cluster
    return 3.0 * instance.jobs * float(cluster.map_slots.sum() + cluster.reduce_slots.sum())


def _phase(
    model: pyo.ConcreteModel, phase: str, seconds: FloatArray, setups: float, wait: float
) -> None:
    """One phase: `seconds[i, k]` that job i takes if all of it is on slot k."""
    jobs, slots = range(seconds.shape[0]), range(seconds.shape[1])
    share = pyo.Var(jobs, slots, bounds=(0, 1))
    setup = pyo.Var(slots, bounds=(0, None))
    model.add_component(f"{phase}_share", share)
    model.add_component(f"{phase}_setup", setup)

    def spread(model: pyo.ConcreteModel, i: int) -> pyo.Expression:
        return pyo.quicksum(share[i, k] for k in slots) == 1

    def slot(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        busy = pyo.quicksum(float(seconds[i, k]) * share[i, k] for i in jobs)
        return model.makespan >= wait + busy + setup[k]

    model.add_component(f"U1_{phase}_spread", pyo.Constraint(jobs, rule=spread))
    model.add_component(
        f"U1_{phase}_setups", pyo.Constraint(expr=pyo.quicksum(setup.values()) >= setups)
    )
    name = "U2_reduce_slot" if phase == "reduce" else "U3_map_slot"
    model.add_component(name, pyo.Constraint(slots, rule=slot))


def _work(processing: FloatArray, job: IntArray, jobs: int) -> FloatArray:
    work = np.zeros(jobs)
    np.add.at(work, job, processing)
    return work


def _longest(length: FloatArray, job: IntArray, jobs: int) -> FloatArray:
    longest = np.zeros(jobs)
    np.maximum.at(longest, job, length)
    return longest
