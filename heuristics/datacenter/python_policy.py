"""Policies written in plain Python: subclass `Policy` and write `arrive` and `depart`.

docs/heuristics/dispatch.md has an example. The events, the checks and the figures are those of the
compiled event loop, which comes back to Python at every event. That takes some hundred times as
long as a compiled policy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.arrays import BoolArray
from ...core.errors import InputError
from ...core.kernels.references import Reference
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.workload import Jobs
from . import event_loop as events
from .engine.columns import (
    EVENT_MACHINE,
    EVENT_SLOT,
    NO_MACHINE,
    NO_SLOT,
    NOW,
    STOP_ASKED,
    machine_numbers,
)
from .engine.state import System
from .event_loop import BrokenInvariant
from .policy import Loop, RunningPolicy
from .policy_state import PYTHON, Setting, state_of
from .policy_views import JobView, MachineView
from .splitmix import uniform_of_job

SHOWN = 3
"""Lost jobs that a message names."""


class Policy:
    """A dispatching policy in plain Python. A subclass writes `arrive` and `depart`.

    It can be given to `simulate` as a class, which makes an instance for every run, or as an
    instance. It is at work from `begin` on, when the machines are known.

    Attributes
    ----------
    follows_plan : bool
        True for a policy that needs guidance.
    name : str
        What reports call it: the name of its class unless it says otherwise.
    """

    follows_plan: bool = False
    name: str = ""
    _work: PythonRun | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = cls.__name__

    def begin(self) -> None:
        """Get ready: called once in every run, before the first job. Make queues here."""

    def arrive(self, job: JobView) -> None:
        """Start the job that has arrived, or remember that it waits."""
        raise NotImplementedError

    def depart(self, job: JobView) -> None:
        """Start jobs that wait: this one has left `job.machine`."""
        raise NotImplementedError

    def start(self, job: JobView, machine: MachineView) -> None:
        """Start a waiting job now.

        Parameters
        ----------
        job
            A job that has arrived and has not started.
        machine
            A machine that has room for it.

        Raises
        ------
        BrokenInvariant
            If the job has started before, its class cannot run there, or it does not fit.
        """
        self._at_work.start(job, machine)

    def with_room(self, job: JobView) -> Iterator[MachineView]:
        """Return the machines on which the job can start now, lowest number first.

        They are looked up when this is called: after a start look again.
        """
        return self._at_work.with_room(job)

    def draw(self, job: JobView) -> float:
        """A random number in [0, 1) that depends on the seed and the job's number alone."""
        return float(uniform_of_job(self._at_work.setting.seed, job.number))

    @property
    def machines(self) -> tuple[MachineView, ...]:
        """All machines, in order of their numbers."""
        return self._at_work.machines

    @property
    def now(self) -> float:
        """The time, in the datacenter's time unit."""
        return float(self._at_work.system.clock[NOW])

    @property
    def datacenter(self) -> Datacenter:
        """Machines and classes."""
        return self._at_work.setting.datacenter

    @property
    def guidance(self) -> Guidance | None:
        """The plan; None if the run has none."""
        return self._at_work.setting.guidance

    @property
    def _at_work(self) -> PythonRun:
        if self._work is None:
            raise RuntimeError(f"{self.name} is at work from begin() on: make queues there")
        return self._work

    def begin_run(self, setting: Setting, system: System) -> RunningPolicy:
        """Return the policy at work in an empty datacenter; the simulator calls it.

        Parameters
        ----------
        setting
            Datacenter, plan and seed.
        system
            The empty datacenter.

        Returns
        -------
        RunningPolicy
            The running policy.

        Raises
        ------
        InputError
            If `arrive` or `depart` is missing, or the plan that the policy needs.
        """
        for method in ("arrive", "depart"):
            if getattr(type(self), method) is getattr(Policy, method):
                raise InputError(f"policy {self.name}: write a method {method}(self, job)")
        if self.follows_plan:
            setting.required_guidance()
        self._work = PythonRun(self, setting, system)
        self.begin()
        return self._work


class PythonRun:
    """A `Policy` in the middle of a simulation; a `RunningPolicy`."""

    def __init__(self, policy: Policy, setting: Setting, system: System) -> None:
        self.setting, self.system = setting, system
        numbers = machine_numbers(system.free)
        self.machines = tuple(
            MachineView(system, number, m, setting.datacenter)
            for number, m in enumerate(numbers.tolist())
        )
        self._policy = policy
        self._jobs: dict[int, JobView] = {}
        self._loop = Loop(state_of(PYTHON, setting, system))
        self._numbers = numbers
        self._able: BoolArray = system.runs[:, system.configuration[numbers]] > 0

    def prepare(self, system: System, block: Jobs) -> None:
        self._loop.compile(system, block)
        self._refer_to(system)
        events.start_job(self._state, NO_SLOT, NO_MACHINE)

    def _refer_to(self, system: System) -> None:
        self.system = system
        self._state: Any = Reference(system)

    def advance(self, system: System, block: Jobs, last: bool) -> int:
        self._refer_to(system)
        tally = system.tally
        while True:
            tally[EVENT_SLOT] = NO_SLOT
            try:
                why = self._loop.run(system, block, last)
            except BrokenInvariant as broken:
                raise BrokenInvariant(f"{self._policy.name}: {broken}{self._lost()}") from None
            tally[STOP_ASKED] = 0
            slot, left = int(tally[EVENT_SLOT]), int(tally[EVENT_MACHINE])
            if slot == NO_SLOT:
                return int(why)
            if left == NO_MACHINE:
                job = self._jobs[slot] = JobView(system, slot, self.setting.datacenter)
                self._policy.arrive(job)
            else:
                job = self._jobs.pop(slot)
                assert job.machine is not None
                job.machine.running.remove(job)
                self._policy.depart(job)

    def make_room(self, system: System) -> None:
        """Nothing: queues in Python have room."""

    def start(self, job: JobView, machine: MachineView) -> None:
        what = f"{self._policy.name}: {job} cannot start on {machine}"
        if job.machine is not None:
            raise BrokenInvariant(f"{what}: it has started before, on {job.machine}")
        own = self.machines[machine.number : machine.number + 1]
        if self._jobs.get(job._slot) is not job or machine not in own:
            raise BrokenInvariant(f"{what}: they are of different runs")
        try:
            events.start_job(self._state, job._slot, machine._m)
        except BrokenInvariant as broken:
            raise BrokenInvariant(f"{what}: {broken}") from None
        job.machine, job.start = machine, float(self.system.clock[NOW])
        machine.running.append(job)

    def with_room(self, job: JobView) -> Iterator[MachineView]:
        room = (self.system.free[self._numbers] >= job.demand_units).all(axis=1) & self._able[
            job._class
        ]
        return (self.machines[number] for number in np.flatnonzero(room).tolist())

    def _lost(self) -> str:
        lost = sorted(job.number for job in self._jobs.values() if job.machine is None)
        names = ", ".join(map(str, lost[:SHOWN])) + (", ..." if len(lost) > SHOWN else "")
        return f" (number {names})" if lost else ""
