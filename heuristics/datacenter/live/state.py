"""All of a dispatcher but its plan and options, as a JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .answers import Reason
from .checks import checked_amounts, known, new_job, whole
from .machine import Job, Machine, machine_name, new_machine
from .plan import Plan, listed
from .rule import Options
from .scheduler import Scheduler

STATE = "slotwise/dispatcher-state/1"
"""Format of the document."""


def state_of(scheduler: Scheduler, *, jobs: bool = True) -> dict[str, Any]:
    """The document of a scheduler, with its jobs or without any."""
    plan, options = scheduler.plan, scheduler.options

    def entries(of: Iterable[Job]) -> list[dict[str, Any]]:
        return [job_entry(scheduler, job) for job in of] if jobs else []

    return {
        "format": STATE,
        "guidance": plan.fingerprint(),
        "policy": options.policy,
        "sample": options.sample,
        "seed": options.seed,
        "arrived": scheduler.arrived,
        "next_machine": dict(zip(plan.configurations, scheduler.next_number, strict=True)),
        "machines": [
            {**_machine_entry(plan, machine), "jobs": entries(machine.jobs.values())}
            for machine in scheduler.cluster
        ],
        "waiting": entries(scheduler.line),
    }


def _machine_entry(plan: Plan, machine: Machine) -> dict[str, Any]:
    j = machine.configuration
    is_named = machine.name != machine_name(plan, j, machine.number)
    return {
        "configuration": plan.configurations[j],
        "number": machine.number,
        "bin": machine.bin_number,
        "draining": machine.draining,
        "capacity": machine.own,
        **({"name": machine.name} if is_named else {}),
    }


def job_entry(scheduler: Scheduler, job: Job) -> dict[str, Any]:
    return {
        "job": job.name,
        "class": scheduler.plan.classes[job.job_class],
        "demand": job.given,
        "number": job.number,
        **({"why": job.reason.text} if job.machine and job.reason else {}),
    }


def restored(state: Mapping[str, Any], plan: Plan, options: Options) -> Scheduler:
    """The scheduler of a document that was saved under the same plan and options."""
    if state["guidance"] != plan.fingerprint():
        raise ValueError("the state was saved under other guidance")
    for option in ("policy", "sample", "seed"):
        saved, own = state[option], getattr(options, option)
        if saved != own:
            raise ValueError(
                f"the state was saved with {option} {saved!r}, this dispatcher has {own!r}"
            )
    jobs = dict[str, Job]()

    def job_of(entry: Mapping[str, Any]) -> Job:
        name = entry["job"]
        if name in jobs:
            raise ValueError(f"state: job {name!r} is there twice")
        job = new_job(plan, 0, f"state: job {name!r}", name, entry["class"], entry["demand"])
        job.number = whole(f"job {name!r}", entry["number"])
        jobs[name] = job
        return job

    next_number = [whole("next_machine", state["next_machine"][n]) for n in plan.configurations]
    machines: dict[str, Machine] = {}
    numbers = set[tuple[int, int]]()
    for entry in listed("state: machines", state["machines"]):
        machine = _machine_of(entry, plan, next_number)
        key = machine.configuration, machine.number
        if machine.name in machines or key in numbers:
            raise ValueError(f"state: machine {machine.name} is there twice")
        machines[machine.name] = machine
        numbers.add(key)
        for running in listed("state: jobs", entry["jobs"]):
            job = job_of(running)
            machine.jobs[job.name] = job
            job.machine = machine
            if running.get("why") is not None:
                job.reason = Reason(str(running["why"]), machine.name)
        machine.count()  # above its capacity if another plan has made it smaller
    waiting = [job_of(entry) for entry in listed("state: waiting", state["waiting"])]
    for rank, (job, entry) in enumerate(zip(waiting, state["waiting"], strict=True)):
        job.rank = int(entry.get("rank", rank - len(waiting)))  # before all that arrive
    arrived = whole("arrived", state["arrived"])
    scheduler = Scheduler(options, plan, machines.values(), waiting, next_number)
    scheduler.jobs, scheduler.arrived = jobs, arrived
    return scheduler


def _machine_of(entry: Mapping[str, Any], plan: Plan, next_number: list[int]) -> Machine:
    where = "state: machine"
    j = known(plan.number_of_configuration, "configuration", entry["configuration"])
    number = whole(f"{where} of {entry['configuration']}", entry["number"])
    where += f" {entry['configuration']}/{number}"
    if number >= next_number[j]:
        raise ValueError(f"{where}: the next one is {next_number[j]}")
    if entry["bin"] is not None and entry["bin"] not in plan.bins_of[j]:
        raise ValueError(f"{where}: the plan has no bin {entry['bin']!r} there")
    own = None if entry["capacity"] is None else checked_amounts(plan, where, entry["capacity"])
    name = entry.get("name")
    if name is not None and not isinstance(name, str):
        raise ValueError(f"{where}: need a name, got {name!r}")
    machine = new_machine(plan, j, number, entry["bin"], own, name)
    machine.draining = bool(entry["draining"])
    return machine
