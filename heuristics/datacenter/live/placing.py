"""What a dispatcher knows and is told: costs, reasons, and starts decided elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..classifier import named_class, nearest_class
from .answers import Placement, Reason
from .checks import checked_amounts, checked_labels, new_job
from .machine import Job, Machine
from .plan import Units, fits
from .scheduler import Scheduler
from .state import job_entry


class Placing:
    """Verbs that start nothing by the policy, and what all verbs check."""

    _scheduler: Scheduler

    def score(
        self,
        job: str,
        demand: Mapping[str, float] | None = None,
        *,
        machines: Iterable[str] | None = None,
    ) -> dict[str, float]:
        """Say what a start would cost on each machine; nothing changes.

        Costs of one call are comparable, less is better: the worth of the room less the bonus, as
        a price, for `bid-price`, what is free for `best-fit`, jobs that run less those in the bin
        for `lotes`.

        Parameters
        ----------
        job
            Name of a job that waits; or, with `demand`, of the class of a job that would arrive.
        demand
            What this job would need, by resource.
        machines
            Names of the machines in question; None for all.

        Returns
        -------
        dict of str to float
            The cost by name of machine, of those that have room and may start the job. The policy
            may choose among fewer: `lotes` draws a configuration first, `bid-price` starts a job
            where its class belongs.
        """
        scheduler = self._scheduler
        if demand is not None:
            asked = new_job(scheduler.plan, 0, f"job of class {job!r}", job, job, demand)
        else:
            asked = self._job(job)
            if asked.machine is not None:
                raise ValueError(f"job {job!r} runs on {asked.machine.name}")
        room = scheduler.cluster.with_room(asked.demand, scheduler.plan.runs[asked.job_class])
        if machines is not None:
            if isinstance(machines, str) or not isinstance(machines, Iterable):
                raise ValueError(f"machines: need names, got {machines!r}")
            wanted = {self._machine(name).name for name in machines}
            room = [machine for machine in room if machine.name in wanted]
        rule = scheduler.rule
        return {machine.name: rule.score(asked, machine) * rule.unit for machine in room}

    def place(
        self,
        job: str,
        machine: str,
        job_class: str | None = None,
        demand: Mapping[str, float] | None = None,
    ) -> list[Placement]:
        """Take note that another program has started a job.

        Parameters
        ----------
        job
            Its name: of a job that waits, or of a new one.
        machine
            Name of the machine. It must have room; it may drain.
        job_class
            Name of the class of a new job.
        demand
            What a new job needs, by resource.

        Returns
        -------
        list of Placement
            Empty: no waiting job starts for that.
        """
        waits = isinstance(job, str) and job in self._scheduler.jobs
        if waits and (job_class is not None or demand is not None):
            raise ValueError(f"job {job!r} is there already")
        if not waits and (job_class is None or demand is None):
            raise ValueError(f"job {job!r} is not there: a new job needs its class and demand")
        return self._bind([(job, machine, job_class, demand)])

    def adopt(self, jobs: Mapping[str, tuple[str, str, Mapping[str, float]]]) -> list[Placement]:
        """Take over jobs that run already, all of them or, after a `ValueError`, none.

        Parameters
        ----------
        jobs
            By name of the job: names of its machine and its class, and what it needs by resource.

        Returns
        -------
        list of Placement
            Empty: no waiting job starts for that.
        """
        if not isinstance(jobs, Mapping):
            raise ValueError(f"jobs: need machine, class and demand by name, got {jobs!r}")
        for name, entry in jobs.items():
            if not (isinstance(entry, Sequence) and len(entry) == 3):
                raise ValueError(f"job {name!r}: need machine, class and demand, got {entry!r}")
            if isinstance(name, str) and name in self._scheduler.jobs:
                raise ValueError(f"job {name!r} is there already")
        return self._bind([(name, *entry) for name, entry in jobs.items()])

    def named(self, labels: Mapping[str, str]) -> str | None:
        """Say which class labels name: `slotwise.dev/class`, else the plan's first rule.

        Parameters
        ----------
        labels
            Values by name.

        Returns
        -------
        str or None
            Name of the class, None if they name none that can run on a machine.
        """
        plan, cluster = self._scheduler.plan, self._scheduler.cluster

        def is_able(k: int) -> bool:
            return any(plan.runs[k][machine.configuration] for machine in cluster)

        k = named_class(plan, checked_labels(labels), is_able)
        return None if k is None else plan.classes[k]

    def classify(
        self,
        demand: Mapping[str, float],
        labels: Mapping[str, str] | None = None,
        *,
        job: str = "request",
    ) -> str:
        """Say which class a request belongs to that names none.

        It is the class that its `labels` name, as in `named`. Otherwise, of the classes that run on
        a machine that could hold the request, it is the nearest by Euclidean distance between
        demands; of equals the first. The distance is in the plan's metric, that in which its
        classes were made; without one each demand counts in parts of the largest machine.

        Parameters
        ----------
        demand
            What the job needs, by resource.
        labels
            Its labels, value by name.
        job
            What a refusal calls it.

        Returns
        -------
        str
            Name of the class.
        """
        plan, cluster = self._scheduler.plan, self._scheduler.cluster
        given = checked_amounts(plan, job, demand)
        if not any(given.values()):
            raise ValueError(f"{job}: demands nothing")
        named = None if labels is None else self.named(labels)
        if named is not None:
            return named
        units = plan.in_units(given)
        k = nearest_class(plan, units, [cluster.holds(units, runs) for runs in plan.runs])
        if k is None:
            amounts = ", ".join(f"{name} {amount:g}" for name, amount in given.items())
            raise ValueError(f"{job}: {amounts}: larger than any machine that may start jobs")
        return plan.classes[k]

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
        """
        scheduler = self._scheduler
        if demand is not None:
            return scheduler.why(self._new_job(f"job of class {job!r}", job, job, demand))
        known = self._job(job)
        if known.machine is None:
            return scheduler.why_it_waits(known)
        if known.reason is None:
            name = known.machine.name
            return Reason(f"{job} runs on {name}; reasons=True keeps the reasons", name)
        return known.reason

    def where(self, job: str) -> tuple[str | None, str]:
        """Say where a job is.

        Parameters
        ----------
        job
            Its name.

        Returns
        -------
        tuple of str or None, and str
            Names of the machine where it runs, None if it waits, and of its class.
        """
        asked = self._job(job)
        machine = None if asked.machine is None else asked.machine.name
        return machine, self._scheduler.plan.classes[asked.job_class]

    def entry(self, job: str) -> dict[str, Any]:
        """Return what `state` has of a job, for a program that keeps it job by job.

        Parameters
        ----------
        job
            Its name.

        Returns
        -------
        dict
            Its entry, with `machine`, the name of the machine where it runs, None if it waits, and
            `rank`, by which those that wait are in order.
        """
        asked = self._job(job)
        machine = None if asked.machine is None else asked.machine.name
        return {**job_entry(self._scheduler, asked), "machine": machine, "rank": asked.rank}

    def _bind(
        self, starts: Iterable[tuple[str, str, str | None, Mapping[str, float] | None]]
    ) -> list[Placement]:
        """Start jobs elsewhere decided: names of job, machine and class, and the demand."""
        scheduler = self._scheduler
        plan, left, pairs = scheduler.plan, dict[str, Units](), list[tuple[Job, Machine]]()
        for name, at, job_class, demand in starts:
            if job_class is None or demand is None:
                job = self._job(name)
                if job.machine is not None:
                    raise ValueError(f"job {name!r} runs on {job.machine.name}")
            else:
                number = scheduler.arrived + len(pairs)
                job = new_job(plan, number, f"job {name!r}", name, job_class, demand)
            machine = self._machine(at)
            if not plan.runs[job.job_class][machine.configuration]:
                raise ValueError(f"job {name!r}: its class cannot run on {at}")
            free = left.get(at, machine.free)
            if not fits(job.demand, free):
                raise ValueError(f"job {name!r}: {at} has no room for it")
            left[at] = tuple(x - need for x, need in zip(free, job.demand, strict=True))
            pairs.append((job, machine))
        scheduler.bind(pairs)
        return []

    def _job(self, name: str) -> Job:
        if not isinstance(name, str) or name not in self._scheduler.jobs:
            raise ValueError(f"job {name!r} is not there")
        return self._scheduler.jobs[name]

    def _machine(self, name: str) -> Machine:
        by_name = self._scheduler.cluster.by_name
        if not isinstance(name, str) or name not in by_name:
            raise ValueError(f"unknown machine {name}")
        return by_name[name]

    def _new_job(self, where: str, name: str, job_class: str, demand: Mapping[str, float]) -> Job:
        """A job that arrives; one that would wait for ever is refused."""
        plan, cluster = self._scheduler.plan, self._scheduler.cluster
        job = new_job(plan, self._scheduler.arrived, where, name, job_class, demand)
        runs = plan.runs[job.job_class]
        if cluster.holds(job.demand, runs):
            return job
        if any(runs[m.configuration] and fits(job.demand, m.capacity) for m in cluster):
            raise ValueError(f"job {name!r} fits only on machines that are draining")
        raise ValueError(f"job {name!r} fits no machine that can run class {job_class!r}")
