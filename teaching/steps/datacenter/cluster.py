"""Machines, jobs and the queue while a policy is recorded, as plain objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....core.errors import InputError
from ....core.wording import number
from ....heuristics.datacenter.live.plan import fits
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.guidance import Guidance
from ....instances.datacenter.workload import Workload
from ..record import Candidate, Fact


@dataclass(eq=False)
class Job:
    """A job; its demand is in whole units of `Datacenter.unit`, as the simulator counts."""

    number: int
    """Its place in the workload, from 0."""
    arrival: float
    job_class: int
    """Number of its class."""
    duration: float
    """`arrival`, `duration`: as in `Jobs` (`time_unit`)."""
    demand: list[int]
    """Units of each resource."""

    @property
    def label(self) -> str:
        """Its name in words: the first job that arrives is job 1."""
        return f"job {self.number + 1}"


@dataclass(eq=False)
class Machine:
    """A machine."""

    number: int
    """Its place in the datacenter, which is its lane."""
    name: str
    """Name of its configuration and its number there, from 0."""
    configuration: int
    """Number of its configuration."""
    capacity: list[int]
    free: list[int]
    """`capacity`, `free`: units of each resource."""
    bin: list[int]
    running: list[int]
    """`bin`, `running`: jobs of each class that the plan wants to run here, and that run here."""

    def has_room(self, job: Job) -> bool:
        return fits(job.demand, self.free)

    def could_hold(self, job: Job) -> bool:
        """Whether the job would fit if the machine were empty."""
        return fits(job.demand, self.capacity)

    def score(self, k: int) -> int:
        """Jobs of a class in its bin less those that it runs."""
        return self.bin[k] - self.running[k]


class Cluster:
    """All machines, and the jobs that wait, in order of arrival.

    `workload`: the jobs and their datacenter, which is empty at time 0.
    `guidance`: the plan, None for policies without.
    `can_run`: whether a class can run on a configuration, shape (K, M).
    `weight`: of each resource: 1 over the most that a machine has of it.
    `waiting`: jobs that wait, in order of arrival.
    `now`: the time (`time_unit`).
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
        classes = len(data.classes)
        bins = (
            [[0] * classes] * data.machines if guidance is None else guidance.machine_jobs.tolist()
        )
        self.machines: list[Machine] = []
        number_in = [0] * len(data.configurations)
        for m, j in enumerate(data.configuration_of.tolist()):
            room = data.capacity_units[j].tolist()
            name = f"{data.configurations[j]}/{number_in[j]}"
            number_in[j] += 1
            self.machines.append(
                Machine(m, name, j, room, list(room), list(bins[m]), [0] * classes)
            )
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

    def parts(self, amounts: list[int]) -> float:
        """Amounts in parts of the largest machine, added up one after the other."""
        total = 0.0
        for amount, weight in zip(amounts, self.weight, strict=True):
            total += amount * weight
        return total

    def configuration_of(self, machine: Machine) -> str:
        """Name of a machine's configuration."""
        return self.configurations[machine.configuration]

    def class_of(self, job: Job) -> str:
        """Name of a job's class."""
        return self.classes[job.job_class]

    def amounts(self, units: list[int], before: str = "") -> dict[str, Fact]:
        """Amounts of the resources by name, in the datacenter's own units.

        `units`: in integer units.
        """
        unit, most = self.data.unit.tolist(), self.data.capacity.max(axis=0).tolist()
        facts: dict[str, Fact] = {}
        for name, u, size, largest in zip(self.data.resources, units, unit, most, strict=True):
            # What has been added to capacities as a tolerance is not shown.
            amount = float(f"{u * size:.8g}")
            facts[f"{before}{name}"] = amount if amount > 1e-8 * largest else 0.0
        return facts

    def fitting(self, machine: Machine) -> list[Job]:
        """The waiting jobs that may start on a machine, in order of arrival."""
        able = self.can_run[:, machine.configuration]
        return [job for job in self.waiting if able[job.job_class] and machine.has_room(job)]

    def why_not(self, job: Job, machine: Machine) -> str:
        """Why a job does not start on a machine."""
        able = self.can_run[job.job_class, machine.configuration]
        return "does not fit" if able else "cannot run here"

    def no_room(self, job: Job, among: list[Machine]) -> tuple[Machine, float, str]:
        """The machine that lacks least for a job, in parts of the largest one; lowest number.

        `job`: the job, which fits none of them.
        Returns the machine, what it lacks of the resource that it lacks most, and a sentence.
        """

        def lacking(machine: Machine) -> list[float]:
            pairs = zip(job.demand, machine.free, self.weight, strict=True)
            return [max(0, d - f) * w for d, f, w in pairs]

        nearest = min(among, key=lambda m: (max(lacking(m)), m.number))
        short = lacking(nearest)
        r = short.index(max(short))
        units = [0] * len(short)
        units[r] = job.demand[r] - nearest.free[r]
        name = self.data.resources[r]
        lacks = float(self.amounts(units)[name] or 0)
        text = (
            f"No machine has room. {nearest.name} comes nearest and lacks {number(lacks)} {name}. "
        )
        return nearest, lacks, text

    def box(self, job: Job, machine: Machine) -> tuple[float, float] | None:
        """From when to when a job would run on a machine; None without room."""
        if not machine.has_room(job):
            return None
        return self.now, self.now + self.duration_on(job, machine)

    def duration_on(self, job: Job, machine: Machine) -> float:
        """How long a job takes on a machine."""
        times = self.data.mean_time[job.job_class]
        factor = times[machine.configuration] / times[np.isfinite(times)][0]
        return float(job.duration * factor)


def _check_same(own: Datacenter, planned: Datacenter) -> None:
    if (own.configurations, own.classes) != (planned.configurations, planned.classes) or bool(
        (own.count != planned.count).any()
    ):
        raise InputError(f"the guidance is for another datacenter: {planned!r}")


MOST_SHOWN = 5
"""Candidates of a step that are shown; it says how many more there are."""


def shortened(
    candidates: Sequence[Candidate], keep: Sequence[int], most: int = MOST_SHOWN
) -> tuple[tuple[Candidate, ...], list[int], int]:
    """The first candidates, those that a sentence names among them.

    `keep`: numbers of those that must be there.
    Returns those that are shown, where those of `keep` are among them, and how many are left out.
    """
    others = [i for i in range(len(candidates)) if i not in keep]
    shown = sorted([*set(keep), *others[: max(0, most - len(set(keep)))]])
    places = [shown.index(i) for i in keep]
    return tuple(candidates[i] for i in shown), places, len(candidates) - len(shown)
