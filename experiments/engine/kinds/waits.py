"""Runs on datacenters: dispatching policies on the same jobs.

Keys of the workload and parameters of the policies are in `study.workload`. Times among the
measures are in the datacenter's time unit, which is a measure itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....core.errors import InputError
from ....heuristics.datacenter.engine.columns import JOBS_WAITING, STARTS, WAIT_OF_STARTS
from ....heuristics.datacenter.policy import policy_kind, weight_of_work
from ....heuristics.datacenter.result import Simulation
from ....heuristics.datacenter.simulator import SAMPLES, simulate
from ....instances.datacenter.datacenter import Datacenter
from ....instances.datacenter.datacenter_file import datacenter_document
from ....instances.datacenter.job_file import SECONDS
from ....solvers.datacenter.jobs_asked import plan_for
from ...study.identity import canonical
from ...study.study import MethodCall, Unit
from ...study.workload import JobsWorkload, asked_jobs, check_same_files
from ..perform import Outcome

if TYPE_CHECKING:
    from ....instances.datacenter.guidance import Guidance

FIGURES = ("mean_wait", "p99_wait", "max_wait", "waited", "mean_wait_of_all", "measured",
           "horizon", "fragmentation", "time_unit")  # fmt: skip
"""Of `Simulation.document`, measures by the same names: none is a key of the workload."""

PARTS, PER_PART = 30, SAMPLES // 30
"""Intervals of the series of waits, as many as days of a month, and samples in each."""

MOST_IN_SERIES = 20_000_000
"""Jobs whose starts are kept for the waits by arrival; of more there are none."""

DAY, DAYS = 86_400.0, 5
"""Seconds of a day, and the number of days from which on the intervals are days."""

MOST_PLANS = 8
"""Plans that a process keeps."""

_plans: dict[tuple[str, str | None, float], Guidance] = {}


class Prepared:
    """A datacenter with its jobs, which all policies get, and its plan if one is needed."""

    def __init__(self, datacenter: Datacenter, unit: Unit) -> None:
        check_same_files(unit.instance.workload, unit.instance.files)
        self.asked = JobsWorkload(**unit.instance.workload)
        self.datacenter = datacenter.part(self.asked.scale)
        self.name = datacenter.name
        self.bounds: dict[str, float] = {}
        asked = asked_jobs(self.asked)
        asked.check()
        replayed = asked.replayed(self.datacenter)
        self.spread = asked.spread(replayed)
        self.needs_plan = asked.needs_plan
        drawn_with = self._plan() if self.needs_plan else None
        self.jobs = asked.drawn(self.datacenter, drawn_with) if replayed is None else replayed

    def run(self, method: MethodCall) -> Outcome:
        if method.kind != "policy":
            what = f"{method.kind} {method.name!r}"
            raise InputError(f"{what} is not for datacenters: they need policies")
        given = dict(method.parameters)
        given["gamma"] = weight_of_work(given["gamma"], self.datacenter)
        follows = policy_kind(method.name).follows_plan
        seen = simulate(
            self.jobs,
            method.name,
            # What others of the unit need must not change what this run records.
            guidance=self._plan() if follows or self.needs_plan else None,
            seed=self.asked.seed,
            warm_up=self.asked.warm_up,
            log=self.jobs.jobs <= MOST_IN_SERIES,
            sample_interval=sample_interval(self.jobs.horizon, self.datacenter.time_unit),
            **given,
        )
        return Outcome("done", measures=measures_of(seen), seconds=seen.seconds)

    def _plan(self) -> Guidance:
        """The plan, made once in a process for the datacenter and the spread of the demands."""
        path, limit = self.asked.guidance, self.asked.plan_time
        key = canonical(datacenter_document(self.datacenter)), path, limit
        if key not in _plans:
            while len(_plans) >= MOST_PLANS:
                del _plans[next(iter(_plans))]
            _plans[key] = plan_for(self.datacenter, path, time_limit=limit)
        if self.spread == 0:
            return _plans[key]
        from ....solvers.datacenter.prices import with_spread

        return with_spread(_plans[key], self.spread)


def sample_interval(horizon: float, time_unit: str) -> float | None:
    """Time between samples: so that days are whole numbers of samples, if there are some days.

    `time_unit`: the datacenter's time unit.
    There are none for the simulator's own.
    """
    if time_unit not in SECONDS or horizon * SECONDS[time_unit] < DAYS * DAY:
        return None
    return DAY / SECONDS[time_unit] / PER_PART


def measures_of(seen: Simulation) -> dict[str, Any]:
    """The measures of a simulation: figures, and series over time.

    `interval` is the length of the intervals of `wait_over_time`, the mean waits of the jobs that
    start in each, `starts_over_time`, and `wait_by_arrival`, the mean waits of the jobs
    that arrive in each. `queue_over_time` has the jobs that wait at `PER_PART` times of each.
    """
    document = seen.document()
    own = sample_interval(seen.workload.horizon, seen.datacenter.time_unit)
    interval = PER_PART * (seen.workload.horizon / SAMPLES if own is None else own)
    measures: dict[str, Any] = {name: document[name] for name in FIGURES}
    for resource, part in document["utilisation"].items():
        measures[f"use {resource}"] = part
    return measures | {
        "interval": interval,
        **_by_start(seen),
        **_by_arrival(seen, interval),
        "queue_over_time": seen.series[:, JOBS_WAITING].astype(int).tolist(),
        "warnings": "; ".join(seen.warnings),
    }


def _by_start(seen: Simulation) -> dict[str, Any]:
    """Waits by the time of the start, as [LoTES] counts them."""
    # What starts after the last sample is that after the last arrival, while the queue empties.
    series = seen.series[:-1]
    begins = np.arange(0, len(series), PER_PART)
    starts = np.add.reduceat(series[:, STARTS], begins)
    waited = np.add.reduceat(series[:, WAIT_OF_STARTS], begins)
    mean = np.divide(waited, starts, out=np.zeros(len(begins)), where=starts > 0)
    return {"wait_over_time": _short(mean), "starts_over_time": starts.astype(int).tolist()}


def _by_arrival(seen: Simulation, interval: float) -> dict[str, Any]:
    """Waits by the time of arrival: a job that is kept waiting counts when it came, not never."""
    if not len(seen.start):
        return {}
    parts = max(1, int(np.ceil(seen.workload.horizon / interval - 1e-9)))
    arrived, waited, done = np.zeros(parts), np.zeros(parts), 0
    for block in seen.workload.blocks():
        at = np.minimum((block.arrival / interval).astype(np.int64), parts - 1)
        wait = seen.start[done : done + len(at)] - block.arrival
        arrived += np.bincount(at, minlength=parts)
        waited += np.bincount(at, wait, parts)
        done += len(at)
    mean = np.divide(waited, arrived, out=np.zeros(parts), where=arrived > 0)
    return {"wait_by_arrival": _short(mean)}


def _short(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[float]:
    """With six digits: they are many."""
    return [float(f"{value:.6g}") for value in values.tolist()]
