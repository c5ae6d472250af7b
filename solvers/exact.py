"""`solve`: heuristics and closed-form bounds first, then an exact road, under one time limit."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace

from ..formulations.bounds import best_lower_bound
from ..instances.errors import InputError
from ..instances.mapreduce import Instance
from ..instances.registry import lookup
from . import ROADS
from .heuristic import all_heuristics
from .progress import Progress, ProgressCallback
from .result import OPTIMALITY_TOLERANCE, Result, Status, certified
from .road import Arrival, Task

METHOD = "exact"
AUTOMATIC = "job-order"
"""The road taken when none is named."""


def solve(
    instance: Instance,
    *,
    model: str | None = None,
    time_limit: float = 60.0,
    threads: int | None = None,
    relative_gap: float = OPTIMALITY_TOLERANCE / 10,
    absolute_gap: float = 0.0,
    on_progress: ProgressCallback | None = None,
    heuristics: Sequence[Result] | None = None,
) -> Result:
    """The best schedule found within `time_limit` s and the best proven lower bound.

    The heuristics and closed-form bounds run first and settle the matter if they meet. `model`
    names an exact road (see `slotwise.solvers.ROADS`); `threads` defaults to all cores;
    `heuristics` are their results if the caller has them already. A limit or Ctrl-C never raises:
    the result says what is known by then. Raises `InputError` for an unknown
    model or a senseless limit.
    """
    road = lookup("model", ROADS, model or AUTOMATIC)
    if not time_limit >= 0:
        raise InputError(f"time limit: must be >= 0 seconds, got {time_limit}")
    if threads is not None and threads < 1:
        raise InputError(f"threads: must be >= 1, got {threads}")
    began = time.perf_counter()
    if heuristics is None:
        heuristics = all_heuristics(instance, best_lower_bound(instance))
    best = min(heuristics, key=lambda result: result.makespan or 0.0)
    best = replace(best, method=METHOD, found_by=best.method, seconds=time.perf_counter() - began)
    if best.status is Status.OPTIMAL:
        return best
    watch = _Watch(began, best, on_progress)
    assert best.schedule is not None
    task = Task(
        incumbent=best.schedule,
        lower_bound=best.lower_bound,
        time_limit=time_limit - (time.perf_counter() - began),
        threads=threads or os.cpu_count() or 1,
        relative_gap=relative_gap,
        absolute_gap=absolute_gap,
        on_progress=watch.tell,
    )
    try:
        arrival: Arrival = road.load()(instance, task)
    except KeyboardInterrupt:
        arrival = Arrival(None, None, "", "interrupted")
    return _conclude(best, road.name, arrival, watch, began)


class _Watch:
    """Progress as the caller sees it: time since `solve` began, never worse than what is known."""

    def __init__(self, began: float, best: Result, on_progress: ProgressCallback | None) -> None:
        self.began = began
        self.road_began = time.perf_counter()
        self.on_progress = on_progress
        self.steps: list[Progress] = []
        self._incumbent, self._bound = best.makespan or 0.0, best.lower_bound
        self.tell(Progress(0.0, None, None))

    def tell(self, step: Progress) -> None:
        self._incumbent = min(self._incumbent, step.incumbent or self._incumbent)
        self._bound = min(max(self._bound, step.bound or 0.0), self._incumbent)
        seconds = step.seconds + self.road_began - self.began
        self.steps.append(Progress(seconds, self._incumbent, self._bound))
        if self.on_progress is not None:
            self.on_progress(self.steps[-1])


def _conclude(best: Result, road: str, arrival: Arrival, watch: _Watch, began: float) -> Result:
    assert best.schedule is not None
    found_by, schedule = best.found_by, best.schedule
    if arrival.schedule is not None and arrival.schedule.makespan < schedule.makespan:
        found_by, schedule = road, arrival.schedule
    lower_bound, bound = best.lower_bound, best.bound
    if arrival.lower_bound is not None and arrival.lower_bound > lower_bound:
        lower_bound, bound = arrival.lower_bound, arrival.proof
    return certified(
        best.instance,
        METHOD,
        schedule,
        lower_bound,
        bound,
        time.perf_counter() - began,
        found_by=found_by,
        notes=(f"{road}: {arrival.stop}",),
        progress=watch.steps,
    )
