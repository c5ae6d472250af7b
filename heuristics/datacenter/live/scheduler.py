"""Starts and ends of jobs under one plan: machines, waiting jobs and the rule at work."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..splitmix import uniform
from .answers import Joined, Left, Placement, Reason, counted
from .best_fit import BestFit
from .bid_price import BidPrice
from .cluster import Cluster
from .lotes import Lotes
from .machine import Job, Machine, machine_name, new_machine
from .plan import Plan
from .queues import Line
from .rule import Options, Rule

RULES: dict[str, tuple[type[Rule], Callable[[Plan], list[list[bool]]]]] = {
    "lotes": (Lotes, lambda plan: plan.planned),
    "lotes-unrestricted": (Lotes, lambda plan: plan.runs),
    "best-fit": (BestFit, lambda plan: plan.runs),
    "bid-price": (BidPrice, lambda plan: plan.belongs),
}
"""The rule of each policy, and where jobs of a class start when others wait, shape (K, M)."""


class Scheduler:
    """Machines and jobs under a plan, which may change.

    A job starts when it arrives, or when a machine has changed.
    """

    def __init__(
        self,
        options: Options,
        plan: Plan,
        machines: Iterable[Machine],
        waiting: Iterable[Job],
        next_number: list[int],
    ) -> None:
        self.options = options
        self.next_number = next_number
        """Of each configuration: the number of the next machine that joins."""
        self.arrived = 0
        """How many jobs have arrived so far."""
        self.jobs: dict[str, Job] = {}
        """Those that run or wait, by name."""
        self._lay_out(plan, machines, waiting)

    def _lay_out(self, plan: Plan, machines: Iterable[Machine], waiting: Iterable[Job]) -> None:
        """Make the arrays of machines, the queues and the rule."""
        self.plan, self.cluster = plan, Cluster(plan, machines)
        rule, homes = RULES[self.options.policy]
        self.line = Line(self.cluster, homes(plan), waiting)
        self.rule = rule(self.cluster, self.line, self.options)
        if self.options.reasons:
            self.line.watch = self._note_turn

    def arrive(self, job: Job, draw: float | None) -> Machine | None:
        self.arrived += 1
        self.jobs[job.name] = job
        machine = self._place(job, draw)
        if machine is None:
            self.line.append(job)
        return machine

    def _place(self, job: Job, draw: float | None = None) -> Machine | None:
        """Start a job that does not wait yet, if there is room."""
        number = uniform(self.options.seed, job.number) if draw is None else draw
        if self.options.reasons:
            job.reason = self.rule.why(job, number)
            at = None if job.reason is None else job.reason.machine
            machine = None if at is None else self.cluster.by_name[at]
        else:
            machine = self.rule.choose(job, number)
        if machine is not None:
            machine.start(job)
            self.cluster.changed(machine)
        return machine

    def end(self, job: Job) -> list[Placement]:
        del self.jobs[job.name]
        machine = job.machine
        if machine is not None:
            machine.end(job)
            return self._serve(machine)
        self.line.remove(job)
        return []

    def _serve(self, machine: Machine) -> list[Placement]:
        """Let a machine that has changed start waiting jobs."""
        serves = self.line.length and not machine.draining
        jobs = self.rule.serve(machine) if serves else []
        self.cluster.changed(machine)
        return [machine.placement(job) for job in jobs]

    def _serve_all(self) -> list[Placement]:
        """Let every machine, in order, start waiting jobs."""
        started = []
        for machine in list(self.cluster):
            if self.line.length:
                started += self._serve(machine)
        return started

    def bind(self, starts: Iterable[tuple[Job, Machine]]) -> None:
        """Start jobs, new or waiting, where somebody else has decided; there is room."""
        for job, machine in starts:
            if job.waits:
                self.line.remove(job)
            else:
                self.arrived += 1
                self.jobs[job.name] = job
            machine.start(job)
            self.cluster.changed(machine)
            if self.options.reasons:
                text = "another program has decided"
                job.reason = self.rule.reason(job, machine, text, 0, ())

    def join(self, j: int, own: dict[str, float] | None, name: str | None) -> Joined:
        """Add a machine of configuration j, perhaps with a capacity or a name of its own."""
        number = self.next_number[j]
        while name is None and machine_name(self.plan, j, number) in self.cluster.by_name:
            number += 1
        machine = new_machine(self.plan, j, number, self.cluster.vacant_bin(j), own, name)
        self.next_number[j] = number + 1
        self.cluster.join(machine)
        if self.cluster.count_size(machine, 1):
            self.line.sort(self.line)
        return Joined(machine.name, self._serve(machine))

    def drain(self, machine: Machine) -> list[Placement]:
        homeless = self._set_draining(machine, True)
        return self._serve_all() if homeless else []

    def undrain(self, machine: Machine) -> list[Placement]:
        self._set_draining(machine, False)
        return self._serve(machine)

    def _set_draining(self, machine: Machine, draining: bool) -> bool:
        """Whether waiting jobs may start elsewhere: one is stray now, or looked at this machine."""
        if machine.draining == draining:
            return False
        machine.draining = draining
        self.cluster.changed(machine)
        changed = self.cluster.count_size(machine, -1 if draining else 1)
        homeless = changed and self.line.sort(self.line)
        return homeless or self.options.sample is not None

    def leave(self, machine: Machine) -> Left:
        """Take a machine out; its jobs start elsewhere or go to the head of the line."""
        jobs = sorted(machine.jobs.values(), key=lambda job: job.number)
        homeless = self._set_draining(machine, True)
        self.cluster.leave(machine)
        started, back = [], []
        for job in jobs:
            machine.end(job)
            place = self._place(job)
            if place is None:
                back.append(job)
            else:
                started.append(place.placement(job))
        if back:
            first = min((job.rank for job in self.line), default=0)
            for rank, job in enumerate(back, start=min(first, 0) - len(back)):
                job.rank, job.stray = rank, self.line.is_stray(job)
            self.line.sort([*back, *self.line])
        if homeless:
            started += self._serve_all()
        return Left([job.name for job in jobs], started)

    def check_same(self, plan: Plan) -> None:
        """Refuse a plan that lacks what is in use."""
        own, cluster = self.plan, self.cluster
        if plan.resources != own.resources:
            raise ValueError(f"the guidance is for other resources: {', '.join(plan.resources)}")
        gone = [name not in plan.number_of_class for name in own.classes]
        for job in self.jobs.values() if any(gone) else ():
            if gone[job.job_class]:
                name = own.classes[job.job_class]
                raise ValueError(f"the guidance has no class {name!r}, and job {job.name!r} is one")
        for machine in cluster:
            name = own.configurations[machine.configuration]
            if name not in plan.number_of_configuration and machine.jobs:
                raise ValueError(
                    f"the guidance has no configuration {name!r}, and machine {machine.name} runs "
                    f"{counted(len(machine.jobs), 'job')}: drain it first or use leave()"
                )

    def follow(self, plan: Plan) -> list[Placement]:
        """Go on under another plan, which has all that is in use."""
        old, there, waiting = self.plan, plan.number_of_configuration, list(self.line)
        alike = (plan.classes, plan.unit) == (old.classes, old.unit)
        for job in () if alike else self.jobs.values():
            job.job_class = plan.number_of_class[old.classes[job.job_class]]
            job.demand = plan.in_units(job.given)
        machines = [m for m in self.cluster if old.configurations[m.configuration] in there]
        bins = [iter(numbers) for numbers in plan.bins_of]
        for machine in sorted(machines, key=lambda m: (m.draining, m.number)):
            j = machine.configuration = there[old.configurations[machine.configuration]]
            own, before = machine.own, machine.capacity
            machine.capacity = plan.capacity[j] if own is None else plan.capacity_in_units(own)
            machine.bin_number = next(bins[j], None)
            machine.bin = plan.bin(machine.bin_number)
            if not alike or machine.capacity != before:
                machine.count()
        next_number = dict(zip(old.configurations, self.next_number, strict=True))
        self.next_number = [next_number.get(name, 0) for name in plan.configurations]
        self._lay_out(plan, machines, waiting)
        return self._serve_all()

    def why(self, job: Job, draw: float | None = None) -> Reason:
        """Why a job that does not wait yet would start on a machine, or wait."""
        number = uniform(self.options.seed, job.number) if draw is None else draw
        return self.rule.why(job, number) or self.why_it_waits(job)

    def why_it_waits(self, job: Job) -> Reason:
        plan, cluster = self.plan, self.cluster
        runs = plan.runs[job.job_class]
        able = [machine for machine in cluster if runs[machine.configuration]]
        room = cluster.with_room(job.demand, runs)
        draining = sum(machine.draining for machine in able)
        before = sum(other.rank < job.rank for other in self.line)
        text = f"{plan.classes[job.job_class]} waits: "
        if room:
            places = sorted({machine.configuration for machine in room})
            where = ", ".join(plan.configurations[j] for j in places)
            why = "not for its class" if self.options.sample is None else "not looked at"
            text += f"{counted(len(room), 'machine')} with room, of {where}: {why}"
        else:
            text += f"none of {counted(len(able), 'machine')} that can run it has room"
        if draining:
            text += f"; {counted(draining, 'machine')} draining"
        if before:
            text += f"; {counted(before, 'job')} before it"
        return Reason(text, None, len(room))

    def _note_turn(self, job: Job, machine: Machine) -> None:
        turn, name = self.rule.turn(job, machine), machine.name
        text = f"it waited until {name} had room, and {turn}"
        job.reason = self.rule.reason(job, machine, text, 1, ())
