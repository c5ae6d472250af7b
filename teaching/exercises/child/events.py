"""Runs a dispatching rule on the jobs of a small datacenter and writes down what it starts.

Nothing is refused here: what does not fit is judged afterwards, from the record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import Any

ROUNDING = 1e-9


class Job:
    """What a rule sees of a job, as `slotwise.Policy` does.

    `number`: its place in the order of arrival.
    `row`: its class, arrival and duration.
    `demand`: what it needs of each resource.
    """

    def __init__(self, number: int, row: dict[str, Any], demand: dict[str, float]) -> None:
        self.number, self.job_class = number, row["class"]
        self.arrival, self.duration = row["arrival"], row["duration"]
        self.demand = dict(demand)
        self.machine: Machine | None = None
        self.start: float | None = None

    def __repr__(self) -> str:
        return f"job {self.number} of class {self.job_class!r}"


class Machine:
    """What a rule sees of a machine, as `slotwise.Policy` does.

    `row`: name and capacity of its configuration.
    """

    def __init__(self, number: int, row: dict[str, Any]) -> None:
        self.number, self.configuration = number, row["name"]
        self.capacity: dict[str, float] = dict(row["capacity"])
        self.running: list[Job] = []

    @property
    def free(self) -> dict[str, float]:
        """What it has free of each resource now."""
        return {
            name: amount - sum(job.demand.get(name, 0) for job in self.running)
            for name, amount in self.capacity.items()
        }

    def can_run(self, job: Job) -> bool:
        """Whether it could run the job if it were empty."""
        return _fits(job.demand, self.capacity)

    def has_room(self, job: Job) -> bool:
        """Whether the job can start here now."""
        return _fits(job.demand, self.free)

    def duration_of(self, job: Job) -> float:
        return float(job.duration)

    def __repr__(self) -> str:
        return f"machine {self.number} ({self.configuration})"


class AtWork:
    """What a rule can ask and do; the class of a submission gets it beside its own methods."""

    _machines: tuple[Machine, ...] = ()
    _run: Run | None = None

    def start(self, job: Job, machine: Machine) -> None:
        assert self._run is not None
        self._run.start(job, machine)

    def with_room(self, job: Job) -> Iterator[Machine]:
        """The machines on which the job can start now, lowest number first."""
        return iter([machine for machine in self._machines if machine.has_room(job)])

    @property
    def machines(self) -> tuple[Machine, ...]:
        return self._machines

    @property
    def now(self) -> float:
        assert self._run is not None
        return self._run.now

    def begin(self) -> None:
        """Nothing to get ready, unless the rule says so."""

    def draw(self, job: Job) -> float:
        """A number in [0, 1) that depends on the job's number alone."""
        return (job.number * 0.6180339887498949) % 1.0


class Run:
    """One run: departures before arrivals at the same time, in order of arrival.

    `document`: datacenter and jobs.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        center = document["datacenter"]
        demands = {row["name"]: row["request"] for row in center["classes"]}
        rows = [row for row in center["configurations"] for _ in range(row["count"])]
        self.machines = tuple(Machine(number, row) for number, row in enumerate(rows))
        self.jobs = [
            Job(number, row, demands[row["class"]]) for number, row in enumerate(document["jobs"])
        ]
        self.now = 0.0
        self.starts: list[dict[str, Any]] = []
        self._departures: list[tuple[float, int]] = []

    def start(self, job: Job, machine: Machine) -> None:
        """Note a start, whatever it is."""
        start: dict[str, Any] = {"job": job.number, "machine": machine.number, "time": self.now}
        self.starts.append(start)
        if not _is_among(job, self.jobs):
            start["foreign"] = "job"
        elif not _is_among(machine, self.machines):
            start["foreign"] = "machine"
        elif job.machine is None:
            job.machine, job.start = machine, self.now
            machine.running.append(job)
            heappush(self._departures, (self.now + job.duration, job.number))

    def go(self, rule: Any) -> None:
        arrivals = sorted(self.jobs, key=lambda job: (job.arrival, job.number))
        rule.begin()
        while arrivals or self._departures:
            if self._departures and (not arrivals or self._departures[0][0] <= arrivals[0].arrival):
                self.now, number = heappop(self._departures)
                job = self.jobs[number]
                assert job.machine is not None
                job.machine.running.remove(job)
                rule.depart(job)
            else:
                job = arrivals.pop(0)
                self.now = float(job.arrival)
                rule.arrive(job)


def answer(name: str, function: Any, document: Any) -> list[dict[str, Any]]:
    run = Run(document)
    rule = type(name, (_Front, function, AtWork), {"_machines": run.machines, "_run": run})()
    for method in ("arrive", "depart"):
        if getattr(rule, method, None) is None:
            raise AttributeError(f"the rule has no method `{method}`")
    run.go(rule)
    return run.starts


class _Front:
    """Comes before the submission's class, so that a `slotwise.Policy` is at work here as well."""

    start, with_room, machines, now = AtWork.start, AtWork.with_room, AtWork.machines, AtWork.now
    draw = AtWork.draw


def _is_among(thing: Job | Machine, all_of_them: Sequence[Job | Machine]) -> bool:
    """Whether it is one of these; numbers are the same in every run."""
    return thing.number < len(all_of_them) and all_of_them[thing.number] is thing


def _fits(demand: dict[str, float], room: dict[str, float]) -> bool:
    return all(amount <= room.get(name, 0) + ROUNDING for name, amount in demand.items())
