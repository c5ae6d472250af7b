"""The integer-programming methods: a formulation, HiGHS, and the way back to a schedule."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pyomo.environ as pyo

from ..formulations.heterogeneous import model as heterogeneous
from ..formulations.identical_tasks import map_classes, reduce_classes
from ..formulations.job_order import model as job_order
from ..formulations.sequence import model as sequence
from ..formulations.unrelated_machines import model as unrelated_machines
from ..heuristics.background import OutOfTime, attempt
from ..instances.mapreduce.instance import Instance
from ..instances.mapreduce.schedule import Schedule
from .backends import highs
from .clock import Clock
from .method import MethodOutcome, SolveRequest, not_applicable
from .progress import Progress, ProgressCallback
from .relaxations.unrelated_machines import LinearPrograms
from .stop_reason import StopReason
from .time_unit import in_own_unit

AGREEMENT = 1e-7
"""Relative: a bound this little above a makespan does not contradict it."""

MOST_TERMS = 3_000_000
"""A model with more estimated nonzeros than this is not built."""

MOST_COUNT_TERMS = 50_000
"""With more nonzeros than this the heterogeneous model does worse than the linear programs alone.
"""

BISECTION_GAP, MOST_BISECTIONS = 0.001, 12
"""The bisection ends when the bound is this close, relatively, to what it could become, or after so
many steps."""


@in_own_unit
def job_order_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Solve the job-order model with HiGHS, within the incumbent's makespan.

    Parameters
    ----------
    instance
        The instance.
    request
        Incumbent, lower bound and limits.

    Returns
    -------
    MethodOutcome
        What the method found and proved.
    """
    return _solve(instance, request, job_order, "job-order model (HiGHS)")


@in_own_unit
def sequence_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Solve the printed integer program with HiGHS from the incumbent, with the printed big-M.

    Parameters
    ----------
    instance
        The instance.
    request
        Incumbent, lower bound and limits.

    Returns
    -------
    MethodOutcome
        What the method found and proved.
    """
    return _solve(instance, request, sequence, "sequence model (HiGHS)")


@in_own_unit
def heterogeneous_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Solve the heterogeneous model with HiGHS, after the linear programs for its slots.

    HiGHS 1.15.1 was seen to cut off optima of this model. Therefore the model is solved twice, the
    second time with other options and from the first schedule, and the bound is what both runs have
    proved. If they contradict each other, or there is no time for the second, the bound of the
    linear programs stands.

    Parameters
    ----------
    instance
        The instance.
    request
        Incumbent, lower bound and limits.

    Returns
    -------
    MethodOutcome
        What the method found and proved.
    """
    if not heterogeneous.applies(instance):
        return not_applicable("reads depend on the map tasks' slots")
    clock = Clock(request.time_limit)
    proof = "heterogeneous model (HiGHS)"
    best, low = request.incumbent, request.lower_bound

    def part(share: float, *, bounds: bool) -> SolveRequest:
        """The request from here on, with a share of the time that is left."""
        spent = clock.elapsed
        return replace(
            request,
            incumbent=best,
            lower_bound=low,
            time_limit=clock.left * share,
            on_progress=request.on_progress and _later(request.on_progress, spent, bounds=bounds),
            keep=request.keep if bounds else SolveRequest.keep,
        )

    first = unrelated_machines_method(instance, part(1 / 4, bounds=True))
    best, low = first.schedule or best, max(low, first.lower_bound or 0.0)
    runs: list[MethodOutcome] = []
    for share, alternative in ((1 / 2, False), (1.0, True)):
        # With presolve HiGHS loses more optima; without it the search is as fast.
        run = _solve(
            instance,
            part(share, bounds=False),
            heterogeneous,
            proof,
            presolve=False,
            alternative=alternative,
        )
        if run.schedule is not None and run.schedule.makespan < best.makespan:
            best = run.schedule
            request.keep(MethodOutcome(best, first.lower_bound, first.proof))
        runs.append(run)
    bound, detail = _agreed(runs, best)
    if bound is None or bound <= low:
        bound, proof = first.lower_bound, first.proof
    return MethodOutcome(best, bound, proof, runs[-1].stop, detail)


def _agreed(runs: list[MethodOutcome], best: Schedule) -> tuple[float | None, str]:
    """The lower bound (s) that all runs have proved, if any, and a remark on it."""
    bounds = [run.lower_bound for run in runs if run.lower_bound is not None]
    if any(run.stop is StopReason.INFEASIBLE for run in runs) or any(
        bound > best.makespan * (1 + AGREEMENT) for bound in bounds
    ):
        return None, "two runs of HiGHS contradict each other, so neither bound counts"
    if len(bounds) == len(runs):
        return min(bounds), ""
    if not bounds:
        return None, ""
    return None, f"{runs[-1].why}; the bound of one run of HiGHS alone does not count"


def heterogeneous_fits(instance: Instance) -> bool:
    """Whether slots differ in speed, tasks are identical and the model is small enough.

    All of a job's tasks in a phase must be identical: with different ones HiGHS 1.15.1 was seen to
    cut off the optimum, in two of ten thousand tiny instances.
    """
    if instance.speed_factors is None or not heterogeneous.applies(instance):
        return False
    classes = len(map_classes(instance)) + len(reduce_classes(instance))
    phases = int((instance.maps_of > 0).sum() + (instance.reduces_of > 0).sum())
    return classes == phases and heterogeneous.estimated_terms(instance) <= MOST_COUNT_TERMS


def unrelated_machines_fits(instance: Instance) -> bool:
    """Whether slots differ in speed, and the linear programs are to stand alone."""
    return instance.speed_factors is not None and not heterogeneous_fits(instance)


@in_own_unit
def unrelated_machines_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """A lower bound for unrelated slots, and a schedule, both from linear programs.

    The schedule is that of the jobs by Pri ([HMHS]), in waves. The bound is raised by bisection: if
    no schedule within a horizon is shorter than the horizon, none is shorter at all.

    Parameters
    ----------
    instance
        The instance.
    request
        Incumbent, lower bound and limits.

    Returns
    -------
    MethodOutcome
        What the method found and proved.
    """
    terms = unrelated_machines.estimated_terms(instance)
    if terms > MOST_TERMS:
        return not_applicable(f"program too large: about {terms:.2g} nonzeros")
    proof = "unrelated-machines LP (HiGHS)"
    programs = LinearPrograms(instance, request)
    low = programs.bound()
    if low is None:
        return MethodOutcome(None, None, proof, programs.ended)
    best = request.incumbent
    request.keep(MethodOutcome(None, low, proof))
    for schedule in programs.schedules(low):
        best = schedule
        request.keep(MethodOutcome(best, low, proof))
        programs.tell(best.makespan, low)
    high = best.makespan
    found = None if best is request.incumbent else best
    for _ in range(MOST_BISECTIONS):
        if high - low <= BISECTION_GAP * low:
            break
        horizon = (low + high) / 2
        bound = programs.bound(horizon)
        if bound is None:
            break
        low = max(low, min(bound, horizon))
        high = horizon if bound < horizon else high
        request.keep(MethodOutcome(found, low, proof))
        programs.tell(best.makespan, low)
    return MethodOutcome(found, low, proof, programs.ended)


def _later(on_progress: ProgressCallback, spent: float, *, bounds: bool) -> ProgressCallback:
    """Steps moved `spent` s later, without bounds as long as they are not proved."""

    def told(step: Progress) -> None:
        bound = step.bound if bounds else None
        on_progress(Progress(step.seconds + spent, step.incumbent, bound))

    return told


def _solve(
    instance: Instance,
    request: SolveRequest,
    formulation: ModuleType,
    proof: str,
    *,
    presolve: bool = True,
    alternative: bool = False,
) -> MethodOutcome:
    terms = formulation.estimated_terms(instance)
    if terms > MOST_TERMS:
        return not_applicable(f"model too large: about {terms:.2g} nonzeros", proof)
    clock = request.clock()
    horizon = None if formulation is sequence else request.incumbent.makespan

    def built() -> pyo.ConcreteModel:
        model = formulation.build(instance, horizon=horizon, lower_bound=request.lower_bound)
        formulation.start(model, request.incumbent)
        return model

    def told(step: Progress) -> None:
        request.keep(MethodOutcome(None, step.bound, proof))
        if request.on_progress is not None:
            request.on_progress(step)

    try:
        model = attempt(built, clock)
    except OutOfTime:
        return MethodOutcome(
            None, None, proof, clock.reason, f"{clock.reason} before the model was built"
        )
    outcome = highs.solve(
        model,
        time_limit=clock.left,
        stop=clock.stop,
        threads=request.threads,
        warm_start=True,
        settings=highs.HighsSettings(
            request.relative_gap, request.absolute_gap, presolve, alternative
        ),
        on_progress=told,
    )
    return MethodOutcome(
        schedule=None if outcome.incumbent is None else formulation.schedule(model),
        lower_bound=outcome.bound,
        proof=proof,
        stop=outcome.stop,
        progress=outcome.progress,
    )
