"""A process that plans again beside a service: a JSON document in, one out.

python -m slotwise.commands.serving.replanning.planner PROCESS < task.json

It ends with the process that has started it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ....core.background import end_with
from ....core.errors import InputError, one_line
from ....core.files.json_files import JsonFile
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.guidance_file import guidance_document, read_guidance
from ....instances.datacenter.job_file import SECONDS
from ....solvers.datacenter.plan_again import Recent, changes, for_machines, plan_again

NICE = 10
"""Decisions come first where there is one core."""


def main() -> None:
    """Answer the task on the standard input."""
    end_with(int(sys.argv[1]))
    with suppress(AttributeError, OSError):
        os.nice(NICE)
    task = json.load(sys.stdin)
    try:
        answer = answer_to(task)
    except InputError as error:
        answer = {"end": "no plan", "why": one_line(str(error))}
    json.dump(answer, sys.stdout)


def answer_to(task: Mapping[str, Any]) -> dict[str, Any]:
    """What became of a task; with `guidance` if the plan is to be followed."""
    document = task["guidance"]
    followed = read_guidance(JsonFile("guidance", json.dumps(document).encode(), document))
    datacenter = followed.datacenter
    if datacenter.time_unit not in SECONDS:
        raise InputError(f"the plan's time unit {datacenter.time_unit!r} is unknown")
    unit = SECONDS[datacenter.time_unit]
    count = np.array([task["machines"].get(name, 0) for name in datacenter.configurations])
    recent = _recent(datacenter, task["jobs"], unit, task["since"], task["now"])
    made = plan_again(followed, task["policy"], recent, count, task["half_life"] / unit)
    answer: dict[str, Any] = {
        "end": "worse" if made.is_worse else "followed",
        "changes": changes(for_machines(followed, count), made.plan),
        "arrivals": made.arrivals,
        "mean_wait": {"before": made.wait_before, "after": made.wait_after},
        "time_unit": datacenter.time_unit,
        "rate": {"before": followed.arrival_rate, "after": made.plan.arrival_rate},
    }
    return answer if made.is_worse else {**answer, "guidance": guidance_document(made.plan)}


def _recent(
    datacenter: Datacenter,
    jobs: Sequence[Mapping[str, Any]],
    unit: float,
    since: float,
    now: float,
) -> Recent:
    """Jobs in the plan's own numbers; those that have no place in it are left out."""
    classes = {name: k for k, name in enumerate(datacenter.classes)}
    places = {name: j for j, name in enumerate(datacenter.configurations)}

    def can_run(kind: str, place: str) -> bool:
        return place in places and np.isfinite(datacenter.mean_time[classes[kind], places[place]])

    once = {job["number"]: job for job in jobs}  # one may have ended meanwhile
    known = [
        job
        for job in once.values()
        if job["class"] in classes and (job["on"] is None or can_run(job["class"], job["on"]))
    ]

    def times(field: str) -> Any:
        moments = (np.nan if job[field] is None else job[field] - since for job in known)
        return np.fromiter(moments, float, len(known)) / unit

    demands = [[job["demand"].get(name, 0.0) for name in datacenter.resources] for job in known]
    return Recent(
        job_class=np.array([classes[job["class"]] for job in known], dtype=np.int64),
        configuration=np.array(
            [-1 if job["on"] is None else places[job["on"]] for job in known], dtype=np.int64
        ),
        arrived=times("arrived"),
        started=times("started"),
        ended=times("ended"),
        demand=np.array(demands, dtype=float).reshape(-1, len(datacenter.resources)),
        since=0.0,
        now=(now - since) / unit,
    )


if __name__ == "__main__":
    main()
