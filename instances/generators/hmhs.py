"""The workload of HMHS (Chen, Shen, Chen and Guo), section 4.1: many jobs, uneven machines.

Every machine is a node with one slot: the map machines `m0, m1, …`, then the reduce machines
`r0, r1, …`. Jobs read no data. Everything drawn comes from one stream,
`numpy.random.default_rng(seed)`, in this order: which jobs are long or large, numbers of map tasks,
numbers of reduce tasks, map times, reduce times; which map machines are slow, their speed factors;
the same of the reduce machines. One seed gives the same jobs on every cluster, and another share of
slow machines changes the factors of no other machine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from ..advice import need_choice
from ..arrays import BoolArray, FloatArray, IntArray, offsets
from ..limits import MOST_NAMED, MOST_TASKS
from ..mapreduce.cluster import Cluster
from ..mapreduce.instance import Instance, SpeedFactors
from .draws import need_few_tasks
from .parameters import call, need, need_at_most, need_few_entries

Range = tuple[float, float]
Counts = tuple[int, int]

SLOW_SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Share of slow machines in clusters 1 to 6 of Table 1."""


def generate(
    jobs: int = 100,
    *,
    seed: int,
    workload: Literal["single", "hybrid"] = "single",
    map_machines: int = 100,
    reduce_machines: int = 100,
    cluster: int = 1,
    slow_share: float | None = None,
    maps: Counts = (1, 300),
    reduces: Counts = (1, 40),
    map_time: Range = (5.0, 45.0),
    reduce_time: Range = (15.0, 135.0),
    long_share: float = 0.15,
    long_map_time: Range = (100.0, 2000.0),
    long_reduce_time: Range = (300.0, 6000.0),
    large_share: float = 0.05,
    large_maps: Counts = (2000, 5000),
    large_reduces: Counts = (100, 400),
    factor: Range = (0.1, 1.0),
    slow_factor: Range = (0.9, 1.0),
    factors_by_job: bool = True,
) -> Instance:
    """An instance of HMHS section 4.1; the defaults are the paper's.

    Numbers of tasks are uniform integers, bounds included; times (s) and factors are uniform and
    continuous. All map tasks of a job take the same time, and so do its reduce tasks. The hybrid
    workload has `long_share` long and `large_share` large jobs, rounded to whole jobs, at random
    places; the single workload has none. Of each kind of machines a share is slow: that of
    `cluster` 1 to 6 in Table 1, or `slow_share` if it is given. A speed factor multiplies the time,
    and each job has its own on each machine; `factors_by_job=False` gives all jobs the same.

    Raises `InputError` for parameters that describe no workload.
    """
    source = call("generate", dict(locals()))
    need(jobs >= 1, "jobs", "at least 1", jobs)
    need(seed >= 0, "seed", "an integer >= 0", seed)
    need(map_machines >= 1, "map_machines", "at least 1", map_machines)
    need(reduce_machines >= 1, "reduce_machines", "at least 1", reduce_machines)
    need_at_most(MOST_NAMED, jobs=jobs, map_machines=map_machines, reduce_machines=reduce_machines)
    need_few_entries("factors by job and machine", jobs, map_machines + reduce_machines)
    need_choice("workload", workload, ("single", "hybrid"))
    if slow_share is None:
        need(1 <= cluster <= len(SLOW_SHARES), "cluster", "1 to 6", cluster)
        slow_share = SLOW_SHARES[cluster - 1]
    need(0 <= slow_share <= 1, "slow_share", "a share", slow_share)
    need(0 <= long_share <= 1, "long_share", "a share", long_share)
    need(0 <= large_share <= 1 - long_share, "large_share", "a share beside long", large_share)

    rng = np.random.default_rng(seed)
    long, large = _kinds(rng, jobs, long_share, large_share)
    if workload == "single":
        long[:] = large[:] = False
    maps_of = _counts(rng, "maps", maps, large_maps, large)
    reduces_of = _counts(rng, "reduces", reduces, large_reduces, large)
    _need_ranges(map_time=map_time, long_map_time=long_map_time)
    map_times = _uniform(rng, map_time, long_map_time, long)
    _need_ranges(reduce_time=reduce_time, long_reduce_time=long_reduce_time)
    reduce_times = _uniform(rng, reduce_time, long_reduce_time, long)
    _need_ranges(factor=factor, slow_factor=slow_factor)
    factors = []
    for machines in (map_machines, reduce_machines):
        slow = rng.permutation(machines) < round(slow_share * machines)
        drawn = _uniform(rng, factor, slow_factor, slow, rows=jobs if factors_by_job else 1)
        factors.append(np.repeat(drawn, jobs // len(drawn), axis=0))

    tasks = int(maps_of.sum())
    return Instance(
        name=f"hmhs-{workload}-{jobs}x{map_machines}+{reduce_machines}-seed{seed}",
        cluster=_machines(map_machines, reduce_machines),
        job_names=tuple(f"j{i}" for i in range(jobs)),
        output_ratio=np.zeros(jobs),
        map_offsets=offsets(maps_of),
        map_processing=np.repeat(map_times, maps_of),
        input_mb=np.zeros(tasks),
        replica_offsets=np.zeros(tasks + 1, dtype=np.int64),
        replicas=np.zeros(0, dtype=np.int64),
        reduce_offsets=offsets(reduces_of),
        reduce_processing=np.repeat(reduce_times, reduces_of),
        source=f"HMHS section 4.1, {source}",
        speed_factors=SpeedFactors(*factors),
    )


def small(
    jobs: int = 4,
    map_machines: int = 3,
    reduce_machines: int = 3,
    *,
    seed: int,
    max_maps: int = 4,
    max_reduces: int = 3,
    cluster: int = 1,
) -> Instance:
    """An instance that an exact method can prove: the single workload with few tasks and machines.

    The numbers of map and reduce tasks are uniform on 1 to `max_maps` and 1 to `max_reduces`.
    Raises `InputError` for parameters that describe no workload.
    """
    instance = generate(
        jobs,
        seed=seed,
        map_machines=map_machines,
        reduce_machines=reduce_machines,
        cluster=cluster,
        maps=(1, max_maps),
        reduces=(1, max_reduces),
    )
    name = f"hmhs-small-{jobs}x{map_machines}+{reduce_machines}-seed{seed}"
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


def _counts(
    rng: np.random.Generator, name: str, usual: Counts, other: Counts, is_other: BoolArray
) -> IntArray:
    for label, (low, high) in ((name, usual), (f"large_{name}", other)):
        need(0 <= low <= high, label, "0 <= low <= high", (low, high))
        need_at_most(MOST_TASKS, **{label: high})
    low, high = np.where(is_other[:, None], other, usual).T
    counts: IntArray = rng.integers(low, high, endpoint=True)
    need_few_tasks(name, counts)
    return counts


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


def _need_ranges(**ranges: Range) -> None:
    for name, (low, high) in ranges.items():
        need(0 < low <= high < np.inf, name, "0 < low <= high", (low, high))
