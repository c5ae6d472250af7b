"""What a dispatcher's cluster looks like now, in a size that does not grow with the queue."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any
from zlib import crc32

from .live.dispatcher import Dispatcher
from .live.machine import Job
from .live.plan import Plan

MOST_MACHINES = 20_000
"""So many are told one by one; all count in sums."""

MOST_JOBS = 50
"""So many waiting jobs, and jobs of a machine, are listed."""

AT_ONCE = 400
"""So many machines are looked at without a pause: about a millisecond."""

FULL, DRAINING, KEPT = 200, 1, 2
"""Use in half percent, at most `FULL`; and marks of machines that start nothing, or one job."""

Parts = Iterator[dict[str, Any] | None]


def overview(dispatcher: Dispatcher) -> Parts:
    """Machines, classes and the head of the line as a document.

    It comes last; before it None, again and again: others may have their turn then, so the machines
    are not all seen at the same time. `use` has the machines' use of each resource, in half
    percent, as bytes in base64; `marks` likewise. Names are in `machine_names`; `layout` tells
    whether they are still the same.
    """
    scheduler = dispatcher._scheduler
    plan, machines = scheduler.plan, list(scheduler.cluster)
    number = len(plan.resources)
    use, marks = [bytearray() for _ in range(number)], bytearray()
    runs, bins = [0] * len(plan.classes), Counter[int | None]()
    free, capacity, layout = [0] * number, [0] * number, 0
    for at, machine in enumerate(machines):
        if at % AT_ONCE == AT_ONCE - 1:
            yield None
        layout = crc32(machine.name.encode(errors="replace"), layout)
        for r, (left, whole) in enumerate(zip(machine.free, machine.capacity, strict=True)):
            free[r] += left
            capacity[r] += whole
            if at < MOST_MACHINES:
                use[r].append(min(max(FULL - FULL * left // whole, 0), FULL) if whole else 0)
        if at < MOST_MACHINES:
            marks.append(DRAINING if machine.draining else KEPT if machine.keeps else 0)
        if machine.jobs:
            runs = list(map(int.__add__, runs, machine.runs))
        bins[machine.bin_number] += 1
    line = scheduler.line
    yield {
        "plan": str(plan.document["datacenter"].get("name", "")),
        "policy": dispatcher.policy,
        "resources": _amounts(plan, free, capacity),
        "layout": layout,
        "machines": len(machines),
        "draining": sum(machine.draining for machine in machines),
        "running": sum(runs),
        "use": [b64encode(column).decode() for column in use],
        "marks": b64encode(marks).decode(),
        "classes": [
            {
                "name": name,
                "runs": runs[k],
                "planned": sum(plan.bin(one)[k] * count for one, count in bins.items()),
                "waits": line.home[k].waiting + line.stray[k].waiting,
            }
            for k, name in enumerate(plan.classes)
        ],
        "waiting": line.length,
        "first": [_job(plan, job) for job in islice(line, MOST_JOBS)],
    }


def machine_names(dispatcher: Dispatcher) -> dict[str, Any]:
    """Names of machines and of their configurations, in the order of `overview`."""
    scheduler = dispatcher._scheduler
    layout, names, kinds = 0, list[str](), list[int]()
    for at, machine in enumerate(scheduler.cluster):
        layout = crc32(machine.name.encode(errors="replace"), layout)
        if at < MOST_MACHINES:
            names.append(machine.name)
            kinds.append(machine.configuration)
    configurations = scheduler.plan.configurations
    return {
        "layout": layout,
        "configurations": configurations,
        "names": names,
        "configuration": kinds,
    }


def machine_details(dispatcher: Dispatcher, name: str) -> dict[str, Any]:
    """One machine with the first of its jobs. Raises `ValueError` if it is not there."""
    scheduler = dispatcher._scheduler
    machine = scheduler.cluster.by_name.get(name)
    if machine is None:
        raise ValueError(f"unknown machine {name}")
    plan = scheduler.plan
    return {
        "name": name,
        "configuration": machine.kind,
        "draining": machine.draining,
        "kept_for": None if machine.keeps is None else machine.keeps.name,
        "resources": _amounts(plan, machine.free, machine.capacity),
        "classes": [
            {"name": plan.classes[k], "runs": number, "planned": machine.bin[k]}
            for k, number in enumerate(machine.runs)
            if number or machine.bin[k]
        ],
        "running": len(machine.jobs),
        "jobs": [_job(plan, job) for job in islice(machine.jobs.values(), MOST_JOBS)],
    }


def _amounts(plan: Plan, free: Sequence[int], capacity: Sequence[int]) -> list[dict[str, Any]]:
    columns = zip(plan.resources, free, capacity, plan.unit, strict=True)
    return [
        {"name": name, "used": (whole - left) * unit, "capacity": whole * unit}
        for name, left, whole, unit in columns
    ]


def _job(plan: Plan, job: Job) -> dict[str, Any]:
    return {"id": job.name, "class": plan.classes[job.job_class], "demand": dict(job.given)}
