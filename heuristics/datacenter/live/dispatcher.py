"""A dispatcher for somebody's own program: a plan in, decisions out.

    dispatcher = Dispatcher.read("guidance.json")
    place = dispatcher.arrive("job-1", "k3", {"cores": 0.07, "memory": 0.03})
    started = dispatcher.depart("job-1")

The rules are those of `slotwise simulate` (docs/heuristics/dispatch.md), and so are the decisions:
amounts are counted in the same whole units.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from operator import attrgetter, index
from pathlib import Path
from typing import Any

import numpy as np

from ....core.errors import InputError
from ....instances.datacenter.guidance import Guidance
from ....instances.datacenter.rehearsal import GUIDED
from ..policy_state import BID_PRICE
from ..splitmix import uniform_of_job
from ..worth.tables import check_prices
from . import reasons as words
from .answers import Joined, Left, Placement, Reason
from .cluster import RULES, Cluster, Job, Machine, Options, fits, machine_name
from .plan import Plan, Units, followed
from .state import STATE, job_entry, jobs_of, machines_of, read_state, state_of

POLICIES = tuple(RULES)
"""The policies of a `Dispatcher`."""

CLASS_LABEL = "slotwise.dev/class"
"""Label of a request that names its class."""

MOST_SEED = 2**63 - 1


class Dispatcher:
    """Answers arrivals and departures after a plan.

    A job starts at once on one of the machines with room that the policy allows it, or waits. When
    a job ends, the machine starts waiting jobs as long as the policy finds one that fits. So no
    waiting job fits a machine where its class has its place: for `best-fit` and
    `lotes-unrestricted` any that can run it, for `lotes` one of a configuration whose bins have it,
    for `bid-price` one where it belongs by the plan's prices.
    A job that is too large for all of these may start wherever its class can run.

    Every method raises `InputError`, a `ValueError`, for names that are unknown or taken, and for
    amounts, times and documents that are none; then nothing has changed. A job that fits no machine
    is refused.

    Raises `InputError` if `guidance` is no such document, the policy is unknown, or `sample` is
    below 1.

    `guidance`: a `slotwise/guidance/1` document with its datacenter, or what `slotwise.guide`
    returns.
    `policy`: one of `POLICIES`, as in `slotwise simulate`; or `guided`, the winner of the rehearsal
    in the guidance. If a dispatcher lacks that policy, a warning says which it follows instead.
    `sample`: for the two of LoTES: how many machines an arriving job looks at; None for all.
    `unrestricted`: `lotes` with this is `lotes-unrestricted`.
    `seed`: of the draws of configurations and samples.
    `reasons`: whether `explain` can tell why the jobs that run were started where they are;
    arrivals then take longer.
    """

    def __init__(
        self,
        guidance: Mapping[str, Any] | Guidance | Plan,
        *,
        policy: str = "lotes",
        sample: int | None = None,
        unrestricted: bool = False,
        seed: int = 0,
        reasons: bool = False,
    ) -> None:
        if unrestricted and policy == "lotes":
            policy = "lotes-unrestricted"
        if policy not in (*POLICIES, GUIDED):
            raise InputError(f"policy {policy!r}: need one of {', '.join(POLICIES)}, {GUIDED}")
        if sample is not None and not _is_whole(sample, 1):
            raise InputError(f"sample: need at least 1 machine, got {sample}")
        if (unrestricted or sample is not None) and not policy.startswith("lotes"):
            raise InputError(f"unrestricted and sample are for lotes, not for {policy}")
        if not _is_whole(seed, 0):
            raise InputError(f"seed: need an integer >= 0, got {seed}")
        self._guided = policy == GUIDED
        plan, options = self._next(guidance, Options(policy, sample, seed, reasons))
        machines = [
            Machine(j, number, machine_name(plan, j, number), None, bin_number)
            for j, bins in enumerate(plan.bins_of)
            for number, bin_number in enumerate(bins)
        ]
        for machine in machines:
            machine.capacity = plan.capacity(machine.configuration, None)
        self._next_number = [len(bins) for bins in plan.bins_of]
        """Of each configuration: the number of the next machine that joins."""
        self._arrived = 0
        """How many jobs have arrived so far; the next one has this number."""
        self._jobs: dict[str, Job] = {}
        self._cluster = Cluster(plan, options, machines, [])

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

    @property
    def policy(self) -> str:
        """The policy that it follows."""
        return self._cluster.options.policy

    @property
    def plan(self) -> Plan:
        """The plan that it follows."""
        return self._cluster.plan

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of machines, of running and of waiting jobs."""
        waiting = sum(map(len, self._cluster.queues))
        return len(self._cluster.machines), len(self._jobs) - waiting, waiting

    @property
    def waiting(self) -> list[str]:
        """Names of the waiting jobs in their order."""
        return [job.name for job in self._cluster.waiting()]

    @property
    def machines(self) -> list[str]:
        """Names of the machines, such as `c2/17`."""
        return [machine.name for machine in self._cluster.machines]

    # Jobs

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
        """
        if not isinstance(job, str):
            raise InputError(f"job: need a name, got {job!r}")
        if job in self._jobs:
            raise InputError(f"job {job!r} is there already")
        if draw is not None and not (isinstance(draw, Real) and 0 <= draw < 1):
            raise InputError(f"draw: need a number from 0 to below 1, got {draw!r}")
        arriving = self._arriving(f"job {job!r}", job, job_class, demand)
        self._arrived += 1
        self._jobs[job] = arriving
        started = self._start(arriving, draw)
        if started is None:
            self._cluster.append(arriving)
        return started

    def _start(self, job: Job, draw: float | None = None) -> Placement | None:
        """Start a job that does not wait yet, if the policy finds it a machine."""
        cluster, draw = self._cluster, self._draw(job, draw)
        offers = cluster.offers(job, draw)
        if not len(offers):
            return None
        if cluster.options.reasons:
            job.reason = words.of_arrival(cluster, job, draw, offers)
        return cluster.start(job, cluster.machines[offers[0]])

    def _draw(self, job: Job, draw: float | None = None) -> float:
        if draw is None:
            return float(uniform_of_job(self._cluster.options.seed, job.number))
        return draw

    def _serve(self, machine: Machine) -> list[Placement]:
        """Let a machine that has changed start waiting jobs."""
        started, cluster = [], self._cluster
        while (job := cluster.next_waiting(machine)) is not None:
            if cluster.options.reasons:
                job.reason = words.of_turn(cluster, job, machine)
            cluster.remove(job)
            started.append(cluster.start(job, machine))
        return started

    def _serve_all(self) -> list[Placement]:
        """Let every machine, in order, start waiting jobs."""
        return [one for machine in self._cluster.machines for one in self._serve(machine)]

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
        """
        leaving = self._job(job)
        del self._jobs[job]
        if (machine := leaving.machine) is None:
            self._cluster.remove(leaving)
            return []
        self._cluster.end(leaving, machine)
        return self._serve(machine)

    def cancel(self, job: str) -> list[Placement]:
        """Take back a job that waits.

        Parameters
        ----------
        job
            Its name.

        Returns
        -------
        list of Placement
            Empty: no waiting job starts for that.
        """
        if (machine := self._job(job).machine) is not None:
            raise InputError(f"job {job!r} runs on {machine.name}: tell its end with depart()")
        return self.depart(job)

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
        waits = isinstance(job, str) and job in self._jobs
        if waits and (job_class is not None or demand is not None):
            raise InputError(f"job {job!r} is there already")
        if not waits and (job_class is None or demand is None):
            raise InputError(f"job {job!r} is not there: a new job needs its class and demand")
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
            raise InputError(f"jobs: need machine, class and demand by name, got {jobs!r}")
        for name, entry in jobs.items():
            if not (isinstance(entry, Sequence) and len(entry) == 3):
                raise InputError(f"job {name!r}: need machine, class and demand, got {entry!r}")
            if isinstance(name, str) and name in self._jobs:
                raise InputError(f"job {name!r} is there already")
        return self._bind([(name, *entry) for name, entry in jobs.items()])

    def _bind(
        self, starts: Iterable[tuple[str, str, str | None, Mapping[str, float] | None]]
    ) -> list[Placement]:
        """Start jobs elsewhere decided: names of job, machine and class, and the demand."""
        left, pairs = dict[str, Units](), list[tuple[Job, Machine]]()
        for name, at, job_class, demand in starts:
            if job_class is None or demand is None:
                job = self._job(name)
                if job.machine is not None:
                    raise InputError(f"job {name!r} runs on {job.machine.name}")
            else:
                number = self._arrived + len(pairs)
                job = self._new_job(f"job {name!r}", name, job_class, demand, number)
            machine = self._machine(at)
            if not self.plan.runs[job.job_class, machine.configuration]:
                raise InputError(f"job {name!r}: its class cannot run on {at}")
            free = left.get(at, machine.free)
            if not fits(job.demand, free):
                raise InputError(f"job {name!r}: {at} has no room for it")
            left[at] = tuple(x - need for x, need in zip(free, job.demand, strict=True))
            pairs.append((job, machine))
        cluster = self._cluster
        for job, machine in pairs:
            if job.name in self._jobs:
                cluster.remove(job)
            else:
                self._arrived += 1
                self._jobs[job.name] = job
            cluster.start(job, machine)
            if cluster.options.reasons:
                text = "another program has decided"
                job.reason = words.reason_of(cluster, job, machine, text)
        return []

    # Machines

    def join(
        self,
        configuration: str,
        capacity: Mapping[str, float] | None = None,
        *,
        name: str | None = None,
    ) -> Joined:
        """Add a machine, which starts waiting jobs.

        It is given a bin that the plan has for its configuration and no machine has, if there is
        one, or else an empty bin.

        Parameters
        ----------
        configuration
            Name of its configuration.
        capacity
            What it has, by resource; None for what the configuration has.
        name
            Its name, which no other machine has; None for configuration and number.

        Returns
        -------
        Joined
            Its name and what starts there.
        """
        plan, own, where = self.plan, None, f"machine of {configuration}"
        if not isinstance(configuration, str) or configuration not in plan.configuration_number:
            raise InputError(f"unknown configuration {configuration!r}")
        j = plan.configuration_number[configuration]
        if capacity is not None:
            own = plan.amounts(where, capacity)
        there = self._cluster.by_name
        number = self._next_number[j]
        if name is None:
            while machine_name(plan, j, number) in there:
                number += 1
            name = machine_name(plan, j, number)
        elif not isinstance(name, str) or not name:
            raise InputError(f"{where}: need a name, got {name!r}")
        elif name in there:
            raise InputError(f"machine {name!r} is there already")
        taken = Counter(machine.bin_number for machine in there.values())
        vacant = [b for b, machines in Counter(plan.bins_of[j]).items() if taken[b] < machines]
        machine = Machine(j, number, name, own, min(vacant, default=None))
        machine.capacity = plan.capacity(j, own)
        self._next_number[j] = number + 1
        self._lay_out([*self._cluster.machines, machine])
        return Joined(name, self._serve(machine))

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
        """
        return self._serve_all() if self._set_draining(self._machine(machine), True) else []

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
        """
        draining = self._machine(machine)
        self._set_draining(draining, False)
        return self._serve(draining)

    def _set_draining(self, machine: Machine, draining: bool) -> bool:
        """Whether waiting jobs may start elsewhere: one is stray now, or looked at this machine."""
        if machine.draining == draining:
            return False
        machine.draining = draining
        return self._lay_out() or self._cluster.options.sample is not None

    def _lay_out(self, machines: Iterable[Machine] | None = None) -> bool:
        """Take note of machines that came, went or drain; whether a job lost its home."""
        cluster = self._cluster
        if machines is not None:
            cluster.set_machines(machines)
        return cluster.note_sizes() and cluster.queue_up(cluster.waiting())

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
        """
        leaving = self._machine(machine)
        cluster, jobs = self._cluster, sorted(leaving.jobs.values(), key=attrgetter("number"))
        homeless = self._set_draining(leaving, True)
        cluster.set_machines(other for other in cluster.machines if other is not leaving)
        started, back = [], []
        for job in jobs:
            job.machine = None
            place = self._start(job)
            if place is None:
                back.append(job)
            else:
                started.append(place)
        if back:
            first = min((job.rank for job in cluster.waiting()), default=0)
            for rank, job in enumerate(back, start=min(first, 0) - len(back)):
                job.rank = rank
                cluster.append(job)
            cluster.queue_up(cluster.waiting())
        if homeless:
            started += self._serve_all()
        return Left([job.name for job in jobs], started)

    # Plans

    def prepare(self, guidance: Mapping[str, Any] | Guidance | None = None) -> Plan:
        """Fill the tables that `bid-price` else fills when it first needs them.

        Nothing in the dispatcher changes, so another thread may do it for the next plan.

        Parameters
        ----------
        guidance
            The plan that will be followed; None for the one that is followed.

        Returns
        -------
        Plan
            The plan with its tables, for `follow` or a dispatcher.
        """
        plan, options = self.plan, self._cluster.options
        if guidance is not None:
            plan, options = self._next(guidance, options)
        if RULES[options.policy] == BID_PRICE:
            _ = plan.worth
        return plan

    def follow(self, guidance: Mapping[str, Any] | Guidance | Plan) -> list[Placement]:
        """Follow another plan from now on. Running jobs stay.

        Machines are given its bins in order of their numbers, those that drain last. Then every
        machine, in order, starts waiting jobs.

        Parameters
        ----------
        guidance
            As for the class, or what `prepare` returned; with the same resources, and the classes
            and configurations that are in use.

        Returns
        -------
        list of Placement
            The waiting jobs that start now.
        """
        old, cluster = self.plan, self._cluster
        plan, options = self._next(guidance, cluster.options)
        self._check_same(plan)
        names, there = old.datacenter.configurations, plan.configuration_number
        for job in self._jobs.values():
            job.job_class = plan.class_number[old.datacenter.classes[job.job_class]]
            job.demand = plan.in_units(job.given)
        machines = [m for m in cluster.machines if names[m.configuration] in there]
        bins = [iter(numbers) for numbers in plan.bins_of]
        for machine in sorted(machines, key=attrgetter("draining", "number")):
            j = machine.configuration = there[names[machine.configuration]]
            machine.capacity = plan.capacity(j, machine.own)
            machine.bin_number = next(bins[j], None)
        numbers = dict(zip(names, self._next_number, strict=True))
        self._next_number = [numbers.get(name, 0) for name in there]
        self._cluster = Cluster(plan, options, machines, cluster.waiting())
        return self._serve_all()

    def _next(
        self, guidance: Mapping[str, Any] | Guidance | Plan, options: Options
    ) -> tuple[Plan, Options]:
        """A plan with all that the policy needs of it, and the options with that policy."""
        if self._guided:
            policy, plan = followed(guidance, POLICIES)
            options = replace(options, policy=policy)
        else:
            plan = Plan.of(guidance)
        if RULES[options.policy] == BID_PRICE:
            check_prices(plan.guidance)
        return plan, options

    def _check_same(self, plan: Plan) -> None:
        """Refuse a plan that lacks what is in use."""
        own, new = self.plan.datacenter, plan.datacenter
        if new.resources != own.resources:
            raise InputError(f"the guidance is for other resources: {', '.join(new.resources)}")
        for job in self._jobs.values():
            if (name := own.classes[job.job_class]) not in plan.class_number:
                raise InputError(f"the guidance has no class {name!r}, and job {job.name!r} is one")
        for machine in self._cluster.machines:
            name = own.configurations[machine.configuration]
            if name not in plan.configuration_number and machine.jobs:
                raise InputError(
                    f"the guidance has no configuration {name!r}, and machine {machine.name} runs "
                    f"{words.counted(len(machine.jobs), 'job')}: drain it first or use leave()"
                )

    # What it knows

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
        cluster = self._cluster
        if demand is not None:
            asked = self._new_job(f"job of class {job!r}", job, job, demand, 0)
        else:
            asked = self._job(job)
            if asked.machine is not None:
                raise InputError(f"job {job!r} runs on {asked.machine.name}")
        room = cluster.with_room(asked.demand, self.plan.runs[asked.job_class])
        if machines is not None:
            if isinstance(machines, str) or not isinstance(machines, Iterable):
                raise InputError(f"machines: need names, got {machines!r}")
            room = np.intersect1d(room, [self._machine(name).place for name in machines])
            room = room.astype(np.int64)
        unit = self.plan.worth[0].unit if cluster.rule == BID_PRICE else 1.0
        costs = cluster.costs(asked, room) * unit + 0.0  # no minus before 0
        names = (cluster.machines[place].name for place in room)
        return dict(zip(names, costs.tolist(), strict=True))

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
        if not isinstance(labels, Mapping) or not all(isinstance(v, str) for v in labels.values()):
            raise InputError(f"labels: need text by name, got {labels!r}")
        plan, there = self.plan, self._cluster.configuration
        rules = plan.datacenter.classifier.rules
        named = [labels.get(CLASS_LABEL, "")]
        named += [rule.job_class for rule in rules if labels.get(rule.label) == rule.value]
        numbers = (plan.class_number[name] for name in named if name in plan.class_number)
        k = next((k for k in numbers if plan.runs[k, there].any()), None)
        return None if k is None else plan.datacenter.classes[k]

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
        plan, cluster = self.plan, self._cluster
        given = plan.amounts(job, demand)
        if not any(given.values()):
            raise InputError(f"{job}: demands nothing")
        named = None if labels is None else self.named(labels)
        if named is not None:
            return named
        units, data = plan.in_units(given), plan.datacenter
        able = np.array([cluster.holds(units, runs) for runs in plan.runs])
        if not able.any():
            amounts = ", ".join(f"{name} {amount:g}" for name, amount in given.items())
            raise InputError(f"{job}: {amounts}: larger than any machine that may start jobs")
        metric = data.classifier.metric
        scale = metric / data.unit if metric else np.maximum(data.capacity_units.max(axis=0), 1)
        distance = (((np.array(units) - data.request_units) / scale) ** 2).sum(axis=1)
        return data.classes[int(np.where(able, distance, np.inf).argmin())]

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
        cluster = self._cluster
        if demand is not None:
            asked = self._arriving(f"job of class {job!r}", job, job, demand)
            draw = self._draw(asked)
            return words.of_arrival(cluster, asked, draw, cluster.offers(asked, draw))
        known = self._job(job)
        if known.machine is None:
            return words.of_waiting(cluster, known)
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
        return machine, self.plan.datacenter.classes[asked.job_class]

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
        return {**job_entry(self.plan, asked), "machine": machine, "rank": asked.rank}

    def state(self, *, whole: bool = False, jobs: bool = True) -> dict[str, Any]:
        """Return all that `restore` needs, for a JSON file.

        Parameters
        ----------
        whole
            Whether the guidance document is in it, too: all that `resume` needs.
        jobs
            False leaves out the jobs, for a program that keeps each by its `entry`.

        Returns
        -------
        dict
            A `slotwise/dispatcher-state/1` document.
        """
        plan, cluster = self.plan, self._cluster
        names = plan.datacenter.configurations
        document = {
            **state_of(cluster),
            "arrived": self._arrived,
            "next_machine": dict(zip(names, self._next_number, strict=True)),
        }
        if jobs:
            document["waiting"] = [job_entry(plan, job) for job in cluster.waiting()]
            for entry, machine in zip(document["machines"], cluster.machines, strict=True):
                entry["jobs"] = [job_entry(plan, job) for job in machine.jobs.values()]
        return {**document, "document": plan.document} if whole else document

    @classmethod
    def resume(
        cls, state: Mapping[str, Any], *, policy: str | None = None, reasons: bool = False
    ) -> Dispatcher:
        """Make a dispatcher that goes on from a whole state, whatever plan it followed last.

        Parameters
        ----------
        state
            What `state(whole=True)` returned.
        policy
            `guided` for one that goes on to follow the winners of rehearsals.
        reasons
            As for the class.
        """
        if not isinstance(state, Mapping) or not state.get("document"):
            raise InputError(f"need a {STATE} document with its guidance: state(whole=True)")
        names = ("policy", "sample", "seed")
        options: dict[str, Any] = {name: state.get(name) for name in names}
        options["policy"] = policy or options["policy"]
        dispatcher = cls(state["document"], reasons=reasons, **options)
        dispatcher.restore(state)
        return dispatcher

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state that was saved.

        Decisions from there on are the same as if nothing had happened in between.

        Parameters
        ----------
        state
            What `state` returned, of a dispatcher with the same guidance and options.
        """
        plan, options = self.plan, self._cluster.options
        document = read_state(state, plan, options)
        machines = machines_of(document, plan)
        jobs = jobs_of(document, plan, machines)
        waiting = [job for job in jobs.values() if job.machine is None]
        self._cluster = Cluster(plan, options, machines.values(), waiting)
        self._jobs, self._arrived = jobs, document.arrived
        self._next_number = [document.next_machine[name] for name in plan.configuration_number]

    # What all verbs check

    def _job(self, name: str) -> Job:
        if not isinstance(name, str) or name not in self._jobs:
            raise InputError(f"job {name!r} is not there")
        return self._jobs[name]

    def _machine(self, name: str) -> Machine:
        by_name = self._cluster.by_name
        if not isinstance(name, str) or name not in by_name:
            raise InputError(f"unknown machine {name}")
        return by_name[name]

    def _new_job(
        self, where: str, name: str, job_class: str, demand: Mapping[str, float], number: int
    ) -> Job:
        if not isinstance(name, str):
            raise InputError(f"{where}: need a name")
        return Job(name, *self.plan.request(where, job_class, demand), number, number)

    def _arriving(self, where: str, name: str, job_class: str, demand: Mapping[str, float]) -> Job:
        """A job that arrives; one that would wait for ever is refused."""
        cluster = self._cluster
        job = self._new_job(where, name, job_class, demand, self._arrived)
        runs = self.plan.runs[job.job_class]
        if cluster.holds(job.demand, runs):
            return job
        if any(runs[m.configuration] and fits(job.demand, m.capacity) for m in cluster.machines):
            raise InputError(f"job {name!r} fits only on machines that are draining")
        raise InputError(f"job {name!r} fits no machine that can run class {job_class!r}")


def _is_whole(value: Any, least: int) -> bool:
    """Whether a value is an integer, of any library, from `least` to `MOST_SEED`."""
    return hasattr(value, "__index__") and least <= index(value) <= MOST_SEED
