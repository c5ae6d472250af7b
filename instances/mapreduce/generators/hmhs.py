"""The workload of [HMHS], section 4.1: many jobs on machines of uneven speed.

Every machine is a node with one slot: the map machines `m0, m1, …`, then the reduce machines `r0,
r1, …`. Jobs read no data. All numbers come from one stream, `numpy.random.default_rng(seed)`, in
this order: which jobs are long or large, numbers of map tasks, numbers of reduce tasks, map times,
reduce times; which map machines are slow, their speed factors; the same of the reduce machines. One
seed gives the same jobs on every cluster, and another share of slow machines changes the factors of
no other machine.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Literal

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray, offsets
from ....core.calls import generator
from ....core.parameters import parameter
from ...generator_options import (
    SEED,
    Checked,
    Counts,
    Range,
    call,
    check_at_most,
    check_few_entries,
    check_ranges,
    few_tasks,
    require,
)
from ...limits import MOST_NAMED, MOST_TASKS
from ..cluster import Cluster
from ..instance import Instance, SpeedFactors
from .task_numbers import check_few_tasks

SLOW_SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Share of slow machines in clusters 1 to 6 of Table 1."""


@dataclass(frozen=True)
class HmhsParameters(Checked):
    """Parameters of [HMHS], section 4.1; the defaults are the paper's."""

    jobs: int = parameter(100, "Number of jobs.", least=1, most=MOST_NAMED)
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    workload: Literal["single", "hybrid"] = parameter(
        "single", "Jobs of one kind, or long and large ones among them."
    )
    map_machines: int = parameter(100, "Machines with one map slot.", least=1, most=MOST_NAMED)
    reduce_machines: int = parameter(
        100, "Machines with one reduce slot.", least=1, most=MOST_NAMED
    )
    cluster: int = parameter(1, "1 to 6 of Table 1: share of slow machines.")
    slow_share: float | None = parameter(
        None, "Share of slow machines, instead of a cluster.", least=0, most=1
    )
    maps: Counts = parameter((1, 300), "Map tasks of a job.")
    reduces: Counts = parameter((1, 40), "Reduce tasks of a job.")
    map_time: Range = parameter((5.0, 45.0), "Time of a map task.", unit="s")
    reduce_time: Range = parameter((15.0, 135.0), "Time of a reduce task.", unit="s")
    long_share: float = parameter(0.15, "Share of long jobs, hybrid workload.", least=0, most=1)
    long_map_time: Range = parameter((100.0, 2000.0), "Map time of long jobs.", unit="s")
    long_reduce_time: Range = parameter((300.0, 6000.0), "Reduce time of long jobs.", unit="s")
    large_share: float = parameter(0.05, "Share of large jobs, hybrid workload.")
    large_maps: Counts = parameter((2000, 5000), "Map tasks of a large job.")
    large_reduces: Counts = parameter((100, 400), "Reduce tasks of a large job.")
    factor: Range = parameter((0.1, 1.0), "Speed factors; smaller is faster.")
    slow_factor: Range = parameter((0.9, 1.0), "Speed factors of slow machines.")
    factors_by_job: bool = parameter(True, "A factor per job and machine, not per machine only.")

    def __post_init__(self) -> None:
        super().__post_init__()
        machines = self.map_machines + self.reduce_machines
        check_few_entries("factors by job and machine", self.jobs, machines)
        if self.slow_share is None:
            require(1 <= self.cluster <= len(SLOW_SHARES), "cluster", "1 to 6", self.cluster)
        large = self.large_share
        require(0 <= large <= 1 - self.long_share, "large_share", "a share beside long", large)
        for name in ("maps", "large_maps", "reduces", "large_reduces"):
            low, high = getattr(self, name)
            require(0 <= low <= high, name, "0 <= low <= high", (low, high))
            check_at_most(MOST_TASKS, **{name: high})
        check_ranges(map_time=self.map_time, long_map_time=self.long_map_time)
        check_ranges(reduce_time=self.reduce_time, long_reduce_time=self.long_reduce_time)
        check_ranges(factor=self.factor, slow_factor=self.slow_factor)

    @property
    def share_of_slow_machines(self) -> float:
        """`slow_share`, or that of the cluster."""
        return SLOW_SHARES[self.cluster - 1] if self.slow_share is None else self.slow_share


@generator(HmhsParameters)
def generate(parameters: HmhsParameters) -> Instance:
    """Draw an instance of [HMHS], section 4.1.

    Numbers of tasks are uniform integers, bounds included; times (s) and factors are uniform and
    continuous. All map tasks of a job take the same time, and so do its reduce tasks. The hybrid
    workload has `long_share` long and `large_share` large jobs, rounded to whole jobs, at random
    positions; the single workload has none. A share of each kind of machines is slow: that of
    `cluster` 1 to 6 in Table 1, or `slow_share` if it is given. A speed factor multiplies the time,
    and each job has its own on each machine; with `factors_by_job=False` all jobs have the same.
    """
    p = parameters
    rng = np.random.default_rng(p.seed)
    long, large = _kinds(rng, p.jobs, p.long_share, p.large_share)
    if p.workload == "single":
        long[:] = large[:] = False
    maps_of = _task_numbers(rng, "maps", p.maps, p.large_maps, large)
    reduces_of = _task_numbers(rng, "reduces", p.reduces, p.large_reduces, large)
    map_times = _uniform(rng, p.map_time, p.long_map_time, long)
    reduce_times = _uniform(rng, p.reduce_time, p.long_reduce_time, long)
    factors = []
    for machines in (p.map_machines, p.reduce_machines):
        slow = rng.permutation(machines) < round(p.share_of_slow_machines * machines)
        drawn = _uniform(rng, p.factor, p.slow_factor, slow, p.jobs if p.factors_by_job else 1)
        factors.append(np.repeat(drawn, p.jobs // len(drawn), axis=0))

    tasks = int(maps_of.sum())
    return Instance(
        name=f"hmhs-{p.workload}-{p.jobs}x{p.map_machines}+{p.reduce_machines}-seed{p.seed}",
        cluster=_machines(p.map_machines, p.reduce_machines),
        job_names=tuple(f"j{i}" for i in range(p.jobs)),
        output_ratio=np.zeros(p.jobs),
        map_offsets=offsets(maps_of),
        map_processing=np.repeat(map_times, maps_of),
        input_mb=np.zeros(tasks),
        replica_offsets=np.zeros(tasks + 1, dtype=np.int64),
        replicas=np.zeros(0, dtype=np.int64),
        reduce_offsets=offsets(reduces_of),
        reduce_processing=np.repeat(reduce_times, reduces_of),
        source=f"HMHS section 4.1, {call('generate', p)}",
        speed_factors=SpeedFactors(*factors),
    )


@dataclass(frozen=True)
class SmallHmhsParameters(Checked):
    """Parameters of the single workload of [HMHS] with few tasks and machines."""

    jobs: int = parameter(4, "Number of jobs.")
    map_machines: int = parameter(3, "Machines with one map slot.")
    reduce_machines: int = parameter(3, "Machines with one reduce slot.")
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    max_maps: int = parameter(4, "Most map tasks of a job.", least=1)
    max_reduces: int = parameter(3, "Most reduce tasks of a job.", least=1)
    cluster: int = parameter(1, "1 to 6 of Table 1: share of slow machines.")


@generator(SmallHmhsParameters)
def small(parameters: SmallHmhsParameters) -> Instance:
    """Draw an instance that an exact method can solve: the single workload with few tasks.

    The numbers of map and reduce tasks are uniform on 1 to `max_maps` and 1 to `max_reduces`.
    """
    p = parameters
    instance = generate(**few_tasks(p, "maps", "reduces"))
    name = f"hmhs-small-{p.jobs}x{p.map_machines}+{p.reduce_machines}-seed{p.seed}"
    return replace(instance, name=name)


def _machines(maps: int, reduces: int) -> Cluster:
    kind = np.repeat([1, 0], [maps, reduces]).astype(np.int64)
    return Cluster(
        node_names=(*(f"m{k}" for k in range(maps)), *(f"r{k}" for k in range(reduces))),
        rack_names=("rack",),
        rack_of=np.zeros(maps + reduces, dtype=np.int64),
        map_slots=kind,
        reduce_slots=1 - kind,
    )


def _kinds(
    rng: np.random.Generator, jobs: int, long_share: float, large_share: float
) -> tuple[BoolArray, BoolArray]:
    """Which jobs are long and which are large, none both; shapes (jobs,)."""
    place = rng.permutation(jobs)
    last_long = round(long_share * jobs)
    last_large = min(last_long + round(large_share * jobs), jobs)
    return place < last_long, (place >= last_long) & (place < last_large)


def _task_numbers(
    rng: np.random.Generator, name: str, usual: Counts, other: Counts, is_other: BoolArray
) -> IntArray:
    low, high = np.where(is_other[:, None], other, usual).T
    numbers: IntArray = rng.integers(low, high, endpoint=True)
    check_few_tasks(name, numbers)
    return numbers


def _uniform(
    rng: np.random.Generator,
    usual: Range,
    other: Range,
    is_other: BoolArray,
    rows: int | None = None,
) -> FloatArray:
    """A draw for each entry of `is_other`, or a row of draws as many times as `rows` says."""
    low, high = np.where(is_other[:, None], other, usual).T
    return rng.uniform(low, high, len(low) if rows is None else (rows, len(low)))
