"""A linear program for unrelated machines: the work of every job, spread over the slots.

It is the assignment problem R||Cmax relaxed twice: tasks may be split, and the tasks of a job are
pooled. Unlike the closed forms it knows that a slot is fast for some jobs and slow for others, and
that slots wait for their first job. Its optimum is a lower bound on the makespan; with a horizon it
is a greater one, valid for schedules no longer than that. The constraint components are numbered
(U1) to (U5) as in docs/formulations/unrelated-machines.md, which proves them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import FloatArray, IntArray
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.setups import best_map_setups, best_reduce_setups
from ..identical_tasks import least_makespan_of_equals

ROUNDING = 1e-9
"""Relative tolerance: a number of tasks that fits but for rounding does fit."""


class JobPhase(NamedTuple):
    """The coefficients of one phase."""

    tasks: IntArray
    """Number of tasks of each job, shape (jobs,)."""
    work: FloatArray
    """Processing time of all tasks of each job (s), shape (jobs,)."""
    shortest: FloatArray
    longest: FloatArray
    """`shortest`, `longest`: shortest and longest processing time of a task of each job (s), shape
    (jobs,)."""
    factors: FloatArray
    """Speed factor of each job on each slot, shape (jobs, slots)."""
    span: FloatArray
    """Least duration of each job's phase (s), shape (jobs,)."""
    setups: float
    """Sum of the least setup times of all tasks (s)."""


def build(
    instance: Instance,
    *,
    horizon: float | None = None,
    only: Collection[str] = ("map", "reduce"),
) -> pyo.ConcreteModel:
    """Build the linear program; `makespan` (s) is its objective.

    Parameters
    ----------
    instance
        The instance.
    horizon
        The bound is valid for schedules no longer than this (s), and the program is infeasible only
        if there is none.
    only
        The phases to include. They have nothing but the makespan in common, so the optimum of both
        is the greater of the two.

    Returns
    -------
    pyo.ConcreteModel
        The model; see Notes for its variables.

    Notes
    -----
    Variables: `map_share[i, k]` and `reduce_share[i, k]`, share of job i's processing on slot k;
    `map_setup[k]` and `reduce_setup[k]`, setup time on slot k (s); `first_job[i, k]`, job i is the
    first on reduce slot k; `last_job[i, k]`, job i is the last on map slot k.
    """
    maps, reduces = phases(instance)
    model = pyo.ConcreteModel(name=f"unrelated machines of {instance.name}")
    model.makespan = pyo.Var(bounds=(0, None))
    model.objective = pyo.Objective(expr=model.makespan, sense=pyo.minimize)
    for name, phase, wait in (("map", maps, reduces.span), ("reduce", reduces, maps.span)):
        if name in only:
            _phase(model, name, phase, wait, horizon)
    model.U5_one_job = pyo.Constraint(
        range(instance.jobs),
        rule=lambda model, i: model.makespan >= float(maps.span[i] + reduces.span[i]),
    )
    return model


def estimated_terms(instance: Instance) -> float:
    """Estimate the number of nonzeros of the program without building it."""
    cluster = instance.cluster
    return 6.0 * instance.jobs * float(cluster.map_slots.sum() + cluster.reduce_slots.sum())


def phases(instance: Instance) -> tuple[JobPhase, JobPhase]:
    """Compute the coefficients of the map phase and of the reduce phase."""
    map_setup = best_map_setups(instance)
    reduce_setup = best_reduce_setups(instance)[instance.reduce_job]
    return (
        _coefficients(
            instance.maps_of,
            instance.map_job,
            instance.map_processing,
            instance.phases.map.factors,
            map_setup,
            instance.phases.map.least() + map_setup,
        ),
        _coefficients(
            instance.reduces_of,
            instance.reduce_job,
            instance.reduce_processing,
            instance.phases.reduce.factors,
            reduce_setup,
            instance.phases.reduce.least() + reduce_setup,
        ),
    )


def most_share(phase: JobPhase, wait: FloatArray, horizon: float | None) -> FloatArray:
    """Greatest share of each job's work that a slot can do within the horizon.

    `wait`: time (s) that must pass before the tasks of each job start, or after they end: (jobs,).
    `horizon`: the horizon (s), None for none.
    Returns shares, shape (jobs, slots). Only whole tasks count.
    """
    most = np.ones(phase.factors.shape)
    if horizon is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            fit = (horizon - wait[:, None]) / (phase.shortest[:, None] * phase.factors)
            count = np.floor(fit * (1 + ROUNDING) + ROUNDING).clip(min=0)
            most = np.fmin(1.0, count * (phase.longest / phase.work)[:, None])
    return most


def _coefficients(
    tasks: IntArray,
    job: IntArray,
    processing: FloatArray,
    factors: FloatArray,
    setup: FloatArray,
    least: FloatArray,
) -> JobPhase:
    jobs = len(tasks)
    shortest, longest, span = np.full(jobs, np.inf), np.zeros(jobs), np.zeros(jobs)
    np.minimum.at(shortest, job, processing)
    np.maximum.at(longest, job, processing)
    np.maximum.at(span, job, least)
    for i in np.flatnonzero(tasks):
        span[i] = max(span[i], least_makespan_of_equals(shortest[i] * factors[i], int(tasks[i])))
    work = np.zeros(jobs)
    np.add.at(work, job, processing)
    return JobPhase(tasks, work, shortest, longest, factors, span, float(setup.sum()))


def _phase(
    model: pyo.ConcreteModel, name: str, phase: JobPhase, wait: FloatArray, horizon: float | None
) -> None:
    """Add one phase; its slots wait for the other phase of their first (or last) job."""
    jobs = np.flatnonzero(phase.tasks).tolist()
    slots = range(phase.factors.shape[1] if jobs else 0)
    seconds = phase.work[:, None] * phase.factors
    most = most_share(phase, wait, horizon)
    share = pyo.Var(jobs, slots, bounds=lambda model, i, k: (0, float(most[i, k])))
    setup = pyo.Var(slots, bounds=(0, None))
    end_job = pyo.Var(jobs, slots, bounds=(0, 1))
    end = "first" if name == "reduce" else "last"
    model.add_component(f"{name}_share", share)
    model.add_component(f"{name}_setup", setup)
    model.add_component(f"{end}_job", end_job)
    latest = max((float(wait[i]) for i in jobs), default=0.0)

    def spread(model: pyo.ConcreteModel, i: int) -> pyo.Expression:
        return pyo.quicksum(share[i, k] for k in slots) == 1

    def setups(model: pyo.ConcreteModel, _: int) -> pyo.Expression:
        return pyo.quicksum(setup[k] for k in slots) >= phase.setups

    def slot(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        busy = pyo.quicksum(
            float(seconds[i, k]) * share[i, k] - float(latest - wait[i]) * end_job[i, k]
            for i in jobs
        )
        return model.makespan >= latest + busy + setup[k]

    def one(model: pyo.ConcreteModel, k: int) -> pyo.Expression:
        return pyo.quicksum(end_job[i, k] for i in jobs) <= 1

    def there(model: pyo.ConcreteModel, i: int, k: int) -> pyo.Expression:
        return end_job[i, k] <= float(phase.work[i] / phase.shortest[i]) * share[i, k]

    model.add_component(f"U1_{name}_spread", pyo.Constraint(jobs, rule=spread))
    some = [0] if jobs else []
    model.add_component(f"U1_{name}_setups", pyo.Constraint(some, rule=setups))
    row = "U2_reduce_slot" if name == "reduce" else "U3_map_slot"
    model.add_component(row, pyo.Constraint(slots, rule=slot))
    model.add_component(f"U4_one_{end}_job", pyo.Constraint(slots, rule=one))
    # Without a shortest time any number of tasks may share nothing.
    timed = [i for i in jobs if phase.shortest[i] > 0]
    model.add_component(f"U4_{end}_job_is_there", pyo.Constraint(timed, slots, rule=there))
