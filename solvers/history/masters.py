"""Whether there would have been containers for the application masters of a plan without them."""

from __future__ import annotations

import numpy as np

from ...core.wording import number, plural
from ...instances.history.run import Run
from ...instances.history.stage_graph import Plan, StageGraph


def masters_told(run: Run, graph: StageGraph, plan: Plan) -> str:
    """A sentence on the masters that the log tells of.

    A master holds a container until its job ends, which is when the plan says; so it is no task of
    the model. Containers are alike, so that a plan with enough of them at all times is possible.
    """
    most, time = _shortage(run, graph, plan)
    text = "Application masters hold no container in the plans"
    if not any(stage.kind == "master" for stage in run.stages):
        return f"{text}; the log does not tell of any."
    if not most:
        return f"{text}; in the best one there is a container left for each."
    missing = f"{plural(most, 'container')} would be missing"
    return f"{text}; in the best one up to {missing}, for {number(round(time / 1000, 2))} s in all."


def _shortage(run: Run, graph: StageGraph, plan: Plan) -> tuple[int, int]:
    """The most containers that are missing at a time, and for how long (ms) some are."""
    tasks, jobs = graph.tasks, graph.stage_job[graph.tasks.stage]
    first = np.full(graph.jobs, np.iinfo(np.int64).max)
    np.minimum.at(first, jobs, plan.start)
    led = sorted({stage.job for stage in run.stages if stage.kind == "master" and stage.job >= 0})
    led = [job for job in led if first[job] < plan.job_end[job]]
    until = plan.end - tasks.cut
    # A slot counts as one container less in use while it is there.
    begins = np.concatenate((plan.start, first[led], graph.slots.until))
    ends = np.concatenate((np.maximum(until, plan.start), plan.job_end[led], graph.slots.since))
    times = np.concatenate((begins, ends))
    change = np.repeat((1, -1), len(begins))
    order = np.argsort(times, kind="stable")
    used = np.cumsum(change[order])
    lasting = np.diff(times[order], append=times[order][-1])
    short = (used > 0) & (lasting > 0)
    return int(used[short].max(initial=0)), int(lasting[short].sum())
