"""The integer-programming roads: a formulation, HiGHS, and the way back to a schedule."""

from __future__ import annotations

import time
from types import ModuleType

from ..formulations import job_order, sequence, unrelated_machines
from ..instances.mapreduce import Instance
from . import highs
from .road import Arrival, Task

MOST_TERMS = 3_000_000
"""Above this many estimated nonzeros a model is not built: it would not fit, nor ever finish."""

LP_SLACK = 1e-7
"""Taken off the value of a linear program, which is optimal within tolerances only."""


def job_order_road(instance: Instance, task: Task) -> Arrival:
    """The job-order model with HiGHS, within the incumbent's makespan."""
    return _solve(instance, task, job_order, "job-order model (HiGHS)")


def sequence_road(instance: Instance, task: Task) -> Arrival:
    """The printed integer program with HiGHS, big-M as printed, started from the incumbent."""
    return _solve(instance, task, sequence, "sequence model (HiGHS)")


def unrelated_machines_road(instance: Instance, task: Task) -> Arrival:
    """A lower bound only: the linear program of jobs spread over slots of different speed."""
    terms = unrelated_machines.estimated_terms(instance)
    if terms > MOST_TERMS:
        return Arrival(None, None, "", f"program too large: about {terms:.2g} nonzeros")
    began = time.perf_counter()
    model = unrelated_machines.build(instance)
    outcome = highs.solve(
        model,
        time_limit=max(0.0, task.time_limit - (time.perf_counter() - began)),
        threads=task.threads,
        stop=task.stop,
    )
    # An LP that did not end has no bound, whatever value it had reached.
    proven = outcome.stop is highs.Stop.PROVEN and outcome.incumbent is not None
    # The optimum is known up to the solver's tolerance; less than that is never claimed.
    bound = (outcome.incumbent or 0.0) * (1 - LP_SLACK) if proven else None
    return Arrival(None, bound, "unrelated-machines LP (HiGHS)", outcome.stop.value)


def _solve(instance: Instance, task: Task, formulation: ModuleType, proof: str) -> Arrival:
    terms = formulation.estimated_terms(instance)
    if terms > MOST_TERMS:
        return Arrival(None, None, proof, f"model too large: about {terms:.2g} nonzeros")
    began = time.perf_counter()
    horizon = None if formulation is sequence else task.incumbent.makespan
    model = formulation.build(instance, horizon=horizon, lower_bound=task.lower_bound)
    formulation.start(model, task.incumbent)
    outcome = highs.solve(
        model,
        time_limit=max(0.0, task.time_limit - (time.perf_counter() - began)),
        threads=task.threads,
        relative_gap=task.relative_gap,
        absolute_gap=task.absolute_gap,
        warm_start=True,
        on_progress=task.on_progress,
        stop=task.stop,
    )
    return Arrival(
        schedule=None if outcome.incumbent is None else formulation.schedule(model),
        lower_bound=outcome.bound,
        proof=proof,
        stop=outcome.stop.value,
        progress=outcome.progress,
    )
