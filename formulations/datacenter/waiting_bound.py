"""A lower bound on waiting times that holds for every dispatching policy on a given workload.

Give every amount of a resource on a configuration a price >= 0. A job is worth at least what it
needs at the prices of the cheapest configuration that can hold it. The datacenter is worth all its
resources, and the jobs that run at one time are never worth more. Every job is in the system from
its arrival for at least its shortest duration. Whenever the jobs that must be present are worth
more than the datacenter, some of them wait: at least as many as it takes of the most valuable ones
to make up the difference. The integral of that number over time is a lower bound on the sum of all
waits. It holds for every policy that does not interrupt jobs, even for one that knows the future.
docs/heuristics/dispatch.md has the proof.

The bound is 0 if demand never exceeds the capacity. It ignores that the free parts of different
machines do not add up, unless all jobs need what their class does: then a machine is worth its best
bin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.calls import checked
from ...core.kernels.decorators import counted
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import Guidance
from ...instances.datacenter.workload import Jobs, Workload

BUCKETS = 64
"""Number of distinct job values; in a bucket the largest value counts for all jobs."""

SLACK = 1e-9
"""The datacenter counts as worth this much more, so that rounding cannot make the bound too large.
"""


@dataclass(frozen=True)
class WaitingBound:
    """A lower bound on the mean wait of all jobs under every policy."""

    mean_wait: float
    """The bound, in the time unit of the datacenter."""
    by: str
    """The prices that gave it."""
    all: dict[str, float]
    """The bound of each choice of prices, by name."""


@checked
def waiting_bound(workload: Workload, guidance: Guidance | None = None) -> WaitingBound:
    """Compute the best bound on the mean wait of all jobs over several choices of prices.

    Parameters
    ----------
    workload
        The jobs and their arrivals.
    guidance
        Its prices are tried too: of resources on configurations and, if every job needs at least
        what its class does, of classes. Otherwise only each resource alone is priced.

    Returns
    -------
    WaitingBound
        The best bound.
    """
    jobs, datacenter = workload.whole(), workload.datacenter
    can_run = np.isfinite(datacenter.mean_time)
    first = datacenter.mean_time[np.arange(len(can_run)), can_run.argmax(axis=1)]
    factor = datacenter.mean_time / first[:, None]
    shortest = np.full(len(jobs.arrival), np.inf)
    # Per job and configuration 0 if the job can run there, else inf.
    barred = np.full((len(jobs.arrival), len(datacenter.count)), np.inf)
    for j in np.flatnonzero(datacenter.count):
        inside = (jobs.demand <= datacenter.capacity_units[j]).all(axis=1)
        inside &= can_run[jobs.job_class, j]
        barred[inside, j] = 0.0
        duration = jobs.duration * factor[jobs.job_class, j]
        shortest = np.where(inside, np.minimum(shortest, duration), shortest)
    ends = jobs.arrival + shortest
    order = np.argsort(ends, kind="stable")
    bounds: dict[str, float] = {}
    for name, value, worth in _choices(datacenter, jobs, barred, guidance):
        edges, bucket = _buckets(value)
        total = _least_waiting(jobs.arrival, ends, order, value, bucket, edges, worth * (1 + SLACK))
        bounds[name] = total / len(ends)
    best = max(bounds, key=lambda name: bounds[name])
    return WaitingBound(bounds[best], best, bounds)


def _choices(
    datacenter: Datacenter, jobs: Jobs, barred: FloatArray, guidance: Guidance | None
) -> Iterator[tuple[str, FloatArray, float]]:
    """Choices of prices: name, value of each job, worth of the datacenter."""
    capacity, count = datacenter.capacity_units.astype(float), datacenter.count
    for r, name in enumerate(datacenter.resources):
        yield name, jobs.demand[:, r].astype(float), float(count @ capacity[:, r])
    if guidance is None or guidance.prices is None:
        return
    prices, whole = guidance.prices, capacity * count[:, None]
    each = np.divide(prices.resource, whole, out=np.zeros_like(whole), where=whole > 0)
    value = np.full(len(jobs.arrival), np.inf)
    for j in np.flatnonzero(count):
        value = np.minimum(value, jobs.demand @ each[j] + barred[:, j])
    yield "resources at the plan's prices", value, float((each * whole).sum())
    if (jobs.demand >= datacenter.request_units[jobs.job_class]).all():
        share = datacenter.share
        work = np.divide(prices.work, share, out=np.zeros_like(share), where=share > 0)
        there = datacenter.fits & (count > 0)
        served = np.where(there, work[:, None] * datacenter.rate, np.inf).min(axis=1)
        yield "bins", served[jobs.job_class], float(count @ prices.machine_bound)


def _buckets(value: FloatArray) -> tuple[FloatArray, IntArray]:
    """Largest value of each bucket, the most valuable first, and the bucket of each job."""
    edges = np.unique(value)
    if len(edges) > BUCKETS:
        points = np.linspace(0, 1, BUCKETS + 1)[1:]
        edges = np.unique(np.quantile(value, points, method="higher"))
    edges = edges[::-1].copy()
    bucket = len(edges) - 1 - np.searchsorted(edges[::-1], value, side="left")
    return edges, bucket.astype(np.int64)


@counted
def _least_waiting(
    arrival: FloatArray,
    ends: FloatArray,
    order: IntArray,
    value: FloatArray,
    bucket: IntArray,
    edges: FloatArray,
    worth: float,
) -> float:
    """Integral over time of the least number of waiting jobs, fractions allowed."""
    there = np.zeros(len(edges))
    demand, total, now = 0.0, 0.0, 0.0
    coming, going, jobs = 0, 0, len(arrival)
    while going < jobs:
        leaving = ends[order[going]] if going < coming else np.inf
        following = arrival[coming] if coming < jobs else np.inf
        time = min(following, leaving)
        missing = demand - worth
        if missing > 0 and time > now:
            waiting = 0.0
            for b in range(len(edges)):
                if missing <= there[b] * edges[b]:
                    waiting += missing / edges[b]
                    break
                waiting += there[b]
                missing -= there[b] * edges[b]
            total += waiting * (time - now)
        now = time
        if leaving <= following:
            demand -= value[order[going]]
            there[bucket[order[going]]] -= 1
            going += 1
        else:
            demand += value[coming]
            there[bucket[coming]] += 1
            coming += 1
    return total
