"""A model solved twice by HiGHS: what both runs have proved counts.

HiGHS 1.15.1 was seen to end with "optimal" and a schedule that is not, having cut off the optimum.
A bound of one run alone is therefore no certificate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from types import ModuleType

import pyomo.environ as pyo

from ...core.background import OutOfTime, attempt
from ...core.clock import StopReason
from ...core.errors import InputError
from ...instances.mapreduce.instance import Instance
from ..backends import highs
from ..progress import Progress
from .method import MethodOutcome, SolveRequest, not_applicable

AGREEMENT = 1e-7
"""Relative: a bound this little above a schedule does not contradict it."""

MOST_TERMS = 3_000_000
"""A model with more estimated nonzeros than this is not built."""


def solve_twice(
    instance: Instance,
    request: SolveRequest,
    formulation: ModuleType,
    proof: str,
    *,
    within_incumbent: bool = True,
) -> MethodOutcome:
    """Solve a model twice with HiGHS, the second time otherwise and from the first's schedule.

    The first run has half of the time, the second the rest. Neither presolves. The second has
    `highs.ALTERNATIVE_OPTIONS`, so that other cuts and branches arise. The lower bound is the
    lesser of theirs, so it is wrong only if both are. There is none if a run contradicts the other,
    or if one of them has none. The same holds of what is told and kept on the way.
    """
    terms = formulation.estimated_terms(instance)
    if terms > MOST_TERMS:
        return not_applicable(f"model too large: about {terms:.2g} nonzeros", proof)
    clock = request.clock()
    best = request.incumbent
    bounds: list[float | None] = []

    def run(share: float, *, alternative: bool) -> MethodOutcome:
        spent = clock.elapsed

        def told(step: Progress) -> None:
            found = best.makespan if step.incumbent is None else step.incumbent
            bound = agreed([*bounds, step.bound], min(best.makespan, found))
            request.keep(MethodOutcome(best, bound, proof))
            if request.on_progress is not None:
                request.on_progress(Progress(spent + step.seconds, step.incumbent, bound))

        part = replace(request, incumbent=best, time_limit=clock.left * share, on_progress=told)
        horizon = best.makespan if within_incumbent else None
        return _solve(instance, part, formulation, horizon, alternative=alternative)

    for share, alternative in ((1 / 2, False), (1.0, True)):
        if request.best_schedule is not None:
            best = min(best, request.best_schedule(), key=attrgetter("makespan"))
        outcome = run(share, alternative=alternative)
        if outcome.schedule is not None and outcome.schedule.makespan < best.makespan:
            best = outcome.schedule
            request.keep(MethodOutcome(best, None, proof))
        bounds.append(outcome.lower_bound)
    bound, detail = agreed(bounds, best.makespan), ""
    if bound is None and None not in bounds:
        detail = "two runs of HiGHS contradict each other, so neither bound counts"
    elif bound is None and bounds != [None, None]:
        detail = f"{outcome.why}; the bound of one run of HiGHS alone does not count"
    return MethodOutcome(best, bound, proof, outcome.stop, detail or outcome.detail)


def agreed(bounds: Sequence[float | None], makespan: float) -> float | None:
    """What two runs have proved.

    `bounds`: the lower bound (s) of each run so far, None without one, infinity for "no solution".
    `makespan`: makespan (s) of the best schedule that either has found.
    Returns the lesser bound (s), None if there are not two or the schedule contradicts one.
    """
    known = [bound for bound in bounds if bound is not None]
    if len(known) < 2 or max(known) > makespan * (1 + AGREEMENT):
        return None
    return min(known)


def _solve(
    instance: Instance,
    request: SolveRequest,
    formulation: ModuleType,
    horizon: float | None,
    *,
    alternative: bool,
) -> MethodOutcome:
    clock = request.clock()

    def built() -> pyo.ConcreteModel:
        model = formulation.build(instance, horizon=horizon, lower_bound=request.lower_bound)
        formulation.start(model, request.incumbent)
        return model

    try:
        model = attempt(built, clock)
    except OutOfTime:
        why = f"{clock.reason} before the model was built"
        return MethodOutcome(None, None, stop=clock.reason, detail=why)
    outcome = highs.solve(
        model,
        time_limit=clock.left,
        stop=clock.stop,
        threads=request.threads,
        warm_start=True,
        settings=highs.HighsSettings(
            request.relative_gap, request.absolute_gap, presolve=False, alternative=alternative
        ),
        on_progress=request.on_progress,
    )
    try:
        schedule = None if outcome.incumbent is None else formulation.schedule(model)
    except (KeyError, InputError):
        # HiGHS keeps constraints within a tolerance, which such coefficients do not survive.
        why = "HiGHS returned a solution that is no schedule: the durations are too far apart"
        return MethodOutcome(None, None, stop=StopReason.GAVE_UP, detail=why)
    bound = math.inf if outcome.stop is StopReason.INFEASIBLE else outcome.bound
    return MethodOutcome(schedule, bound, stop=outcome.stop)
