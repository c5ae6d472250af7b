"""A method: two jobs change places in the order as long as that makes the schedule shorter."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np

from slotwise import Instance, MethodOutcome, Progress, SolveRequest, StopReason

from .heuristic import in_order


def swap_jobs(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Exchange two jobs in the order of the incumbent until no exchange makes it shorter.

    It proves no bound. It ends at the time limit, and when it is asked to stop.
    """
    began = time.monotonic()
    ends = np.zeros(instance.jobs)
    np.maximum.at(ends, instance.map_job, request.incumbent.map.end)
    order = np.argsort(ends, kind="stable").tolist()
    best, shortest = None, request.incumbent.makespan
    better = True
    while better:
        better = False
        for a, b in combinations(range(instance.jobs), 2):
            if request.stop.is_set():
                return MethodOutcome(best, None, stop=StopReason.INTERRUPTED)
            if time.monotonic() - began > request.time_limit:
                return MethodOutcome(best, None, stop=StopReason.TIME_LIMIT)
            tried = order.copy()
            tried[a], tried[b] = tried[b], tried[a]
            schedule = in_order(instance, tried)
            if schedule.makespan < shortest:
                best, shortest, order, better = schedule, schedule.makespan, tried, True
                request.keep(MethodOutcome(best, None))
                if request.on_progress is not None:
                    request.on_progress(Progress(time.monotonic() - began, shortest, None))
    return MethodOutcome(best, None, stop=StopReason.COMPLETED)
