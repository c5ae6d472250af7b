"""Machines, jobs and the queue while a policy is recorded, as plain objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....core.errors import InputError
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.guidance import Guidance
from ....instances.datacenter.workload import Workload
from ..record import Fact


def fits(demand: Sequence[int], room: Sequence[int]) -> bool:
    return all(d <= r for d, r in zip(demand, room, strict=True))


@dataclass(eq=False)
class Job:
    """A job; its demand is in whole units of `Datacenter.unit`, as the simulator counts."""

    number: int
    """Its place in the workload, from 0."""
    arrival: float
    job_class: int
    duration: float
    """`arrival`, `duration`: as in `Jobs` (`time_unit`)."""
    demand: list[int]

    @property
    def label(self) -> str:
        """Its name in words: the first job that arrives is job 1."""
        return f"job {self.number + 1}"


@dataclass(eq=False)
class Machine:
    """A machine, named by its configuration and its number there; amounts are in whole units.

    `bin` and `running` are the jobs of each class that the plan wants here, and that run here.
    """

    number: int
    name: str
    configuration: int
    capacity: list[int]
    free: list[int]
    bin: list[int]
    running: list[int]

    def has_room(self, job: Job) -> bool:
        return fits(job.demand, self.free)

    def score(self, k: int) -> int:
        """Jobs of a class in its bin less those that it runs."""
        return self.bin[k] - self.running[k]


class Cluster:
    """All machines, and the jobs that wait, in order of arrival.

    `can_run` (K, M) says whether a class can run on a configuration, `weight` is 1 over the most
    that a machine has of each resource, `now` is the time (`time_unit`).
    """

    def __init__(self, workload: Workload, guidance: Guidance | None) -> None:
        data = workload.datacenter
        if workload.running_at_start:
            raise InputError("steps: need a datacenter that is empty at time 0")
        if guidance is not None:
            _check_same(data, guidance.datacenter)
        self.data: Datacenter = data
        self.classes, self.configurations = data.classes, data.configurations
        self.can_run = np.isfinite(data.mean_time)
        self.weight = [1.0 / max(1, c) for c in data.capacity_units.max(axis=0).tolist()]
        none = [0] * len(data.classes)
        bins = [none] * data.machines if guidance is None else guidance.machine_jobs.tolist()
        self.machines: list[Machine] = []
        number_in = [0] * len(data.configurations)
        for m, j in enumerate(data.configuration_of.tolist()):
            room = data.capacity_units[j].tolist()
            name = f"{data.configurations[j]}/{number_in[j]}"
            number_in[j] += 1
            self.machines.append(Machine(m, name, j, room, room[:], bins[m][:], none[:]))
        columns = (column.tolist() for column in workload.whole())
        self.jobs = [Job(i, *row) for i, row in enumerate(zip(*columns, strict=True))]
        self.waiting: list[Job] = []
        self.now = 0.0

    def able(self, job: Job) -> list[Machine]:
        """The machines that can run the job's class, by number."""
        return [m for m in self.machines if self.can_run[job.job_class, m.configuration]]

    def with_room(self, job: Job) -> list[Machine]:
        """Those of them with room for it, by number."""
        return [m for m in self.able(job) if m.has_room(job)]

    def fitting(self, machine: Machine) -> list[Job]:
        """The waiting jobs that could start on a machine, in order of arrival."""
        able = self.can_run[:, machine.configuration]
        return [job for job in self.waiting if able[job.job_class] and machine.has_room(job)]

    def parts(self, amounts: list[int]) -> float:
        """Amounts in parts of the largest machine, added up one after the other."""
        total = 0.0
        for amount, weight in zip(amounts, self.weight, strict=True):
            total += amount * weight
        return total

    def class_of(self, job: Job) -> str:
        return self.classes[job.job_class]

    def amounts(self, units: list[int], before: str = "") -> dict[str, Fact]:
        """Amounts of the resources by name, in the datacenter's own units."""
        unit, most = self.data.unit.tolist(), self.data.capacity.max(axis=0).tolist()
        facts: dict[str, Fact] = {}
        for name, u, size, largest in zip(self.data.resources, units, unit, most, strict=True):
            # What has been added to capacities as a tolerance is not shown.
            amount = float(f"{u * size:.8g}")
            facts[f"{before}{name}"] = amount if amount > 1e-8 * largest else 0.0
        return facts

    def nearest(self, job: Job) -> tuple[Machine, str, float]:
        """Of the machines that could hold a job, but are too full, the one that lacks least.

        Parts of the largest machine are compared. Returns also the resource of which it lacks most,
        and how much.
        """

        def lacking(machine: Machine) -> list[float]:
            pairs = zip(job.demand, machine.free, self.weight, strict=True)
            return [max(0, d - f) * w for d, f, w in pairs]

        large = [m for m in self.able(job) if fits(job.demand, m.capacity)]
        nearest = min(large, key=lambda m: (max(lacking(m)), m.number))
        short = lacking(nearest)
        r = short.index(max(short))
        units = [0] * len(short)
        units[r] = job.demand[r] - nearest.free[r]
        name = self.data.resources[r]
        return nearest, name, float(self.amounts(units)[name] or 0)

    def duration_on(self, job: Job, machine: Machine) -> float:
        times = self.data.mean_time[job.job_class]
        factor = times[machine.configuration] / times[np.isfinite(times)][0]
        return float(job.duration * factor)


def _check_same(own: Datacenter, planned: Datacenter) -> None:
    if (own.configurations, own.classes) != (planned.configurations, planned.classes) or bool(
        (own.count != planned.count).any()
    ):
        raise InputError(f"the guidance is for another datacenter: {planned!r}")
