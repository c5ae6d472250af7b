"""Bid prices by looking at every machine and every waiting job, in plain Python.

Written from the rule in docs/heuristics/dispatch.md, apart from slotwise's own code. Only the
recipe of the tables of worth is shared.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from slotwise.heuristics.datacenter.worth.recipe import Layer, worth_recipe
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.instances.datacenter.workload import Workload


def knapsack(layer: Layer, size: tuple[int, int]) -> np.ndarray:
    """The table of a layer: one copy of each item, then two, then four, and so on."""
    table = np.full(size, layer.base, dtype=np.int64)
    for worth, down, right in layer.items:
        copies = 1
        while copies * down < size[0] and copies * right < size[1]:
            shifted = table[: size[0] - copies * down, : size[1] - copies * right]
            place = table[copies * down :, copies * right :]
            np.maximum(place, shifted.copy() + copies * worth, out=place)
            copies *= 2
    return table


class Worth:
    """The worth of room at the prices of a plan."""

    def __init__(self, guidance: Guidance) -> None:
        data, prices = guidance.datacenter, guidance.class_prices
        assert prices is not None
        self.recipe = worth_recipe(
            data.capacity_units.tolist(),
            data.request_units.tolist(),
            data.mean_time.tolist(),
            prices.value.tolist(),
            prices.spread,
            prices.draws,
            prices.seed,
        )
        self.tables = [
            [sum(layer.weight * knapsack(layer, t.size) for layer in t.layers) for t in tables]
            for tables in self.recipe.tables
        ]
        self.bonus = self.recipe.bonus / self.recipe.unit

    def __call__(self, configuration: int, free: Iterable[int]) -> int:
        free, group = list(free), self.recipe.group[configuration]
        return min(
            int(table[tuple(free[r] // s for r, s in zip(t.resources, t.step, strict=True))])
            for t, table in zip(self.recipe.tables[group], self.tables[group], strict=True)
        )


@dataclass(eq=False)
class Machine:
    number: int
    configuration: int
    capacity: list[int]
    free: list[int]
    running: list[int]


@dataclass(eq=False)
class Job:
    number: int
    arrival: float
    job_class: int
    duration: float
    demand: list[int]
    machine: Machine | None = None


@dataclass
class PlainBidPrice:
    """`start` (jobs,) and `machine` (jobs,) after `run`."""

    workload: Workload
    plan: Guidance
    looked_at: int = 32

    def __post_init__(self) -> None:
        data = self.workload.datacenter
        self.can_run, self.time = np.isfinite(data.mean_time), data.mean_time
        self.machines = [
            Machine(m, j, row, list(row), [0] * len(data.classes))
            for m, (j, row) in enumerate(
                (j, data.capacity_units[j].tolist()) for j in data.configuration_of.tolist()
            )
        ]
        self.weight = [1.0 / max(1, c) for c in data.capacity_units.max(axis=0).tolist()]
        columns = (column.tolist() for column in self.workload.whole())
        self.jobs = [Job(i, *row) for i, row in enumerate(zip(*columns, strict=True))]
        self.start = np.full(len(self.jobs), np.nan)
        self.machine = np.full(len(self.jobs), -1)
        self.waiting: list[Job] = []
        self.ends: list[tuple[float, int]] = []
        self.now = 0.0
        assert self.plan.class_prices is not None
        self.worth, self.belongs = Worth(self.plan), self.plan.class_prices.belongs
        self.bins = self.plan.machine_jobs.tolist()

    def run(self) -> PlainBidPrice:
        coming = list(self.jobs)[::-1]
        while coming or self.waiting:
            departs = self.ends and (not coming or self.ends[0][0] <= coming[-1].arrival)
            self.now = self.ends[0][0] if departs else coming[-1].arrival
            if departs:
                self.depart(self.jobs[heapq.heappop(self.ends)[1]])
            else:
                self.arrive(coming.pop())
        return self

    # What may be

    def has_room(self, machine: Machine, job: Job) -> bool:
        return all(d <= f for d, f in zip(job.demand, machine.free, strict=True))

    def could_hold(self, machine: Machine, job: Job) -> bool:
        return all(d <= c for d, c in zip(job.demand, machine.capacity, strict=True))

    def may_go(self, job: Job, machine: Machine, *, anywhere: bool = False) -> bool:
        k, j = job.job_class, machine.configuration
        stray = not any(
            self.belongs[k, m.configuration] and self.could_hold(m, job) for m in self.machines
        )
        return bool(self.can_run[k, j] and (anywhere or stray or self.belongs[k, j]))

    def lacks(self, machine: Machine, k: int) -> bool:
        return self.bins[machine.number][k] > machine.running[k]

    def share(self, machine: Machine) -> float:
        total = 0.0
        for f, w in zip(machine.free, self.weight, strict=True):
            total += f * w
        return total

    # What happens

    def arrive(self, job: Job) -> None:
        free = [
            m
            for m in self.machines
            if self.has_room(m, job) and self.may_go(job, m, anywhere=not self.waiting)
        ]
        shapes: dict[tuple[int, ...], list[Machine]] = {}
        for m in free:
            shapes.setdefault((m.configuration, *m.free), []).append(m)
        order = sorted(shapes.values(), key=lambda alike: (self.share(alike[0]), alike[0].number))
        if not order:
            self.waiting.append(job)
            return
        alike = min(order[: self.looked_at], key=lambda alike: self.cost(job, alike))
        wanted = [m for m in alike if self.worth.bonus > 0 and self.lacks(m, job.job_class)]
        self.begin(job, (wanted or alike)[0])

    def cost(self, job: Job, alike: list[Machine]) -> float:
        j, free = alike[0].configuration, alike[0].free
        left = [f - d for f, d in zip(free, job.demand, strict=True)]
        cost = float(self.time[job.job_class, j]) * float(self.worth(j, free) - self.worth(j, left))
        return cost - self.worth.bonus * any(self.lacks(m, job.job_class) for m in alike)

    def begin(self, job: Job, machine: Machine) -> None:
        assert self.has_room(machine, job)
        machine.free = [f - d for f, d in zip(machine.free, job.demand, strict=True)]
        machine.running[job.job_class] += 1
        job.machine = machine
        self.start[job.number], self.machine[job.number] = self.now, machine.number
        times = self.time[job.job_class]
        factor = times[machine.configuration] / times[np.isfinite(times)][0]
        heapq.heappush(self.ends, (self.now + job.duration * factor, job.number))

    def depart(self, job: Job) -> None:
        machine = job.machine
        assert machine is not None
        machine.free = [f + d for f, d in zip(machine.free, job.demand, strict=True)]
        machine.running[job.job_class] -= 1
        self.serve(machine)

    def serve(self, machine: Machine) -> None:
        for lacking in (True, False):
            for job in list(self.waiting):
                if (
                    self.has_room(machine, job)
                    and self.may_go(job, machine)
                    and (not lacking or self.lacks(machine, job.job_class))
                ):
                    self.waiting.remove(job)
                    self.begin(job, machine)
