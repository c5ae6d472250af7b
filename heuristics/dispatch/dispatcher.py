"""LoTES for somebody's own dispatcher: a plan in, decisions out. Plain Python, nothing to install.

    dispatcher = Dispatcher.read("guidance.json")
    place = dispatcher.arrive("job-1", "k3", {"cores": 0.07, "memory": 0.03})
    started = dispatcher.depart("job-1")

The file imports nothing but the standard library, so that it can be copied on its own. The rules
are those of `slotwise.heuristics.dispatch.policies.lotes` (docs/dispatch.md); with `sample` a job
looks at that many machines of the configuration drawn, and waits if none of them has room (LoTES,
section 5.3). Sets of machines are the bits of integers.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FIT_TOLERANCE = 1e-9
"""Jobs fit a machine if they need no more than this share above its capacity."""


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


@dataclass
class _Job:
    name: str
    job_class: str
    demand: tuple[float, ...]
    number: int
    machine: _Machine | None = None


@dataclass
class _Machine:
    """Jobs by class that it should run (`bin`) and runs (`by_class`); what it has `free`."""

    configuration: str
    number: int
    capacity: tuple[float, ...]
    bin: Mapping[str, int]
    running: dict[str, _Job] = field(default_factory=dict)
    by_class: dict[str, int] = field(default_factory=dict)
    free: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self.count_free()

    def count_free(self) -> None:
        """Add up what runs again, so that rounding errors do not add up."""
        self.free = tuple(
            c * (1 + FIT_TOLERANCE) - sum(job.demand[r] for job in self.running.values())
            for r, c in enumerate(self.capacity)
        )

    def has_room(self, demand: tuple[float, ...]) -> bool:
        return all(d <= f for d, f in zip(demand, self.free, strict=True))

    def score(self, job_class: str) -> int:
        return self.bin.get(job_class, 0) - self.by_class.get(job_class, 0)


class Dispatcher:
    """Answers arrivals and departures after a plan.

    Parameters
    ----------
    guidance
        A `slotwise/guidance/1` document with its datacenter.
    sample
        How many machines an arriving job looks at; None for all.
    unrestricted
        Whether a machine may start any class after an exit, not only those that the plan gives its
        configuration.
    seed
        Of the draws of configurations and samples.

    Raises
    ------
    ValueError
        If `guidance` is no such document, or `sample` is below 1.
    """

    def __init__(
        self,
        guidance: Mapping[str, Any],
        *,
        sample: int | None = None,
        unrestricted: bool = False,
        seed: int = 0,
    ) -> None:
        if guidance.get("format") != "slotwise/guidance/1" or "datacenter" not in guidance:
            raise ValueError("need a slotwise/guidance/1 document with its datacenter")
        if sample is not None and sample < 1:
            raise ValueError(f"sample: need at least 1 machine, got {sample}")
        data = guidance["datacenter"]
        self._resources: list[str] = data["resources"]
        self._classes: list[str] = [entry["name"] for entry in data["classes"]]
        self._configurations: list[str] = [entry["name"] for entry in data["configurations"]]
        self._runs_on = {entry["name"]: self._able(entry["mean_time"]) for entry in data["classes"]}
        self._shares: Mapping[str, Mapping[str, float]] = guidance["proportions"]
        self._planned: dict[str, set[str]] = {name: set() for name in self._classes}
        self._machines: dict[str, list[_Machine]] = {name: [] for name in self._configurations}
        capacity = {
            entry["name"]: tuple(float(entry["capacity"].get(r, 0)) for r in self._resources)
            for entry in data["configurations"]
        }
        for entry in guidance["bins"]:
            name = entry["configuration"]
            of_bin = self._machines[name]
            for _ in range(entry["machines"]):
                of_bin.append(_Machine(name, len(of_bin), capacity[name], entry["jobs"]))
            for job_class in entry["jobs"]:
                if entry["machines"] and name in self._runs_on[job_class]:
                    self._planned[job_class].add(name)
        if unrestricted:
            self._planned = self._runs_on
        self._capacity = capacity
        self._sets = {
            name: _Scores(machines, self._classes) for name, machines in self._machines.items()
        }
        self._queues: dict[str, dict[str, _Job]] = {name: {} for name in self._classes}
        self._strays: dict[str, _Job] = {}
        self._jobs: dict[str, _Job] = {}
        self._sample = sample
        self._random = random.Random(seed)
        self._arrived = 0

    @classmethod
    def read(cls, path: str | Path, **options: Any) -> Dispatcher:
        """Make a dispatcher from a guidance file, plain or gzip.

        Parameters
        ----------
        path
            The file.
        **options
            `sample`, `unrestricted` and `seed`.
        """
        content = Path(path).read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        return cls(json.loads(content), **options)

    @property
    def waiting(self) -> list[str]:
        """Names of the waiting jobs in order of arrival."""
        jobs = [job for queue in (*self._queues.values(), self._strays) for job in queue.values()]
        return [job.name for job in sorted(jobs, key=lambda job: job.number)]

    def arrive(
        self, job: str, job_class: str, demand: Mapping[str, float], *, draw: float | None = None
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

        Returns
        -------
        Placement or None
            Where the job starts now; None if it waits.

        Raises
        ------
        ValueError
            For a job that is there already, an unknown class or resource, and a job that fits no
            machine.
        """
        if job in self._jobs:
            raise ValueError(f"job {job!r} is there already")
        if job_class not in self._runs_on:
            raise ValueError(f"job {job!r}: unknown class {job_class!r}")
        for resource in demand:
            if resource not in self._resources:
                raise ValueError(f"job {job!r}: unknown resource {resource!r}")
        amounts = tuple(float(demand.get(r, 0)) for r in self._resources)
        if not any(self._could_hold(name, amounts) for name in self._runs_on[job_class]):
            raise ValueError(f"job {job!r} fits no machine that can run class {job_class!r}")
        arriving = _Job(job, job_class, amounts, self._arrived)
        self._arrived += 1
        self._jobs[job] = arriving
        machine = self._choose(arriving, self._random.random() if draw is None else draw)
        if machine is not None:
            return self._start(arriving, machine)
        if any(self._could_hold(name, amounts) for name in self._planned[job_class]):
            self._queues[job_class][job] = arriving
        else:
            self._strays[job] = arriving
        return None

    def depart(self, job: str) -> list[Placement]:
        """Take note that a job is done, or is taken back while it waits.

        Parameters
        ----------
        job
            Its name.

        Returns
        -------
        list of Placement
            The waiting jobs that start in its place.

        Raises
        ------
        ValueError
            For a job that is not there.
        """
        if job not in self._jobs:
            raise ValueError(f"job {job!r} is not there")
        leaving = self._jobs.pop(job)
        machine = leaving.machine
        if machine is None:
            self._queues[leaving.job_class].pop(job, None)
            self._strays.pop(job, None)
            return []
        del machine.running[job]
        machine.count_free()
        self._sets[machine.configuration].move(machine, leaving.job_class, -1)
        return self._serve(machine)

    def _able(self, mean_time: Any) -> set[str]:
        return set(mean_time if isinstance(mean_time, dict) else self._configurations)

    def _could_hold(self, configuration: str, demand: tuple[float, ...]) -> bool:
        capacity = self._capacity[configuration]
        return bool(self._machines[configuration]) and all(
            d <= c * (1 + FIT_TOLERANCE) for d, c in zip(demand, capacity, strict=True)
        )

    def _choose(self, job: _Job, draw: float) -> _Machine | None:
        drawn = self._drawn(job.job_class, draw)
        if self._sample is not None:
            machines = self._machines[drawn] if drawn else self._everywhere(job)
            chosen = self._random.sample(machines, min(self._sample, len(machines)))
            room = [m for m in chosen if m.has_room(job.demand)]
            return min(room, key=lambda m: (-m.score(job.job_class), m.number), default=None)
        if drawn is not None and drawn in self._runs_on[job.job_class]:
            found = self._sets[drawn].highest(job.job_class, job.demand)
            if found is not None:
                return found
        others = (
            self._sets[name].highest(job.job_class, job.demand)
            for name in self._configurations
            if name != drawn and name in self._runs_on[job.job_class]
        )
        best: _Machine | None = None
        for found in others:
            if found is not None and (
                best is None or found.score(job.job_class) > best.score(job.job_class)
            ):
                best = found
        return best

    def _everywhere(self, job: _Job) -> list[_Machine]:
        able = self._runs_on[job.job_class]
        return [m for name in self._configurations if name in able for m in self._machines[name]]

    def _drawn(self, job_class: str, draw: float) -> str | None:
        """Roulette wheel over the configurations; the last takes what rounding leaves."""
        shares = self._shares.get(job_class, {})
        total, last = 0.0, None
        for name in self._configurations:
            if shares.get(name, 0.0) > 0:
                total += shares[name]
                last = name
                if draw < total:
                    break
        return last

    def _start(self, job: _Job, machine: _Machine) -> Placement:
        job.machine = machine
        machine.running[job.name] = job
        machine.count_free()
        self._sets[machine.configuration].move(machine, job.job_class, 1)
        return Placement(job.name, machine.configuration, machine.number)

    def _serve(self, machine: _Machine) -> list[Placement]:
        started = []
        left = [
            name
            for name in self._classes
            if machine.configuration in self._planned[name] and self._queues[name]
        ]
        while left:
            name = max(left, key=machine.score)  # of equals the first
            queue = self._queues[name]
            job = next((job for job in queue.values() if machine.has_room(job.demand)), None)
            if job is None:
                left.remove(name)
                continue
            del queue[job.name]
            started.append(self._start(job, machine))
        for job in list(self._strays.values()):
            able = machine.configuration in self._runs_on[job.job_class]
            if able and machine.has_room(job.demand):
                del self._strays[job.name]
                started.append(self._start(job, machine))
        return started


class _Scores:
    """The machines of a configuration by class and score, as the bits of an integer."""

    def __init__(self, machines: list[_Machine], classes: list[str]) -> None:
        self._machines = machines
        self._by_score: dict[str, dict[int, int]] = {}
        for name in classes:
            sets: dict[int, int] = {}
            for machine in machines:
                score = machine.score(name)
                sets[score] = sets.get(score, 0) | 1 << machine.number
            self._by_score[name] = sets

    def move(self, machine: _Machine, job_class: str, started: int) -> None:
        """One job of the class more (1) or less (-1) runs on the machine."""
        bit, sets = 1 << machine.number, self._by_score[job_class]
        before = machine.score(job_class)
        sets[before] &= ~bit
        if not sets[before]:
            del sets[before]
        machine.by_class[job_class] = machine.by_class.get(job_class, 0) + started
        sets[before - started] = sets.get(before - started, 0) | bit

    def highest(self, job_class: str, demand: tuple[float, ...]) -> _Machine | None:
        """The lowest of the machines with room that have the highest score."""
        sets = self._by_score[job_class]
        for score in sorted(sets, reverse=True):
            bits = sets[score]
            while bits:
                lowest = bits & -bits
                machine = self._machines[lowest.bit_length() - 1]
                if machine.has_room(demand):
                    return machine
                bits ^= lowest
        return None
