"""What a simulation of a datacenter saw: waits, utilisation, fragmentation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...instances.arrays import FloatArray, IntArray
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.workload import Workload
from .engine.state import wait_of_bucket


@dataclass(frozen=True, eq=False)
class Simulation:
    """What was seen. Waits are in the datacenter's time unit and of the jobs after the warm-up.

    `jobs`, `at_once` (no wait), `wait_sum`, `wait_max` by class, shape (K,); `waits` (K, buckets)
    counts positive waits in the buckets around `wait_of_bucket`. `series` (samples, 6 + R), see
    `System`. `start` and `machine` of every job if they were asked for.

    `all_jobs` started in all; their waits have the mean `mean_wait_of_all`. `seconds` is the
    processor time of the events alone, without making the workload or plans.
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
        return self.workload.datacenter

    @property
    def measured(self) -> int:
        """Jobs after the warm-up."""
        return int(self.jobs.sum())

    @property
    def mean_wait(self) -> float:
        return float(self.wait_sum.sum()) / max(1, self.measured)

    @property
    def max_wait(self) -> float:
        return float(self.wait_max.max())

    @property
    def events_per_second(self) -> float:
        return self.events / self.seconds if self.seconds > 0 else 0.0

    @cached_property
    def utilisation(self) -> FloatArray:
        """Part of each resource in use, mean of the samples after the warm-up, shape (R,)."""
        capacity = (self.datacenter.capacity_units * self.datacenter.count[:, None]).sum(axis=0)
        used = self._after_warm_up()[:, 6:].mean(axis=0)
        share: FloatArray = np.divide(
            used, capacity, out=np.zeros(len(capacity)), where=capacity > 0
        )
        return share

    @property
    def fragmentation(self) -> float:
        """Mean of the samples after the warm-up."""
        return float(self._after_warm_up()[:, 3].mean())

    def _after_warm_up(self) -> FloatArray:
        first = min(int(np.ceil(self.warm_up * len(self.series))), len(self.series) - 1)
        return self.series[first:]

    def quantile(self, share: float, job_class: int | None = None) -> float:
        """The wait that this share of the jobs does not exceed, within 0.2 %."""
        classes = slice(None) if job_class is None else slice(job_class, job_class + 1)
        rank = int(np.ceil(share * int(self.jobs[classes].sum())))
        below = int(self.at_once[classes].sum()) + np.cumsum(self.waits[classes].sum(axis=0))
        if rank <= self.at_once[classes].sum():
            return 0.0
        bucket = int(np.searchsorted(below, rank))
        return float(min(wait_of_bucket()[bucket], self.wait_max[classes].max()))

    def document(self) -> dict[str, Any]:
        """What `slotwise simulate --json` prints."""
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
