"""Whether there would have been containers for the application masters of a plan.

A master holds a container until its job ends, which is when the plan says. So it is no task of the
model: plans leave it the time that it held one in the run, and this counts what it needs in them.
"""

from __future__ import annotations

import numpy as np

from ...core.wording import number, plural
from ...instances.history.occupation import occupation
from ...instances.history.projection import Projection
from ...instances.history.run import Run
from ...instances.history.stage_graph import Plan, StageGraph


def masters_told(run: Run, projection: Projection, graph: StageGraph, plan: Plan) -> str:
    """A sentence on the masters that the log tells of.

    Containers are alike, so that a plan with enough of them at all times is possible.
    """
    if not any(stage.kind == "master" for stage in run.stages):
        return "Application masters hold no container: the log does not tell of any."
    most, time = _shortage(run, projection, graph, plan)
    text = "Application masters hold a container in the plans as long as in the run, in bounds none"
    if not most:
        return f"{text}; the best plan has one left for each as long as it needs it."
    missing = f"{plural(most, 'container')} would be missing"
    return (
        f"{text}; in the best plan up to {missing}, for {number(round(time / 1000, 2))} s in all."
    )


def _shortage(run: Run, projection: Projection, graph: StageGraph, plan: Plan) -> tuple[int, int]:
    """The most containers that are missing at a time, and for how long (ms) some are."""
    tasks, jobs = graph.tasks, graph.stage_job[graph.tasks.stage]
    until = np.maximum(plan.end - tasks.cut, plan.start)
    # The start-up of a master is a task of the plan; from its end on the master holds on.
    setup = np.array([stage.kind == "setup" for stage in run.stages])[tasks.stage]
    first = np.full(graph.jobs, np.iinfo(np.int64).max)
    np.minimum.at(first, jobs, np.where(setup, until, plan.start))
    master = np.array([stage.kind == "master" and stage.job >= 0 for stage in run.stages])
    led = sorted({run.stages[s].job for s in np.flatnonzero(master)})
    led = [job for job in led if first[job] < plan.job_end[job]]
    held = occupation(run)
    own = np.flatnonzero(master[run.attempts.stage] & (held.slot >= 0))
    ran, over = (column[own] - projection.shift for column in (run.attempts.start, held.until))
    # In use are tasks and masters; there are slots, and what masters held of them in the run.
    begins = np.concatenate((plan.start, first[led], graph.slots.until, over))
    ends = np.concatenate((until, plan.job_end[led], graph.slots.since, ran))
    times = np.concatenate((begins, ends))
    change = np.repeat((1, -1), len(begins))
    order = np.argsort(times, kind="stable")
    used = np.cumsum(change[order])
    lasting = np.diff(times[order], append=times[order][-1])
    short = (used > 0) & (lasting > 0)
    return int(used[short].max(initial=0)), int(lasting[short].sum())
