"""A machine and the jobs that it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import add, sub

from .answers import Placement, Reason
from .plan import Plan, Units


@dataclass(eq=False)
class Job:
    """A job; it waits, or runs on `machine`.

    Waiting jobs are in order of `rank`: of their arrival, below 0 if their machine has left. A
    `stray` job fits none of the places of its class.
    """

    name: str
    job_class: int
    given: dict[str, float]
    demand: Units
    number: int
    rank: int
    machine: Machine | None = None
    waits: bool = False
    stray: bool = False
    reason: Reason | None = None


@dataclass(eq=False)
class Machine:
    """A machine: the jobs of each class that it should run (`bin`) and runs, and what it has free.

    `kind` is the name of its configuration, `own` the capacity if it is not that of the
    configuration, `place` its row in the arrays of all machines.
    """

    configuration: int
    number: int
    kind: str
    name: str
    capacity: Units
    own: dict[str, float] | None
    bin_number: int | None
    bin: tuple[int, ...]
    draining: bool = False
    jobs: dict[str, Job] = field(default_factory=dict)
    runs: list[int] = field(default_factory=list)
    free: Units = ()
    place: int = -1

    def count(self) -> None:
        self.runs = [0] * len(self.bin)
        self.free = self.capacity
        for job in self.jobs.values():
            self.runs[job.job_class] += 1
            self.free = tuple(map(sub, self.free, job.demand))

    def more(self, k: int) -> int:
        """Jobs of class k in the bin minus those that run."""
        return self.bin[k] - self.runs[k]

    def start(self, job: Job) -> None:
        self.runs[job.job_class] += 1
        self.free = tuple(map(sub, self.free, job.demand))
        self.jobs[job.name] = job
        job.machine = self

    def end(self, job: Job) -> None:
        self.runs[job.job_class] -= 1
        self.free = tuple(map(add, self.free, job.demand))
        del self.jobs[job.name]
        job.machine = None

    def placement(self, job: Job) -> Placement:
        return Placement(job.name, self.kind, self.number, self.name)


def machine_name(plan: Plan, j: int, number: int) -> str:
    """The name of a machine that was given none."""
    return f"{plan.configurations[j]}/{number}"


def new_machine(
    plan: Plan,
    j: int,
    number: int,
    bin_number: int | None,
    own: dict[str, float] | None = None,
    name: str | None = None,
) -> Machine:
    """A machine of configuration j without jobs; None names it after configuration and number."""
    machine = Machine(
        configuration=j,
        number=number,
        kind=plan.configurations[j],
        name=machine_name(plan, j, number) if name is None else name,
        capacity=plan.capacity[j] if own is None else plan.capacity_in_units(own),
        own=own,
        bin_number=bin_number,
        bin=plan.bin(bin_number),
    )
    machine.count()
    return machine
