"""The improvement road: better schedules for large instances, and no bound of its own.

`docs/improvement-search.md` has the method.
"""

from __future__ import annotations

import math

from ..heuristics.block_search import fits, improve_blocks
from ..instances.mapreduce.instance import Instance
from .method import Arrival, Task
from .progress import Progress


def improvement_road(instance: Instance, task: Task) -> Arrival:
    """Search from the incumbent on until someone's schedule comes close enough to the lower bound.

    The arrival's schedule is None unless it is shorter than the incumbent; it proves nothing.
    Instances with speed factors, security or outages are declined: `Arrival.stop` begins with
    "not applicable".
    """
    if not fits(instance):
        return Arrival(None, None, "", f"not applicable: {', '.join(sorted(instance.parts))}")
    gap = max(task.relative_gap * task.lower_bound, task.absolute_gap)
    target = task.lower_bound + gap
    steps: list[Progress] = []

    def tell(seconds: float, makespan: float) -> None:
        steps.append(Progress(seconds, makespan, None))
        if task.on_progress is not None:
            task.on_progress(steps[-1])

    def known() -> float:
        return task.best() if task.best is not None else math.inf

    found = improve_blocks(
        instance,
        task.incumbent,
        seconds=task.time_limit,
        target=target,
        threads=task.threads,
        on_progress=tell,
        stop=lambda: task.stop.is_set() or known() <= target,
        on_end=lambda schedule: task.keep(Arrival(schedule, None, "", "")),
    )
    if min(found.makespan, known()) <= target:
        stop = "gap closed"
    else:
        stop = "interrupted" if task.stop.is_set() else "time limit"
    better = found.makespan < task.incumbent.makespan
    return Arrival(found if better else None, None, "", stop, steps)
