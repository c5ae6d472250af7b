"""The datacenter of [LoTES], Tables 1 and 2, and random datacenters of any size."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.calls import generator
from ....core.parameters import parameter
from ...generator_options import (
    SEED,
    Range,
    call,
    check_at_least,
    check_at_most,
    check_few_entries,
    check_probabilities,
    check_ranges,
    check_seed,
    require,
)
from ...limits import MOST_NAMED, MOST_RESOURCES
from ..datacenter import Datacenter

MOST_MACHINES = 1_000_000_000
"""Most machines of a generated datacenter; they are only counted."""

MACHINE_COUNTS = (6732, 3863, 1001, 795, 126, 52, 5, 5, 3, 1)
MACHINE_CAPACITIES = (
    (0.50, 0.50), (0.50, 0.25), (0.50, 0.75), (1.00, 1.00), (0.25, 0.25),
    (0.50, 0.12), (0.50, 0.03), (0.50, 0.97), (1.00, 0.50), (1.00, 0.06),
)  # fmt: skip
"""Table 1: machines of each configuration; cores and memory of one, of the largest machine."""

CLASS_SHARES = (0.23, 0.46, 0.30, 0.01)
CLASS_MEAN_TIMES = (0.03, 0.04, 0.04, 0.03)
CLASS_REQUESTS = ((0.02, 0.01), (0.02, 0.03), (0.07, 0.03), (0.20, 0.06))
"""Table 2: share of the jobs of each class, hours, cores and memory of a job."""


@dataclass(frozen=True)
class Google2011Parameters:
    """Parameters of the Google cluster of May 2011."""

    scale: float = parameter(1.0, "Multiplies the machines of Tables 1 and 2.")
    _: KW_ONLY
    at_least: int = parameter(1, "Least number of machines of each configuration.")

    def __post_init__(self) -> None:
        require(0 < self.scale < math.inf, "scale", "a positive number", self.scale)
        most = MOST_MACHINES // sum(MACHINE_COUNTS)
        require(self.scale <= most, "scale", f"at most {most}", self.scale)
        require(self.at_least >= 0, "at_least", "an integer >= 0", self.at_least)


@generator(Google2011Parameters)
def google_2011(parameters: Google2011Parameters) -> Datacenter:
    """The datacenter of [LoTES], Tables 1 and 2: 12 583 machines, four classes of jobs.

    It is a Google cluster of May 2011 [Google2011]. `scale` > 0 multiplies the machines: their
    number is rounded and apportioned by the largest remainder, after which every configuration
    keeps `at_least` machines (1/20: 633 machines).

    Returns
    -------
    Datacenter

    Raises
    ------
    InputError
        For a scale that is no positive number.
    """
    scale, configurations = parameters.scale, len(MACHINE_COUNTS)
    count = _largest_remainder(np.array(MACHINE_COUNTS) * scale, round(sum(MACHINE_COUNTS) * scale))
    return Datacenter(
        name="google-2011" if scale == 1 else f"google-2011-x{scale:.6g}",
        time_unit="h",
        resources=("cores", "memory"),
        configurations=tuple(f"c{j + 1}" for j in range(configurations)),
        count=np.maximum(count, parameters.at_least),
        capacity=np.array(MACHINE_CAPACITIES),
        classes=tuple(f"k{k + 1}" for k in range(len(CLASS_SHARES))),
        share=np.array(CLASS_SHARES),
        mean_time=np.repeat(np.array(CLASS_MEAN_TIMES)[:, None], configurations, axis=1),
        request=np.array(CLASS_REQUESTS),
        source="LoTES, Tables 1 and 2" + ("" if scale == 1 else f", machines x {scale:.6g}"),
    )


@dataclass(frozen=True)
class LotesParameters:
    """Parameters of a random datacenter; amounts are shares of the largest machine."""

    classes: int = parameter(50, "Number of job classes.")
    configurations: int = parameter(50, "Number of machine configurations.")
    resources: int = parameter(3, "Number of resources.")
    machines: int = parameter(10_000, "Machines of all configurations.")
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    capacity: Range = parameter((0.25, 1.0), "Capacity of a machine, uniform.")
    request: Range = parameter((0.01, 0.2), "Request of a job, log-uniform.")
    mean_time: Range = parameter((0.01, 1.0), "Mean time of a job, log-uniform.", unit="h")
    speed: Range = parameter((1.0, 1.0), "Factor of the mean time of a class on a configuration.")
    allowed: float = parameter(1.0, "Probability that a class may run on a configuration.")

    def __post_init__(self) -> None:
        classes, configurations, resources = self.classes, self.configurations, self.resources
        check_at_least(1, classes=classes, configurations=configurations, resources=resources)
        enough = self.machines >= configurations
        require(enough, "machines", "at least one a configuration", self.machines)
        check_seed(self.seed)
        check_at_most(MOST_NAMED, classes=classes, configurations=configurations)
        check_at_most(MOST_MACHINES, machines=self.machines)
        check_at_most(MOST_RESOURCES, resources=resources)
        check_few_entries("mean times and amounts", classes + resources, configurations + resources)
        check_probabilities(allowed=self.allowed)
        check_ranges(capacity=self.capacity, request=self.request)
        check_ranges(mean_time=self.mean_time, speed=self.speed)
        fits = self.request[1] <= self.capacity[0]
        require(fits, "request", "at most the least capacity", self.request)


@generator(LotesParameters)
def generate(parameters: LotesParameters) -> Datacenter:
    """Draw a random datacenter; amounts are shares of the largest machine, rounded to 0.001.

    Capacities are uniform; requests and mean times (h) log-uniform. The `machines` are split among
    the configurations, and all arrivals among the classes, at random (uniform on the simplex).
    `speed` is the range of the factors, uniform per class and configuration, by which the mean time
    differs. A class may run on a configuration with the probability `allowed`, and on one of them
    in any case. All numbers come from `numpy.random.default_rng(seed)`, in this order: machines,
    capacities, shares, requests, mean times, speeds, permissions.

    Returns
    -------
    Datacenter

    Raises
    ------
    InputError
        For parameters that describe no datacenter.
    """
    p = parameters
    rng = np.random.default_rng(p.seed)
    spare = rng.dirichlet(np.ones(p.configurations)) * (p.machines - p.configurations)
    count = 1 + _largest_remainder(spare, p.machines - p.configurations)
    size = _rounded(rng.uniform(*p.capacity, (p.configurations, p.resources)))
    share = rng.dirichlet(np.ones(p.classes))
    needs = _rounded(_log_uniform(rng, p.request, (p.classes, p.resources)))
    times = _log_uniform(rng, p.mean_time, (p.classes, 1))
    times = times * rng.uniform(*p.speed, (p.classes, p.configurations))
    may_run = rng.random((p.classes, p.configurations)) < p.allowed
    may_run[np.arange(p.classes), rng.integers(p.configurations, size=p.classes)] = True
    return Datacenter(
        name=f"random-{p.classes}x{p.configurations}x{p.resources}-seed{p.seed}",
        time_unit="h",
        resources=tuple(f"r{r}" for r in range(p.resources)),
        configurations=tuple(f"c{j}" for j in range(p.configurations)),
        count=count,
        capacity=size,
        classes=tuple(f"k{k}" for k in range(p.classes)),
        share=share,
        mean_time=np.where(may_run, times, np.inf),
        request=needs,
        source=f"slotwise.instances.datacenter.generators.lotes.{call('generate', p)}",
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
