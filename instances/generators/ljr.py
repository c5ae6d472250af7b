"""The workload of LJR (Li, Jiang and Ruiz 2016), section 5.1: periodical batch jobs of Yahoo! M45.

The paper leaves much open; `docs/generator-ljr.md` tells what its Table 2 settles and what not.
Everything drawn comes from one stream, `numpy.random.default_rng(seed)`, in this order: numbers of
map tasks, numbers of reduce tasks, which jobs are slow, usual factors, slow factors, output ratios,
map times, reduce times, block sizes. The cluster draws nothing: one seed, the same jobs everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from ..arrays import FloatArray, IntArray, offsets
from ..errors import InputError
from ..limits import MOST_NAMED
from ..mapreduce.cluster import Cluster, Rates
from ..mapreduce.instance import Instance
from .draws import redrawn, task_counts
from .parameters import call, need, need_at_most, need_few_entries

Range = tuple[float, float]


def generate(
    jobs: int = 50,
    nodes: int = 10,
    *,
    seed: int,
    racks: int | Literal["as published"] = 3,
    map_slots: int = 2,
    reduce_slots: int = 2,
    node_rate: float = 100.0,
    rack_rate: float = 50.0,
    remote_rate: float = 30.0,
    maps_mean: float = 154.0,
    maps_variance: float = 558.0,
    maps_range: tuple[int, int] | None = None,
    reduces_mean: float = 19.0,
    reduces_variance: float = 145.0,
    reduces_range: tuple[int, int] | None = None,
    map_time_mean: float = 50.0,
    map_time_variance: float = 200.0,
    reduce_time_mean: float = 100.0,
    reduce_time_variance: float = 300.0,
    slow_share: float = 0.2,
    factor: Range = (1.0, 2.0),
    slow_factor: Range = (8.0, 10.0),
    block_mb: Sequence[float] = (128.0, 192.0, 256.0, 320.0),
    block_scale: float = 1.0,
    replicas: int = 4,
    output_ratios: Sequence[float] = (0.2, 0.4, 0.6, 0.8, 1.0),
) -> Instance:
    """An instance of LJR section 5.1; the defaults are the paper's, with slot ratio R1 = 2 : 2.

    `map_slots` and `reduce_slots` are per node; rates are MB/s. `maps_range` (or `reduces_range`)
    replaces the normal distribution of a job's number of tasks by a uniform one, bounds included.
    Times are s before the job's factor, drawn from `slow_factor` with probability `slow_share` and
    from `factor` otherwise. `block_scale` multiplies the block sizes (MB). Task t of a job has its
    input on the `replicas` nodes from `t * replicas` on, modulo `nodes`. `racks` counts contiguous
    blocks of nodes, or is "as published": see `published_racks`.

    Raises `InputError` for parameters that describe no workload.
    """
    source = call("generate", dict(locals()))
    need(jobs >= 1, "jobs", "at least 1", jobs)
    need(seed >= 0, "seed", "an integer >= 0", seed)
    need(0 <= slow_share <= 1, "slow_share", "a probability", slow_share)
    need(replicas >= 0, "replicas", "at least 0", replicas)
    need_at_most(MOST_NAMED, jobs=jobs, replicas=replicas)
    need(0 < block_scale < np.inf, "block_scale", "a number > 0", block_scale)
    need(len(block_mb) > 0, "block_mb", "at least one size", block_mb)
    need(len(output_ratios) > 0, "output_ratios", "at least one ratio", output_ratios)
    for name, (low, high) in (("factor", factor), ("slow_factor", slow_factor)):
        need(0 < low <= high < np.inf, name, "0 < low <= high", (low, high))
    rates = Rates(node_rate, rack_rate, remote_rate)
    cluster = _cluster(nodes, racks, map_slots, reduce_slots, rates)

    rng = np.random.default_rng(seed)
    maps_of = task_counts(rng, "maps", jobs, maps_mean, maps_variance, maps_range)
    reduces_of = task_counts(rng, "reduces", jobs, reduces_mean, reduces_variance, reduces_range)
    copies = min(replicas, nodes)
    need_few_entries("replicas of all map tasks", int(maps_of.sum()), copies)
    slow = rng.random(jobs) < slow_share
    usual_factor, slow_factors = rng.uniform(*factor, jobs), rng.uniform(*slow_factor, jobs)
    job_factor = np.where(slow, slow_factors, usual_factor)
    output_ratio = rng.choice(np.asarray(output_ratios, dtype=float), jobs)
    map_time = _times(rng, "map_time", maps_of, map_time_mean, map_time_variance, job_factor)
    reduce_time = _times(
        rng, "reduce_time", reduces_of, reduce_time_mean, reduce_time_variance, job_factor
    )
    input_mb = rng.choice(np.asarray(block_mb, dtype=float), len(map_time)) * block_scale

    task = np.concatenate([np.arange(count) for count in maps_of])
    return Instance(
        name=f"ljr-{jobs}x{nodes}-{map_slots}to{reduce_slots}-seed{seed}",
        cluster=cluster,
        job_names=tuple(f"j{i}" for i in range(jobs)),
        output_ratio=output_ratio,
        map_offsets=offsets(maps_of),
        map_processing=map_time,
        input_mb=input_mb,
        replica_offsets=offsets(np.full(len(task), copies)),
        replicas=((task[:, None] * replicas + np.arange(copies)) % nodes).ravel(),
        reduce_offsets=offsets(reduces_of),
        reduce_processing=reduce_time,
        source=f"LJR section 5.1, {source}",
    )


def small(
    jobs: int = 4,
    nodes: int = 3,
    *,
    seed: int,
    racks: int = 2,
    map_slots: int = 2,
    reduce_slots: int = 1,
    max_maps: int = 4,
    max_reduces: int = 3,
    replicas: int = 2,
) -> Instance:
    """An instance that an exact method can prove: as `generate`, with few tasks and slots.

    The numbers of map and reduce tasks are uniform on 1 to `max_maps` and 1 to `max_reduces`.
    Raises `InputError` for parameters that describe no workload.
    """
    instance = generate(
        jobs,
        nodes,
        seed=seed,
        racks=racks,
        map_slots=map_slots,
        reduce_slots=reduce_slots,
        maps_range=(1, max_maps),
        reduces_range=(1, max_reduces),
        replicas=replicas,
    )
    return replace(instance, name=f"ljr-small-{jobs}x{nodes}-seed{seed}")


def published_racks(nodes: int, map_slots: int) -> IntArray:
    """Rack of each node, as near as nodes come to the layout behind Table 2; shape (nodes,).

    Table 2 agrees with racks that belong to slots: slot s is in node s // map_slots but in rack
    min((s % nodes) // (nodes // 3), 2). Here a node is in the rack of its first map slot.
    Raises `InputError` for fewer than three nodes or no map slots.
    """
    need(nodes >= 3 and map_slots >= 1, "racks", "3 nodes or more with map slots", "as published")
    slot = np.arange(nodes) * map_slots
    return np.minimum((slot % nodes) // (nodes // 3), 2)


def _cluster(
    nodes: int, racks: int | str, map_slots: int, reduce_slots: int, rates: Rates
) -> Cluster:
    published = racks == "as published"
    if not published and not isinstance(racks, int):
        raise InputError(f"racks: need a number or 'as published', got {racks!r}")
    cluster = Cluster.uniform(
        nodes,
        racks=1 if published else int(racks),
        map_slots=map_slots,
        reduce_slots=reduce_slots,
        rates=rates,
    )
    if not published:
        return cluster
    used, rack_of = np.unique(published_racks(nodes, map_slots), return_inverse=True)
    return replace(cluster, rack_names=tuple(f"r{rack}" for rack in used), rack_of=rack_of)


def _times(
    rng: np.random.Generator,
    name: str,
    tasks_of: IntArray,
    mean: float,
    variance: float,
    job_factor: FloatArray,
) -> FloatArray:
    need(0 < mean < np.inf, f"{name}_mean", "a number > 0", mean)
    drawn = redrawn(rng, name, int(tasks_of.sum()), mean, variance, least=0.0)
    return np.rint(drawn * np.repeat(job_factor, tasks_of))
