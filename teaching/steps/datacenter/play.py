"""Arrivals and exits one after the other, and the steps that a policy makes of them."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.errors import InputError
from ....core.wording import listed, number, plural
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.workload import Workload
from ..record import Candidate, Fact, Kind, Row, Step, Steps
from .cluster import Cluster, Job, Machine

MOST_MACHINES, MOST_JOBS = 60, 400
"""More cannot be read on a page."""


@dataclass(frozen=True)
class Decision:
    """What a policy decides about a job, and why."""

    machine: Machine | None
    """Where the job starts, None if it waits."""
    rule: str
    """Name of the rule or tie rule."""
    text: str
    """Why, in sentences."""
    candidates: tuple[Candidate, ...] = ()
    chosen: int | None = None
    left_out: int = 0
    loser: int | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """`candidates`, `chosen`, `left_out`, `loser`, `facts`: as in `Step`."""


class Rule(Protocol):
    """A policy that gives reasons."""

    @property
    def cluster(self) -> Cluster:
        """Machines and waiting jobs."""

    def arrive(self, job: Job) -> Decision:
        """Where a job that arrives starts, or that it waits. It is not in the queue yet."""

    def next_for(self, machine: Machine) -> tuple[Job, Decision] | None:
        """The waiting job that a machine starts next after an exit, None if there is none."""


@dataclass(frozen=True, eq=False)
class Dispatched:
    """When and where every job of a workload started."""

    workload: Workload
    """The jobs and their datacenter."""
    policy: str
    """Name of the policy."""
    start: FloatArray
    """When each job started (`time_unit`), shape (jobs,)."""
    machine: IntArray
    """The machine where it started, shape (jobs,)."""


def check_size(datacenter: Datacenter, jobs: int) -> None:
    """Refuse what cannot be read on a page.

    Raises `InputError` for too many machines or jobs; the message says what to do.
    """
    if datacenter.machines > MOST_MACHINES:
        raise InputError(
            f"{datacenter.name}: a page follows at most {MOST_MACHINES} machines, here are "
            f"{datacenter.machines}: --scale {_part(datacenter)} takes fewer"
        )
    if jobs > MOST_JOBS:
        raise InputError(
            f"a page follows at most {MOST_JOBS} jobs, here are {jobs}: --jobs takes fewer"
        )


def _part(datacenter: Datacenter) -> str:
    """A part of the machines that can be followed."""
    part = MOST_MACHINES / 4 / datacenter.machines
    return f"{part:.1g}"


class Player:
    """A workload under a rule: events in the simulator's order, a step for every decision.

    `workload`: the jobs and their datacenter.
    `rule`: the policy.
    """

    def __init__(self, workload: Workload, rule: Rule) -> None:
        self.workload, self.rule, self.cluster = workload, rule, rule.cluster
        jobs = len(self.cluster.jobs)
        self.start: FloatArray = np.full(jobs, np.nan)
        self.machine: IntArray = np.full(jobs, -1, dtype=np.int64)
        self._ends: list[tuple[float, int]] = []
        self._steps: list[Step] = []

    def run(self) -> None:
        """Go through all events. At one time jobs leave first, in order of arrival."""
        coming = list(self.cluster.jobs)[::-1]
        while coming or self.cluster.waiting:
            if self._ends and (not coming or self._ends[0][0] <= coming[-1].arrival):
                self.cluster.now, number = heapq.heappop(self._ends)
                self._leave(self.cluster.jobs[number])
            else:
                job = coming.pop()
                self.cluster.now = job.arrival
                self._arrive(job)

    def steps(self, method: str) -> Steps:
        """What was recorded."""
        data = self.workload.datacenter
        return Steps(
            method=method,
            instance=data.name,
            lanes=tuple(machine.name for machine in self.cluster.machines),
            steps=tuple(self._steps),
            outcome=Dispatched(self.workload, method, self.start, self.machine),
            unit=data.time_unit,
            groups=data.classes,
            notes=(
                f"jobs: {self.workload.source}",
                "a bar is as long as its job will run, which the policy does not know"
                if method != "tetris"
                else "a bar is as long as its job will run",
            ),
        )

    def _arrive(self, job: Job) -> None:
        decision = self.rule.arrive(job)
        facts = self._facts(job)
        needs = self._needs(job)
        if decision.machine is None:
            self.cluster.waiting.append(job)
            facts["jobs waiting now"] = len(self.cluster.waiting)
            title = f"{job.label} arrives and waits"
            self._add("wait", title, job, decision, needs + decision.text, facts, ())
            return
        title = f"{job.label} arrives and starts on {decision.machine.name}"
        row = self._begin(job, decision.machine)
        self._add("place", title, job, decision, needs + decision.text, facts, (row,))

    def _leave(self, gone: Job) -> None:
        machine = self.cluster.machines[self.machine[gone.number]]
        machine.free = [f + d for f, d in zip(machine.free, gone.demand, strict=True)]
        machine.running[gone.job_class] -= 1
        ended = (
            f"{gone.label.capitalize()} ({self.cluster.class_of(gone)}) has ended on "
            f"{machine.name}, and {plural(len(self.cluster.waiting), 'job')} "
            f"{'waits' if len(self.cluster.waiting) == 1 else 'wait'}. "
        )
        while self.cluster.waiting and (next_start := self.rule.next_for(machine)) is not None:
            job, decision = next_start
            facts = self._facts(job) | {
                "job that ended": gone.number + 1,
                "jobs waiting": len(self.cluster.waiting),
                "has waited": self.cluster.now - job.arrival,
            }
            self.cluster.waiting.remove(job)
            row = self._begin(job, machine)
            waited = (
                f" {job.label.capitalize()} has waited {number(self.cluster.now - job.arrival)} "
                f"{self.workload.datacenter.time_unit}."
            )
            title = f"{gone.label} leaves {machine.name}: {job.label} starts"
            text = ended + decision.text + waited
            self._add("start", title, job, decision, text, facts, (row,))
            ended = f"{machine.name} looks again. "

    def _begin(self, job: Job, machine: Machine) -> Row:
        assert machine.has_room(job)
        machine.free = [f - d for f, d in zip(machine.free, job.demand, strict=True)]
        machine.running[job.job_class] += 1
        self.start[job.number], self.machine[job.number] = self.cluster.now, machine.number
        end = self.cluster.now + self.cluster.duration_on(job, machine)
        heapq.heappush(self._ends, (end, job.number))
        return Row(
            machine.number,
            self.cluster.now,
            end,
            f"#{job.number + 1}",
            job.job_class,
            job=job.label,
        )

    def _facts(self, job: Job) -> dict[str, Fact]:
        return {
            "time": self.cluster.now,
            "job": job.number + 1,
            "class": self.cluster.class_of(job),
            **self.cluster.amounts(job.demand, "needs "),
        }

    def _needs(self, job: Job) -> str:
        amounts = self.cluster.amounts(job.demand)
        parts = [f"{number(float(a or 0))} {name}" for name, a in amounts.items() if a]
        return (
            f"{job.label.capitalize()} ({self.cluster.class_of(job)}) needs {listed(parts, None)}. "
        )

    def _add(
        self,
        kind: Kind,
        title: str,
        job: Job,
        decision: Decision,
        text: str,
        facts: dict[str, Fact],
        rows: tuple[Row, ...],
    ) -> None:
        at = f"{number(self.cluster.now)} {self.workload.datacenter.time_unit}"
        self._steps.append(
            Step(
                kind=kind,
                title=f"{at}: {title}",
                rule=decision.rule,
                text=text,
                candidates=tuple(
                    candidate if i == decision.loser else replace(candidate, box=None)
                    for i, candidate in enumerate(decision.candidates)
                ),
                chosen=decision.chosen,
                loser=decision.loser,
                left_out=decision.left_out,
                facts=facts | dict(decision.facts),
                rows=rows,
                job=job.label,
            )
        )


def play(workload: Workload, rule: Rule, method: str) -> Steps:
    """Run a workload under a rule until no job waits, and say what was decided.

    Returns one step for every arrival, and for every job that starts after an exit. The outcome is
    a `Dispatched`.
    """
    player = Player(workload, rule)
    player.run()
    return player.steps(method)
