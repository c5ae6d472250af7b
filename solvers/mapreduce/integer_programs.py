"""The integer-programming methods: a formulation, HiGHS, and the way back to a schedule."""

from __future__ import annotations

from dataclasses import replace

from ...formulations.mapreduce.heterogeneous import model as heterogeneous
from ...formulations.mapreduce.identical_tasks import map_classes, reduce_classes
from ...formulations.mapreduce.job_order import model as job_order
from ...formulations.mapreduce.sequence import model as sequence
from ...formulations.mapreduce.unrelated_machines import model as unrelated_machines
from ...instances.mapreduce.instance import Instance
from ..progress import Progress, ProgressCallback
from .highs_twice import MOST_TERMS, solve_twice
from .method import MethodOutcome, SolveRequest, exact_method, not_applicable
from .pattern_prices.patterns import fits as pattern_prices_fit
from .relaxations.unrelated_machines import LinearPrograms
from .time_unit import in_own_unit

MOST_COUNT_TERMS = 50_000
"""With more nonzeros than this the heterogeneous model does worse than the linear programs alone.
"""

MOST_TIMES = 10_000_000
"""Times of tasks on slots of which the heterogeneous model is built."""

BISECTION_GAP, MOST_BISECTIONS = 0.001, 12
"""The bisection ends when the bound is this close, relatively, to what it could become, or after so
many steps."""


@exact_method
@in_own_unit
def job_order_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Solve the job-order model with HiGHS, within the incumbent's makespan, twice."""
    return solve_twice(instance, request, job_order, "job-order model (HiGHS)")


@exact_method
@in_own_unit
def sequence_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Solve the printed integer program with HiGHS, with the printed big-M, twice."""
    return solve_twice(
        instance, request, sequence, "sequence model (HiGHS)", within_incumbent=False
    )


@exact_method
@in_own_unit
def heterogeneous_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Solve the heterogeneous model with HiGHS, twice.

    The linear programs for its slots come first. Where the two runs of HiGHS do not agree, or there
    is no time for the second, their bound stands.
    """
    if not heterogeneous.applies(instance):
        return not_applicable("reads depend on the map tasks' slots")
    cluster = instance.cluster
    times = instance.map_tasks * int(cluster.map_slots.sum())
    times += instance.reduce_tasks * int(cluster.reduce_slots.sum())
    if times > MOST_TIMES:
        return not_applicable(f"model too large: {times} times of tasks on slots")
    clock = request.clock()
    first = unrelated_machines_method(instance, replace(request, time_limit=clock.left / 4))
    best, linear_bound = first.schedule or request.incumbent, first.lower_bound

    def with_first(outcome: MethodOutcome) -> MethodOutcome:
        outcome = replace(outcome, schedule=outcome.schedule or first.schedule)
        if linear_bound is None or (outcome.lower_bound or 0.0) > linear_bound:
            return outcome
        return replace(outcome, lower_bound=linear_bound, proof=first.proof)

    rest = replace(
        request,
        incumbent=best,
        lower_bound=max(request.lower_bound, linear_bound or 0.0),
        time_limit=clock.left,
        on_progress=request.on_progress and _later(request.on_progress, clock.elapsed),
        keep=lambda outcome: request.keep(with_first(outcome)),
    )
    proof = "heterogeneous model (HiGHS)"
    return with_first(solve_twice(instance, rest, heterogeneous, proof))


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
    """Whether slots differ in speed, and neither counts nor prices of tasks give a better bound."""
    return (
        instance.speed_factors is not None
        and not heterogeneous_fits(instance)
        and not pattern_prices_fit(instance)
    )


@exact_method
@in_own_unit
def unrelated_machines_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """A lower bound for unrelated slots, and a schedule, both from linear programs.

    The schedule is that of the jobs by Pri ([HMHS]), in waves. The bound is raised by bisection: if
    no schedule within a horizon is shorter than the horizon, none is shorter at all.
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
    better = None if best is request.incumbent else best
    for _ in range(MOST_BISECTIONS):
        if high - low <= BISECTION_GAP * low:
            break
        horizon = (low + high) / 2
        bound = programs.bound(horizon)
        if bound is None:
            break
        low = max(low, min(bound, horizon))
        high = horizon if bound < horizon else high
        request.keep(MethodOutcome(better, low, proof))
        programs.tell(best.makespan, low)
    return MethodOutcome(better, low, proof, programs.ended)


def _later(on_progress: ProgressCallback, spent: float) -> ProgressCallback:
    """Steps moved `spent` s later."""

    def told(step: Progress) -> None:
        on_progress(replace(step, seconds=step.seconds + spent))

    return told
