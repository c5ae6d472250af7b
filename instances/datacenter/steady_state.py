"""How long a datacenter that is empty at first takes to fill.

Jobs arrive from time 0 on at a constant rate. After a time t those that would have arrived before
0, and would still run, are missing: with durations D, the part ∫_t^∞ P(D > u) du / E D of the load.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, exp

import numpy as np

from ...core.arrays import FloatArray
from .datacenter import Datacenter
from .durations import Exponential
from .guidance import Guidance

Missing = Callable[[float], float]
"""The missing part of the load after a time, for durations with mean 1."""

FILLED = exp(-7.0)
"""The warm-up is long enough when no more of the load than this is missing."""

WARM_UP, MEASURED = 7.0, 30.0
"""Lengths of warm-up and measured part, in mean durations that are exponential."""

_EXPONENTIAL: Missing = Exponential().missing

LEAST_JOBS, MOST_JOBS = 300_000, 10_000_000
"""Jobs that `enough_jobs` asks for at least, and at most."""


def nothing_missing(time: float) -> float:
    """The missing part of the load of a datacenter that begins in its steady state: 0."""
    return 0.0


def missing_load(
    missing: Missing, time: float, mean_duration: FloatArray, load: FloatArray
) -> float:
    """The part of the load of all classes that is missing after a time.

    `time`: the time since the datacenter was empty (`time_unit`).
    `load`: the load of each class in the steady state, in any unit, shape (K,).
    """
    loaded = load > 0
    parts = [missing(time / mean) for mean in mean_duration[loaded].tolist()]
    return float(np.dot(parts, load[loaded]) / max(1e-300, load.sum()))


def class_loads(datacenter: Datacenter, jobs: FloatArray, mean_duration: FloatArray) -> FloatArray:
    """What running jobs of each class take of the resource that they need most of, shape (K,).

    `jobs`: number of arrivals of each class, or anything in proportion to it, shape (K,).
    """
    whole = (datacenter.capacity * datacenter.count[:, None]).sum(axis=0)
    part = datacenter.request / np.where(whole > 0, whole, np.inf)
    loads: FloatArray = jobs * np.where(jobs > 0, mean_duration, 0.0) * part.max(axis=1)
    return loads


def time_to_fill(missing: Missing, mean_duration: FloatArray, load: FloatArray) -> float:
    """The time after which no more than `FILLED` of the load is missing, within 0.1 %.

    Returns the time (`time_unit`), inf if it is more than a million of the longest mean duration.
    """
    longest = float(mean_duration[load > 0].max())
    if missing_load(missing, 1e6 * longest, mean_duration, load) > FILLED:
        return float("inf")
    low, high = 0.0, longest
    while missing_load(missing, high, mean_duration, load) > FILLED:
        low, high = high, 2 * high
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        if missing_load(missing, middle, mean_duration, load) > FILLED:
            low = middle
        else:
            high = middle
    return high


def enough_jobs(
    datacenter: Datacenter,
    rate: float,
    guidance: Guidance | None = None,
    missing: Missing = _EXPONENTIAL,
) -> int:
    """Number of jobs whose first fifth fills the datacenter, and whose rest measures it.

    With exponential durations of one mean these are 37 mean durations of arrivals, 7 to fill it and
    30 to measure.

    `rate`: arrival rate of all jobs (jobs per `time_unit`).
    `guidance`: a plan, which says where jobs are expected to run; None: on the first configuration
    that can run them.
    `missing`: the missing part of the load of a class with mean duration 1.
    """
    can_run = np.isfinite(datacenter.mean_time)
    where = can_run & (np.cumsum(can_run, axis=1) == 1)
    if guidance is not None:
        planned = guidance.proportions
        where = np.where(planned.any(axis=1, keepdims=True), planned, where)
    mean_duration: FloatArray = (np.where(can_run, datacenter.mean_time, 0.0) * where).sum(axis=1)
    load = class_loads(datacenter, datacenter.share, mean_duration)
    if not load.any():
        return LEAST_JOBS
    length = time_to_fill(missing, mean_duration, load) * (WARM_UP + MEASURED) / WARM_UP
    jobs = length * rate * float(datacenter.share.sum())
    return LEAST_JOBS if not jobs > LEAST_JOBS else ceil(min(jobs, MOST_JOBS))
