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
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .answers import Joined, Left, Placement
from .checks import (
    Documented,
    checked_amounts,
    checked_plan,
    is_number,
    is_whole,
    known,
    shape_of,
)
from .guided import GUIDED, followed
from .machine import new_machine
from .placing import Placing
from .plan import Plan
from .rule import Options
from .scheduler import RULES, Scheduler
from .state import STATE, restored, state_of

POLICIES = tuple(RULES)
"""The policies of a `Dispatcher`."""


class Dispatcher(Placing):
    """Answers arrivals and departures after a plan.

    A job starts at once on one of the machines with room that the policy allows it, or waits. When
    a job ends, the machine starts waiting jobs as long as the policy finds one that fits. So no
    waiting job fits a machine where its class has its place: for `best-fit` and
    `lotes-unrestricted` any that can run it, for `lotes` one of a configuration whose bins have it,
    for `bid-price` one where it belongs by the plan's prices.
    A job that is too large for all of these may start wherever its class can run.

    Every method raises `ValueError` for names that are unknown or taken, and for amounts, times and
    documents that are none; then nothing has changed. A job that fits no machine is refused.

    Raises `ValueError` if `guidance` is no such document, the policy is unknown, or `sample` is
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
        guidance: Mapping[str, Any] | Documented | Plan,
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
            raise ValueError(f"policy {policy!r}: need one of {', '.join(POLICIES)}, {GUIDED}")
        if sample is not None and not is_whole(sample, 1):
            raise ValueError(f"sample: need at least 1 machine, got {sample}")
        if (unrestricted or sample is not None) and not policy.startswith("lotes"):
            raise ValueError(f"unrestricted and sample are for lotes, not for {policy}")
        if not is_whole(seed, 0):
            raise ValueError(f"seed: need an integer >= 0, got {seed}")
        self._guided = policy == GUIDED
        if self._guided:
            policy, guidance = followed(guidance, POLICIES)
        options = Options(policy, sample, seed, reasons)
        plan = checked_plan(guidance, options)
        machines = [
            new_machine(plan, j, number, bin_number)
            for j, bins in enumerate(plan.bins_of)
            for number, bin_number in enumerate(bins)
        ]
        numbers = [len(bins) for bins in plan.bins_of]
        self._scheduler = Scheduler(options, plan, machines, [], numbers)

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
        return self._scheduler.options.policy

    @property
    def plan(self) -> Plan:
        """The plan that it follows."""
        return self._scheduler.plan

    @property
    def counts(self) -> tuple[int, int, int]:
        """Numbers of machines, of running and of waiting jobs."""
        scheduler = self._scheduler
        waiting = scheduler.line.length
        return len(scheduler.cluster.by_name), len(scheduler.jobs) - waiting, waiting

    @property
    def waiting(self) -> list[str]:
        """Names of the waiting jobs in their order."""
        return [job.name for job in self._scheduler.line]

    @property
    def machines(self) -> list[str]:
        """Names of the machines, such as `c2/17`."""
        return [machine.name for machine in self._scheduler.cluster]

    def arrive(
        self,
        job: str,
        job_class: str,
        demand: Mapping[str, float],
        *,
        draw: float | None = None,
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
            raise ValueError(f"job: need a name, got {job!r}")
        scheduler = self._scheduler
        if job in scheduler.jobs:
            raise ValueError(f"job {job!r} is there already")
        if draw is not None and not (is_number(draw) and 0 <= draw < 1):
            raise ValueError(f"draw: need a number from 0 to below 1, got {draw!r}")
        arriving = self._new_job(f"job {job!r}", job, job_class, demand)
        machine = scheduler.arrive(arriving, draw)
        return None if machine is None else machine.placement(arriving)

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
        return self._scheduler.end(self._job(job))

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
        leaving = self._job(job)
        if leaving.machine is not None:
            name = leaving.machine.name
            raise ValueError(f"job {job!r} runs on {name}: tell its end with depart()")
        return self._scheduler.end(leaving)

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
        plan, own = self._scheduler.plan, None
        j = known(plan.number_of_configuration, "configuration", configuration)
        if capacity is not None:
            own = checked_amounts(plan, f"machine of {configuration}", capacity)
        if name is not None:
            if not isinstance(name, str) or not name:
                raise ValueError(f"machine of {configuration}: need a name, got {name!r}")
            if name in self._scheduler.cluster.by_name:
                raise ValueError(f"machine {name!r} is there already")
        return self._scheduler.join(j, own, name)

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
        return self._scheduler.drain(self._machine(machine))

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
        return self._scheduler.undrain(self._machine(machine))

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
        return self._scheduler.leave(self._machine(machine))

    def prepare(
        self,
        guidance: Mapping[str, Any] | Documented | None = None,
    ) -> Plan:
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
        plan, options = self._scheduler.plan, self._scheduler.options
        if guidance is not None:
            plan, options = self._next(guidance)
        if options.policy == "bid-price":
            plan.worth.fill()
        return plan

    def follow(self, guidance: Mapping[str, Any] | Documented | Plan) -> list[Placement]:
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
        plan, options = self._next(guidance)
        self._scheduler.check_same(plan)
        self._scheduler.options = options
        return self._scheduler.follow(plan)

    def _next(self, guidance: Mapping[str, Any] | Documented | Plan) -> tuple[Plan, Options]:
        """Another plan, and the options with the policy that follows it."""
        options = self._scheduler.options
        if self._guided:
            policy, guidance = followed(guidance, POLICIES)
            options = replace(options, policy=policy)
        return checked_plan(guidance, options), options

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
        document = {"document": self._scheduler.plan.document} if whole else {}
        return {**state_of(self._scheduler, jobs=jobs), **document}

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
            raise ValueError(f"need a {STATE} document with its guidance: state(whole=True)")
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
        if not isinstance(state, Mapping) or state.get("format") != STATE:
            raise ValueError(f"need a {STATE} document")
        with shape_of("state"):
            self._scheduler = restored(state, self._scheduler.plan, self._scheduler.options)
