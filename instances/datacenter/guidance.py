"""Guidance for a dispatcher: which mix of jobs each machine should run ([LoTES], section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.calls import check_argument
from ...core.errors import InputError
from ...core.values import ByValue
from ..array_checks import check_arrays
from ..views import Plottable, Tabular, view
from .datacenter import Datacenter

if TYPE_CHECKING:
    from .rehearsal import Rehearsal


@dataclass(frozen=True, eq=False)
class Gains(ByValue):
    """What more of a resource brings: the linear program solved again with it.

    There are M configurations and R resources. Gains are relative to the highest arrival rate with
    fractions of machines; what was not solved again is nan.
    """

    more: float
    """Relative increase of the resource."""
    everywhere: FloatArray
    """Gain if all machines have more of it, shape (R,)."""
    place: FloatArray
    """Gain if the machines of one configuration have, shape (M, R)."""
    first: FloatArray
    """Where that brings nothing: the least increase at which a machine holds jobs that are worth
    more, at today's prices; inf if none up to twice as much does, shape (M, R)."""
    first_gain: FloatArray
    """Gain with that increase, shape (M, R)."""


@dataclass(frozen=True, eq=False)
class Prices(ByValue):
    """What limits the arrival rate, as dual prices at its upper bound.

    There are M configurations, R resources and K classes.
    """

    resource: FloatArray
    """Share of the limit that lies in a resource of a configuration, in total 1, shape (M, R): 1 %
    more of it raises the bound by that many percent of it, if jobs may be split."""
    work: FloatArray
    """Share of the datacenter that a class takes at these prices, in total 1, shape (K,)."""
    machine: FloatArray
    """Arrival rate that one more machine of a configuration brings, shape (M,)."""
    machine_bound: FloatArray
    """Upper bound on it, shape (M,)."""
    gains: Gains | None = None
    """What more of a resource brings, None if nothing was solved again."""


@dataclass(frozen=True, eq=False)
class ClassPrices(ByValue):
    """What a dispatcher needs in order to see what room is worth, for K classes, M configurations.

    The worth of room follows from these and the datacenter: docs/heuristics/dispatch.md.
    """

    value: FloatArray
    """What serving each class at a rate greater by 1 is worth, in total 1 weighted by the classes'
    shares, shape (K,)."""
    belongs: BoolArray
    """Whether the room of a job there is worth hardly more than the job brings, shape (K, M)."""
    spread: float = 0.0
    """Coefficient of variation of the jobs' demands within their class."""
    draws: int = 24
    """Number of random factors over which the worth of room is smoothed."""
    seed: int = 0
    """Of these factors."""
    bonus: float | None = None
    """What a job costs less where the machine's bin lacks its class, in parts of the median price;
    None: what the spread says."""


@dataclass(frozen=True, eq=False)
class Guidance(Plottable, Tabular, ByValue):
    """Bins for the machines of a datacenter: B bins, K classes, M configurations.

    A bin is the set of jobs that a machine should run. The machines of a configuration are given
    its bins in this order, and all have one; a machine that is not needed has an empty bin.

    Parameters
    ----------
    datacenter
        The datacenter.
    arrival_rate
        Arrival rate that the bins carry (jobs per `time_unit`).
    arrival_rate_bound
        No plan of these classes carries more than this.
    bin_configuration
        Configuration of each bin's machines, shape (B,).
    bin_machines
        Number of machines with each bin, shape (B,).
    bin_jobs
        Jobs of each class in each bin, shape (B, K).
    bound_name
        What proved the bound.
    method
        How the plan was made.
    target_rate
        Arrival rate to be carried on few machines, None if it was maximised.
    machines_bound
        With a target rate, no plan uses fewer machines.
    integer_bound
        No plan of whole machines carries more than this; None with a target rate, and as printed.
    integer_proof
        What proved `integer_bound` or, with a target rate, `machines_bound`.
    prices
        What limits the arrival rate.
    class_prices
        What jobs of each class are worth, and where each belongs; None for a plan without.
    notes
        Remarks.
    rehearsal
        Which policy waited least in a rehearsal, None if there was none.
    """

    datacenter: Datacenter
    arrival_rate: float
    arrival_rate_bound: float
    bin_configuration: IntArray
    bin_machines: IntArray
    bin_jobs: IntArray
    bound_name: str = ""
    method: str = ""
    target_rate: float | None = None
    machines_bound: int | None = None
    integer_bound: float | None = None
    integer_proof: str = ""
    prices: Prices | None = None
    class_prices: ClassPrices | None = None
    notes: tuple[str, ...] = field(default=())
    rehearsal: Rehearsal | None = None

    def __post_init__(self) -> None:
        check_argument("guidance, datacenter", self.datacenter, Datacenter)
        configurations, classes = self.datacenter.configurations, self.datacenter.classes
        check_arrays(self, "guidance, ", np.int64, bin_configuration=(None,))
        bins = len(self.bin_configuration)
        check_arrays(
            self, "guidance, ", np.int64, bin_machines=(bins,), bin_jobs=(bins, len(classes))
        )
        wrong = (self.bin_configuration < 0) | (self.bin_configuration >= len(configurations))
        for b in np.flatnonzero(wrong)[:1]:
            raise InputError(
                f"guidance, bin {b}, bin_configuration: {self.bin_configuration[b]}, there are "
                f"{len(configurations)}"
            )
        if self.class_prices is not None:
            shape, where = (len(classes), len(configurations)), "guidance, class_prices, "
            check_arrays(self.class_prices, where, np.float64, value=shape[:1])
            check_arrays(self.class_prices, where, np.bool_, belongs=shape)

    @cached_property
    def running(self) -> FloatArray:
        """Jobs of each class that run on each configuration, Δ in jobs, shape (K, M)."""
        total = np.zeros(self.datacenter.mean_time.shape)
        np.add.at(total.T, self.bin_configuration, self.bin_machines[:, None] * self.bin_jobs)
        return total

    @cached_property
    def proportions(self) -> FloatArray:
        """Share of a class's arrivals that each configuration serves, ρ, shape (K, M).

        Rows add up to 1, or to 0 for a class that no bin contains. [LoTES] divides numbers of
        running jobs; here the rates at which they are served are divided, which is the same if a
        class takes the same time everywhere.
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
        """Relative distance of the plan below the bound."""
        if self.arrival_rate_bound <= 0:
            return 0.0
        return max(0.0, 1 - self.arrival_rate / self.arrival_rate_bound)

    @property
    def loss(self) -> float | None:
        """Most that a plan of whole machines can carry above this one, relatively, if known."""
        if self.integer_bound is None or self.integer_bound <= 0:
            return None
        return max(0.0, 1 - self.arrival_rate / self.integer_bound)

    def document(self) -> dict[str, Any]:
        """The `slotwise/guidance/1` document of it, as `Dispatcher` reads it."""
        made = view("instances.datacenter.guidance_file:guidance_document")
        document: dict[str, Any] = made(self)
        return document

    @property
    def machines_needed(self) -> int:
        """Number of machines whose bin is not empty."""
        return int(self.bin_machines[self.bin_jobs.any(axis=1)].sum())

    def __repr__(self) -> str:
        return (
            f"Guidance({self.datacenter.name!r}: {self.arrival_rate:.6g} jobs per "
            f"{self.datacenter.time_unit}, {len(self.bin_machines)} bins)"
        )
