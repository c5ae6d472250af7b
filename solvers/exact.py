"""`solve`: heuristics and closed-form bounds first, then exact roads, under one time limit."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec

from ..formulations import job_order, spread_bound
from ..formulations.bounds import best_lower_bound
from ..heuristics import block_search
from ..instances.errors import InputError
from ..instances.kernels import compiling_seconds
from ..instances.mapreduce import Instance
from ..instances.registry import Entry, lookup
from ..instances.security import impossible
from ..instances.usable_slots import usable_slots
from . import ROADS, branch_and_bound, cp_sat
from .heuristic import all_heuristics
from .mip import MOST_TERMS, heterogeneous_fits
from .portfolio import portfolio
from .progress import Progress, ProgressCallback
from .result import OPTIMALITY_TOLERANCE, Result, Status, certified, infeasible
from .road import Arrival, Task

METHOD = "exact"

MOST_TASKS = 200
"""Of instances that exact roads are tried on."""

UNCOMPILED = 8.0
"""Seconds that the other road gets before branch and bound is compiled: about what that takes, so
that the first use costs at most twice the better choice."""


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
    names an exact road (see `slotwise.solvers.ROADS`), by default `chosen_roads` picks; `threads`
    defaults to all cores; `heuristics` are their results if the caller has them already. A limit,
    or Ctrl-C on the road, never raises: the result says what is known by then; nor does an instance
    without any schedule. What is compiled first counts towards the limit, not in the result's
    seconds. Raises `InputError` for an unknown model or a senseless limit.
    """
    named = None if model is None else lookup("model", ROADS, model)
    if not time_limit >= 0:
        raise InputError(f"time limit: must be >= 0 seconds, got {time_limit}")
    if threads is not None and threads < 1:
        raise InputError(f"threads: must be >= 1, got {threads}")
    why = impossible(instance)
    if why is not None:
        return infeasible(instance, METHOD, why)
    began, compiled = time.perf_counter(), compiling_seconds()
    threads = threads or os.cpu_count() or 1
    if heuristics is None:
        heuristics = all_heuristics(instance, best_lower_bound(instance))
    best = min(heuristics, key=lambda result: result.makespan or 0.0)
    seconds = time.perf_counter() - began - (compiling_seconds() - compiled)
    best = replace(best, method=METHOD, found_by=best.method, seconds=seconds)
    if best.status is Status.OPTIMAL or best.schedule is None:
        return best
    usable = usable_slots(instance)
    roads = chosen_roads(usable.instance, threads) if named is None else {named: threads}
    if any(road.name == "improvement" for road in roads):
        block_search.warm_up(time_limit - (time.perf_counter() - began))
    compiling = compiling_seconds() - compiled
    set_out = time.perf_counter() - began
    task = Task(
        incumbent=usable.reduced(best.schedule),
        lower_bound=best.lower_bound,
        time_limit=time_limit - set_out,
        threads=threads,
        relative_gap=relative_gap,
        absolute_gap=absolute_gap,
        on_progress=None if on_progress is None else _later(on_progress, set_out),
    )
    if _waits_for_compiler(roads):
        roads = dict(reversed(roads.items()))
        journey = portfolio(usable.instance, roads, task, UNCOMPILED)
    else:
        journey = portfolio(usable.instance, roads, task)
    progress = [replace(step, seconds=step.seconds + set_out) for step in journey.steps]
    arrivals = {
        road: replace(arrival, schedule=arrival.schedule and usable.restored(arrival.schedule))
        for road, arrival in journey.arrivals.items()
    }
    if len(roads) == 1:
        # Of several roads one may have solved while another was compiled.
        compiling = compiling_seconds() - compiled
    result = _conclude(best, arrivals, progress, began)
    return replace(result, interrupted=journey.interrupted, seconds=result.seconds - compiling)


def chosen_roads(instance: Instance, threads: int) -> dict[Entry, int]:
    """The roads that `solve` takes by itself, with the threads of each; the first has a head start.

    Measured in benchmarks/README.md: branch and bound settles small instances in a tenth of a
    second; CP-SAT, where OR-Tools is installed, proves most of the larger ones, and more with two
    threads than with one; the job-order model with HiGHS takes its place elsewhere and does not
    gain from a second thread. Slots of different speed leave branch and bound out; there the
    heterogeneous model comes first where it applies, and linear programs give bound and schedule
    where no exact road fits. Beyond `MOST_TASKS` no exact road gets anywhere: the improvement
    search has all threads, and where the reduce phase binds a linear program raises the bound
    beside it for some seconds.
    """
    small = instance.map_tasks + instance.reduce_tasks <= MOST_TASKS
    names: dict[str, int] = {}
    if small and branch_and_bound.fits(instance):
        names["branch-and-bound"] = 1
    elif heterogeneous_fits(instance):
        names["heterogeneous"] = 1
    elif block_search.fits(instance):
        names["improvement"] = 1
    if "improvement" in names and not small:
        names["improvement"] = threads
        if spread_bound.is_promising(instance):
            names["spread-bound"] = 1
        return _roads(names)
    if find_spec("ortools") is not None and cp_sat.fits(instance):
        names["cp-sat"] = max(1, threads - len(names))
    elif "heterogeneous" in names:
        names["heterogeneous"] = threads
    elif job_order.estimated_terms(instance) <= MOST_TERMS:
        names["job-order"] = max(1, threads - len(names))
    elif instance.speed_factors is not None:
        names["unrelated-machines"] = threads
    if threads == 1 and len(names) > 1:
        many = instance.map_tasks + instance.reduce_tasks > 50
        first, second = names
        gives_way = first == "improvement" or (many and first == "branch-and-bound")
        names.pop(first if gives_way else second)
    return _roads(names)


def _waits_for_compiler(roads: dict[Entry, int]) -> bool:
    """Whether the first of two roads has to be compiled: then the other may be done before."""
    names = [road.name for road in roads]
    two = len(names) > 1 and names[0] == "branch-and-bound"
    return two and not branch_and_bound.is_compiled()


def _roads(names: dict[str, int]) -> dict[Entry, int]:
    return {lookup("model", ROADS, name): share for name, share in names.items()}


def _later(on_progress: ProgressCallback, set_out: float) -> ProgressCallback:
    def told(step: Progress) -> None:
        on_progress(replace(step, seconds=step.seconds + set_out))

    return told


def _conclude(
    best: Result, arrivals: dict[str, Arrival], progress: list[Progress], began: float
) -> Result:
    assert best.schedule is not None
    found_by, schedule = best.found_by, best.schedule
    lower_bound, bound = best.lower_bound, best.bound
    for road, arrival in arrivals.items():
        if arrival.schedule is not None and arrival.schedule.makespan < schedule.makespan:
            found_by, schedule = road, arrival.schedule
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
        notes=tuple(f"{road}: {arrival.stop}" for road, arrival in arrivals.items())
        or ("no exact road takes an instance of this size",),
        progress=progress,
    )
