"""What a policy in plain Python sees: jobs and machines."""

from __future__ import annotations

from ...core.arrays import IntArray
from ...instances.datacenter.datacenter import Datacenter
from .engine.columns import ARRIVAL, DURATION, FIRST_DEMAND, JOB_CLASS, NUMBER
from .engine.state import System


class JobView:
    """What a policy sees of a job.

    Attributes
    ----------
    number : int
        Its place in the workload: jobs are numbered in order of arrival, from 0. Jobs that the
        datacenter runs at time 0 have numbers below 0.
    job_class : str
        The name of its class.
    arrival : float
        When it arrived, in the datacenter's time unit.
    duration : float
        How long it runs on the first configuration that can run its class, in the same unit; see
        `MachineView.duration_of`.
    demand_units : (R,) array
        What it needs of each resource, in whole units of `Datacenter.unit`.
    machine : MachineView or None
        The machine that it runs on, or ran on when it has departed; None while it waits.
    start : float or None
        When it started.
    """

    def __init__(self, system: System, slot: int, datacenter: Datacenter) -> None:
        row, times = system.info[slot], system.time[slot]
        self.number = int(row[NUMBER])
        self.arrival, self.duration = float(times[ARRIVAL]), float(times[DURATION])
        self.demand_units: IntArray = row[FIRST_DEMAND:].copy()
        self.machine: MachineView | None = None
        self.start: float | None = None
        self._class = int(row[JOB_CLASS])
        self._slot = slot
        self._datacenter = datacenter

    @property
    def job_class(self) -> str:
        """The name of its class."""
        return self._datacenter.classes[self._class]

    @property
    def demand(self) -> dict[str, float]:
        """What it needs of each resource, by name."""
        amounts = self.demand_units * self._datacenter.unit
        return dict(zip(self._datacenter.resources, amounts.tolist(), strict=True))

    def __repr__(self) -> str:
        return f"job {self.number} of class {self.job_class!r}"


class MachineView:
    """What a policy sees of a machine.

    Attributes
    ----------
    number : int
        Machines are numbered in the datacenter's order, configuration by configuration, from 0.
    configuration : str
        The name of its configuration.
    running : list of JobView
        The jobs that it runs, in the order in which they started.
    """

    def __init__(self, system: System, number: int, m: int, datacenter: Datacenter) -> None:
        self.number = number
        self.running: list[JobView] = []
        self._m = m
        self._configuration = int(system.configuration[m])
        self._free = system.free[m]
        self._runs: IntArray = system.runs[:, self._configuration]
        self._factor = system.factor[:, self._configuration]
        self._datacenter = datacenter

    @property
    def configuration(self) -> str:
        """The name of its configuration."""
        return self._datacenter.configurations[self._configuration]

    @property
    def free_units(self) -> IntArray:
        """What it has free of each resource now, shape (R,), in units of `Datacenter.unit`."""
        free: IntArray = self._free.copy()
        return free

    @property
    def capacity(self) -> dict[str, float]:
        """What it has of each resource when it is empty, by name."""
        amounts = self._datacenter.capacity[self._configuration].tolist()
        return dict(zip(self._datacenter.resources, amounts, strict=True))

    @property
    def free(self) -> dict[str, float]:
        """What it has free of each resource now, by name, up to rounding. `has_room` is exact."""
        data, j = self._datacenter, self._configuration
        amounts = data.capacity[j] - (data.capacity_units[j] - self._free) * data.unit
        return dict(zip(data.resources, amounts.tolist(), strict=True))

    def can_run(self, job: JobView) -> bool:
        """Whether it could run the job if it were empty."""
        capacity = self._datacenter.capacity_units[self._configuration]
        return bool(self._runs[job._class]) and bool((job.demand_units <= capacity).all())

    def has_room(self, job: JobView) -> bool:
        """Whether the job can start here now."""
        return bool(self._runs[job._class]) and bool((job.demand_units <= self._free).all())

    def duration_of(self, job: JobView) -> float:
        """How long the job would run here, in the datacenter's time unit; inf if it cannot."""
        return job.duration * float(self._factor[job._class])

    def __repr__(self) -> str:
        return f"machine {self.number} ({self.configuration})"
