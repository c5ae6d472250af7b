"""Machines and waiting jobs, with the arrays that the rules ask for."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, le
from typing import Any, cast

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from .. import policy, rules, samples
from ..engine.columns import FIRST_DEMAND, JOB_CLASS
from ..policy_state import BEST_FIT, BID_PRICE, homes_of
from ..splitmix import draw_of_job
from ..worth.recipe import LOOKED_AT
from .answers import Placement, Reason
from .plan import MOST_UNITS, Plan, Units

RULES = {
    kind.name: kind.rule
    for kind in (policy.LOTES, policy.LOTES_UNRESTRICTED, policy.BEST_FIT, policy.BID_PRICE)
}
"""The policies of a dispatcher."""


@dataclass(frozen=True)
class Options:
    """What a dispatcher was made with, apart from the plan."""

    policy: str
    sample: int | None
    seed: int
    reasons: bool


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
    stray: bool = False
    reason: Reason | None = None


@dataclass(eq=False)
class Machine:
    """A machine; `own` is its capacity by resource if it is not that of its configuration."""

    configuration: int
    number: int
    name: str
    own: dict[str, float] | None
    bin_number: int | None
    draining: bool = False
    jobs: dict[str, Job] = field(default_factory=dict)
    capacity: Units = ()
    free: Units = ()
    place: int = -1
    """Its row in the arrays of all machines."""


def fits(demand: Sequence[int], free: Sequence[int]) -> bool:
    return all(map(le, demand, free))


def machine_name(plan: Plan, j: int, number: int) -> str:
    """The name of a machine that was given none."""
    return f"{plan.datacenter.configurations[j]}/{number}"


class Cluster:
    """The machines, in order of configuration and number, and the jobs that wait.

    Its attributes have the names that `rules` knows them by in the simulator's state: `free` (P, R)
    in units, `score` (P, K), `share` (P,), `configuration` (P,), and the job that is asked about in
    row 0 of `info`. `queues` are those of the classes, then those of their stray jobs; `homes`
    (K, M): where jobs of a class start when others wait.
    """

    def __init__(
        self, plan: Plan, options: Options, machines: Iterable[Machine], waiting: Iterable[Job]
    ) -> None:
        self.plan, self.options = plan, options
        self.rule = RULES[options.policy]
        data = plan.datacenter
        self.homes: BoolArray = homes_of(self.rule, plan.guidance)
        largest = data.capacity_units.max(axis=0)
        self.weight = 1.0 / np.where(largest > 0, largest, 1)
        self.info = np.zeros((1, FIRST_DEMAND + len(data.resources)), dtype=np.int64)
        self._sizes: set[tuple[int, Units]] = set()
        self.set_machines(machines)
        self.note_sizes()
        self.queue_up(waiting)

    def set_machines(self, machines: Iterable[Machine]) -> None:
        """Lay out these machines, which have all their jobs, and no others."""
        self.machines = sorted(machines, key=attrgetter("configuration", "number"))
        self.by_name = {machine.name: machine for machine in self.machines}
        count, data = len(self.machines), self.plan.datacenter
        self.configuration = np.array([m.configuration for m in self.machines], dtype=np.int64)
        self.free = np.zeros((count, len(data.resources)), dtype=np.int64)
        self.score = np.zeros((count, len(data.classes)), dtype=np.int64)
        self.share = np.zeros(count)
        for place, machine in enumerate(self.machines):
            machine.place = place
            used = [job.demand for job in machine.jobs.values()]
            machine.free = tuple(map(sum, zip(machine.capacity, *map(_less, used), strict=True)))
            if machine.bin_number is not None:
                self.score[place] = self.plan.guidance.bin_jobs[machine.bin_number]
            for job in machine.jobs.values():
                self.score[place, job.job_class] -= 1
            self._note(machine)
        capacities = [machine.capacity for machine in self.machines]
        self._capacity = np.array(capacities, dtype=np.int64).reshape(self.free.shape)
        self._open = np.array([not machine.draining for machine in self.machines], dtype=bool)

    def note_sizes(self) -> bool:
        """Take note of which machines may start jobs; whether that changes what jobs fit."""
        self._open = np.array([not machine.draining for machine in self.machines], dtype=bool)
        before = self._sizes
        self._sizes = {(m.configuration, m.capacity) for m in self.machines if not m.draining}
        return before != self._sizes

    def _note(self, machine: Machine) -> None:
        row = [max(min(amount, MOST_UNITS), -MOST_UNITS) for amount in machine.free]
        self.free[machine.place] = row
        share = 0.0
        for amount, weight in zip(row, self.weight.tolist(), strict=True):
            share += amount * weight
        self.share[machine.place] = share

    def start(self, job: Job, machine: Machine) -> Placement:
        """A job starts, whether it fits or not."""
        machine.jobs[job.name], job.machine = job, machine
        self._count(job, machine, -1)
        name = self.plan.datacenter.configurations[machine.configuration]
        return Placement(job.name, name, machine.number, machine.name)

    def end(self, job: Job, machine: Machine) -> None:
        del machine.jobs[job.name]
        job.machine = None
        self._count(job, machine, 1)

    def _count(self, job: Job, machine: Machine, change: int) -> None:
        machine.free = tuple(
            free + change * need for free, need in zip(machine.free, job.demand, strict=True)
        )
        self.score[machine.place, job.job_class] += change
        self._note(machine)

    # Where a job fits

    def with_room(self, demand: Units, allowed: BoolArray) -> IntArray:
        """Places of the machines of configurations `allowed` (M,) that may start such a job."""
        able: BoolArray = (self.free >= demand).all(axis=1) & self._open
        return np.flatnonzero(able & allowed[self.configuration])

    def holds(self, demand: Units, allowed: BoolArray) -> bool:
        """Whether a machine of these configurations, not draining, could hold so much if empty."""
        return any(allowed[j] and fits(demand, capacity) for j, capacity in self._sizes)

    def places_for(self, job: Job) -> BoolArray:
        """The configurations where the job may start when others wait, shape (M,)."""
        homes: BoolArray = self.homes[job.job_class]
        return homes if self.holds(job.demand, homes) else self.plan.runs[job.job_class]

    # Where an arriving job starts

    def drawn(self, job: Job, draw: float) -> int:
        """The configuration that LoTES draws for the job; -1 if no bin has its class."""
        if self.rule == BEST_FIT:
            return -1
        return int(samples.drawn_configuration(self.plan.upto, job.job_class, draw))

    def offers(self, job: Job, draw: float) -> IntArray:
        """Places of machines with room that an arriving job looks at, the best first."""
        if self.rule == BID_PRICE:
            places = self._shapes(job)
            return places[np.argsort(self.costs(job, places), kind="stable")]
        if self.options.sample is None:
            places = self.with_room(job.demand, self.plan.runs[job.job_class])
        else:
            places = self._drawn_places(job, draw, self.options.sample)
        elsewhere = self.configuration[places] != self.drawn(job, draw)
        return places[np.lexsort((places, self.costs(job, places), elsewhere))]

    @property
    def _state(self) -> Any:
        """This, as what `rules` reads of a policy and a system."""
        return self

    def costs(self, job: Job, places: IntArray) -> FloatArray:
        """What the job makes least when it arrives, for machines at these places."""
        k = self.info[0, JOB_CLASS] = job.job_class
        self.info[0, FIRST_DEMAND:] = job.demand
        if self.rule != BID_PRICE:
            return np.asarray(rules.key(self._state, self._state, 0, cast(int, places))[0])
        plan, kinds, free = self.plan, self.configuration[places], self.free[places]
        taken = plan.worths(kinds, free) - plan.worths(kinds, free - job.demand)
        cost: FloatArray = plan.datacenter.mean_time[k, kinds] * taken.astype(float)
        cost -= np.where(self.score[places, k] > 0, plan.worth[1], 0.0)
        return cost

    def bid_price_places(self, job: Job) -> BoolArray:
        """The configurations that bid prices look at: all that run the class, if no job waits."""
        return self.places_for(job) if any(self.queues) else self.plan.runs[job.job_class]

    def _shapes(self, job: Job) -> IntArray:
        """A machine of each of the first shapes in best fit's order, the lowest with the bonus."""
        places = self.with_room(job.demand, self.bid_price_places(job))
        places = places[np.argsort(self.share[places], kind="stable")]
        bonus = self.plan.worth[1] > 0
        lacks = self.score[places, job.job_class] > 0
        share, shapes = self.share[places], np.c_[self.configuration, self.free][places]
        found: dict[tuple[int, ...], int] = {}
        for i, shape in enumerate(map(tuple, shapes.tolist())):
            if len(found) == LOOKED_AT and share[i] > share[i - 1]:
                break
            if shape in found:
                better = bonus and lacks[i] and not lacks[found[shape]]
            else:
                better = len(found) < LOOKED_AT
            if better:
                found[shape] = i
        return places[np.array(list(found.values()), dtype=np.int64)]

    def _drawn_places(self, job: Job, draw: float, sample: int) -> IntArray:
        """Those with room of a few machines drawn as in `samples`."""
        homes = self.places_for(job)
        at = np.arange(len(homes)) == self.drawn(job, draw)
        if not self.holds(job.demand, homes & at):
            at[:] = True
        held = (self._capacity >= job.demand).all(axis=1)
        places = np.flatnonzero(held & self._open & (homes & at)[self.configuration])
        size = min(sample, len(places))
        for i in range(size):
            other = i + int(draw_of_job(self.options.seed, job.number, i) * (len(places) - i))
            places[[i, other]] = places[[other, i]]
        drawn = places[:size]
        return drawn[(self.free[drawn] >= job.demand).all(axis=1)]

    # The jobs that wait

    def queue_up(self, jobs: Iterable[Job]) -> bool:
        """Queue up these jobs, and no others; whether one has become stray that had a home."""
        jobs, homeless = sorted(jobs, key=attrgetter("rank")), False
        self.queues: list[list[Job]] = [[] for _ in range(2 * len(self.homes))]
        for job in jobs:
            had_home = not job.stray
            self.append(job)
            homeless |= job.stray and had_home
        return homeless

    def append(self, job: Job) -> None:
        """Put a job behind those of its class."""
        job.stray = not self.holds(job.demand, self.homes[job.job_class])
        self._queue_of(job).append(job)

    def remove(self, job: Job) -> None:
        self._queue_of(job).remove(job)

    def _queue_of(self, job: Job) -> list[Job]:
        return self.queues[job.job_class + len(self.homes) * job.stray]

    def waiting(self) -> Iterator[Job]:
        """The jobs that wait, in order."""
        return heapq.merge(*self.queues, key=attrgetter("rank"))

    def next_waiting(self, machine: Machine) -> Job | None:
        """The job that starts next on a machine, if there is one."""
        best, least = None, (np.inf, np.inf, np.inf)
        if machine.draining:
            return None
        classes, j, runs = len(self.homes), machine.configuration, self.plan.runs
        for q, queue in enumerate(self.queues):
            if not queue or not (self.homes if q < classes else runs)[q % classes, j]:
                continue
            first, second = rules.turn(self._state, q, machine.place)
            if first > least[0]:
                continue
            job = next((job for job in queue if fits(job.demand, machine.free)), None)
            if job is not None and (best is None or (first, second, job.rank) < least):
                best, least = job, (first, second, job.rank)
        return best


def _less(amounts: Units) -> Units:
    return tuple(-amount for amount in amounts)
