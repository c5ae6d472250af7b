"""A dispatcher for somebody's own program: a plan in, decisions out. Nothing to install.

    dispatcher = Dispatcher.read("guidance.json")
    place = dispatcher.arrive("job-1", "k3", {"cores": 0.07, "memory": 0.03})
    started = dispatcher.depart("job-1")

The file imports nothing but the standard library, so that it can be copied on its own. The rules
are those of `slotwise simulate` (docs/heuristics/dispatch.md), and so are the decisions: amounts
are counted in the same whole units. Sets of machines are the bits of integers: a machine has a
place, and its bit is `1 << place`. Places are in order of configuration and number.
"""

from __future__ import annotations

import gzip
import hashlib
import heapq
import json
import math
import random
from array import array
from bisect import bisect_left, bisect_right, insort
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, islice
from numbers import Real
from operator import add, index, le, sub
from pathlib import Path
from statistics import NormalDist, median
from typing import Any, Protocol, runtime_checkable

STATE = "slotwise/dispatcher-state/1"
"""Format of `Dispatcher.state`."""

POLICIES = ("lotes", "lotes-unrestricted", "best-fit", "bid-price")
"""The policies of a `Dispatcher`."""

FIT_TOLERANCE = 1e-9
"""Jobs fit a machine if they need no more than this share above its capacity."""

_DIGITS = 14
"""Amounts are counted in units of 10 ** -14 times (the power of ten below) the largest capacity."""

_MOST_UNITS = 10 ** (_DIGITS + 2)
"""More than any machine has."""

MOST_KEPT = 0.005
"""Part of the machines that are kept at most for jobs that have waited long, if above one."""

Units = tuple[int, ...]


@dataclass(frozen=True)
class Placement:
    """A job that starts now.

    Attributes
    ----------
    job
        Name of the job.
    configuration
        Name of the machine's configuration.
    machine
        Number of the machine among those of its configuration, from 0.
    """

    job: str
    configuration: str
    machine: int


@dataclass(frozen=True)
class Joined:
    """A machine that has joined.

    Attributes
    ----------
    machine
        Its name, such as `c2/17`: configuration and number.
    started
        The waiting jobs that start there.
    """

    machine: str
    started: list[Placement]


@dataclass(frozen=True)
class Left:
    """A machine that has left.

    Attributes
    ----------
    jobs
        Names of the jobs that ran there, in order of arrival. They have to start again.
    started
        Those of them that start elsewhere now. The others wait, before all jobs that waited.
    """

    jobs: list[str]
    started: list[Placement]


@dataclass(frozen=True)
class Reason:
    """Why a job starts on a machine, or waits.

    Attributes
    ----------
    text
        The reason in words.
    machine
        Name of the machine, None if the job waits.
    room
        Number of machines that have room for the job and may start it.
    others
        Names of the machines that come next, the best first.
    """

    text: str
    machine: str | None
    room: int = 0
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


@runtime_checkable
class _Documented(Protocol):
    """What can tell its document, as slotwise's `Guidance` can."""

    def document(self) -> dict[str, Any]:
        """The `slotwise/guidance/1` document."""


_WRONG = (KeyError, TypeError, IndexError, AttributeError, ArithmeticError)
"""What documents of another shape lead to; all else that is wrong with one is a `ValueError`."""


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not math.isnan(value)


def _is_whole(value: Any, least: int) -> bool:
    """Whether a value is an integer, of any library, that is not below `least`."""
    return hasattr(value, "__index__") and index(value) >= least


def _whole(where: str, value: Any) -> int:
    if not _is_whole(value, 0):
        raise ValueError(f"state: {where}: need an integer >= 0, got {value!r}")
    return index(value)


def _fits(demand: Units, free: Units) -> bool:
    """Whether no amount of `demand` exceeds that of `free`."""
    return all(map(le, demand, free))


def _uniform_of(seed: int, number: int) -> float:
    """A number in [0, 1) for the job of a number, the same as in slotwise's simulator."""
    return (_mixed(seed, number) >> 11) * (1.0 / 9007199254740992.0)


def _mixed(seed: int, number: int) -> int:
    """64 random bits: SplitMix64 [SplitMix2014] at its position."""
    mask = (1 << 64) - 1
    z = (seed * 0xD1342543DE82EF95 + (number + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


class _Plan:
    """A guidance document in numbers: amounts in whole units, classes and configurations by number.

    There are K classes and M configurations.
    """

    def __init__(self, guidance: Mapping[str, Any]) -> None:
        if (
            not isinstance(guidance, Mapping)
            or guidance.get("format") != "slotwise/guidance/1"
            or not guidance.get("datacenter")
        ):
            raise ValueError("need a slotwise/guidance/1 document with its datacenter")
        self.document = guidance
        data = guidance["datacenter"]
        self.resources: list[str] = list(data["resources"])
        self.classes: list[str] = [entry["name"] for entry in data["classes"]]
        self.configurations: list[str] = [entry["name"] for entry in data["configurations"]]
        self.number_of_class = {name: k for k, name in enumerate(self.classes)}
        self.number_of_configuration = {name: j for j, name in enumerate(self.configurations)}
        self._set_units([entry["capacity"] for entry in data["configurations"]])
        self.request = [self.in_units(entry["request"]) for entry in data["classes"]]
        self.runs = [self._able(entry["mean_time"]) for entry in data["classes"]]
        self.arrivals = [float(entry["share"]) for entry in data["classes"]]
        self.time_unit = str(data.get("time_unit", ""))
        self.share = [
            [guidance["proportions"].get(k, {}).get(j, 0.0) for j in self.configurations]
            for k in self.classes
        ]
        self.upto = [_upto(row) for row in self.share]
        self._set_bins(guidance["bins"])
        self.mean_time = [self._times(entry["mean_time"]) for entry in data["classes"]]
        self._set_prices(guidance.get("prices"))

    def _set_units(self, capacities: list[Mapping[str, float]]) -> None:
        amounts = [[float(row.get(r, 0.0)) for r in self.resources] for row in capacities]
        largest = [most if most > 0 else 1.0 for most in map(max, zip(*amounts, strict=True))]
        self.unit = [10.0 ** (math.floor(math.log10(most)) - _DIGITS) for most in largest]
        self.capacity = [self.capacity_in_units(row) for row in capacities]
        most = [max(column) for column in zip(*self.capacity, strict=True)]
        self.weight = [1.0 / (units if units > 0 else 1) for units in most]

    def _able(self, mean_time: Any) -> list[bool]:
        everywhere = not isinstance(mean_time, Mapping)
        return [everywhere or name in mean_time for name in self.configurations]

    def _set_bins(self, bins: Sequence[Mapping[str, Any]]) -> None:
        """`bins`: jobs of each class; `bins_of`: numbers of a configuration's bins, by machine."""
        self.bins: list[tuple[int, ...]] = []
        self.bins_of: list[list[int]] = [[] for _ in self.configurations]
        self.planned = [[False] * len(self.configurations) for _ in self.classes]
        for number, entry in enumerate(bins):
            j = self.number_of_configuration[entry["configuration"]]
            jobs = tuple(entry["jobs"].get(name, 0) for name in self.classes)
            self.bins.append(jobs)
            self.bins_of[j] += [number] * entry["machines"]
            for k, count in enumerate(jobs):
                if count and entry["machines"] and self.runs[k][j]:
                    self.planned[k][j] = True

    def _times(self, mean_time: Any) -> list[float]:
        if not isinstance(mean_time, Mapping):
            return [float(mean_time)] * len(self.configurations)
        return [float(mean_time.get(name, math.inf)) for name in self.configurations]

    def _set_prices(self, prices: Mapping[str, Any] | None) -> None:
        """`value`: price of each class; `belongs`: where it does. Empty without prices."""
        self.value: list[float] = []
        self.belongs: list[list[bool]] = []
        if prices:
            self.value = [float(prices["classes"][name]) for name in self.classes]
            self.belongs = [
                [able and j in prices["belongs"][k] for j, able in zip(names, runs, strict=True)]
                for names, k, runs in (
                    (self.configurations, k, runs)
                    for k, runs in zip(self.classes, self.runs, strict=True)
                )
            ]

    def need_prices(self) -> None:
        """Raise `ValueError` if there are none."""
        if not self.value:
            if self.document.get("method") == "LoTES as printed":
                raise ValueError("this plan was made as printed and has no prices")
            raise ValueError("the guidance has no prices: make it again with `slotwise guide`")

    def in_units(self, amounts: Mapping[str, float]) -> Units:
        """What a job needs; no positive amount becomes 0."""
        return tuple(
            max(round(min(amount / unit, _MOST_UNITS)), 1) if amount > 0 else 0
            for amount, unit in zip(
                (float(amounts.get(r, 0.0)) for r in self.resources), self.unit, strict=True
            )
        )

    def capacity_in_units(self, capacity: Mapping[str, float]) -> Units:
        """What a machine has, `FIT_TOLERANCE` included."""
        units = (
            round(float(capacity.get(r, 0.0)) / unit)
            for r, unit in zip(self.resources, self.unit, strict=True)
        )
        return tuple(u + math.floor(float(u) * FIT_TOLERANCE) for u in units)

    def share_of(self, free: Units) -> float:
        """What is free in parts of the largest machine, summed over the resources."""
        total = 0.0
        for amount, weight in zip(free, self.weight, strict=True):
            total += amount * weight
        return total

    def drawn(self, k: int, draw: float) -> int | None:
        """Roulette wheel over the configurations, None for a class that no bin has."""
        return next((j for j, upto in enumerate(self.upto[k]) if draw < upto), None)

    def fingerprint(self) -> str:
        """Tells whether two documents are the same."""
        text = json.dumps(self.document, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def _upto(shares: Sequence[float]) -> list[float]:
    """Upper ends of configurations on the roulette wheel; the last takes what rounding leaves."""
    ends, total = [], 0.0
    for share in shares:
        total += share
        ends.append(total)
    return [2.0 if 0 < end >= total else end for end in ends]


@dataclass(eq=False)
class _Job:
    """A job; it waits in `queue` at `leaf`, or runs on `machine`.

    Waiting jobs are in order of `rank`: of their arrival, below 0 if their machine has left. `kept`
    is the machine that is kept for the job.
    """

    name: str
    job_class: int
    given: dict[str, float]
    demand: Units
    number: int
    rank: int
    since: float = 0.0
    machine: _Machine | None = None
    queue: _Queue | None = None
    leaf: int = 0
    stray: bool = False
    kept: _Machine | None = None
    reason: Reason | None = None


@dataclass(eq=False)
class _Machine:
    """A machine: the jobs of each class that it should run (`bin`) and runs, and what it has free.

    `seen` and `before` are what the sets of machines know: free amounts, and the number of running
    jobs of the classes in which it has changed. `own` is the capacity if it is not that of the
    configuration, `keeps` the job for which the machine is kept.
    """

    configuration: int
    number: int
    name: str
    capacity: Units
    own: dict[str, float] | None
    bin_number: int | None
    bin: tuple[int, ...]
    draining: bool = False
    keeps: _Job | None = None
    jobs: dict[str, _Job] = field(default_factory=dict)
    runs: list[int] = field(default_factory=list)
    free: Units = ()
    place: int = -1
    seen: Units = ()
    before: dict[int, int] = field(default_factory=dict)

    def count(self) -> None:
        """Work out `runs` and `free` from the jobs."""
        self.runs = [0] * len(self.bin)
        self.free = self.capacity
        for job in self.jobs.values():
            self.runs[job.job_class] += 1
            self.free = tuple(map(sub, self.free, job.demand))

    @property
    def is_open(self) -> bool:
        return not self.draining and self.keeps is None

    def more(self, k: int) -> int:
        """Jobs of class k in the bin minus those that run: LoTES's score."""
        return self.bin[k] - self.runs[k]

    def start(self, job: _Job) -> None:
        self.before.setdefault(job.job_class, self.runs[job.job_class])
        self.runs[job.job_class] += 1
        self.free = tuple(map(sub, self.free, job.demand))
        self.jobs[job.name] = job
        job.machine = self

    def end(self, job: _Job) -> None:
        self.before.setdefault(job.job_class, self.runs[job.job_class])
        self.runs[job.job_class] -= 1
        self.free = tuple(map(add, self.free, job.demand))
        del self.jobs[job.name]
        job.machine = None


_NOTHING = 1 << 62
"""The least demand where there is no job."""


class _Queue:
    """Waiting jobs by rank: a binary tree; a node has the least demands of the jobs below it."""

    def __init__(self, resources: int, jobs: Iterable[_Job] = ()) -> None:
        self._resources = resources
        self._lay_out(list(jobs))

    def _lay_out(self, jobs: list[_Job]) -> None:
        """Give all jobs new leaves, from the left."""
        places = 64
        while places < 2 * len(jobs):
            places *= 2
        self.waiting, self._used, self._places = len(jobs), len(jobs), places
        self._jobs: list[_Job | None] = [*jobs, *[None] * (places - len(jobs))]
        for leaf, job in enumerate(jobs):
            job.queue, job.leaf = self, leaf
        self._least: list[list[int]] = []
        for r in range(self._resources):
            row = [job.demand[r] for job in jobs] + [_NOTHING] * (places - len(jobs))
            tree = [row]
            while len(row) > 1:
                row = list(map(min, row[::2], row[1::2]))
                tree.append(row)
            self._least.append([_NOTHING, *(entry for row in reversed(tree) for entry in row)])

    def __iter__(self) -> Iterator[_Job]:
        return (job for job in self._jobs if job is not None)

    def append(self, job: _Job) -> None:
        if self._used == self._places:
            self._lay_out(list(self))
        job.queue, job.leaf = self, self._used
        self._jobs[self._used] = job
        at = self._places + self._used
        for least, need in zip(self._least, job.demand, strict=True):
            i = at
            while i and least[i] > need:
                least[i] = need
                i >>= 1
        self._used += 1
        self.waiting += 1

    def remove(self, job: _Job) -> None:
        job.queue = None
        self._jobs[job.leaf] = None
        self.waiting -= 1
        for least in self._least:
            i = self._places + job.leaf
            least[i] = _NOTHING
            while i > 1:
                one, other = least[i], least[i ^ 1]
                i >>= 1
                smaller = one if one < other else other
                if least[i] == smaller:
                    break
                least[i] = smaller
        if not self.waiting:
            self._used = 0

    def first(self, free: Units) -> _Job | None:
        """The first job that needs no more than is free."""
        i, pairs = 1, list(zip(self._least, free, strict=True))
        while True:
            for least, amount in pairs:
                if least[i] > amount:
                    while i & 1:
                        i >>= 1
                    if not i:
                        return None
                    i += 1
                    break
            else:
                if i >= self._places:
                    return self._jobs[i - self._places]
                i *= 2


class _Line:
    """The waiting jobs by class: those with a `home`, and `stray` ones, which fit no home."""

    def __init__(self, plan: _Plan, jobs: Iterable[_Job], is_stray: Callable[[_Job], bool]) -> None:
        self._plan, self.is_stray = plan, is_stray
        self.watch: Callable[[_Job, _Machine], None] | None = None
        self._by_age: deque[_Job] | None = None
        self.sort(jobs)

    def sort(self, jobs: Iterable[_Job]) -> bool:
        """Queue up these jobs, and no others; whether one has become stray that had a home."""
        by_queue: list[list[list[_Job]]] = [[[] for _ in self._plan.classes] for _ in range(2)]
        jobs = sorted(jobs, key=lambda job: job.rank)
        homeless = False
        for job in jobs:
            stray = self.is_stray(job)
            homeless |= stray and not job.stray
            job.stray = stray
            by_queue[stray][job.job_class].append(job)
        self.length = len(jobs)
        self.home, self.stray = (
            [_Queue(len(self._plan.resources), group) for group in groups] for groups in by_queue
        )
        if self._by_age is not None:
            self._by_age = deque(jobs)
        return homeless

    def watch_age(self) -> None:
        """Keep the jobs in order for `oldest`."""
        self._by_age = deque(self)

    def oldest(self) -> Iterator[_Job]:
        """The jobs for which no machine is kept, the first in line first."""
        jobs = self._by_age
        assert jobs is not None
        while jobs and (jobs[0].queue is None or jobs[0].kept is not None):
            jobs.popleft()
        return (job for job in jobs if job.queue is not None and job.kept is None)

    def __iter__(self) -> Iterator[_Job]:
        """The jobs in order."""
        return heapq.merge(*self.home, *self.stray, key=lambda job: job.rank)

    def append(self, job: _Job) -> None:
        job.stray = self.is_stray(job)
        (self.stray if job.stray else self.home)[job.job_class].append(job)
        self.length += 1
        if self._by_age is not None:
            self._by_age.append(job)

    def remove(self, job: _Job) -> None:
        assert job.queue is not None
        job.queue.remove(job)
        self.length -= 1

    def start(self, job: _Job, machine: _Machine) -> None:
        """A job of the line starts; `watch`, if there is one, sees how things were before."""
        if self.watch is not None:
            self.watch(job, machine)
        self.remove(job)
        machine.start(job)

    def start_in_order(
        self, queues: Iterable[_Queue], machine: _Machine, *, only_missing: bool = False
    ) -> list[_Job]:
        """Start the jobs of these queues that fit, the first first.

        With `only_missing` those whose class has more jobs in the machine's bin than run.
        """
        firsts = []
        for queue in queues:
            job = queue.first(machine.free) if queue.waiting else None
            if job is not None:
                firsts.append((job.rank, job, queue))
        heapq.heapify(firsts)  # ranks differ
        started = []
        while firsts:
            _, job, queue = firsts[0]
            if only_missing and machine.more(job.job_class) <= 0:
                heapq.heappop(firsts)
                continue
            if _fits(job.demand, machine.free):
                self.start(job, machine)
                started.append(job)
            following = queue.first(machine.free) if queue.waiting else None
            if following is None:
                heapq.heappop(firsts)
            else:
                heapq.heapreplace(firsts, (following.rank, following, queue))
        return started


class _View(Protocol):
    """Something that keeps sets of machines."""

    def flip(self, bits: int, like: _Machine) -> None:
        """Put in, or take out, machines that are all `like` this one."""

    def move(self, machine: _Machine) -> None:
        """A machine is no longer as it was seen."""


class _Levels:
    """For each resource and each of some amounts the machines with at least that much free."""

    def __init__(self, plan: _Plan) -> None:
        self._steps = [
            _steps([row[r] for row in plan.request], max(row[r] for row in plan.capacity))
            for r in range(len(plan.resources))
        ]
        self._sets = [[0] * len(steps) for steps in self._steps]

    def flip(self, bits: int, like: _Machine) -> None:
        for steps, sets, amount in zip(self._steps, self._sets, like.seen, strict=True):
            for i in range(bisect_right(steps, amount)):
                sets[i] ^= bits

    def move(self, machine: _Machine) -> None:
        bit = 1 << machine.place
        for r, amount in enumerate(machine.seen):
            if amount != machine.free[r]:
                steps, sets = self._steps[r], self._sets[r]
                low, high = bisect_right(steps, amount), bisect_right(steps, machine.free[r])
                for i in range(min(low, high), max(low, high)):
                    sets[i] ^= bit

    def with_room(self, demand: Units, among: int) -> int:
        """Those of some machines that may have room: all that have it, and a few that have not."""
        for steps, sets, need in zip(self._steps, self._sets, demand, strict=True):
            at = bisect_right(steps, need)
            if at:
                among &= sets[at - 1]
        return among


def _steps(requests: list[int], most: int) -> list[int]:
    """The amounts that occur in the plan, and between them steps of a sixth."""
    amounts = {need for need in requests if 0 < need <= most}
    if amounts:
        step = min(amounts) / 4
        while step < most:
            amounts.add(math.ceil(step))
            step *= 7 / 6
    return sorted(amounts)


@dataclass(eq=False)
class _Shape:
    """Machines of one configuration that have the same free."""

    configuration: int
    free: Units
    share: float
    machines: int = 0
    worth: int | None = None


class _Shapes:
    """Machines by what they have free, the fullest first.

    A shape stands in the cell of its free share; a cell has the shares that occur in order, and the
    set of its machines, so that a search skips cells without candidates.
    """

    CELLS = 128

    def __init__(self, plan: _Plan, at: list[_Machine | None]) -> None:
        self._plan, self._at = plan, at
        cells = self.CELLS * len(plan.resources) + 1
        self._last = cells - 1
        self._machines = [0] * cells
        self._shares: list[list[float]] = [[] for _ in range(cells)]
        self._with_share: dict[float, list[_Shape]] = {}
        self._shapes: dict[tuple[int, Units], _Shape] = {}

    def _cell(self, share: float) -> int:
        return min(max(int(share * self.CELLS), 0), self._last)

    def flip(self, bits: int, like: _Machine) -> None:
        self._flip(bits, like.configuration, like.seen)

    def move(self, machine: _Machine) -> None:
        if machine.seen != machine.free:
            bit = 1 << machine.place
            self._flip(bit, machine.configuration, machine.seen)
            self._flip(bit, machine.configuration, machine.free)

    def _flip(self, bits: int, configuration: int, free: Units) -> None:
        key = configuration, free
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = _Shape(*key, self._plan.share_of(free))
            same = self._with_share.setdefault(shape.share, [])
            if not same:
                insort(self._shares[self._cell(shape.share)], shape.share)
            same.append(shape)
        shape.machines ^= bits
        cell = self._cell(shape.share)
        self._machines[cell] ^= bits
        if not shape.machines:
            del self._shapes[key]
            same = self._with_share[shape.share]
            same.remove(shape)
            if not same:
                del self._with_share[shape.share]
                shares = self._shares[cell]
                del shares[bisect_left(shares, shape.share)]

    FEW = 24
    """So many candidates are looked at one by one."""

    def fullest(self, demand: Units, among: int) -> Iterator[tuple[_Shape, int]]:
        """Shapes with room, by free share and lowest machine, and which of `among` are in them."""
        if among.bit_count() <= self.FEW:
            yield from self._one_by_one(demand, among)
            return
        for cell in range(self._cell(self._plan.share_of(demand)), self._last + 1):
            inside = among & self._machines[cell]
            if not inside:
                continue
            if inside.bit_count() <= self.FEW:
                yield from self._one_by_one(demand, inside)
                continue
            for share in self._shares[cell]:
                found = [
                    (shape, shape.machines & inside)
                    for shape in self._with_share[share]
                    if _fits(demand, shape.free)
                ]
                if len(found) > 1:
                    found.sort(key=lambda pair: pair[1] & -pair[1])
                yield from (pair for pair in found if pair[1])

    def _one_by_one(self, demand: Units, among: int) -> Iterator[tuple[_Shape, int]]:
        found: dict[int, tuple[float, int, _Shape, int]] = {}
        while among:
            bit = among & -among
            among ^= bit
            machine = self._at[bit.bit_length() - 1]
            assert machine is not None
            if _fits(demand, machine.free):
                shape = self._shapes[machine.configuration, machine.free]
                share, first, _, bits = found.get(id(shape), (shape.share, bit, shape, 0))
                found[id(shape)] = share, first, shape, bits | bit
        for _, _, shape, bits in sorted(found.values(), key=lambda entry: entry[:2]):
            yield shape, bits

    def emptiest(self, could: Callable[[_Machine], bool], among: int) -> _Machine | None:
        """The machine with the largest free share of those that could, the lowest on ties."""
        for cell in range(self._last, -1, -1):
            inside = among & self._machines[cell]
            if not inside:
                continue
            for share in reversed(self._shares[cell]):
                bits = 0
                for shape in self._with_share[share]:
                    bits |= shape.machines & inside
                for machine in _machines(bits, self._at):
                    if could(machine):
                        return machine
        return None


def _machines(bits: int, at: list[_Machine | None]) -> Iterator[_Machine]:
    """The machines in a set, the lowest place first."""
    while bits:
        bit = bits & -bits
        bits ^= bit
        machine = at[bit.bit_length() - 1]
        assert machine is not None
        yield machine


class _Scores:
    """The machines by class and score: jobs of the class in the bin minus those that run."""

    def __init__(self, plan: _Plan) -> None:
        self._sets: list[dict[int, int]] = [{} for _ in plan.classes]

    def flip(self, bits: int, like: _Machine) -> None:
        for k in range(len(like.bin)):
            self._flip(k, like.bin[k] - like.before.get(k, like.runs[k]), bits)

    def move(self, machine: _Machine) -> None:
        bit = 1 << machine.place
        for k, before in machine.before.items():
            if before != machine.runs[k]:
                self._flip(k, machine.bin[k] - before, bit)
                self._flip(k, machine.bin[k] - machine.runs[k], bit)

    def _flip(self, k: int, score: int, bits: int) -> None:
        sets = self._sets[k]
        left = sets.get(score, 0) ^ bits
        if left:
            sets[score] = left
        else:
            del sets[score]

    def highest(self, k: int, among: int) -> Iterator[tuple[int, int]]:
        """Scores for class k, the highest first, and which of the machines have it."""
        for score in sorted(self._sets[k], reverse=True):
            found = among & self._sets[k][score]
            if found:
                yield score, found


class _Cluster:
    """The machines and the sets of them.

    Places of a configuration's machines are one after the other; `spare` leaves room for machines
    that join.
    """

    def __init__(self, plan: _Plan, machines: Iterable[_Machine], *, spare: bool = False) -> None:
        self.plan = plan
        self.at: list[_Machine | None] = []
        self._next: list[int] = []
        self._end: list[int] = []
        in_order = sorted(machines, key=lambda m: (m.configuration, m.number))
        for j in range(len(plan.configurations)):
            own = [machine for machine in in_order if machine.configuration == j]
            for machine in own:
                machine.place = len(self.at)
                self.at.append(machine)
            self._next.append(len(self.at))
            self.at += [None] * (max(16, len(own) // 4) if spare else 0)
            self._end.append(len(self.at))
        self.by_name = {machine.name: machine for machine in in_order}
        self.open_of = [0] * len(plan.configurations)
        self.sizes: list[Counter[Units]] = [Counter() for _ in plan.configurations]
        for machine in in_order:
            if machine.is_open:
                self.open_of[machine.configuration] |= 1 << machine.place
            if not machine.draining:
                self.sizes[machine.configuration][machine.capacity] += 1
        self._lists: dict[int, list[_Machine]] = {}
        self._groups = _groups(in_order)
        self.levels = _Levels(plan)
        self._views: list[_View] = []
        self.add_view(self.levels)

    def add_view(self, view: _View) -> None:
        """Let it see all machines, now and when they change. No machine has joined yet."""
        self._views.append(view)
        for bits, like in self._groups:
            view.flip(bits, like)

    def __iter__(self) -> Iterator[_Machine]:
        return (machine for machine in self.at if machine is not None)

    def open_in(self, allowed: Sequence[bool]) -> int:
        """The machines of these configurations that may start jobs."""
        bits = 0
        for of_configuration, able in zip(self.open_of, allowed, strict=True):
            if able:
                bits |= of_configuration
        return bits

    def open_list(self, j: int) -> list[_Machine]:
        """The same of one configuration, one by one."""
        if j not in self._lists:
            self._lists[j] = list(_machines(self.open_of[j], self.at))
        return self._lists[j]

    def with_room(self, demand: Units, allowed: Sequence[bool]) -> list[_Machine]:
        """The machines of these configurations that may start such a job."""
        bits = self.levels.with_room(demand, self.open_in(allowed))
        return [machine for machine in _machines(bits, self.at) if _fits(demand, machine.free)]

    def holds(self, demand: Units, allowed: Sequence[bool]) -> bool:
        """Whether a machine of these configurations, not draining, could hold so much if empty."""
        return any(
            able and any(_fits(demand, capacity) for capacity in sizes)
            for sizes, able in zip(self.sizes, allowed, strict=True)
        )

    def changed(self, machine: _Machine) -> None:
        """Jobs of the machine have started or ended."""
        for view in self._views:
            view.move(machine)
        machine.seen = machine.free
        machine.before.clear()

    def set_open(self, machine: _Machine) -> None:
        """The machine drains, or is kept, or no longer."""
        bit = 1 << machine.place
        self.open_of[machine.configuration] &= ~bit
        self._lists.pop(machine.configuration, None)
        if machine.is_open:
            self.open_of[machine.configuration] |= bit

    def count_size(self, machine: _Machine, change: int) -> bool:
        """A machine more or less that is not draining; whether that changes what jobs fit."""
        sizes = self.sizes[machine.configuration]
        sizes[machine.capacity] += change
        if sizes[machine.capacity]:
            return change > 0 and sizes[machine.capacity] == 1
        del sizes[machine.capacity]
        return True

    def join(self, machine: _Machine) -> bool:
        """Whether there was a place left for it."""
        j = machine.configuration
        if self._next[j] == self._end[j]:
            return False
        machine.place = self._next[j]
        self._next[j] += 1
        self.at[machine.place] = machine
        self.by_name[machine.name] = machine
        machine.seen = machine.free
        for view in self._views:
            view.flip(1 << machine.place, machine)
        self.set_open(machine)
        return True

    def leave(self, machine: _Machine) -> None:
        """Take a machine out."""
        for view in self._views:
            view.flip(1 << machine.place, machine)
        self.open_of[machine.configuration] &= ~(1 << machine.place)
        self._lists.pop(machine.configuration, None)
        self.at[machine.place] = None
        del self.by_name[machine.name]


def _groups(machines: list[_Machine]) -> list[tuple[int, _Machine]]:
    """Sets of machines that are alike for every view, with one of each."""
    places: dict[Any, tuple[_Machine, list[int]]] = {}
    for machine in machines:
        machine.seen = machine.free
        machine.before.clear()
        key = machine.configuration, machine.free, machine.bin, tuple(machine.runs)
        places.setdefault(key, (machine, []))[1].append(machine.place)
    return [(_bits(group), like) for like, group in places.values()]


def _bits(places: list[int]) -> int:
    buffer = bytearray(max(places) // 8 + 1)
    for place in places:
        buffer[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(buffer, "little")


# The worth of room.
#
# V_j(f), the worth of the free amounts f on a machine of configuration j, is the most that jobs
# which fit there bring per time: class prices times service rates. The worth that `bid-price` uses
# blends V with its mean over draws in which requests and prices are multiplied by random factors,
# because V alone is flat: many places would cost the same.
#
# A grid covers one or two resources. One resource: a line; two: one grid; more: a grid for each
# pair of resources, and the worth is the least of them, as each leaves out constraints. A table
# over a grid is a weighted sum of knapsacks, its layers. Configurations on which each class is
# worth the same share their tables. Worths are integers, so that whoever fills tables by this
# recipe gets the same ones.

WORTH_BITS = 40
"""The job that brings the most per time is worth 2 ** 40; less where sums would not fit 63 bits."""

SMOOTHING = 0.2
"""Coefficient of variation of the factors in a draw."""

EXACT_WEIGHT = 0.75
"""Part of V in the worth, for demands without spread."""

PREDICTABLE = 0.3
"""From this spread of demands on, neither V nor bins are followed."""

BIN_BONUS = 0.3
"""A job that the machine's bin lacks costs so much less, in parts of the median price."""

PARTS, PARTS_OF_PAIRS, PARTS_OF_LINE = 400, 300, 4096
"""Steps of a grid in each resource: of two resources, of more, of one."""

EXACT_CELLS = 1 << 20
"""A grid on which every sum of requests has a cell of its own may have so many."""

MOST_CELLS = 1 << 22
"""Cells of all tables together; where tables are many, grids are coarser."""

FEWEST_PARTS = 64

ALL_PAIRS = 8
"""With more resources than this, each has a grid with the next one only."""

ONE_CELL = 1 << 62
"""Step of a resource that does not matter."""


@dataclass(frozen=True)
class Layer:
    """A knapsack over a grid.

    Parameters
    ----------
    weight
        How often it counts.
    base
        Worth of the jobs that need none of the grid's resources.
    items
        What may be put in, any number of times: its worth, and the cells that it takes of both
        resources, at least one in all.
    """

    weight: int
    base: int
    items: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class TableRecipe:
    """A grid and its layers.

    Parameters
    ----------
    resources
        The two resources; on a line twice the same.
    step
        Units of a cell in each. Free amounts are rounded down to cells.
    size
        Cells in each.
    layers
        The table is their sum, each times its weight.
    """

    resources: tuple[int, int]
    step: tuple[int, int]
    size: tuple[int, int]
    layers: tuple[Layer, ...]


@dataclass(frozen=True)
class Recipe:
    """The tables of a datacenter at its class prices.

    Parameters
    ----------
    group
        Whose tables each configuration uses, shape (M,).
    tables
        Of each group, for the same resources in the same order.
    unit
        A worth times this is a price per time.
    bonus
        What a job costs less where the machine's bin lacks it, as a price.
    """

    group: tuple[int, ...]
    tables: tuple[tuple[TableRecipe, ...], ...]
    unit: float
    bonus: float


def predictability(spread: float) -> float:
    """How far demands with this coefficient of variation can be counted on, from 0 to 1."""
    return max(0.0, 1.0 - spread / PREDICTABLE)


def mean_duration(share: Sequence[float], mean_time: Sequence[Sequence[float]]) -> float:
    """Return the mean duration of a job on the first configuration that can run its class.

    `mean_time`: mean times, inf where a class cannot run, shape (K, M).
    """
    first = [next((t for t in row if t < math.inf), 0.0) for row in mean_time]
    return sum(a * t for a, t in zip(share, first, strict=True)) / sum(share)


def worth_recipe(
    capacity: Sequence[Sequence[int]],
    request: Sequence[Sequence[int]],
    mean_time: Sequence[Sequence[float]],
    value: Sequence[float],
    spread: float = 0.0,
    draws: int = 24,
    seed: int = 0,
) -> Recipe:
    """Choose grids and layers for the worth of room.

    `capacity`: of a machine of each configuration, in units, shape (M, R).
    `request`: of a job of each class, in units, shape (K, R).
    `mean_time`: mean times, inf where a class cannot run, shape (K, M).
    `value`: price of each class, at least 0 and some of them positive, shape (K,).
    `draws`: number of draws; 0 for V alone, exact where sums of requests are at cells of the grid.
    """
    exact = EXACT_WEIGHT * predictability(spread)
    weight = round(draws * exact / (1 - exact)) if draws else 1
    rates = [
        [v / t if t < math.inf else 0.0 for t in row]
        for v, row in zip(value, mean_time, strict=True)
    ]
    most = max(max(row) for row in rates) or 1.0
    bits = _worth_bits(capacity, request, [[rate / most for rate in row] for row in rates])
    bits = min(WORTH_BITS, int(bits - math.log2(weight + draws)))
    columns = [
        tuple(round(rate / most * 2.0**bits) for rate in column)
        for column in zip(*rates, strict=True)
    ]
    kinds = list(dict.fromkeys(columns))
    group = tuple(kinds.index(column) for column in columns)
    pairs = _pairs([need for need, v in zip(request, value, strict=True) if v > 0])
    drawn = [_Draw(request, seed, number) for number in range(draws)]
    tables = []
    for number, worth in enumerate(kinds):
        members = [row for row, g in zip(capacity, group, strict=True) if g == number]
        largest = [max(column) for column in zip(*members, strict=True)]
        jobs = _Jobs(largest, request, worth, weight, drawn)
        tables.append(tuple(jobs.table(pair, len(kinds) * len(pairs)) for pair in pairs))
    return Recipe(
        group,
        tuple(tables),
        most / 2.0**bits / (weight + draws),
        BIN_BONUS * predictability(spread) * median([v for v in value if v > 0]),
    )


def _worth_bits(
    capacity: Sequence[Sequence[int]],
    request: Sequence[Sequence[int]],
    rates: Sequence[Sequence[float]],
) -> float:
    """Bits left for the worth of a job, if the largest rate is 1.

    A machine is worth no more than R times as much as the best class alone makes of it.
    """
    most = 1.0
    for need, row in zip(request, rates, strict=True):
        for amounts, rate in zip(capacity, row, strict=True):
            number = min(c // n for c, n in zip(amounts, need, strict=True) if n > 0)
            most = max(most, rate * (number + 1))
    # Factors of a draw, and room rounded up, may double it twice.
    return 60 - math.log2(len(request[0]) * most)


def _pairs(request: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The grids' resources: where it can be, all classes need at least one of both."""
    resources = len(request[0])
    if resources == 1:
        return [(0, 0)]
    pairs = [(r, (r + 1) % resources) for r in range(resources)]
    if resources <= ALL_PAIRS:
        pairs = list(combinations(range(resources), 2))
    whole = [pair for pair in pairs if all(need[pair[0]] + need[pair[1]] > 0 for need in request)]
    return whole or pairs


class _Draw:
    """One draw: for each class and resource a factor, and a number in (0, 1) to round by."""

    def __init__(self, request: Sequence[Sequence[int]], seed: int, number: int) -> None:
        sigma = math.sqrt(math.log1p(SMOOTHING * SMOOTHING))
        normal = NormalDist()
        self.factor: list[list[float]] = []
        self.rounding: list[list[float]] = []
        self.price: list[float] = []
        for k, need in enumerate(request):
            at = 2 * len(need) * (number * len(request) + k)
            numbers = [_inner_uniform(seed, at + i) for i in range(2 * len(need))]
            factors = [math.exp(sigma * normal.inv_cdf(u) - sigma * sigma / 2) for u in numbers]
            self.factor.append(factors[::2])
            self.rounding.append(numbers[1::2])
            mine = [f for f, n in zip(factors[::2], need, strict=True) if n > 0]
            self.price.append(sum(mine) / len(mine))


def _inner_uniform(seed: int, number: int) -> float:
    """A number in (0, 1)."""
    return ((_mixed(seed, number) >> 12) + 0.5) / 2.0**52


@dataclass(frozen=True)
class _Grid:
    """`exact`: all requests are multiples of the steps."""

    resources: tuple[int, int]
    step: tuple[int, int]
    exact: bool


class _Jobs:
    """What fills the tables of a group of configurations."""

    def __init__(
        self,
        largest: Sequence[int],
        request: Sequence[Sequence[int]],
        worth: Sequence[int],
        weight: int,
        drawn: Sequence[_Draw],
    ) -> None:
        self.largest, self.request, self.worth = largest, request, worth
        self.weight, self.drawn = weight, drawn
        self.priced = [k for k, w in enumerate(worth) if w > 0]

    def table(self, pair: tuple[int, int], tables: int) -> TableRecipe:
        """The grid of a pair of resources and its layers; there are so many tables in all."""
        one = pair[0] == pair[1]
        common = [math.gcd(*(self.request[k][r] for k in self.priced)) or ONE_CELL for r in pair]
        if one:
            common[1] = ONE_CELL
        cells = [self.largest[r] // c + 1 for r, c in zip(pair, common, strict=True)]
        parts, most = self._limits(tables, one=one)
        exact = cells[0] * cells[1] <= most
        step: list[int] = []
        for r, whole, count in zip(pair, common, cells, strict=True):
            if exact or count <= parts:
                # As fine as there are parts, with all requests still at multiples of the step.
                fine = range(max(1, parts // max(1, count - 1)), 0, -1)
                step.append(whole // next(n for n in fine if whole % n == 0 or n == 1))
            else:
                step.append(-(-self.largest[r] // parts))
        grid = _Grid(pair, (step[0], step[1]), exact)
        size = [self.largest[r] // s + 1 for r, s in zip(pair, step, strict=True)]
        return TableRecipe(pair, grid.step, (size[0], size[1]), tuple(self._layers(grid)))

    def _limits(self, tables: int, *, one: bool) -> tuple[int, int]:
        """Parts of a resource, and cells of a grid that no sum of requests is between."""
        if one:
            return PARTS_OF_LINE, EXACT_CELLS
        parts = PARTS if len(self.largest) == 2 else PARTS_OF_PAIRS
        parts = min(parts, max(FEWEST_PARTS, math.isqrt(MOST_CELLS // tables)))
        if not self.drawn or (self.weight > 0 and len(self.largest) == 2):
            return parts, max(parts * parts, min(EXACT_CELLS, MOST_CELLS // tables))
        return parts, parts * parts

    def _layers(self, grid: _Grid) -> list[Layer]:
        layers = []
        if self.weight > 0 and (grid.exact or not self.drawn):
            layers.append(self._layer(grid, self.weight))
        elif self.weight > 0:
            # Requests between two cells are rounded, by chance, in as many ways as there are draws.
            each, more = divmod(self.weight, len(self.drawn))
            for number, draw in enumerate(self.drawn):
                if each + (number < more) > 0:
                    layers.append(self._layer(grid, each + (number < more), rounding=draw))
        return layers + [self._layer(grid, 1, rounding=draw, factors=draw) for draw in self.drawn]

    def _layer(
        self,
        grid: _Grid,
        weight: int,
        *,
        rounding: _Draw | None = None,
        factors: _Draw | None = None,
    ) -> Layer:
        base, items = 0, []
        for k in self.priced:
            need = self.request[k]
            worth = self.worth[k]
            if factors is not None:
                worth = round(worth * factors.price[k])
            if not any(need[r] for r in grid.resources):
                some = [c // n for c, n in zip(self.largest, need, strict=True) if n > 0]
                base += worth * min(some)
                continue
            cells = [
                need[r] / s * (1.0 if factors is None else factors.factor[k][r])
                for r, s in zip(grid.resources, grid.step, strict=True)
            ]
            # Jobs smaller than a cell are put in by the bundle.
            bundle = max(1, math.ceil(1 / max(cells)))
            up = [0.0 if rounding is None else rounding.rounding[k][r] for r in grid.resources]
            taken = [math.floor(bundle * c + u) for c, u in zip(cells, up, strict=True)]
            if not any(taken):
                taken[cells.index(max(cells))] = 1
            items.append((bundle * worth, taken[0], taken[1]))
        return Layer(weight, base, tuple(items))


class _Table:
    """A table of worths, filled; the longer side of the grid lies along the rows."""

    def __init__(self, recipe: TableRecipe) -> None:
        sides = list(zip(recipe.resources, recipe.step, recipe.size, strict=True))
        self._turned = recipe.size[0] > recipe.size[1]
        if self._turned:
            sides.reverse()
        (self._down, self._down_step, rows), (self._right, self._right_step, columns) = sides
        self._last = rows - 1, columns - 1
        total = [[0] * columns for _ in range(rows)]
        for layer in recipe.layers:
            table = self._knapsack(layer, rows, columns)
            weight = layer.weight
            for row, values in zip(total, table, strict=True):
                row[:] = [x + weight * y for x, y in zip(row, values, strict=True)]
        self._rows = [array("q", row) for row in total]

    def _knapsack(self, layer: Layer, rows: int, columns: int) -> list[list[int]]:
        table = [[layer.base] * columns for _ in range(rows)]
        for worth, *cells in layer.items:
            down, right = reversed(cells) if self._turned else cells
            if down:
                for row, source in zip(table[down:], table, strict=False):
                    row[right:] = _better(row[right:], source, worth)
            else:
                for row in table:
                    # One more copy, then two, four, and so on: together any number.
                    shift, more = right, worth
                    while shift < columns:
                        row[shift:] = _better(row[shift:], row, more)
                        shift, more = 2 * shift, 2 * more
        return table

    def worth(self, free: Units) -> int:
        """The worth of the cell in which the free amounts are."""
        row, column = free[self._down] // self._down_step, free[self._right] // self._right_step
        last_row, last_column = self._last
        return self._rows[row if row < last_row else last_row][
            column if column < last_column else last_column
        ]


def _better(values: list[int], others: list[int], more: int) -> list[int]:
    """The greater of each value and the other one at its place, which is worth so much more."""
    return [
        value if value > (raised := other + more) else raised
        for value, other in zip(values, others, strict=False)
    ]


@lru_cache(maxsize=64)
def _filled(recipe: TableRecipe) -> _Table:
    """The table of a recipe; plans that are followed again need it again."""
    return _Table(recipe)


class _Worth:
    """The worth of room at the prices of a plan. Tables are filled when first asked for."""

    def __init__(self, plan: _Plan) -> None:
        prices = plan.document["prices"]
        self.recipe = worth_recipe(
            plan.capacity,
            plan.request,
            plan.mean_time,
            plan.value,
            prices.get("spread", 0.0),
            prices.get("draws", 24),
            prices.get("seed", 0),
        )
        self.bonus = self.recipe.bonus / self.recipe.unit
        self._tables: dict[int, list[_Table]] = {}

    def of(self, j: int, free: Units) -> int:
        """The worth of the free amounts on a machine of configuration j."""
        group = self.recipe.group[j]
        tables = self._tables.get(group)
        if tables is None:
            tables = self._tables[group] = [_filled(table) for table in self.recipe.tables[group]]
        if len(tables) == 1:
            return tables[0].worth(free)
        return min(table.worth(free) for table in tables)


class _Rule(Protocol):
    """Where jobs start that arrive, and which start when there is room."""

    homes: list[list[bool]]
    """Where jobs of a class start when others wait, shape (K, M); a stray job wherever it runs."""

    def choose(self, job: _Job, draw: float) -> _Machine | None:
        """The machine for a job that arrives, None if it has to wait."""

    def serve(self, machine: _Machine) -> list[_Job]:
        """Start waiting jobs on a machine."""

    def why(self, job: _Job, draw: float) -> Reason:
        """The reason for `choose`."""

    def turn(self, job: _Job, machine: _Machine) -> str:
        """Why `serve` starts this job next."""


class _Lotes:
    """Jobs go where they bring a machine nearest to its bin ([LoTES], section 4.3)."""

    def __init__(
        self, cluster: _Cluster, line: _Line, homes: list[list[bool]], sample: int | None, seed: int
    ) -> None:
        self.homes, self._sample, self._seed = homes, sample, seed
        self._plan, self._cluster, self._line = cluster.plan, cluster, line
        self._scores = _Scores(cluster.plan)
        cluster.add_view(self._scores)

    def choose(self, job: _Job, draw: float) -> _Machine | None:
        drawn = self._plan.drawn(job.job_class, draw)
        if self._sample is not None:
            return self._of_sample(job, drawn, self._sample)
        able = self._cluster.open_in(self._plan.runs[job.job_class])
        room = self._cluster.levels.with_room(job.demand, able)
        if drawn is not None:
            found = self._highest(job, room & self._cluster.open_of[drawn])
            if found is not None:
                return found
        return self._highest(job, room)

    def _highest(self, job: _Job, among: int) -> _Machine | None:
        if not among:
            return None
        for _, found in self._scores.highest(job.job_class, among):
            for machine in _machines(found, self._cluster.at):
                if _fits(job.demand, machine.free):
                    return machine
        return None

    def _of_sample(self, job: _Job, drawn: int | None, size: int) -> _Machine | None:
        """[LoTES], section 5.3."""
        if drawn is None:
            runs = self._plan.runs[job.job_class]
            machines = [
                m for j, able in enumerate(runs) if able for m in self._cluster.open_list(j)
            ]
        else:
            machines = self._cluster.open_list(drawn)
        chosen = random.Random(self._seed << 64 | job.number).sample(
            machines, min(size, len(machines))
        )
        room = [machine for machine in chosen if _fits(job.demand, machine.free)]
        return min(room, key=lambda m: (-m.more(job.job_class), m.place), default=None)

    def serve(self, machine: _Machine) -> list[_Job]:
        line, j, started = self._line, machine.configuration, []
        left = [k for k, queue in enumerate(line.home) if queue.waiting and self.homes[k][j]]
        while left:
            k = max(left, key=machine.more)  # of equals the first
            job = line.home[k].first(machine.free) if line.home[k].waiting else None
            if job is None:
                left.remove(k)
                continue
            line.start(job, machine)
            started.append(job)
        able = (queue for k, queue in enumerate(line.stray) if self._plan.runs[k][j])
        return started + line.start_in_order(able, machine)

    def why(self, job: _Job, draw: float) -> Reason:
        plan, k = self._plan, job.job_class
        chosen = self.choose(job, draw)
        if chosen is None:
            return Reason("", None)
        drawn = plan.drawn(k, draw)
        room = self._cluster.with_room(job.demand, plan.runs[k])
        if drawn is None:
            draw_text = f"no bin has {plan.classes[k]}; "
        else:
            part = f"{100 * plan.share[k][drawn]:.3g} % of {plan.classes[k]} go there"
            draw_text = f"{plan.configurations[drawn]} was drawn ({part}); "
        if drawn == chosen.configuration:
            room = [machine for machine in room if machine.configuration == drawn]
            where = f"of its {_count(len(room), 'machine')} with room"
        else:
            nothing = "" if drawn is None else "it has no room; "
            where = f"{nothing}of the {_count(len(room), 'machine')} with room elsewhere"
        if self._sample is not None:
            where = f"of {self._sample} machines looked at, those with room:"
        order = sorted(room, key=lambda m: (-m.more(k), m.place))
        others = tuple(m.name for m in order if m is not chosen)[:3]
        following = ", ".join(f"{m.name} with {m.more(k)}" for m in order if m.name in others)
        text = (
            f"{draw_text}{where} it has the highest score, {chosen.more(k)}: "
            f"{_count(chosen.bin[k], 'job')} of the class in its bin, {chosen.runs[k]} running"
            + (f"; next: {following}" if following else "")
        )
        return Reason(text, chosen.name, len(room), others)

    def turn(self, job: _Job, machine: _Machine) -> str:
        k = job.job_class
        if job.queue in self._line.stray:
            return "fits no machine of its plan, and is the first such job that fits here"
        return (
            f"is the first of its class, which has the highest score here of those that wait and "
            f"fit, {machine.more(k)}: {_count(machine.bin[k], 'job')} in the bin, "
            f"{machine.runs[k]} running"
        )


class _BestFit:
    """Jobs go to the machine that has the least left; those that wait start in order."""

    def __init__(
        self, cluster: _Cluster, line: _Line, homes: list[list[bool]], shapes: _Shapes
    ) -> None:
        self.homes, self._shapes = homes, shapes
        self._plan, self._cluster, self._line = cluster.plan, cluster, line

    def choose(self, job: _Job, draw: float) -> _Machine | None:
        able = self._cluster.open_in(self._plan.runs[job.job_class])
        room = self._cluster.levels.with_room(job.demand, able)
        for _, found in self._shapes.fullest(job.demand, room):
            return next(_machines(found, self._cluster.at))
        return None

    def serve(self, machine: _Machine) -> list[_Job]:
        queues = [
            queue
            for of_class in (self._line.home, self._line.stray)
            for runs, queue in zip(self._plan.runs, of_class, strict=True)
            if runs[machine.configuration]
        ]
        return self._line.start_in_order(queues, machine)

    def why(self, job: _Job, draw: float) -> Reason:
        room = self._cluster.with_room(job.demand, self._plan.runs[job.job_class])
        if not room:
            return Reason("", None)
        share = {machine.name: self._plan.share_of(machine.free) for machine in room}
        room.sort(key=lambda machine: (share[machine.name], machine.place))
        others = tuple(machine.name for machine in room[1:4])
        following = ", ".join(f"{name} with {share[name]:.3g}" for name in others)
        text = (
            f"of the {_count(len(room), 'machine')} with room it has the least free, "
            f"{share[room[0].name]:.3g} of the largest machine (summed over the resources)"
            + (f"; next: {following}" if following else "")
        )
        return Reason(text, room[0].name, len(room), others)

    def turn(self, job: _Job, machine: _Machine) -> str:
        return "is the first in line that fits"


class _BidPrice:
    """Jobs go where they take the least worth of room, at the plan's prices.

    A start costs the worth of the room that the job takes while it runs, less a bonus where the
    machine's bin has more of its class than it runs. Of the machines with room where the class
    belongs, the first 32 shapes in best fit's order are priced.
    """

    PRICED = 32

    def __init__(
        self,
        cluster: _Cluster,
        line: _Line,
        homes: list[list[bool]],
        shapes: _Shapes,
        worth: _Worth,
    ) -> None:
        self.homes, self._shapes, self._worth = homes, shapes, worth
        self._plan, self._cluster, self._line = cluster.plan, cluster, line
        self._lacking = _Lacking(cluster.plan)
        cluster.add_view(self._lacking)

    def _where(self, job: _Job) -> Sequence[bool]:
        """The configurations where the job may start."""
        k = job.job_class
        anywhere = not self._line.length or self._line.is_stray(job)
        return self._plan.runs[k] if anywhere else self.homes[k]

    def choose(self, job: _Job, draw: float) -> _Machine | None:
        best = min(self._priced(job), key=lambda offer: offer[0], default=None)
        return None if best is None else best[1]

    def _priced(self, job: _Job) -> Iterator[tuple[float, _Machine, _Shape]]:
        """Costs of the shapes looked at, in order, with their first machines."""
        able = self._cluster.open_in(self._where(job))
        room = self._cluster.levels.with_room(job.demand, able)
        lacking = self._lacking.machines[job.job_class]
        times, of, bonus = self._plan.mean_time[job.job_class], self._worth.of, self._worth.bonus
        for shape, found in islice(self._shapes.fullest(job.demand, room), self.PRICED):
            j = shape.configuration
            if shape.worth is None:
                shape.worth = of(j, shape.free)
            after = of(j, tuple(map(sub, shape.free, job.demand)))
            cost = times[j] * float(shape.worth - after)
            first = found
            if found & lacking:
                cost -= bonus
                if bonus > 0:
                    first = found & lacking
            yield cost, next(_machines(first, self._cluster.at)), shape

    def serve(self, machine: _Machine) -> list[_Job]:
        line, j = self._line, machine.configuration
        queues = [queue for queue, homes in zip(line.home, self.homes, strict=True) if homes[j]]
        queues += [
            queue for queue, runs in zip(line.stray, self._plan.runs, strict=True) if runs[j]
        ]
        queues = [queue for queue in queues if queue.waiting]
        started = line.start_in_order(queues, machine, only_missing=True)
        return started + line.start_in_order(queues, machine)

    def why(self, job: _Job, draw: float) -> Reason:
        plan, k, unit = self._plan, job.job_class, self._worth.recipe.unit
        offers = sorted(self._priced(job), key=lambda offer: offer[0])
        if not offers:
            return Reason("", None)
        room = self._cluster.with_room(job.demand, self._where(job))

        def room_taken(shape: _Shape) -> float:
            j = shape.configuration
            after = self._worth.of(j, tuple(map(sub, shape.free, job.demand)))
            return plan.mean_time[k][j] * (self._worth.of(j, shape.free) - after) * unit

        (_, chosen, shape), *others = offers
        cost, brings = room_taken(shape), plan.value[k]
        text = f"takes room worth {cost:.4g} of {brings:.4g} that it brings"
        text += f" (spoils {_percent(cost - brings, brings)})"
        if self._worth.bonus > 0 and chosen.more(k) > 0:
            text += f", and its bin has {chosen.more(k)} more of {plan.classes[k]} than it runs"
        following = ", ".join(
            f"{machine.name} spoils {_percent(room_taken(other) - brings, brings)}"
            for _, machine, other in others[:3]
        )
        text += f"; next: {following}" if following else ""
        text += f"; {_count(len(room), 'machine')} had room, "
        text += f"{_count(len(offers), 'shape')} of them priced"
        text += self._not_there(job)
        names = tuple(machine.name for _, machine, _ in others[:3])
        return Reason(text, chosen.name, len(room), names)

    def _not_there(self, job: _Job) -> str:
        """Why the job does not go where others with room are."""
        plan, k, where = self._plan, job.job_class, self._where(job)
        barred = [runs and not able for runs, able in zip(plan.runs[k], where, strict=True)]
        places = {m.configuration for m in self._cluster.with_room(job.demand, barred)}
        if not places:
            return ""
        texts = []
        for j in sorted(places):
            whole, request = plan.capacity[j], plan.request[k]
            if not _fits(request, whole):
                continue
            taken = self._worth.of(j, whole) - self._worth.of(j, tuple(map(sub, whole, request)))
            cost = plan.mean_time[k][j] * taken * self._worth.recipe.unit
            price = f"{cost / plan.value[k]:.2g} times what" if plan.value[k] else "more than"
            texts.append(f"not on {plan.configurations[j]}: its room there costs {price} it brings")
        number = self._line.length
        waiting = f"{_count(number, 'job')} {'waits' if number == 1 else 'wait'}"
        return "".join(f"; {text}" for text in texts) + (f", and {waiting}" if texts else "")

    def turn(self, job: _Job, machine: _Machine) -> str:
        k = job.job_class
        if machine.more(k) > 0:
            return "is the first in line that fits and of whose class its bin has more than it runs"
        return "is the first in line that fits and belongs there"


class _Lacking:
    """For each class the machines whose bin has more jobs of it than they run."""

    def __init__(self, plan: _Plan) -> None:
        self.machines = [0] * len(plan.classes)

    def flip(self, bits: int, like: _Machine) -> None:
        for k, wanted in enumerate(like.bin):
            if wanted > like.before.get(k, like.runs[k]):
                self.machines[k] ^= bits

    def move(self, machine: _Machine) -> None:
        for k, before in machine.before.items():
            if (machine.bin[k] > before) != (machine.bin[k] > machine.runs[k]):
                self.machines[k] ^= 1 << machine.place


def _percent(part: float, whole: float) -> str:
    if part <= 0.0005 * whole:
        return "nothing"
    return f"{100 * part / whole:.2g} %" if whole > 0 else "all of it"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


class Dispatcher:
    """Answers arrivals and departures after a plan.

    A job starts at once on one of the machines with room that the policy allows it, or waits. When
    a job ends, the machine starts waiting jobs as long as the policy finds one that fits. So no
    waiting job fits a machine where its class has its place: for `best-fit` and
    `lotes-unrestricted` any that can run it, for `lotes` one of a configuration whose bins have it,
    for `bid-price` one where it belongs by the plan's prices.
    A job that is too large for all of these may start wherever its class can run.

    Parameters
    ----------
    guidance
        A `slotwise/guidance/1` document with its datacenter, or what `slotwise.guide` returns.
    policy
        One of `POLICIES`, as in `slotwise simulate`.
    sample
        For the two of LoTES: how many machines an arriving job looks at; None for all.
    unrestricted
        `lotes` with this is `lotes-unrestricted`.
    seed
        Of the draws of configurations and samples.
    keep_after
        A job that has waited for so long gets a machine that is kept for it: nothing else starts
        there until the job does. At most one machine in 200 is kept at once, or one. Calls of
        `arrive` and `depart` then need `now`. None: no machine is kept.
    reasons
        Whether `explain` can tell why the jobs that run were started where they are; arrivals then
        take longer.

    Raises
    ------
    ValueError
        If `guidance` is no such document, the policy is unknown, or `sample` is below 1.
    """

    def __init__(
        self,
        guidance: Mapping[str, Any] | _Documented,
        *,
        policy: str = "lotes",
        sample: int | None = None,
        unrestricted: bool = False,
        seed: int = 0,
        keep_after: float | None = None,
        reasons: bool = False,
    ) -> None:
        if unrestricted and policy == "lotes":
            policy = "lotes-unrestricted"
        if policy not in POLICIES:
            raise ValueError(f"policy {policy!r}: need one of {', '.join(POLICIES)}")
        if sample is not None and not _is_whole(sample, 1):
            raise ValueError(f"sample: need at least 1 machine, got {sample}")
        if (unrestricted or sample is not None) and not policy.startswith("lotes"):
            raise ValueError(f"unrestricted and sample are for lotes, not for {policy}")
        if not _is_whole(seed, 0):
            raise ValueError(f"seed: need an integer >= 0, got {seed}")
        self._policy, self._sample, self._seed, self._reasons = policy, sample, seed, reasons
        self._keep_after, self._now, self._kept = keep_after, -math.inf, 0
        self._arrived = 0
        self._worth: tuple[_Plan, _Worth] | None = None
        plan = self._checked_plan(guidance)
        self._check_guard(plan)
        machines = [
            _new_machine(plan, j, number, bin_number)
            for j, bins in enumerate(plan.bins_of)
            for number, bin_number in enumerate(bins)
        ]
        self._next_number = [len(bins) for bins in plan.bins_of]
        self._jobs: dict[str, _Job] = {}
        self._set_up(plan, machines, [])

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Dispatcher:
        """Make a dispatcher from a guidance file, plain or gzip.

        Parameters
        ----------
        path
            The file.
        **options
            As for the class.
        """
        content = Path(path).read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        return cls(json.loads(content), **options)

    def _set_up(
        self,
        plan: _Plan,
        machines: Iterable[_Machine],
        waiting: Iterable[_Job],
        *,
        spare: bool = False,
    ) -> None:
        """Make the sets of machines, the queues and the rule."""
        cluster = _Cluster(plan, machines, spare=spare)
        homes = {"lotes": plan.planned, "bid-price": plan.belongs}.get(self._policy, plan.runs)

        def is_stray(job: _Job) -> bool:
            return not cluster.holds(job.demand, homes[job.job_class])

        self._plan, self._cluster = plan, cluster
        self._line = _Line(plan, waiting, is_stray)
        self._shapes: _Shapes | None = None
        if self._keep_after is not None or not self._policy.startswith("lotes"):
            self._shapes = _Shapes(plan, cluster.at)
            cluster.add_view(self._shapes)
        if self._keep_after is not None:
            self._line.watch_age()
        self._rule = self._rule_for(homes)
        if self._reasons:
            self._line.watch = self._note_turn

    def _rule_for(self, homes: list[list[bool]]) -> _Rule:
        cluster, line, shapes = self._cluster, self._line, self._shapes
        if shapes is None or self._policy.startswith("lotes"):
            return _Lotes(cluster, line, homes, self._sample, self._seed)
        if self._policy == "best-fit":
            return _BestFit(cluster, line, homes, shapes)
        return _BidPrice(cluster, line, homes, shapes, self._worth_of(self._plan))

    def _worth_of(self, plan: _Plan) -> _Worth:
        """The tables of a plan; those of the plan followed so far are kept."""
        if self._worth is None or self._worth[0] is not plan:
            self._worth = plan, _Worth(plan)
        return self._worth[1]

    def _note_turn(self, job: _Job, machine: _Machine) -> None:
        name = self._plan.classes[job.job_class]
        turn = self._rule.turn(job, machine)
        text = f"{name} on {machine.name}: it waited until {machine.name} had room, and {turn}"
        job.reason = Reason(text, machine.name, 1)

    @property
    def waiting(self) -> list[str]:
        """Names of the waiting jobs in their order."""
        return [job.name for job in self._line]

    @property
    def machines(self) -> list[str]:
        """Names of the machines, such as `c2/17`."""
        return [machine.name for machine in self._cluster]

    def arrive(
        self,
        job: str,
        job_class: str,
        demand: Mapping[str, float],
        *,
        draw: float | None = None,
        now: float | None = None,
    ) -> Placement | None:
        """Say where a job that arrives starts.

        Parameters
        ----------
        job
            Its name.
        job_class
            Name of its class.
        demand
            What it needs, by resource; 0 where it is missing.
        draw
            Number in [0, 1) that chooses the configuration; None to draw it.
        now
            The time, in the datacenter's unit; for `keep_after`.

        Returns
        -------
        Placement or None
            Where the job starts now; None if it waits.

        Raises
        ------
        ValueError
            For a job that is there already, an unknown class or resource, a demand that is no
            finite number >= 0 or all 0, and a job that fits no machine. Then nothing has changed,
            as after any `ValueError` of a dispatcher.
        """
        if not isinstance(job, str):
            raise ValueError(f"job: need a name, got {job!r}")
        if job in self._jobs:
            raise ValueError(f"job {job!r} is there already")
        if draw is not None and not (_is_number(draw) and 0 <= draw < 1):
            raise ValueError(f"draw: need a number from 0 to below 1, got {draw!r}")
        arriving = self._new_job(f"job {job!r}", job, job_class, demand)
        self._need_machine(arriving)
        self._set_time(now)
        arriving.since = self._now
        self._arrived += 1
        self._jobs[job] = arriving
        machine = self._place(arriving, draw)
        if machine is None:
            self._line.append(arriving)
        else:
            self._cluster.changed(machine)
        others = self._keep_machines()
        assert not others  # a job that waits fits no machine that could be kept for it
        return None if machine is None else _placement(arriving, machine)

    def _set_time(self, now: Any) -> None:
        if self._keep_after is None:
            return
        if not (_is_number(now) and self._now <= now < math.inf):
            raise ValueError(f"now: keep_after needs the time, from {self._now:g} on, got {now!r}")
        self._now = now

    def _place(self, job: _Job, draw: float | None = None) -> _Machine | None:
        """Start a job that does not wait yet, if there is room."""
        number = _uniform_of(self._seed, job.number) if draw is None else draw
        if self._reasons:
            job.reason = self._explained(job, number)
        machine = self._rule.choose(job, number)
        if machine is not None:
            machine.start(job)
        return machine

    def depart(self, job: str, *, now: float | None = None) -> list[Placement]:
        """Take note that a job is done, or is taken back while it waits.

        Parameters
        ----------
        job
            Its name.
        now
            The time, in the datacenter's unit; for `keep_after`.

        Returns
        -------
        list of Placement
            The waiting jobs that start in its place.

        Raises
        ------
        ValueError
            For a job that is not there.
        """
        leaving = self._job(job)
        self._set_time(now)
        del self._jobs[job]
        machine = leaving.machine
        if machine is None:
            return self._take_back(leaving)
        machine.end(leaving)
        return self._serve(machine) + self._keep_machines()

    def _take_back(self, job: _Job) -> list[Placement]:
        self._line.remove(job)
        started = [] if job.kept is None else self._serve(self._release(job))
        return started + self._keep_machines()

    def cancel(self, job: str) -> list[Placement]:
        """Take back a job that waits.

        Parameters
        ----------
        job
            Its name.

        Returns
        -------
        list of Placement
            The waiting jobs that start on a machine that was kept for it.

        Raises
        ------
        ValueError
            For a job that is not there, or runs.
        """
        leaving = self._job(job)
        if leaving.machine is not None:
            name = leaving.machine.name
            raise ValueError(f"job {job!r} runs on {name}: tell its end with depart()")
        del self._jobs[job]
        return self._take_back(leaving)

    def _serve(self, machine: _Machine) -> list[Placement]:
        """Let a machine that has changed start waiting jobs, and those then no longer kept."""
        started: list[Placement] = []
        changed = [machine]
        while changed:
            machine = changed.pop(0)
            kept, jobs = machine.keeps, list[_Job]()
            if kept is not None and not machine.draining and _fits(kept.demand, machine.free):
                self._line.start(kept, machine)
                self._release(kept)
                jobs.append(kept)
            if self._line.length and machine.is_open:
                jobs += self._rule.serve(machine)
            self._cluster.changed(machine)
            started += [_placement(job, machine) for job in jobs]
            changed += [self._release(job) for job in jobs if job.kept is not None]
        return started

    def _serve_all(self) -> list[Placement]:
        """Let every machine, in order, start waiting jobs."""
        started = []
        for machine in list(self._cluster):
            if self._line.length:
                started += self._serve(machine)
        return started

    def _keep_machines(self) -> list[Placement]:
        """Keep machines for the jobs that have waited longest, if that is long enough."""
        started: list[Placement] = []
        if self._keep_after is None or self._shapes is None:
            return started
        cluster = self._cluster
        while self._kept < max(1, int(MOST_KEPT * len(cluster.by_name))):
            runs = self._plan.runs
            waiting = self._line.oldest()
            job = next((j for j in waiting if cluster.holds(j.demand, runs[j.job_class])), None)
            if job is None or self._now - job.since < self._keep_after:
                break
            k, demand = job.job_class, job.demand
            able = cluster.open_in(runs[k] if job.stray else self._rule.homes[k])
            machine = self._shapes.emptiest(lambda m, d=demand: _fits(d, m.capacity), able)  # type: ignore[misc]
            if machine is None:
                break
            machine.keeps, job.kept = job, machine
            self._kept += 1
            cluster.set_open(machine)
            started += self._serve(machine)
        return started

    def _release(self, job: _Job) -> _Machine:
        """The machine that was kept for a job no longer is."""
        machine = job.kept
        assert machine is not None
        machine.keeps, job.kept = None, None
        self._kept -= 1
        self._cluster.set_open(machine)
        return machine

    def join(self, configuration: str, capacity: Mapping[str, float] | None = None) -> Joined:
        """Add a machine, which starts waiting jobs.

        It is given a bin that the plan has for its configuration and no machine has, if there is
        one, or else an empty bin.

        Parameters
        ----------
        configuration
            Name of its configuration.
        capacity
            What it has, by resource; None for what the configuration has.

        Returns
        -------
        Joined
            Its name and what starts there.

        Raises
        ------
        ValueError
            For an unknown configuration, and a capacity that is no finite number >= 0.
        """
        plan = self._plan
        j = self._known(plan.number_of_configuration, "configuration", configuration)
        own = None if capacity is None else self._amounts(f"machine of {configuration}", capacity)
        machine = _new_machine(plan, j, self._next_number[j], self._vacant_bin(j), own)
        self._next_number[j] += 1
        if not self._cluster.join(machine):
            self._set_up(plan, [*self._cluster, machine], list(self._line), spare=True)
        elif self._cluster.count_size(machine, 1):
            self._line.sort(list(self._line))
        return Joined(machine.name, self._serve(machine) + self._keep_machines())

    def _vacant_bin(self, j: int) -> int | None:
        """The first of the plan's bins that fewer machines have than should."""
        left = Counter(self._plan.bins_of[j])
        for machine in self._cluster:
            if machine.configuration == j and machine.bin_number is not None:
                left[machine.bin_number] -= 1
        return min(+left, default=None)

    def drain(self, machine: str) -> list[Placement]:
        """Let a machine start no more jobs; those that run there stay.

        Parameters
        ----------
        machine
            Its name, such as `c2/17`.

        Returns
        -------
        list of Placement
            The waiting jobs that start elsewhere, as they have their place nowhere else now.

        Raises
        ------
        ValueError
            For an unknown machine.
        """
        homeless = self._set_draining(self._machine(machine), True)
        return (self._serve_all() if homeless else []) + self._keep_machines()

    def undrain(self, machine: str) -> list[Placement]:
        """Let a machine start jobs again.

        Parameters
        ----------
        machine
            Its name.

        Returns
        -------
        list of Placement
            The waiting jobs that start there.

        Raises
        ------
        ValueError
            For an unknown machine.
        """
        found = self._machine(machine)
        self._set_draining(found, False)
        return self._serve(found) + self._keep_machines()

    def _set_draining(self, machine: _Machine, draining: bool) -> bool:
        """Whether a waiting job has become stray."""
        if machine.draining == draining:
            return False
        machine.draining = draining
        kept = machine.keeps
        if kept is not None:
            self._release(kept)
        self._cluster.set_open(machine)
        changed = self._cluster.count_size(machine, -1 if draining else 1)
        return (changed or kept is not None) and self._line.sort(list(self._line))

    def leave(self, machine: str) -> Left:
        """Take a machine out. The jobs that run there have to start again.

        Each of them starts elsewhere as if it arrived now, or goes to the head of the line, in
        order of arrival.

        Parameters
        ----------
        machine
            Its name.

        Returns
        -------
        Left
            These jobs, and where they start.

        Raises
        ------
        ValueError
            For an unknown machine.
        """
        found = self._machine(machine)
        jobs = sorted(found.jobs.values(), key=lambda job: job.number)
        homeless = self._set_draining(found, True)
        self._cluster.leave(found)
        started, back = [], []
        for job in jobs:
            found.end(job)
            place = self._place(job)
            if place is None:
                back.append(job)
            else:
                self._cluster.changed(place)
                started.append(_placement(job, place))
        if back:
            first = min((job.rank for job in self._line), default=0)
            for rank, job in enumerate(back, start=min(first, 0) - len(back)):
                job.rank, job.since, job.stray = rank, self._now, self._line.is_stray(job)
            self._line.sort([*back, *self._line])
        if homeless:
            started += self._serve_all()
        started += self._keep_machines()
        return Left([job.name for job in jobs], started)

    def follow(self, guidance: Mapping[str, Any] | _Documented) -> list[Placement]:
        """Follow another plan from now on. Running jobs stay.

        Machines are given its bins in order of their numbers, those that drain last. Then every
        machine, in order, starts waiting jobs.

        Parameters
        ----------
        guidance
            As for the class; with the same resources, and the classes and configurations that are
            in use.

        Returns
        -------
        list of Placement
            The waiting jobs that start now.

        Raises
        ------
        ValueError
            If `guidance` is no such document. Then nothing has changed.
        """
        plan = self._checked_plan(guidance)
        self._check_guard(plan)
        self._need_same(plan)
        machines = [
            machine
            for machine in self._cluster
            if self._plan.configurations[machine.configuration] in plan.number_of_configuration
        ]
        old, names = self._plan, self._plan.configurations
        waiting = list(self._line)
        for job in self._jobs.values():
            job.job_class = plan.number_of_class[old.classes[job.job_class]]
            job.demand = plan.in_units(job.given)
        for machine in machines:
            machine.configuration = plan.number_of_configuration[names[machine.configuration]]
            if machine.own is None:
                machine.capacity = plan.capacity[machine.configuration]
            else:
                machine.capacity = plan.capacity_in_units(machine.own)
        for job in waiting:
            self._keep_if_it_can(job, plan, machines)
        next_number = dict(zip(names, self._next_number, strict=True))
        self._next_number = [next_number.get(name, 0) for name in plan.configurations]
        _give_bins(plan, machines)
        self._set_up(plan, machines, waiting)
        return self._serve_all() + self._keep_machines()

    def _keep_if_it_can(self, job: _Job, plan: _Plan, machines: list[_Machine]) -> None:
        """Keep a machine for a job no longer that is gone, or too small under another plan."""
        kept = job.kept
        if kept is None or (
            kept in machines
            and plan.runs[job.job_class][kept.configuration]
            and _fits(job.demand, kept.capacity)
        ):
            return
        kept.keeps, job.kept = None, None
        self._kept -= 1

    def _checked_plan(self, guidance: Mapping[str, Any] | _Documented) -> _Plan:
        """The plan of a document, and with bid prices its tables."""
        if isinstance(guidance, _Documented):
            guidance = guidance.document()
        try:
            plan = _Plan(guidance)
            if self._policy == "bid-price":
                plan.need_prices()
                self._worth_of(plan)
        except _WRONG as error:
            raise ValueError(f"guidance: {type(error).__name__} at {error}") from None
        return plan

    def _check_guard(self, plan: _Plan) -> None:
        if self._keep_after is None:
            return
        if self._sample is not None:
            raise ValueError("keep_after and sample exclude one another")
        least = mean_duration(plan.arrivals, plan.mean_time)
        if not (_is_number(self._keep_after) and least <= self._keep_after < math.inf):
            raise ValueError(
                f"keep_after: need at least the jobs' mean duration, {least:.6g} "
                f"{plan.time_unit}, got {self._keep_after}"
            )

    def _need_same(self, plan: _Plan) -> None:
        if plan.resources != self._plan.resources:
            raise ValueError(f"the guidance is for other resources: {', '.join(plan.resources)}")
        for job in self._jobs.values():
            name = self._plan.classes[job.job_class]
            if name not in plan.number_of_class:
                raise ValueError(f"the guidance has no class {name!r}, and job {job.name!r} is one")
        for machine in self._cluster:
            name = self._plan.configurations[machine.configuration]
            if name not in plan.number_of_configuration and machine.jobs:
                raise ValueError(
                    f"the guidance has no configuration {name!r}, and machine {machine.name} runs "
                    f"{_count(len(machine.jobs), 'job')}: drain it first or use leave()"
                )

    def state(self) -> dict[str, Any]:
        """Return all that `restore` needs, for a JSON file.

        Returns
        -------
        dict
            A `slotwise/dispatcher-state/1` document.
        """
        plan = self._plan
        return {
            "format": STATE,
            "guidance": plan.fingerprint(),
            "policy": self._policy,
            "sample": self._sample,
            "seed": self._seed,
            "keep_after": self._keep_after,
            "now": self._now if self._now > -math.inf else None,
            "arrived": self._arrived,
            "next_machine": dict(zip(plan.configurations, self._next_number, strict=True)),
            "machines": [
                {
                    "configuration": plan.configurations[machine.configuration],
                    "number": machine.number,
                    "bin": machine.bin_number,
                    "draining": machine.draining,
                    "capacity": machine.own,
                    "jobs": [self._job_state(job) for job in machine.jobs.values()],
                }
                for machine in self._cluster
            ],
            "waiting": [self._job_state(job) for job in self._line],
        }

    def _job_state(self, job: _Job) -> dict[str, Any]:
        return {
            "job": job.name,
            "class": self._plan.classes[job.job_class],
            "demand": job.given,
            "number": job.number,
            **({} if job.queue is None or self._keep_after is None else self._age(job)),
        }

    def _age(self, job: _Job) -> dict[str, Any]:
        return {"since": job.since, "kept": None if job.kept is None else job.kept.name}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state that was saved.

        Decisions from there on are the same as if nothing had happened in between.

        Parameters
        ----------
        state
            What `state` returned, of a dispatcher with the same guidance and options.

        Raises
        ------
        ValueError
            If it is no such state. Then nothing has changed.
        """
        if not isinstance(state, Mapping) or state.get("format") != STATE:
            raise ValueError(f"need a {STATE} document")
        before = dict(vars(self))
        try:
            self._need_own(state)
            self._restore(state)
        except _WRONG as error:
            vars(self).update(before)
            raise ValueError(f"state: {type(error).__name__} at {error}") from None
        except ValueError:
            vars(self).update(before)
            raise

    def _need_own(self, state: Mapping[str, Any]) -> None:
        """Raise `ValueError` for a state of other guidance or options."""
        if state["guidance"] != self._plan.fingerprint():
            raise ValueError("the state was saved under other guidance")
        for option in ("policy", "sample", "seed", "keep_after"):
            if state[option] != getattr(self, f"_{option}"):
                raise ValueError(
                    f"the state was saved with {option} {state[option]!r}, this dispatcher has "
                    f"{getattr(self, f'_{option}')!r}"
                )

    def _restore(self, state: Mapping[str, Any]) -> None:
        plan, jobs = self._plan, dict[str, _Job]()

        def job_of(entry: Mapping[str, Any]) -> _Job:
            name = entry["job"]
            if name in jobs:
                raise ValueError(f"state: job {name!r} is there twice")
            job = self._new_job(f"state: job {name!r}", name, entry["class"], entry["demand"])
            job.number = _whole(f"job {name!r}", entry["number"])
            jobs[name] = job
            return job

        number_of = [_whole("next_machine", state["next_machine"][n]) for n in plan.configurations]
        by_name: dict[str, _Machine] = {}
        for entry in state["machines"]:
            machine = self._machine_of(entry, number_of)
            if machine.name in by_name:
                raise ValueError(f"state: machine {machine.name} is there twice")
            by_name[machine.name] = machine
            for running in entry["jobs"]:
                job = job_of(running)
                machine.jobs[job.name] = job
                job.machine = machine
            machine.count()  # above its capacity if another plan has made it smaller
        waiting = [job_of(entry) for entry in state["waiting"]]
        now, kept = -math.inf if state["now"] is None else float(state["now"]), 0
        for place, (job, entry) in enumerate(zip(waiting, state["waiting"], strict=True)):
            job.rank = place - len(waiting)  # before all that arrive
            job.since = float(entry.get("since", -math.inf))
            if not job.since <= now < math.inf:
                raise ValueError(f"state: job {job.name!r} waits since {job.since}, it is {now}")
            if entry.get("kept") is not None:
                job.kept = by_name[entry["kept"]]
                if job.kept.keeps is not None:
                    raise ValueError(f"state: machine {job.kept.name} is kept twice")
                job.kept.keeps = job
                kept += 1
        arrived = _whole("arrived", state["arrived"])
        self._arrived, self._now, self._kept = arrived, now, kept
        self._next_number, self._jobs = number_of, jobs
        self._set_up(plan, list(by_name.values()), waiting)

    def _machine_of(self, entry: Mapping[str, Any], number_of: list[int]) -> _Machine:
        """A machine of a state, without its jobs."""
        plan, where = self._plan, "state: machine"
        j = self._known(plan.number_of_configuration, "configuration", entry["configuration"])
        number = _whole(f"{where} of {entry['configuration']}", entry["number"])
        where += f" {entry['configuration']}/{number}"
        if number >= number_of[j]:
            raise ValueError(f"{where}: the next one is {number_of[j]}")
        if entry["bin"] is not None and entry["bin"] not in plan.bins_of[j]:
            raise ValueError(f"{where}: the plan has no bin {entry['bin']!r} there")
        own = None if entry["capacity"] is None else self._amounts(where, entry["capacity"])
        machine = _new_machine(plan, j, number, entry["bin"], own)
        machine.draining = bool(entry["draining"])
        return machine

    def explain(self, job: str, demand: Mapping[str, float] | None = None) -> Reason:
        """Say why a job starts on a machine, or waits.

        Parameters
        ----------
        job
            Name of a job that is there; or, with `demand`, of the class of a job that would arrive
            now.
        demand
            What this job would need, by resource.

        Returns
        -------
        Reason
            The reason. For a job that runs it is kept from its start if the dispatcher was made
            with `reasons`.

        Raises
        ------
        ValueError
            For an unknown job or class, and a wrong demand.
        """
        if demand is not None:
            arriving = self._new_job(f"job of class {job!r}", job, job, demand)
            self._need_machine(arriving)
            return self._explained(arriving, _uniform_of(self._seed, arriving.number))
        found = self._job(job)
        if found.machine is None:
            return self._why_it_waits(found)
        if found.reason is None:
            name = found.machine.name
            return Reason(f"{job} runs on {name}; reasons=True keeps the reasons", name)
        return found.reason

    # Below: looking things up, and checks.

    def _job(self, name: str) -> _Job:
        if not isinstance(name, str) or name not in self._jobs:
            raise ValueError(f"job {name!r} is not there")
        return self._jobs[name]

    def _machine(self, name: str) -> _Machine:
        if not isinstance(name, str) or name not in self._cluster.by_name:
            raise ValueError(f"unknown machine {name}")
        return self._cluster.by_name[name]

    def _known(self, numbers: Mapping[str, int], kind: str, name: str) -> int:
        if not isinstance(name, str) or name not in numbers:
            raise ValueError(f"unknown {kind} {name!r}")
        return numbers[name]

    def _new_job(self, where: str, name: str, job_class: str, demand: Mapping[str, float]) -> _Job:
        if not isinstance(name, str):
            raise ValueError(f"{where}: need a name")
        try:
            k = self._known(self._plan.number_of_class, "class", job_class)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        given = self._amounts(where, demand, "demand of ")
        if not any(given.values()):
            raise ValueError(f"{where}: demands nothing")
        number = self._arrived
        return _Job(name, k, given, self._plan.in_units(given), number, number)

    def _amounts(self, where: str, amounts: Mapping[str, float], of: str = "") -> dict[str, float]:
        if not isinstance(amounts, Mapping):
            raise ValueError(f"{where}: need amounts by resource, got {amounts!r}")
        checked = {}
        for resource, amount in amounts.items():
            if resource not in self._plan.resources:
                raise ValueError(f"{where}: unknown resource {resource!r}")
            try:
                checked[resource] = float(amount)
            except (TypeError, ValueError, OverflowError):
                checked[resource] = math.nan
            if not 0 <= checked[resource] < math.inf:
                raise ValueError(f"{where}: {of}{resource} is {amount}: need a finite number >= 0")
        return checked

    def _need_machine(self, job: _Job) -> None:
        """Refuse a job that would wait for ever."""
        runs = self._plan.runs[job.job_class]
        if self._cluster.holds(job.demand, runs):
            return
        if any(
            runs[machine.configuration] and _fits(job.demand, machine.capacity)
            for machine in self._cluster
        ):
            raise ValueError(f"job {job.name!r} fits only on machines that are draining")
        name = self._plan.classes[job.job_class]
        raise ValueError(f"job {job.name!r} fits no machine that can run class {name!r}")

    def _explained(self, job: _Job, draw: float) -> Reason:
        reason = self._rule.why(job, draw)
        if reason.machine is None:
            return self._why_it_waits(job)
        text = f"{self._plan.classes[job.job_class]} on {reason.machine}: {reason.text}"
        return Reason(text, reason.machine, reason.room, reason.others)

    def _why_it_waits(self, job: _Job) -> Reason:
        plan, cluster = self._plan, self._cluster
        runs = plan.runs[job.job_class]
        able = [machine for machine in cluster if runs[machine.configuration]]
        room = cluster.with_room(job.demand, runs)
        draining = sum(machine.draining for machine in able)
        before = sum(other.rank < job.rank for other in self._line)
        name = plan.classes[job.job_class]
        if room:
            places = sorted({machine.configuration for machine in room})
            where = ", ".join(plan.configurations[j] for j in places)
            first = f"{_count(len(room), 'machine')} with room, of {where}: not for its class"
        else:
            first = f"none of {_count(len(able), 'machine')} that can run it has room"
        text = f"{name} waits: {first}"
        if job.kept is not None:
            text += f"; {job.kept.name} is kept for it"
        if draining:
            text += f"; {_count(draining, 'machine')} draining"
        if before:
            text += f"; {_count(before, 'job')} before it"
        return Reason(text, None, len(room))


def _placement(job: _Job, machine: _Machine) -> Placement:
    # A name is configuration/number.
    return Placement(job.name, machine.name.rpartition("/")[0], machine.number)


def _new_machine(
    plan: _Plan,
    j: int,
    number: int,
    bin_number: int | None,
    own: dict[str, float] | None = None,
) -> _Machine:
    machine = _Machine(
        configuration=j,
        number=number,
        name=f"{plan.configurations[j]}/{number}",
        capacity=plan.capacity[j] if own is None else plan.capacity_in_units(own),
        own=own,
        bin_number=bin_number,
        bin=(0,) * len(plan.classes) if bin_number is None else plan.bins[bin_number],
    )
    machine.count()
    return machine


def _give_bins(plan: _Plan, machines: Iterable[_Machine]) -> None:
    """Give the machines of each configuration its bins, in order, those that drain last."""
    left = [iter(bins) for bins in plan.bins_of]
    for machine in sorted(machines, key=lambda m: (m.draining, m.number)):
        machine.bin_number = next(left[machine.configuration], None)
        none = (0,) * len(plan.classes)
        machine.bin = none if machine.bin_number is None else plan.bins[machine.bin_number]
        machine.count()
