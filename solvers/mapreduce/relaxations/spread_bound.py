"""A lower bound for large instances from the linear program over intervals; no schedule."""

from __future__ import annotations

import math
from functools import partial

from ....core.background import OutOfTime, attempt
from ....core.clock import StopReason
from ....formulations.mapreduce.spread_bound import model as spread_bound
from ....instances.mapreduce.instance import Instance
from ...backends import highs
from ...progress import Progress
from ..method import MethodOutcome, SolveRequest, exact_method, not_applicable
from ..time_unit import in_own_unit
from .unrelated_machines import SLACK

PROOF = "spread-bound LP (HiGHS)"

BISECTION_GAP, MOST_PROGRAMS = 0.001, 6
"""The bisection ends when the bound is this close, relatively, to what it could become, or after so
many programs. A program that gains nothing does not end it: at a shorter horizon one may."""


@exact_method
@in_own_unit
def spread_bound_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """A lower bound from schedules no longer than a horizon: the incumbent's, then shorter ones.

    If no schedule within a horizon is shorter than the horizon, none is shorter at all. The
    horizons bisect the interval between the bound and the least makespan that is still possible.
    `SLACK` is subtracted from every value, because HiGHS solves within tolerances.
    """
    if instance.parts:
        return not_applicable(", ".join(sorted(instance.parts)))
    if not spread_bound.can_build(instance):
        return not_applicable(f"program too large: {instance.jobs} jobs")
    clock = request.clock()
    bound: float | None = None
    low, high, stop = request.lower_bound, _shortest(request), StopReason.PROGRAMS_SOLVED
    progress: list[Progress] = []
    horizon = high
    for _ in range(MOST_PROGRAMS):
        if high - low <= BISECTION_GAP * low:
            break
        build = partial(spread_bound.build, instance, horizon=horizon, lower_bound=low)
        if clock.over:
            stop = clock.reason
            break
        try:
            model = attempt(build, clock)
        except OutOfTime:
            stop = clock.reason
            break
        outcome = highs.solve(
            model, time_limit=clock.left, threads=request.threads, stop=clock.stop
        )
        if outcome.stop is StopReason.INFEASIBLE:
            value = math.inf
        elif outcome.stop is StopReason.GAP_CLOSED and outcome.incumbent is not None:
            value = outcome.incumbent
        else:
            stop = outcome.stop
            break
        bound = max(low, min(value, horizon) * (1 - SLACK))
        low = bound
        high = min(_shortest(request), horizon if value < horizon else high)
        horizon = (low + high) / 2
        request.keep(MethodOutcome(None, bound, PROOF))
        progress.append(Progress(clock.elapsed, request.incumbent.makespan, low))
        if request.on_progress is not None:
            request.on_progress(progress[-1])
    return MethodOutcome(None, bound, PROOF, stop, progress=progress)


def _shortest(request: SolveRequest) -> float:
    own = request.incumbent.makespan
    return own if request.best is None else min(own, request.best())
