"""Lower bounds of linear programs: of unrelated slots, and over intervals of time.

A program holds for schedules within a horizon. If none within it is shorter than the horizon, none
is shorter at all; so horizons bisect what lies between the bound and the best makespan.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import pyomo.environ as pyo

from ....core.background import OutOfTime, attempt
from ....core.clock import StopReason
from ....formulations.mapreduce.spread_bound import model as spread_bound
from ....formulations.mapreduce.unrelated_machines import model as unrelated_machines
from ....heuristics.mapreduce.hmhs.priority import by_priority
from ....instances.mapreduce.instance import Instance
from ...backends import highs
from ..race import Runner, in_own_unit
from .waves import rounded, solve_waves

SLACK = 1e-7
"""Subtracted, relatively, from the value of a linear program, which is optimal within tolerances.
"""

SPREAD_PROOF = "spread-bound LP (HiGHS)"

MOST_TERMS = 3_000_000
"""A model with more estimated nonzeros than this is not built."""

BISECTION_GAP, MOST_BISECTIONS, MOST_PROGRAMS = 0.001, 12, 6
"""A bisection ends when the bound is this close, relatively, to what it could become, or after so
many steps of programs of unrelated slots, or so many programs over intervals. A program over
intervals that gains nothing does not end it: at a shorter horizon one may."""


class _Unsolved(Exception):
    """A linear program was not solved; the message says why."""


def unrelated_machines_method(instance: Instance, runner: Runner) -> str:
    """A lower bound for unrelated slots, and schedules, both from linear programs.

    The schedules are those of the jobs by Pri ([HMHS]), in waves.
    """
    terms = unrelated_machines.estimated_terms(instance)
    if terms > MOST_TERMS:
        return f"{StopReason.NOT_APPLICABLE}: program too large: about {terms:.2g} nonzeros"
    instance, runner = in_own_unit(instance, runner)

    def bound(horizon: float | None = None) -> float:
        """The bound on schedules within a horizon, infinite if there are none.

        A phase that alone exceeds the horizon suffices, and one that alone was solved.
        """
        greatest = 0.0
        for phase in ("map", "reduce"):
            build = partial(unrelated_machines.build, instance, horizon=horizon, only=[phase])
            try:
                greatest = max(greatest, _optimum(build, runner) * (1 - SLACK))
            except _Unsolved:
                if not greatest:
                    raise
                break
            if horizon is not None and greatest >= horizon:
                break
        return greatest

    def tell(low: float) -> None:
        runner.tell(bound=low, proof="unrelated-machines LP (HiGHS)")

    try:
        low = bound()
        tell(low)
        _tell_rounded(instance, runner, low)
        high = runner.makespan
        for _ in range(MOST_BISECTIONS):
            if high - low <= BISECTION_GAP * low:
                break
            horizon = (low + high) / 2
            value = bound(horizon)
            low = max(low, min(value, horizon))
            high = horizon if value < horizon else high
            tell(low)
    except _Unsolved as why:
        return str(why)
    return StopReason.PROGRAMS_SOLVED


def _tell_rounded(instance: Instance, runner: Runner, bound: float) -> None:
    """Ever shorter schedules of the jobs by Pri ([HMHS]), rounded from linear programs in waves.

    The first may place tasks anywhere. The others aim at a horizon half way to the bound, because a
    task that is too long for a slot is the worst to round.
    """
    if instance.security is not None or instance.outages is not None:
        return
    order, horizon = by_priority(instance), None
    while optimum := solve_waves(instance, order, runner.clock, horizon=horizon):
        schedule = rounded(instance, order, optimum)
        if schedule.makespan >= runner.makespan:
            return
        runner.tell(schedule)
        horizon = (schedule.makespan + max(bound, optimum.makespan)) / 2


def spread_bound_method(instance: Instance, runner: Runner) -> str:
    """A lower bound for large instances from the linear program over intervals; no schedule."""
    if not spread_bound.can_build(instance):
        return f"{StopReason.NOT_APPLICABLE}: program too large: {instance.jobs} jobs"
    instance, runner = in_own_unit(instance, runner)
    low, high = runner.bound, runner.makespan
    horizon = high
    for _ in range(MOST_PROGRAMS):
        if high - low <= BISECTION_GAP * low:
            break
        build = partial(spread_bound.build, instance, horizon=horizon, lower_bound=low)
        try:
            value = _optimum(build, runner)
        except _Unsolved as why:
            return str(why)
        low = max(low, min(value, horizon) * (1 - SLACK))
        high = min(runner.makespan, horizon if value < horizon else high)
        horizon = (low + high) / 2
        runner.tell(bound=low, proof=SPREAD_PROOF)
    return StopReason.PROGRAMS_SOLVED


def _optimum(build: Callable[[], pyo.ConcreteModel], runner: Runner) -> float:
    """The optimum of a linear program, infinite if it has no solution. Raises `_Unsolved`."""
    clock = runner.clock
    try:
        model = attempt(build, clock)
    except OutOfTime:
        raise _Unsolved(clock.reason) from None
    outcome = highs.solve(model, time_limit=clock.left, threads=runner.threads, stop=clock.stop)
    if outcome.stop is StopReason.INFEASIBLE:
        return math.inf
    if outcome.stop is not StopReason.GAP_CLOSED or outcome.incumbent is None:
        raise _Unsolved(outcome.stop)
    return outcome.incumbent
