"""The dispatching policies by looking at every machine and every waiting job, in plain Python.

Written from the decision rules in docs/heuristics/dispatch.md, apart from slotwise's own code. Only
the draws (`uniform_of_job`) and the workload are shared.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from slotwise.heuristics.datacenter.splitmix import draw_of_job, uniform_of_job
from slotwise.instances.datacenter.datacenter import Datacenter
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.instances.datacenter.workload import Workload


def fits(amounts: list[int], free: list[int]) -> bool:
    return all(a <= f for a, f in zip(amounts, free, strict=True))


@dataclass
class Machine:
    number: int
    configuration: int
    free: list[int]
    bin: list[int]
    running: list[int]
    queue: list[Job] = field(default_factory=list)

    def has_room(self, job: Job) -> bool:
        return fits(job.demand, self.free)

    def score(self, k: int) -> int:
        return self.bin[k] - self.running[k]


@dataclass
class Job:
    number: int
    arrival: float
    job_class: int
    duration: float
    demand: list[int]


class Plain:
    """`start` (jobs,) and `machine` (jobs,) after `run`."""

    def __init__(
        self,
        workload: Workload,
        policy: str,
        guidance: Guidance | None = None,
        seed: int = 0,
        gamma: float | None = None,
        sample: int | None = None,
    ) -> None:
        data = workload.datacenter
        self.data: Datacenter = data
        self.policy, self.guidance, self.seed, self.gamma = policy, guidance, seed, gamma
        self.sample = sample
        bins = np.zeros((data.machines, len(data.classes)), dtype=int)
        if guidance is not None:
            bins = guidance.machine_jobs
        self.machines = [
            Machine(m, j, data.capacity_units[j].tolist(), bins[m].tolist(), [0] * bins.shape[1])
            for m, j in enumerate(data.configuration_of.tolist())
        ]
        self.weight = [1.0 / max(1, c) for c in data.capacity_units.max(axis=0).tolist()]
        self.can_run = np.isfinite(data.mean_time)
        self.classes = list(
            zip(
                data.request_units.tolist(), data.share.tolist(), self.can_run.tolist(), strict=True
            )
        )
        jobs = workload.whole()
        self.jobs = [
            Job(i, *row)
            for i, row in enumerate(zip(*(column.tolist() for column in jobs), strict=True))
        ]
        self.start = np.full(len(self.jobs), np.nan)
        self.machine = np.full(len(self.jobs), -1)
        self.waiting: list[Job] = []
        self.ends: list[tuple[float, int]] = []
        self.now = self.fit = self.work = 0.0

    def run(self) -> Plain:
        coming = list(self.jobs)[::-1]
        while coming or self.ends:
            if self.ends and (not coming or self.ends[0][0] <= coming[-1].arrival):
                self.now, number = heapq.heappop(self.ends)
                job, machine = self.jobs[number], self.machines[self.machine[number]]
                machine.free = [f + d for f, d in zip(machine.free, job.demand, strict=True)]
                machine.running[job.job_class] -= 1
                while (chosen := self.next_for(machine)) is not None:
                    (machine.queue if self.policy == "greedy" else self.waiting).remove(chosen)
                    self.begin(chosen, machine)
            else:
                job = coming.pop()
                self.now = job.arrival
                place = self.place(job)
                if place is not None:
                    self.begin(job, place)
                elif self.policy == "greedy":
                    self.shortest(job).queue.append(job)
                else:
                    self.waiting.append(job)
        return self

    def begin(self, job: Job, machine: Machine) -> None:
        assert machine.has_room(job)
        assert np.isnan(self.start[job.number])
        self.fit += self.omega(job, machine)
        self.work += self.remaining(job)
        machine.free = [f - d for f, d in zip(machine.free, job.demand, strict=True)]
        machine.running[job.job_class] += 1
        self.start[job.number], self.machine[job.number] = self.now, machine.number
        times = self.data.mean_time[job.job_class]
        factor = times[machine.configuration] / times[np.isfinite(times)][0]
        heapq.heappush(self.ends, (self.now + job.duration * factor, job.number))

    # Arrivals

    def place(self, job: Job) -> Machine | None:
        k = job.job_class
        able = self.machines if self.sample is None else self.drawn_machines(job)
        room = [m for m in able if self.can_run[k, m.configuration] and m.has_room(job)]
        if not room:
            return None
        if self.policy in ("first-fit", "greedy"):
            return room[0]
        if self.policy in ("best-fit", "bf-js"):
            return min(room, key=lambda m: (self.parts(m.free), m.number))
        if self.policy == "tetris":
            return min(room, key=lambda m: (-self.omega(job, m), m.number))
        if self.policy == "fgd":
            return min(room, key=lambda m: (self.rise(job, m), self.parts(m.free), m.number))
        drawn = self.drawn(job)
        nearest = [m for m in room if m.configuration == drawn] or room
        return min(nearest, key=lambda m: (-m.score(k), m.number))

    def drawn_machines(self, job: Job) -> list[Machine]:
        """Some of the machines that can hold the job, under LoTES of one configuration."""
        able = [
            m
            for m in self.machines
            if self.can_run[job.job_class, m.configuration]
            and fits(job.demand, self.data.capacity_units[m.configuration].tolist())
        ]
        if self.policy.startswith("lotes"):
            drawn = self.drawn(job)
            able = (
                [m for m in able if m.configuration == drawn]
                or [m for m in able if self.is_planned(job, m.configuration)]
                or able
            )
        chosen = []
        for i in range(min(self.sample or 0, len(able))):
            at = i + int(draw_of_job(self.seed, job.number, i) * (len(able) - i))
            able[i], able[at] = able[at], able[i]
            chosen.append(able[i])
        return sorted(chosen, key=lambda m: m.number)

    def drawn(self, job: Job) -> int | None:
        """Roulette wheel over the configurations; the last with a share takes rounding's rest."""
        assert self.guidance is not None
        shares = self.guidance.proportions[job.job_class]
        u, total = uniform_of_job(self.seed, job.number), 0.0
        for j in np.flatnonzero(shares):
            total += shares[j]
            if u < total or j == np.flatnonzero(shares)[-1]:
                return int(j)
        return None

    def parts(self, amounts: list[int]) -> float:
        """In parts of the largest machine, added up one after the other."""
        total = 0.0
        for amount, weight in zip(amounts, self.weight, strict=True):
            total += amount * weight
        return total

    def omega(self, job: Job, machine: Machine) -> float:
        total = 0.0
        for d, f, w in zip(job.demand, machine.free, self.weight, strict=True):
            total += (d * w) * (f * w)
        return total

    def rise(self, job: Job, machine: Machine) -> float:
        """How much more is free that a job drawn from the classes cannot use."""
        spoilt = idle = lost = 0.0
        after = [f - d for f, d in zip(machine.free, job.demand, strict=True)]
        for request, share, runs in self.classes:
            if not runs[machine.configuration] or not fits(request, machine.free):
                lost += share
                continue
            unneeded = [d if need == 0 else 0 for d, need in zip(job.demand, request, strict=True)]
            idle += share * self.parts(unneeded)
            if not fits(request, after):
                needed = [a if need > 0 else 0 for a, need in zip(after, request, strict=True)]
                spoilt += share * self.parts(needed)
        return (spoilt - idle) - self.parts(job.demand) * lost

    def remaining(self, job: Job) -> float:
        return job.duration * self.parts(job.demand)

    def shortest(self, job: Job) -> Machine:
        able = [
            m
            for m in self.machines
            if self.can_run[job.job_class, m.configuration]
            and (np.array(job.demand) <= self.data.capacity_units[m.configuration]).all()
        ]
        least = min(len(m.queue) for m in able)
        able = [m for m in able if len(m.queue) == least]
        return able[int(uniform_of_job(self.seed, job.number) * len(able))]

    # Exits

    def next_for(self, machine: Machine) -> Job | None:
        if self.policy == "greedy":
            first = machine.queue[:1]
            return first[0] if first and machine.has_room(first[0]) else None
        able = [
            job
            for job in self.waiting
            if machine.has_room(job) and self.can_run[job.job_class, machine.configuration]
        ]
        if not able:
            return None
        if self.policy in ("first-fit", "best-fit", "fgd"):
            return able[0]
        if self.policy == "bf-js":
            return min(able, key=lambda job: (-self.parts(job.demand), job.number))
        if self.policy == "tetris":
            gamma = self.gamma
            if gamma is None:
                gamma = self.fit / self.work if self.work > 0 else 0.0
            scores = [self.omega(job, machine) - gamma * self.remaining(job) for job in able]
            return able[scores.index(max(scores))]
        planned = [job for job in able if self.is_planned(job, machine.configuration)]
        if planned:
            return min(
                planned, key=lambda job: (-machine.score(job.job_class), job.job_class, job.number)
            )
        strays = [job for job in able if not self.has_home(job)]
        return strays[0] if strays else None

    def is_planned(self, job: Job, configuration: int) -> bool:
        if self.policy == "lotes-unrestricted":
            return bool(self.can_run[job.job_class, configuration])
        assert self.guidance is not None
        # A job without a machine that the plan gives its class is in no class queue.
        return self.has_home(job) and bool(self.guidance.running[job.job_class, configuration] > 0)

    def has_home(self, job: Job) -> bool:
        assert self.guidance is not None
        return any(
            self.guidance.running[job.job_class, j] > 0
            and (np.array(job.demand) <= self.data.capacity_units[j]).all()
            for j in np.flatnonzero(self.can_run[job.job_class])
        )
