"""Column generation for the machine assignment program: no bins are enumerated.

The restricted master knows some bins. Its dual prices say what a job of each class is worth, and a
knapsack problem finds the most valuable bin of each configuration ([GilmoreGomory1961]). Any prices
also give a Lagrangian bound that is valid for every plan:
docs/formulations/lotes.md has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Event

import highspy
import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.clock import Clock
from ...core.errors import SlotwiseError
from ...instances.datacenter.datacenter import Datacenter
from ..backends.highs import ONE_AT_A_TIME
from .knapsack import best_bins

GAP = 1e-6
"""Relative gap between master and bound at which the generation ends."""

_TIGHT = 1e-10
"""A better gap, pursued as long as it costs little."""

_FIRST_NODES = 50_000
_MOST_NODES = 3_200_000
_FIRST_TOLERANCE = 0.02


class NoRate(SlotwiseError, ValueError):
    """The datacenter cannot carry the wanted arrival rate, or none at all; the message says why.

    Parameters
    ----------
    message
        Why.
    bound
        An arrival rate (jobs per time unit) that no plan exceeds.
    """

    def __init__(self, message: str, bound: float) -> None:
        super().__init__(message)
        self.bound = bound


@dataclass(frozen=True, eq=False)
class Columns:
    """The generated bins and the optimum of the linear program over them.

    There are M configurations and K classes.
    """

    value: float
    """Arrival rate of the fractional plan (jobs per time unit) or, with a target rate, its number
    of machines."""
    bound: float
    """No plan is better than this."""
    bins: tuple[IntArray, ...]
    """Bins of each configuration, shape (bins, K); only the empty one if nothing fits."""
    machines: tuple[FloatArray, ...]
    """Machines of the fractional plan with each bin, shapes (bins,)."""
    worth: FloatArray
    """Increase of `value` if a class is served at a rate greater by 1, shape (K,)."""
    machine_price: FloatArray
    """Upper bound on the worth of a machine of each configuration in units of `value`, shape (M,).
    """
    machine_gain: FloatArray
    """Change of `value` with one more machine of each configuration, shape (M,); zeros unless asked
    for."""

    @property
    def gap(self) -> float:
        """Relative distance between value and bound."""
        return abs(self.bound - self.value) / max(self.value, self.bound)


def generate_columns(
    datacenter: Datacenter,
    *,
    target_rate: float | None = None,
    start: Sequence[IntArray] | None = None,
    gap: float = GAP,
    time_limit: float = 60.0,
    gains: bool = False,
    stop: Event | None = None,
) -> Columns:
    """Maximise the arrival rate or, with a target rate, minimise the number of machines.

    `target_rate`: arrival rate to carry (jobs per time unit), None to maximise it.
    `gap`: relative gap at which the generation ends. By default a better one is pursued as long as
    it costs no more nodes than the first searches.
    `time_limit`: wall time (s); then the bound reached so far is returned.
    `gains`: whether to solve the master again with one more machine of each configuration.
    `stop`: ends it as the time limit does when it is set.
    Returns bins, fractional plan and bound. The bins of `start` come first, in their order.
    Raises `NoRate` if some class fits no machine, or if the bins of `start` do not carry the
    target.
    """
    clock = Clock(time_limit, stop)
    scale = largest_rate(datacenter)
    if scale == 0:
        housed = (datacenter.fits & (datacenter.count > 0)).any(axis=1)
        hopeless = datacenter.classes[int((~housed & (datacenter.share > 0)).argmax())]
        raise NoRate(f"class {hopeless!r} fits no machine that it can run on", 0.0)
    master = _Master(datacenter, scale, target_rate)
    if start is None:
        # As many jobs of each class alone as fit.
        alone, one = _alone(datacenter), np.eye(len(datacenter.classes), dtype=np.int64)
        master.add((j, alone[k, j] * one[k]) for k, j in np.argwhere(alone > 0).tolist())
    else:
        master.add((j, jobs) for j, bins in enumerate(start) for jobs in bins)
    tight = _TIGHT if gap <= GAP else gap
    tolerance, nodes = _FIRST_TOLERANCE, _FIRST_NODES
    while True:
        master.solve()
        priced = best_bins(
            datacenter,
            master.worth[:, None] * datacenter.rate,
            floor=master.floor,
            tolerance=tolerance,
            most_nodes=nodes,
        )
        master.tighten(priced.bound)
        if master.gap <= tight or clock.over:
            break
        better = np.flatnonzero(priced.value > master.floor * (1 + 1e-12)).tolist()
        if master.add((j, priced.bins[j]) for j in better):
            # Bins that are nearly best are good enough while the gap is wide.
            tolerance = max(min(tolerance, master.gap / 10), tight / 10)
        elif tolerance > tight / 10:
            tolerance = max(tolerance / 100, tight / 10)
        elif master.gap <= gap or nodes >= _MOST_NODES:
            break
        else:
            nodes *= 8
    return master.columns(gains=gains)


def largest_rate(datacenter: Datacenter) -> float:
    """An upper bound on the arrival rate of every plan.

    It is the least over the classes of the rate at which a class alone could be served by all
    machines; 0 if some class with arrivals cannot run.
    """
    served = (_alone(datacenter) * datacenter.rate * datacenter.count).sum(axis=1)
    arriving = datacenter.share > 0
    return float((served[arriving] / datacenter.share[arriving]).min())


def _alone(datacenter: Datacenter) -> IntArray:
    """How many jobs of a class alone fit a machine, shape (K, M)."""
    request, capacity = datacenter.request_units[:, None, :], datacenter.capacity_units[None, :, :]
    most = np.iinfo(np.int64).max
    fitting = np.where(request > 0, capacity // np.maximum(request, 1), most).min(axis=2)
    return np.where(datacenter.fits, fitting, 0)


class _Master:
    """The restricted master in HiGHS, (7) and (9), and the best bound so far.

    Rows: Σ served / (α_k s) - λ / s >= 0 for each class k with arrivals, where s is a scale; then Σ
    machines <= n_j for each configuration. The objective is to maximise λ / s or, with a target
    rate, minus the number of machines.
    """

    def __init__(self, datacenter: Datacenter, scale: float, target_rate: float | None) -> None:
        self.datacenter, self.scale, self.target_rate = datacenter, scale, target_rate
        # Each machine costs 1 if machines are what counts.
        self.cost = 0.0 if target_rate is None else 1.0
        arriving = datacenter.share > 0
        self.unit = np.where(arriving, datacenter.share, 1.0) * scale
        self.known: set[tuple[int, bytes]] = set()
        self.bins: list[tuple[int, IntArray]] = []
        self.best_bound = math.inf  # of the maximisation
        classes, configurations = len(datacenter.classes), len(datacenter.configurations)
        infinity = highspy.kHighsInf
        highs = highspy.Highs()  # type: ignore[no-untyped-call]
        highs.setOptionValue("output_flag", False)
        highs.setOptionValue("threads", 1)
        highs.setOptionValue("presolve", "off")  # it would drop the basis
        highs.setOptionValue("simplex_strategy", 4)  # primal: new columns keep the basis feasible
        highs.setOptionValue("primal_feasibility_tolerance", 1e-9)
        highs.setOptionValue("dual_feasibility_tolerance", 1e-9)
        highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        none = np.zeros(0, dtype=np.int32), np.zeros(0)
        for _ in range(classes):
            highs.addRow(0.0, infinity, 0, *none)
        for j in range(configurations):
            highs.addRow(-infinity, float(datacenter.count[j]), 0, *none)
        rows = np.flatnonzero(arriving).astype(np.int32)
        bounds = (0.0, infinity) if target_rate is None else (target_rate / scale,) * 2
        highs.addCol(1.0 - self.cost, *bounds, len(rows), rows, np.full(len(rows), -1.0))
        self.highs = highs

    def add(self, bins: Iterable[tuple[int, IntArray]]) -> int:
        """Add bins of configurations and return how many were new and not empty."""
        before, classes = len(self.bins), len(self.datacenter.classes)
        for j, jobs in bins:
            key = j, jobs.tobytes()
            if key in self.known or not jobs.any():
                continue
            self.known.add(key)
            self.bins.append((j, jobs.copy()))
            inside = np.flatnonzero(jobs)
            served = jobs[inside] * self.datacenter.rate[inside, j] / self.unit[inside]
            rows = np.append(inside, classes + j).astype(np.int32)
            self.highs.addCol(
                -self.cost, 0.0, highspy.kHighsInf, len(rows), rows, np.append(served, 1.0)
            )
        return len(self.bins) - before

    def solve(self) -> None:
        """Solve the master; sets `objective`, `worth`, `floor` and the primal `values`."""
        self._run()
        solution = self.highs.getSolution()
        classes = len(self.datacenter.classes)
        dual = np.array(solution.row_dual)
        price = np.where(self.datacenter.share > 0, np.maximum(-dual[:classes], 0.0), 0.0)
        if self.target_rate is None:
            price /= price.sum()  # what makes λ drop out of the Lagrangian
        self.price = price
        self.worth = price / self.unit
        self.floor = np.maximum(dual[classes:], 0.0) + self.cost
        self.values = np.maximum(np.array(solution.col_value), 0.0)

    def _run(self) -> None:
        with ONE_AT_A_TIME:
            self.highs.run()
        if self.highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise NoRate(f"no plan of these bins carries {self.target_rate:.9g}", self.scale)
        self.objective = float(self.highs.getObjectiveValue())

    def tighten(self, most: FloatArray) -> None:
        """Compute the Lagrangian bound at the current prices; no bin of j is worth more than
        `most[j]`.
        """
        count = self.datacenter.count
        bound = float(count @ np.maximum(most - self.cost, 0.0))
        if self.target_rate is not None:
            bound -= float(self.price.sum()) * self.target_rate / self.scale
        if bound < self.best_bound:
            self.best_bound = bound
            self.best_worth, self.best_price = self.worth, np.maximum(most - self.cost, 0.0)

    @property
    def gap(self) -> float:
        """Relative distance of the master below the bound; infinite if it carries nothing."""
        if not self.objective:
            return float("inf")
        return (self.best_bound - self.objective) / abs(self.objective)

    def gains(self) -> FloatArray:
        """Increase of the master's objective with one more machine of each configuration."""
        before, classes = self.objective, len(self.datacenter.classes)
        gains = np.zeros(len(self.datacenter.count))
        for j, count in enumerate(self.datacenter.count.tolist()):
            self.highs.changeRowBounds(classes + j, -highspy.kHighsInf, count + 1.0)
            self._run()
            gains[j] = max(0.0, self.objective - before)
            self.highs.changeRowBounds(classes + j, -highspy.kHighsInf, float(count))
        self.objective = before
        return gains

    def columns(self, *, gains: bool) -> Columns:
        """The result in the datacenter's own units."""
        datacenter = self.datacenter
        # Rates were divided by the scale; numbers of machines were turned negative.
        unit = self.scale if self.target_rate is None else -1.0
        configurations = range(len(datacenter.configurations))
        # A configuration on which nothing fits has the empty bin.
        empty = [(j, np.zeros_like(self.bins[0][1])) for j in configurations]
        known = {j for j, _ in self.bins}
        rows = self.bins + [row for row in empty if row[0] not in known]
        of = np.array([j for j, _ in rows], dtype=np.int64)
        jobs = np.array([jobs for _, jobs in rows], dtype=np.int64)
        values = np.append(self.values[1:], np.zeros(len(rows) - len(self.bins)))
        gain = self.gains() if gains else np.zeros(len(configurations))
        return Columns(
            value=self.objective * unit,
            bound=self.best_bound * unit,
            bins=tuple(jobs[of == j] for j in configurations),
            machines=tuple(values[of == j] for j in configurations),
            worth=self.best_worth * abs(unit),
            machine_price=self.best_price * unit,
            machine_gain=gain * unit,
        )
