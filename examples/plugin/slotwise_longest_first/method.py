"""A method: two jobs change places in the order as long as that makes the schedule shorter."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from slotwise import Instance, Runner

from .heuristic import in_order


def swap_jobs(instance: Instance, runner: Runner) -> str | None:
    """Exchange two jobs in the order of the best schedule until no exchange makes it shorter.

    It proves no bound. It ends when its time is up, and when it is asked to stop.
    """
    best = runner.schedule
    ends = np.zeros(instance.jobs)
    np.maximum.at(ends, instance.map_job, best.map.end)
    order = np.argsort(ends, kind="stable").tolist()
    better = True
    while better:
        better = False
        for a, b in combinations(range(instance.jobs), 2):
            if runner.clock.over:
                return runner.clock.reason
            tried = order.copy()
            tried[a], tried[b] = tried[b], tried[a]
            schedule = in_order(instance, tried)
            if schedule.makespan < best.makespan:
                best, order, better = schedule, tried, True
                runner.tell(best)
    return None
