"""The datacenter of LoTES (Tran et al.), Tables 1 and 2, and random datacenters of any size."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import FloatArray, IntArray
from ..datacenter.datacenter import Datacenter
from ..limits import MOST_MACHINES, MOST_NAMED, MOST_RESOURCES
from .parameters import call, need, need_at_most, need_few_entries

Range = tuple[float, float]

COUNT = (6732, 3863, 1001, 795, 126, 52, 5, 5, 3, 1)
CAPACITY = (
    (0.50, 0.50), (0.50, 0.25), (0.50, 0.75), (1.00, 1.00), (0.25, 0.25),
    (0.50, 0.12), (0.50, 0.03), (0.50, 0.97), (1.00, 0.50), (1.00, 0.06),
)  # fmt: skip
"""Table 1: machines of each configuration; cores and memory of one, of the largest machine."""

SHARE = (0.23, 0.46, 0.30, 0.01)
MEAN_TIME = (0.03, 0.04, 0.04, 0.03)
REQUEST = ((0.02, 0.01), (0.02, 0.03), (0.07, 0.03), (0.20, 0.06))
"""Table 2: share of the jobs of each class, hours, cores and memory of a job."""


def google_2011(scale: float = 1.0, *, at_least: int = 1) -> Datacenter:
    """Tables 1 and 2: 12 583 machines of a Google cluster in May 2011, four classes of jobs.

    `scale` > 0 multiplies the machines: their number is rounded and shared out by the largest
    remainder, after which every configuration keeps `at_least` machines (1/20: 633 machines).
    Raises `InputError` for a scale that is no positive number.
    """
    need(0 < scale < np.inf, "scale", "a positive number", scale)
    most = MOST_MACHINES // sum(COUNT)
    need(scale <= most, "scale", f"at most {most}", scale)
    need(at_least >= 0, "at_least", "an integer >= 0", at_least)
    count = _largest_remainder(np.array(COUNT) * scale, round(sum(COUNT) * scale))
    classes, configurations = len(SHARE), len(COUNT)
    return Datacenter(
        name="google-2011" if scale == 1 else f"google-2011-x{scale:.6g}",
        time_unit="h",
        resources=("cores", "memory"),
        configurations=tuple(f"c{j + 1}" for j in range(configurations)),
        count=np.maximum(count, at_least),
        capacity=np.array(CAPACITY),
        classes=tuple(f"k{k + 1}" for k in range(classes)),
        share=np.array(SHARE),
        mean_time=np.repeat(np.array(MEAN_TIME)[:, None], configurations, axis=1),
        request=np.array(REQUEST),
        source="LoTES, Tables 1 and 2" + ("" if scale == 1 else f", machines x {scale:.6g}"),
    )


def generate(
    classes: int = 50,
    configurations: int = 50,
    resources: int = 3,
    machines: int = 10_000,
    *,
    seed: int,
    capacity: Range = (0.25, 1.0),
    request: Range = (0.01, 0.2),
    mean_time: Range = (0.01, 1.0),
    speed: Range = (1.0, 1.0),
    allowed: float = 1.0,
) -> Datacenter:
    """A random datacenter; amounts are shares of the largest machine, rounded to 0.001.

    Capacities are uniform; requests and mean times (h) log-uniform. Configurations have
    `machines` between them and classes all arrivals, both split at random (uniform on the simplex).
    `speed` is the range of the factors, uniform per class and configuration, by which the mean time
    differs. A class may run on a configuration with the probability `allowed`, and on one of
    them in any case. Everything comes from `numpy.random.default_rng(seed)`, in this order:
    machines, capacities, shares, requests, mean times, speeds, permissions.

    Raises `InputError` for parameters that describe no datacenter.
    """
    source = call("generate", dict(locals()))
    need(classes >= 1, "classes", "at least 1", classes)
    need(configurations >= 1, "configurations", "at least 1", configurations)
    need(resources >= 1, "resources", "at least 1", resources)
    need(machines >= configurations, "machines", "at least one a configuration", machines)
    need(seed >= 0, "seed", "an integer >= 0", seed)
    need_at_most(MOST_NAMED, classes=classes, configurations=configurations)
    need_at_most(MOST_MACHINES, machines=machines)
    need_at_most(MOST_RESOURCES, resources=resources)
    need_few_entries("mean times and amounts", classes + resources, configurations + resources)
    need(0 <= allowed <= 1, "allowed", "a probability", allowed)
    for name, (low, high) in (
        ("capacity", capacity),
        ("request", request),
        ("mean_time", mean_time),
        ("speed", speed),
    ):
        need(0 < low <= high < np.inf, name, "0 < low <= high", (low, high))
    need(request[1] <= capacity[0], "request", "at most the least capacity", request)

    rng = np.random.default_rng(seed)
    spare = rng.dirichlet(np.ones(configurations)) * (machines - configurations)
    count = 1 + _largest_remainder(spare, machines - configurations)
    size = _rounded(rng.uniform(*capacity, (configurations, resources)))
    share = rng.dirichlet(np.ones(classes))
    needs = _rounded(_log_uniform(rng, request, (classes, resources)))
    times = _log_uniform(rng, mean_time, (classes, 1))
    times = times * rng.uniform(*speed, (classes, configurations))
    may_run = rng.random((classes, configurations)) < allowed
    may_run[np.arange(classes), rng.integers(configurations, size=classes)] = True
    return Datacenter(
        name=f"random-{classes}x{configurations}x{resources}-seed{seed}",
        time_unit="h",
        resources=tuple(f"r{r}" for r in range(resources)),
        configurations=tuple(f"c{j}" for j in range(configurations)),
        count=count,
        capacity=size,
        classes=tuple(f"k{k}" for k in range(classes)),
        share=share,
        mean_time=np.where(may_run, times, np.inf),
        request=needs,
        source=f"slotwise.instances.generators.lotes.{source}",
    )


def _largest_remainder(parts: FloatArray, total: int) -> IntArray:
    """Integers near `parts` that add up to `total`; ties go to the first."""
    whole = np.floor(parts + 1e-9).astype(np.int64)
    order = np.argsort(whole - parts, kind="stable")
    whole[order[: total - int(whole.sum())]] += 1
    return whole


def _log_uniform(rng: np.random.Generator, bounds: Range, shape: tuple[int, ...]) -> FloatArray:
    low, high = math.log(bounds[0]), math.log(bounds[1])
    drawn: FloatArray = np.exp(rng.uniform(low, high, shape))
    return drawn


def _rounded(amounts: FloatArray) -> FloatArray:
    rounded: FloatArray = np.maximum(np.round(amounts, 3), 0.001)
    return rounded
