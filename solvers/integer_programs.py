"""The integer-programming roads: a formulation, HiGHS, and the way back to a schedule."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pyomo.environ as pyo

from ..formulations.heterogeneous import model as heterogeneous
from ..formulations.identical_tasks import map_classes, reduce_classes
from ..formulations.job_order import model as job_order
from ..formulations.sequence import model as sequence
from ..formulations.unrelated_machines import model as unrelated_machines
from ..instances.mapreduce.instance import Instance
from ..instances.mapreduce.schedule import Schedule
from .backends import highs
from .clock import Clock, OutOfTime, attempt
from .method import Arrival, Task
from .progress import Progress, ProgressCallback
from .relaxations.unrelated_machines import LinearPrograms
from .time_unit import in_own_unit

AGREEMENT = 1e-7
"""Relative: a bound this little above a schedule does not contradict it."""

MOST_TERMS = 3_000_000
"""Above this many estimated nonzeros a model is not built: it would not fit, nor ever finish."""

MOST_COUNT_TERMS = 50_000
"""Above this many nonzeros the heterogeneous model does worse than the linear programs alone."""

BISECTION_GAP, MOST_BISECTIONS = 0.001, 12
"""A bound this close, relatively, to what it could become is not raised, nor by more steps."""


@in_own_unit
def job_order_road(instance: Instance, task: Task) -> Arrival:
    """The job-order model with HiGHS, within the incumbent's makespan."""
    return _solve(instance, task, job_order, "job-order model (HiGHS)")


@in_own_unit
def sequence_road(instance: Instance, task: Task) -> Arrival:
    """The printed integer program with HiGHS, big-M as printed, started from the incumbent."""
    return _solve(instance, task, sequence, "sequence model (HiGHS)")


@in_own_unit
def heterogeneous_road(instance: Instance, task: Task) -> Arrival:
    """The heterogeneous model with HiGHS, from where the linear programs for its slots end.

    HiGHS 1.15.1 was seen to cut off optima of this model. So it solves the model twice, the second
    time another way and from the first one's schedule, and its bound is what both have proven. If
    they contradict each other, or there is no time for the second, that of the linear programs
    stands.
    """
    if not heterogeneous.applies(instance):
        return Arrival(None, None, "", "model does not apply: reads depend on the map tasks' slots")
    clock = Clock(task.time_limit)
    proof = "heterogeneous model (HiGHS)"
    best, low = task.incumbent, task.lower_bound

    def part(share: float, *, bounds: bool) -> Task:
        """The task from here on, with a share of the time that is left."""
        spent = clock.elapsed
        return replace(
            task,
            incumbent=best,
            lower_bound=low,
            time_limit=clock.left * share,
            on_progress=task.on_progress and _later(task.on_progress, spent, bounds=bounds),
            keep=task.keep if bounds else Task.keep,
        )

    first = unrelated_machines_road(instance, part(1 / 4, bounds=True))
    best, low = first.schedule or best, max(low, first.lower_bound or 0.0)
    runs: list[Arrival] = []
    for share, another_way in ((1 / 2, False), (1.0, True)):
        # With presolve HiGHS loses more optima; without it the search is as fast.
        run = _solve(
            instance,
            part(share, bounds=False),
            heterogeneous,
            proof,
            presolve=False,
            another_way=another_way,
        )
        if run.schedule is not None and run.schedule.makespan < best.makespan:
            best = run.schedule
            task.keep(Arrival(best, first.lower_bound, first.proof, ""))
        runs.append(run)
    bound, stop = _agreed(runs, best)
    if bound is None or bound <= low:
        bound, proof = first.lower_bound, first.proof
    return Arrival(best, bound, proof, stop)


def _agreed(runs: list[Arrival], best: Schedule) -> tuple[float | None, str]:
    """The lower bound (s) that all runs have proven, if any, and why the last ended, in words."""
    stop = runs[-1].stop
    bounds = [run.lower_bound for run in runs if run.lower_bound is not None]
    if any(run.stop == highs.Stop.INFEASIBLE.value for run in runs) or any(
        bound > best.makespan * (1 + AGREEMENT) for bound in bounds
    ):
        return None, "two runs of HiGHS contradict each other, so neither bound counts"
    if len(bounds) == len(runs):
        return min(bounds), stop
    return None, f"{stop}; the bound of one run of HiGHS alone does not count" if bounds else stop


def heterogeneous_fits(instance: Instance) -> bool:
    """Whether slots differ in speed, tasks are equal, and the heterogeneous model is small enough.

    All of a job's tasks in a phase must be equal: with unequal ones HiGHS 1.15.1 was seen to cut
    off the optimum, in two of ten thousand tiny instances.
    """
    if instance.speed_factors is None or not heterogeneous.applies(instance):
        return False
    classes = len(map_classes(instance)) + len(reduce_classes(instance))
    phases = int((instance.maps_of > 0).sum() + (instance.reduces_of > 0).sum())
    return classes == phases and heterogeneous.estimated_terms(instance) <= MOST_COUNT_TERMS


@in_own_unit
def unrelated_machines_road(instance: Instance, task: Task) -> Arrival:
    """A lower bound for slots of different speed, and a schedule, both from linear programs.

    The schedule is that of the jobs by Pri (HMHS), in waves. The bound is raised by bisection: if
    no schedule within a horizon is shorter than it, none is shorter than it at all.
    """
    terms = unrelated_machines.estimated_terms(instance)
    if terms > MOST_TERMS:
        return Arrival(None, None, "", f"program too large: about {terms:.2g} nonzeros")
    proof = "unrelated-machines LP (HiGHS)"
    programs = LinearPrograms(instance, task)
    low = programs.bound()
    if low is None:
        return Arrival(None, None, proof, programs.ended)
    best = task.incumbent
    task.keep(Arrival(None, low, proof, ""))
    for schedule in programs.schedules(low):
        best = schedule
        task.keep(Arrival(best, low, proof, ""))
        programs.tell(best.makespan, low)
    high = best.makespan
    found = None if best is task.incumbent else best
    for _ in range(MOST_BISECTIONS):
        if high - low <= BISECTION_GAP * low:
            break
        horizon = (low + high) / 2
        bound = programs.bound(horizon)
        if bound is None:
            break
        low = max(low, min(bound, horizon))
        high = horizon if bound < horizon else high
        task.keep(Arrival(found, low, proof, ""))
        programs.tell(best.makespan, low)
    return Arrival(found, low, proof, programs.ended)


def _later(on_progress: ProgressCallback, spent: float, *, bounds: bool) -> ProgressCallback:
    """Steps counted from `spent` s before, without bounds as long as they are not proven."""

    def told(step: Progress) -> None:
        bound = step.bound if bounds else None
        on_progress(Progress(step.seconds + spent, step.incumbent, bound))

    return told


def _solve(
    instance: Instance,
    task: Task,
    formulation: ModuleType,
    proof: str,
    *,
    presolve: bool = True,
    another_way: bool = False,
) -> Arrival:
    terms = formulation.estimated_terms(instance)
    if terms > MOST_TERMS:
        return Arrival(None, None, proof, f"model too large: about {terms:.2g} nonzeros")
    clock = Clock(task.time_limit, task.stop)
    horizon = None if formulation is sequence else task.incumbent.makespan

    def built() -> pyo.ConcreteModel:
        model = formulation.build(instance, horizon=horizon, lower_bound=task.lower_bound)
        formulation.start(model, task.incumbent)
        return model

    def told(step: Progress) -> None:
        task.keep(Arrival(None, step.bound, proof, ""))
        if task.on_progress is not None:
            task.on_progress(step)

    try:
        model = attempt(built, clock)
    except OutOfTime:
        return Arrival(None, None, proof, f"{clock.why()} before the model was built")
    outcome = highs.solve(
        model,
        time_limit=clock.left,
        threads=task.threads,
        relative_gap=task.relative_gap,
        absolute_gap=task.absolute_gap,
        warm_start=True,
        presolve=presolve,
        another_way=another_way,
        on_progress=told,
        stop=task.stop,
    )
    return Arrival(
        schedule=None if outcome.incumbent is None else formulation.schedule(model),
        lower_bound=outcome.bound,
        proof=proof,
        stop=outcome.stop.value,
        progress=outcome.progress,
    )
