"""A lower bound for large instances from the linear program over intervals; no schedule."""

from __future__ import annotations

import math
from functools import partial

from ...formulations.spread_bound import model as spread_bound
from ...instances.mapreduce.instance import Instance
from ..backends import highs
from ..clock import Clock, OutOfTime, attempt
from ..method import Arrival, Task
from ..progress import Progress
from ..time_unit import in_own_unit
from .unrelated_machines import SLACK

PROOF = "spread-bound LP (HiGHS)"

BISECTION_GAP, MOST_BISECTIONS = 0.001, 6
"""A bound this close, relatively, to what it could become is not raised, nor by more steps."""

LEAST_GAIN = 1e-4
"""Relative: a step that raises the bound by less is the last one."""


@in_own_unit
def spread_bound_road(instance: Instance, task: Task) -> Arrival:
    """A lower bound from schedules no longer than a horizon: the incumbent's, then shorter ones.

    If no schedule within a horizon is shorter than it, none is shorter than it at all; the horizons
    bisect what is left between the bound and the shortest that may still be met. `SLACK` is taken
    off every value: HiGHS solves within tolerances.
    """
    if instance.parts:
        return Arrival(None, None, "", f"not applicable: {', '.join(sorted(instance.parts))}")
    if not spread_bound.fits(instance):
        return Arrival(None, None, "", f"program too large: {instance.jobs} jobs")
    clock = Clock(task.time_limit, task.stop)
    bound: float | None = None
    low, high, stop = task.lower_bound, _shortest(task), "linear programs solved"
    progress: list[Progress] = []
    horizon = high
    for _ in range(1 + MOST_BISECTIONS):
        if high - low <= BISECTION_GAP * low:
            break
        build = partial(spread_bound.build, instance, horizon=horizon, lower_bound=low)
        if clock.over:
            stop = highs.stopped(clock).value
            break
        try:
            model = attempt(build, clock)
        except OutOfTime:
            stop = highs.stopped(clock).value
            break
        outcome = highs.solve(model, time_limit=clock.left, threads=task.threads, stop=clock.stop)
        if outcome.stop is highs.Stop.INFEASIBLE:
            value = math.inf
        elif outcome.stop is highs.Stop.PROVEN and outcome.incumbent is not None:
            value = outcome.incumbent
        else:
            stop = outcome.stop.value
            break
        bound = max(low, min(value, horizon) * (1 - SLACK))
        gain, low = bound - low, bound
        high = min(_shortest(task), horizon if value < horizon else high)
        horizon = (low + high) / 2
        task.keep(Arrival(None, bound, PROOF, ""))
        progress.append(Progress(clock.elapsed, task.incumbent.makespan, low))
        if task.on_progress is not None:
            task.on_progress(progress[-1])
        if gain < LEAST_GAIN * low:
            break
    return Arrival(None, bound, PROOF, stop, progress)


def _shortest(task: Task) -> float:
    """The shortest makespan (s) known."""
    own = task.incumbent.makespan
    return own if task.best is None else min(own, task.best())
