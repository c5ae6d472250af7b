"""What a simulation of a datacenter saw: waits, utilisation, fragmentation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...instances.arrays import FloatArray, IntArray
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.workload import Workload
from ...instances.views import Plottable, Tabular
from .engine.columns import FIRST_IN_USE, FRAGMENTATION
from .engine.state import wait_of_bucket


@dataclass(frozen=True, eq=False)
class Simulation(Plottable, Tabular):
    """What was seen. Waits are in the datacenter's time unit and of the jobs after the warm-up.

    Attributes
    ----------
    workload
        The jobs and their datacenter.
    policy
        Name of the policy.
    jobs, at_once : (K,)
        Jobs of each class that started, and how many of them without a wait.
    wait_sum, wait_max : (K,)
        Sum of the waits of each class, and the longest.
    waits : (K, buckets)
        Number of positive waits in the buckets around `wait_of_bucket`.
    series : (samples, 6 + R)
        The state at regular times; `engine.columns` has names for the columns.
    events
        Arrivals and departures.
    seconds
        Processor time of the events alone, without making the workload or plans.
    all_jobs, mean_wait_of_all
        Jobs that started, warm-up included, and their mean wait.
    replanned
        Number of new plans.
    interrupted
        Whether Ctrl-C ended the run.
    warm_up
        Part of the jobs that was not measured.
    start, machine : (jobs,)
        When and where each job started, NaN and -1 if it did not; empty if nobody asked for it.
    """

    workload: Workload
    policy: str
    jobs: IntArray
    at_once: IntArray
    wait_sum: FloatArray
    wait_max: FloatArray
    waits: IntArray
    series: FloatArray
    events: int
    seconds: float
    all_jobs: int
    mean_wait_of_all: float
    replanned: int
    interrupted: bool
    warm_up: float
    start: FloatArray
    machine: IntArray

    def __repr__(self) -> str:
        return (
            f"Simulation({self.policy} on {self.datacenter.name}: mean wait {self.mean_wait:.6g} "
            f"{self.datacenter.time_unit} of {self.measured} jobs, "
            f"{self.events_per_second:.3g} events/s)"
        )

    @property
    def datacenter(self) -> Datacenter:
        """Machines and classes."""
        return self.workload.datacenter

    @property
    def measured(self) -> int:
        """Jobs after the warm-up."""
        return int(self.jobs.sum())

    @property
    def mean_wait(self) -> float:
        """Mean wait of the jobs after the warm-up."""
        return float(self.wait_sum.sum()) / max(1, self.measured)

    @property
    def max_wait(self) -> float:
        """The longest wait after the warm-up."""
        return float(self.wait_max.max())

    @property
    def events_per_second(self) -> float:
        """Events per second of processor time."""
        return self.events / self.seconds if self.seconds > 0 else 0.0

    @cached_property
    def utilisation(self) -> FloatArray:
        """Part of each resource in use, mean of the samples after the warm-up, shape (R,)."""
        capacity = (self.datacenter.capacity_units * self.datacenter.count[:, None]).sum(axis=0)
        used = self._after_warm_up()[:, FIRST_IN_USE:].mean(axis=0)
        share: FloatArray = np.divide(
            used, capacity, out=np.zeros(len(capacity)), where=capacity > 0
        )
        return share

    @property
    def fragmentation(self) -> float:
        """Mean fragmentation of the samples after the warm-up.

        It is the part of the jobs that what is free would hold in one piece, and does not hold
        where it is.
        """
        return float(self._after_warm_up()[:, FRAGMENTATION].mean())

    def _after_warm_up(self) -> FloatArray:
        first = min(int(np.ceil(self.warm_up * len(self.series))), len(self.series) - 1)
        return self.series[first:]

    def quantile(self, share: float, job_class: int | None = None) -> float:
        """Return the wait that a share of the jobs does not exceed, within 0.2 %.

        Parameters
        ----------
        share
            From 0 to 1.
        job_class
            Number of a class; None for all jobs.
        """
        classes = slice(None) if job_class is None else slice(job_class, job_class + 1)
        rank = int(np.ceil(share * int(self.jobs[classes].sum())))
        below = int(self.at_once[classes].sum()) + np.cumsum(self.waits[classes].sum(axis=0))
        if rank <= self.at_once[classes].sum():
            return 0.0
        bucket = int(np.searchsorted(below, rank))
        return float(min(wait_of_bucket()[bucket], self.wait_max[classes].max()))

    def document(self) -> dict[str, Any]:
        """Return what `slotwise simulate --json` prints."""
        names = self.datacenter.classes
        return {
            "policy": self.policy,
            "datacenter": self.datacenter.name,
            "workload": self.workload.source,
            "time_unit": self.datacenter.time_unit,
            "jobs": int(self.all_jobs),
            "measured": self.measured,
            "mean_wait": self.mean_wait,
            "p99_wait": self.quantile(0.99),
            "max_wait": self.max_wait,
            "waited": 1 - float(self.at_once.sum()) / max(1, self.measured),
            "by_class": {
                name: {
                    "jobs": int(self.jobs[k]),
                    "mean_wait": float(self.wait_sum[k]) / max(1, int(self.jobs[k])),
                    "p99_wait": self.quantile(0.99, k),
                    "max_wait": float(self.wait_max[k]),
                }
                for k, name in enumerate(names)
            },
            "utilisation": dict(
                zip(self.datacenter.resources, self.utilisation.tolist(), strict=True)
            ),
            "fragmentation": self.fragmentation,
            "mean_wait_of_all": self.mean_wait_of_all,
            "replanned": self.replanned,
            "interrupted": self.interrupted,
            "events": self.events,
            "seconds": self.seconds,
            "events_per_second": self.events_per_second,
        }
