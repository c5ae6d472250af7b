"""All of a dispatcher but its plan and options, as a JSON document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from ....core.errors import InputError
from ....core.files.json_files import Strict, validated
from .answers import Reason
from .cluster import Cluster, Job, Machine, Options, machine_name
from .plan import Plan

STATE = "slotwise/dispatcher-state/1"
"""Format of the document."""

Count = Annotated[int, Field(ge=0)]


class JobEntry(Strict):
    """A job; its machine and rank where a program keeps it by itself."""

    job: str
    job_class: str = Field(alias="class")
    demand: dict[str, float]
    number: Count
    why: str | None = None
    machine: str | None = None
    rank: int | None = None


class MachineEntry(Strict):
    """A machine and the jobs that run there."""

    configuration: str
    number: Count
    bin: Count | None
    draining: bool
    capacity: dict[str, float] | None
    name: str | None = None
    jobs: list[JobEntry]


class StateDocument(Strict):
    """The fields of a document."""

    format: Literal["slotwise/dispatcher-state/1"]
    guidance: str
    policy: str
    sample: int | None
    seed: int
    arrived: Count
    next_machine: dict[str, Count]
    machines: list[MachineEntry]
    waiting: list[JobEntry]
    document: Any = None


def read_state(state: Mapping[str, Any], plan: Plan, options: Options) -> StateDocument:
    """A document that was saved under this plan and these options. Raises `InputError`."""
    if not isinstance(state, Mapping) or state.get("format") != STATE:
        raise InputError(f"need a {STATE} document")
    try:
        content = json.dumps({**state, "document": None}).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"state: {error}") from None
    document = validated(StateDocument, content, "state")
    if document.guidance != plan.fingerprint:
        raise InputError("the state was saved under other guidance")
    for option in ("policy", "sample", "seed"):
        saved, own = getattr(document, option), getattr(options, option)
        if saved != own:
            raise InputError(
                f"the state was saved with {option} {saved!r}, this dispatcher has {own!r}"
            )
    for name in plan.configuration_number:
        if name not in document.next_machine:
            raise InputError(f"state: next_machine, {name}: is missing")
    return document


def machines_of(document: StateDocument, plan: Plan) -> dict[str, Machine]:
    """The machines by name, without their jobs. Raises `InputError`."""
    machines, numbers = dict[str, Machine](), set[tuple[int, int]]()
    for entry in document.machines:
        kind, number = entry.configuration, entry.number
        if kind not in plan.configuration_number:
            raise InputError(f"state: unknown configuration {kind!r}")
        j, where = plan.configuration_number[kind], f"state: machine {kind}/{number}"
        if number >= document.next_machine[kind]:
            raise InputError(f"{where}: the next one is {document.next_machine[kind]}")
        if entry.bin is not None and entry.bin not in plan.bins_of[j]:
            raise InputError(f"{where}: the plan has no bin {entry.bin} there")
        own = None if entry.capacity is None else plan.amounts(where, entry.capacity)
        name = machine_name(plan, j, number) if entry.name is None else entry.name
        if name in machines or (j, number) in numbers:
            raise InputError(f"state: machine {name} is there twice")
        numbers.add((j, number))
        machines[name] = Machine(j, number, name, own, entry.bin, entry.draining)
        machines[name].capacity = plan.capacity(j, own)
    return machines


def jobs_of(document: StateDocument, plan: Plan, machines: Mapping[str, Machine]) -> dict[str, Job]:
    """The jobs by name, those that run at their machines. Raises `InputError`."""
    jobs = dict[str, Job]()

    def job_of(entry: JobEntry, rank: int) -> Job:
        if entry.job in jobs:
            raise InputError(f"state: job {entry.job!r} is there twice")
        where = f"state: job {entry.job!r}"
        k, given, demand = plan.request(where, entry.job_class, entry.demand)
        rank = rank if entry.rank is None else entry.rank
        jobs[entry.job] = Job(entry.job, k, given, demand, entry.number, rank)
        return jobs[entry.job]

    for at, machine in zip(document.machines, machines.values(), strict=True):
        for entry in at.jobs:
            job = job_of(entry, entry.number)
            machine.jobs[job.name], job.machine = job, machine
            if entry.why is not None:
                job.reason = Reason(entry.why, machine.name)
    for rank, entry in enumerate(document.waiting, start=-len(document.waiting)):
        job_of(entry, rank)  # before all that arrive
    return jobs


def state_of(cluster: Cluster) -> dict[str, Any]:
    """Options and machines of a document, without jobs."""
    plan, options = cluster.plan, cluster.options
    machines = []
    for machine in cluster.machines:
        kind = plan.datacenter.configurations[machine.configuration]
        entry: dict[str, Any] = {
            "configuration": kind,
            "number": machine.number,
            "bin": machine.bin_number,
            "draining": machine.draining,
            "capacity": machine.own,
            "jobs": [],
        }
        if machine.name != machine_name(plan, machine.configuration, machine.number):
            entry["name"] = machine.name
        machines.append(entry)
    return {
        "format": STATE,
        "guidance": plan.fingerprint,
        "policy": options.policy,
        "sample": options.sample,
        "seed": options.seed,
        "machines": machines,
        "waiting": [],
    }


def job_entry(plan: Plan, job: Job) -> dict[str, Any]:
    return {
        "job": job.name,
        "class": plan.datacenter.classes[job.job_class],
        "demand": job.given,
        "number": job.number,
        **({"why": job.reason.text} if job.machine and job.reason else {}),
    }
