"""The integer-programming methods: a formulation, HiGHS twice, and the way back to a schedule.

HiGHS 1.15.1 was seen to end with "optimal" and a schedule that is not, having cut off the optimum.
A bound of one run alone is therefore no certificate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import ModuleType

import pyomo.environ as pyo

from ...core.background import OutOfTime, attempt
from ...core.clock import StopReason
from ...core.errors import InputError
from ...formulations.mapreduce.heterogeneous import model as heterogeneous
from ...formulations.mapreduce.identical_tasks import map_classes, reduce_classes
from ...formulations.mapreduce.job_order import model as job_order
from ...formulations.mapreduce.sequence import model as sequence
from ...instances.mapreduce.instance import Instance
from ..backends import highs
from ..progress import Progress
from .race import Runner, in_own_unit
from .relaxations.linear_programs import MOST_TERMS, unrelated_machines_method

AGREEMENT = 1e-7
"""Relative: a bound this little above a schedule does not contradict it."""

MOST_COUNT_TERMS = 50_000
"""With more nonzeros than this the heterogeneous model does worse than the linear programs alone.
"""

MOST_TIMES = 10_000_000
"""Times of tasks on slots of which the heterogeneous model is built."""


def job_order_method(instance: Instance, runner: Runner) -> str:
    """Solve the job-order model with HiGHS, within the best makespan, twice."""
    return solve_twice(instance, runner, job_order, "job-order model (HiGHS)")


def sequence_method(instance: Instance, runner: Runner) -> str:
    """Solve the printed integer program with HiGHS, with the printed big-M, twice."""
    return solve_twice(instance, runner, sequence, "sequence model (HiGHS)", within_best=False)


def heterogeneous_method(instance: Instance, runner: Runner) -> str:
    """Solve the heterogeneous model with HiGHS, twice.

    The linear programs for its slots come first. Where the two runs of HiGHS do not agree, or there
    is no time for the second, their bound stands.
    """
    if not heterogeneous.applies(instance):
        return f"{StopReason.NOT_APPLICABLE}: reads depend on the map tasks' slots"
    cluster = instance.cluster
    times = instance.map_tasks * int(cluster.map_slots.sum())
    times += instance.reduce_tasks * int(cluster.reduce_slots.sum())
    if times > MOST_TIMES:
        return f"{StopReason.NOT_APPLICABLE}: model too large: {times} times of tasks on slots"
    unrelated_machines_method(instance, runner.within(runner.clock.left / 4))
    return solve_twice(instance, runner, heterogeneous, "heterogeneous model (HiGHS)")


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


def solve_twice(
    instance: Instance,
    runner: Runner,
    formulation: ModuleType,
    proof: str,
    *,
    within_best: bool = True,
) -> str:
    """Solve a model twice with HiGHS, the second time otherwise and from the first's schedule.

    The first run has half of the time, the second the rest. Neither presolves. The second has
    `highs.ALTERNATIVE_OPTIONS`, so that other cuts and branches arise. The lower bound is the
    lesser of theirs, so it is wrong only if both are. There is none if a run contradicts the other,
    or if one of them has none. The same holds of what is told on the way.
    """
    terms = formulation.estimated_terms(instance)
    if terms > MOST_TERMS:
        return f"{StopReason.NOT_APPLICABLE}: model too large: about {terms:.2g} nonzeros"
    instance, runner = in_own_unit(instance, runner)
    bounds: list[float | None] = []
    why = ""
    for share, alternative in ((1 / 2, False), (1.0, True)):
        part = runner.within(share * runner.clock.left)
        bound, why = _run(instance, part, formulation, proof, bounds, within_best, alternative)
        bounds.append(bound)
    best = runner.schedule
    agreement = agreed(bounds, best.makespan)
    runner.tell(best, agreement, proof)
    if agreement is None and None not in bounds:
        return "two runs of HiGHS contradict each other, so neither bound counts"
    if agreement is None and bounds != [None, None]:
        return f"{why}; the bound of one run of HiGHS alone does not count"
    return why


def agreed(bounds: Sequence[float | None], makespan: float) -> float | None:
    """What two runs have proved.

    `bounds`: the lower bound of each run so far, None without one, infinity for "no solution".
    `makespan`: the best makespan that either has found.
    Returns the lesser bound, None if there are not two or the schedule contradicts one.
    """
    known = [bound for bound in bounds if bound is not None]
    if len(known) < 2 or max(known) > makespan * (1 + AGREEMENT):
        return None
    return min(known)


def _run(
    instance: Instance,
    runner: Runner,
    formulation: ModuleType,
    proof: str,
    bounds: list[float | None],
    within_best: bool,
    alternative: bool,
) -> tuple[float | None, str]:
    """One run of HiGHS; its bound, infinite if there is no solution, and why it ended."""
    best, clock = runner.schedule, runner.clock
    horizon = best.makespan if within_best else None

    def built() -> pyo.ConcreteModel:
        model = formulation.build(instance, horizon=horizon, lower_bound=runner.bound)
        formulation.start(model, best)
        return model

    def told(step: Progress) -> None:
        found = math.inf if step.incumbent is None else step.incumbent
        bound = agreed([*bounds, step.bound], min(best.makespan, found))
        runner.tell(bound=bound, proof=proof, makespan=found)

    try:
        model = attempt(built, clock)
    except OutOfTime:
        return None, f"{clock.reason} before the model was built"
    outcome = highs.solve(
        model,
        time_limit=clock.left,
        stop=clock.stop,
        threads=runner.threads,
        warm_start=True,
        settings=highs.HighsSettings(
            runner.relative_gap, runner.absolute_gap, presolve=False, alternative=alternative
        ),
        on_progress=told,
    )
    try:
        if outcome.incumbent is not None:
            runner.tell(formulation.schedule(model))
    except (KeyError, InputError):
        # HiGHS keeps constraints within a tolerance, which such coefficients do not survive.
        return (
            None,
            "HiGHS returned a solution that is no schedule: durations are too far apart",
        )
    return math.inf if outcome.stop is StopReason.INFEASIBLE else outcome.bound, outcome.stop
