"""What a simulation of a datacenter saw: waits, utilisation, fragmentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.values import ByValue
from ...core.wording import percent
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.steady_state import class_loads, missing_load, time_to_fill
from ...instances.datacenter.workload import Workload
from ...instances.limits import MOST_ARRIVALS
from ...instances.views import Plottable, Tabular
from . import WARM_UP
from .engine.columns import FIRST_IN_USE, FRAGMENTATION, JOBS_WAITING, SAMPLE_TIME
from .engine.state import wait_of_bucket

ABSENT = 0.005
"""Part of the load that may be missing when measuring starts."""

GROWN, MOVED = 1.5, 0.05
"""By which factor the second half's mean queue exceeds the first's if the queue grows, and by which
part their use differs if use has not settled."""


BATCHES, SIGNIFICANT = 10, 3.0
"""Batches of a series, and the standard errors by which its halves must differ."""


@dataclass(frozen=True, eq=False)
class Simulation(Plottable, Tabular, ByValue):
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
    durations : (K,)
        Sum of the durations of the jobs of each class, where they ran.
    series : (samples, 6 + R)
        The state at regular times; `engine.columns` has names for the columns.
    events
        Arrivals and departures.
    seconds
        Processor time of the events alone, without making the workload.
    all_jobs, mean_wait_of_all
        Jobs that started, warm-up included, and their mean wait.
    interrupted
        Whether Ctrl-C ended the run.
    warm_up, measured_from
        Part of the jobs that was not measured, and when the first one arrived that was.
    guidance
        The plan that was there; None if there was none.
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
    durations: FloatArray
    series: FloatArray
    events: int
    seconds: float = field(compare=False)
    all_jobs: int
    mean_wait_of_all: float
    interrupted: bool
    warm_up: float
    measured_from: float
    guidance: Guidance | None
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
        """The samples from then on, at least the last."""
        first = int(np.searchsorted(self.series[:, SAMPLE_TIME], self.measured_from))
        return self.series[min(first, len(self.series) - 1) :]

    @property
    def rate(self) -> float:
        """Arrivals per time unit: what jobs were drawn with, or what their number comes to."""
        drawn = self.workload.rate
        return self.workload.jobs / max(self.workload.horizon, 1e-300) if drawn is None else drawn

    @property
    def load(self) -> float | None:
        """The rate of drawn jobs as a part of the plan's bound; None if either is missing."""
        bound = 0.0 if self.guidance is None else self.guidance.arrival_rate_bound
        return None if self.workload.rate is None or bound <= 0 else self.workload.rate / bound

    @property
    def mean_duration(self) -> float:
        """Mean duration of the jobs after the warm-up, where they ran."""
        return float(self.durations.sum()) / max(1, self.measured)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What to know before these figures are trusted, see `warnings_of`."""
        return warnings_of([self])

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
            "machines": self.datacenter.machines,
            "rate": self.rate,
            "load": self.load,
            "horizon": self.workload.horizon,
            "mean_duration": self.mean_duration,
            "warm_up": self.measured_from,
            "start": "empty" if self.workload.running is None else "full",
            "running_at_start": self.workload.running_at_start,
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
            "interrupted": self.interrupted,
            "warnings": list(self.warnings),
            "events": self.events,
            "seconds": self.seconds,
            "events_per_second": self.events_per_second,
        }


def warnings_of(simulations: Sequence[Simulation]) -> tuple[str, ...]:
    """What to know before figures of policies on the same jobs are trusted.

    `simulations`: simulations of one workload, at least one.
    Returns sentences: the load is too high, the warm-up too short, a queue still grows, use has not
    settled, nobody waited. Empty if there is nothing of the kind.
    """
    first = simulations[0]
    warnings = _of_the_load(first)
    seen = [simulation for simulation in simulations if simulation.measured]
    if not seen:
        return tuple(warnings)
    warnings += (short := _of_the_warm_up(first))
    growing, moving = [], []
    for simulation in seen:
        after = simulation._after_warm_up()
        queue = halves(after[:, JOBS_WAITING])
        if queue is not None and queue.differ and queue.second > GROWN * queue.first:
            growing.append(f"{simulation.policy} {queue.first:.3g}, then {queue.second:.3g}")
        r = int(simulation.utilisation.argmax())
        use = halves(after[:, FIRST_IN_USE + r])
        if use is not None and use.differ and abs(use.second - use.first) > MOVED * use.first:
            whole = simulation.utilisation[r] * 2 / (use.first + use.second)
            before, after_it = percent(whole * use.first), percent(whole * use.second)
            resource = first.datacenter.resources[r]
            moving.append(f"{simulation.policy} {before} of {resource}, then {after_it}")
    if growing:
        warnings.append(
            "the queue was still growing when arrivals ended (jobs waiting in the first and the "
            f"second half: {'; '.join(growing)})"
        )
    if moving and not short:
        warnings.append(
            "what is in use has not settled (in the first and the second half: "
            f"{'; '.join(moving)})"
        )
    if all(simulation.max_wait == 0 for simulation in seen):
        warnings.append(
            "nobody waited: these jobs do not say which policy is better; try a higher load"
        )
    return tuple(warnings)


def _of_the_load(simulation: Simulation) -> list[str]:
    load, guidance = simulation.load, simulation.guidance
    if load is None or guidance is None:
        return []
    if load >= 1:
        return [
            f"load {load:.4g} is above what any dispatcher can carry: waits grow with the number "
            "of jobs"
        ]
    if simulation.rate > guidance.arrival_rate:
        own = guidance.arrival_rate / guidance.arrival_rate_bound
        return [
            f"load {load:.4g} is above what the plan carries, {own:.4g}: policies that follow its "
            "bins may not keep up"
        ]
    return []


def _of_the_warm_up(simulation: Simulation) -> list[str]:
    """Whether part of the load was missing when measuring started, and what to do about it."""
    workload, durations = simulation.workload, simulation.durations
    mean = durations / np.maximum(1, simulation.jobs)
    load = class_loads(simulation.datacenter, simulation.jobs.astype(float), mean)
    if workload.missing is None or not load.any():
        return []
    absent = missing_load(workload.missing, simulation.measured_from, mean, load)
    if absent <= ABSENT:
        return []
    covered = simulation.measured_from / simulation.mean_duration
    part = max(simulation.warm_up, WARM_UP)
    jobs = time_to_fill(workload.missing, mean, load) * simulation.rate / part
    remedies = []
    if workload.jobs < jobs <= MOST_ARRIVALS:
        digit = 10 ** max(0, int(np.log10(jobs)) - 1)
        remedies.append(f"--jobs {int(np.ceil(jobs / digit)) * digit}")
    if part > simulation.warm_up and jobs <= MOST_ARRIVALS:
        remedies.append(f"--warm-up {part:g}")
    others = f" or {' and '.join(remedies)}" if remedies else ""
    return [
        f"warm-up covers {covered:.2g} mean durations; {percent(absent)} of the load is not "
        f"there yet: use --start full{others}"
    ]


class Halves(NamedTuple):
    """Means of the halves of a series, and the standard error of their difference."""

    first: float
    second: float
    error: float

    @property
    def differ(self) -> bool:
        """Whether the means differ by more than chance would have it."""
        return abs(self.second - self.first) > SIGNIFICANT * self.error


def halves(values: FloatArray) -> Halves | None:
    """The halves of a series at regular times, shape (samples,), by means of `BATCHES` batches.

    What is left over is dropped at the beginning. None if there are fewer values than batches.
    """
    length = len(values) // BATCHES
    if length == 0:
        return None
    means = values[-BATCHES * length :].reshape(BATCHES, length).mean(axis=1).reshape(2, -1)
    first, second = means.mean(axis=1).tolist()
    variance = means.var(axis=1, ddof=1).mean()
    return Halves(first, second, float(np.sqrt(variance * 2 / means.shape[1])))
