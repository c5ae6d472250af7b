"""Why a policy decided as it did when one job of a workload arrived.

The simulator runs the jobs up to that one; the plain `Dispatcher`, which decides as it does, is put
into the state that they leave, and asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...core.errors import InputError
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.workload import Jobs, Workload
from .live.answers import Reason
from .live.dispatcher import POLICIES, Dispatcher
from .result import Simulation
from .simulator import simulate


@dataclass(frozen=True)
class ExplainedArrival:
    """What a policy decided when a job arrived, and why."""

    number: int
    """The job is the so manieth that arrives, from 1."""
    time: float
    """When it arrives."""
    time_unit: str
    reason: Reason

    def __str__(self) -> str:
        return f"arrival {self.number}, at {self.time:.6g} {self.time_unit}: {self.reason.text}"

    def document(self) -> dict[str, Any]:
        return {
            "arrival": self.number,
            "time": self.time,
            "text": self.reason.text,
            "machine": self.reason.machine,
            "with_room": self.reason.room,
            "next": list(self.reason.others),
        }


def explain_arrival(
    workload: Workload, policy: str, number: int, *, guidance: Guidance | None = None, seed: int = 0
) -> ExplainedArrival:
    """Say what a policy decides when a job arrives, and why.

    `workload`: the jobs and their datacenter, which is empty at time 0.
    Raises `InputError` as `check_explicable` does.
    Raises `KeyboardInterrupt` if Ctrl-C ended it.
    """
    check_explicable(workload, policy, number)
    datacenter = workload.datacenter
    jobs = _first(workload, number)
    plan = _without_bins(datacenter) if guidance is None else guidance
    dispatcher = Dispatcher(plan, policy=policy, seed=seed)
    if number > 1:
        seen = simulate(_of_jobs(workload, jobs), policy, guidance=guidance, seed=seed, log=True)
        if seen.interrupted:
            raise KeyboardInterrupt
        dispatcher.restore(_state_before(dispatcher.state(), jobs, seen))
    demand = dict(
        zip(datacenter.resources, (jobs.demand[-1] * datacenter.unit).tolist(), strict=True)
    )
    reason = dispatcher.explain(datacenter.classes[jobs.job_class[-1]], demand)
    return ExplainedArrival(number, float(jobs.arrival[-1]), datacenter.time_unit, reason)


def check_explicable(workload: Workload, policy: str, number: int) -> None:
    """Check that an arrival can be explained.

    Raises `InputError` for policies that no dispatcher has, a number out of range, and a
    datacenter that is not empty at time 0.
    """
    if policy not in POLICIES:
        raise InputError(f"explain: policy {policy!r} is none of {', '.join(POLICIES)}")
    if workload.running_at_start:
        raise InputError("explain: need a datacenter that is empty at time 0")
    if not 1 <= number <= workload.jobs:
        raise InputError(f"explain: need an arrival from 1 to {workload.jobs}, got {number}")


def _first(workload: Workload, number: int) -> Jobs:
    parts: list[Jobs] = []
    left = number
    for block in workload.blocks():
        parts.append(Jobs._make(column[:left] for column in block))
        left -= len(parts[-1].arrival)
        if not left:
            break
    return Jobs._make(np.concatenate(column) for column in zip(*parts, strict=True))


def _of_jobs(workload: Workload, jobs: Jobs) -> Workload:
    """A workload of all these jobs but the last."""
    before = Jobs._make(column[:-1] for column in jobs)

    def blocks() -> Iterator[Jobs]:
        yield before

    return replace(
        workload, jobs=len(before.arrival), horizon=float(before.arrival[-1]), blocks=blocks
    )


def _without_bins(datacenter: Datacenter) -> Guidance:
    """Guidance for policies that follow no plan: every machine with an empty bin."""
    configurations = len(datacenter.configurations)
    return Guidance(
        datacenter=datacenter,
        arrival_rate=0.0,
        arrival_rate_bound=0.0,
        bin_configuration=np.arange(configurations, dtype=np.int64),
        bin_machines=datacenter.count,
        bin_jobs=np.zeros((configurations, len(datacenter.classes)), dtype=np.int64),
    )


def _state_before(empty: dict[str, Any], jobs: Jobs, seen: Simulation) -> dict[str, Any]:
    """The dispatcher's state just before the last of the jobs arrives.

    `empty` is its state with no jobs. What ends when the job arrives has ended before.
    """
    datacenter, now = seen.datacenter, jobs.arrival[-1]
    before = len(seen.start)
    k = jobs.job_class[:before]
    can_run = np.isfinite(datacenter.mean_time)
    first = datacenter.mean_time[np.arange(len(can_run)), can_run.argmax(axis=1)]
    j = datacenter.configuration_of[seen.machine]
    end = seen.start + jobs.duration[:before] * (datacenter.mean_time[k, j] / first[k])
    amounts = jobs.demand[:before] * datacenter.unit

    def entry(i: int) -> dict[str, Any]:
        demand = dict(zip(datacenter.resources, amounts[i].tolist(), strict=True))
        name = datacenter.classes[k[i]]
        return {"job": f"{i + 1}", "class": name, "demand": demand, "number": i}

    for i in np.flatnonzero((seen.start <= now) & (end > now)).tolist():
        empty["machines"][seen.machine[i]]["jobs"].append(entry(i))
    waiting = [entry(i) for i in np.flatnonzero(seen.start > now).tolist()]
    return {**empty, "waiting": waiting, "arrived": before}
