"""Guidance for a dispatcher: which mix of jobs each machine should keep (LoTES, section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..arrays import FloatArray, IntArray
from .datacenter import Datacenter


@dataclass(frozen=True, eq=False)
class Prices:
    """What limits the arrival rate, as dual prices at its upper bound.

    Of M configurations, R resources and K classes: `resource` (M, R) is the share of the limit that
    lies in a resource of a configuration, in total 1: 1 % more of it brings up to that many percent
    more arrivals. `work` (K,) is the share of the datacenter that a class takes at these prices, in
    total 1. `machine` (M,) is the arrival rate that one more machine of a configuration brings, and
    `machine_bound` (M,) an upper bound of that.
    """

    resource: FloatArray
    work: FloatArray
    machine: FloatArray
    machine_bound: FloatArray


@dataclass(frozen=True, eq=False)
class Guidance:
    """Bins for the machines of a datacenter: bin b is the set of jobs that a machine should run.

    Of B bins and K classes: `bin_configuration` (B,), the configuration of the bin's machines;
    `bin_machines` (B,), how many there are; `bin_jobs` (B, K), the jobs of each class in it. The
    machines of a configuration are given their bins in this order, and all have one; a machine that
    is not needed has an empty bin.

    `arrival_rate` is what these bins carry, in jobs per `time_unit`; no plan carries more than
    `arrival_rate_bound`. `bound` says what proved that and `method` how the plan was made. With a
    `target_rate` the plan carries it with few machines, and none does with fewer than
    `machines_bound`.
    """

    datacenter: Datacenter
    arrival_rate: float
    arrival_rate_bound: float
    bin_configuration: IntArray
    bin_machines: IntArray
    bin_jobs: IntArray
    bound: str = ""
    method: str = ""
    target_rate: float | None = None
    machines_bound: int | None = None
    prices: Prices | None = None
    notes: tuple[str, ...] = field(default=())

    @cached_property
    def running(self) -> FloatArray:
        """Jobs of each class that run on each configuration, shape (K, M): Δ, in jobs."""
        total = np.zeros(self.datacenter.mean_time.shape)
        np.add.at(total.T, self.bin_configuration, self.bin_machines[:, None] * self.bin_jobs)
        return total

    @cached_property
    def proportions(self) -> FloatArray:
        """Share of a class's arrivals that each configuration serves, shape (K, M): ρ.

        Rows add up to 1, or to 0 for a class that no bin contains. LoTES divides numbers of running
        jobs; divided are the rates at which they are served, which is the same if a class takes the
        same time everywhere.
        """
        served = self.running * self.datacenter.rate
        total = served.sum(axis=1, keepdims=True)
        shares: FloatArray = np.divide(served, total, out=np.zeros_like(served), where=total > 0)
        return shares

    @cached_property
    def machine_jobs(self) -> IntArray:
        """Bin of each machine, shape (machines, K), in the order of `configuration_of`."""
        order = np.argsort(self.bin_configuration, kind="stable")
        return np.repeat(self.bin_jobs[order], self.bin_machines[order], axis=0)

    @property
    def gap(self) -> float:
        """How far the plan is below the bound, relatively."""
        if self.arrival_rate_bound <= 0:
            return 0.0
        return max(0.0, 1 - self.arrival_rate / self.arrival_rate_bound)

    @property
    def machines_needed(self) -> int:
        """Machines whose bin is not empty."""
        return int(self.bin_machines[self.bin_jobs.any(axis=1)].sum())

    def __repr__(self) -> str:
        return (
            f"Guidance({self.datacenter.name!r}: {self.arrival_rate:.6g} jobs per "
            f"{self.datacenter.time_unit}, {len(self.bin_machines)} bins)"
        )
