"""The workload of [LJR], section 5.1: periodical batch jobs of Yahoo! M45 [Kavulya2010].

The paper leaves many points open; `docs/reference/generators.md` tells which of them its Table 2
settles. All numbers come from one stream, `numpy.random.default_rng(seed)`, in this order: numbers
of map tasks, numbers of reduce tasks, which jobs are slow, usual factors, slow factors, output
ratios, map times, reduce times, block sizes. The cluster draws nothing: one seed gives the same
jobs on every cluster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Literal

import numpy as np

from ....core.arrays import FloatArray, IntArray, offsets
from ....core.calls import generator
from ....core.parameters import parameter
from ...generator_options import (
    BLOCK_SIZES_MB,
    MAPS_RANGE,
    OUTPUT_RATIOS,
    REDUCES_RANGE,
    SEED,
    Checked,
    Counts,
    Range,
    call,
    check_few_entries,
    check_ranges,
    few_tasks,
    require,
)
from ...limits import MOST_NAMED
from ..cluster import Cluster, Rates
from ..instance import Instance
from .task_numbers import check_task_numbers, positive_normal, task_numbers


@dataclass(frozen=True)
class LjrParameters(Checked):
    """Parameters of [LJR], section 5.1; the defaults are the paper's, slot ratio R1 = 2 : 2."""

    jobs: int = parameter(50, "Number of jobs.", least=1, most=MOST_NAMED)
    nodes: int = parameter(10, "Number of nodes.", least=1)
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    racks: int | Literal["as published"] = parameter(
        3, "Number of racks (at most one a node), or `as published`."
    )
    map_slots: int = parameter(2, "Map slots per node; R1 to R4: 2, 4, 6, 8.")
    reduce_slots: int = parameter(2, "Reduce slots per node.")
    node_rate: float = parameter(100.0, "MB/s on a node.")
    rack_rate: float = parameter(50.0, "MB/s within a rack.")
    remote_rate: float = parameter(30.0, "MB/s between racks.")
    maps_mean: float = parameter(154.0, "Mean number of map tasks of a job.")
    maps_variance: float = parameter(558.0, "Variance of the number of map tasks.")
    maps_range: Counts | None = field(default=None, metadata=MAPS_RANGE)
    reduces_mean: float = parameter(19.0, "Mean number of reduce tasks of a job.")
    reduces_variance: float = parameter(145.0, "Variance of the number of reduce tasks.")
    reduces_range: Counts | None = field(default=None, metadata=REDUCES_RANGE)
    map_time_mean: float = parameter(
        50.0, "Mean time of a map task before the job's factor.", unit="s"
    )
    map_time_variance: float = parameter(200.0, "Variance of the map times.", unit="s²")
    reduce_time_mean: float = parameter(
        100.0, "Mean time of a reduce task before the job's factor.", unit="s"
    )
    reduce_time_variance: float = parameter(300.0, "Variance of the reduce times.", unit="s²")
    slow_share: float = parameter(0.2, "Probability of a slow job.", least=0, most=1)
    factor: Range = parameter((1.0, 2.0), "Factor of most jobs' times.")
    slow_factor: Range = parameter((8.0, 10.0), "Factor of slow jobs' times.")
    block_mb: Sequence[float] = parameter(
        BLOCK_SIZES_MB, "A block size; repeat. Default 128 192 256 320 MB."
    )
    block_scale: float = parameter(1.0, "Multiplies the block sizes.")
    replicas: int = parameter(4, "Replicas of each block.", least=0, most=MOST_NAMED)
    output_ratios: Sequence[float] = parameter(
        OUTPUT_RATIOS,
        "Output per input of a job (sigma); repeat. Default 0.2 0.4 0.6 0.8 1.",
        option="output-ratio",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require(0 < self.block_scale < math.inf, "block_scale", "a number > 0", self.block_scale)
        require(len(self.block_mb) > 0, "block_mb", "at least one size", self.block_mb)
        require(
            len(self.output_ratios) > 0, "output_ratios", "at least one ratio", self.output_ratios
        )
        check_ranges(factor=self.factor, slow_factor=self.slow_factor)
        check_task_numbers("maps", self.maps_mean, self.maps_variance, self.maps_range)
        check_task_numbers("reduces", self.reduces_mean, self.reduces_variance, self.reduces_range)
        _check_times("map_time", self.map_time_mean, self.map_time_variance)
        _check_times("reduce_time", self.reduce_time_mean, self.reduce_time_variance)
        if self.racks != "as published":
            object.__setattr__(self, "racks", min(self.racks, self.nodes))


@generator(LjrParameters)
def generate(parameters: LjrParameters) -> Instance:
    """Draw an instance of [LJR], section 5.1.

    `maps_range` (or `reduces_range`) replaces the normal distribution of a job's number of tasks by
    a uniform one, bounds included. A job's factor is drawn from `slow_factor` with probability
    `slow_share` and from `factor` otherwise. Task t of a job has its input on the `replicas` nodes
    from `t * replicas` on, modulo `nodes`. `racks` is the number of contiguous blocks of nodes, or
    "as published": see `published_racks`.
    """
    p = parameters
    cluster = _cluster(p)
    rng = np.random.default_rng(p.seed)
    maps_of = task_numbers(rng, "maps", p.jobs, p.maps_mean, p.maps_variance, p.maps_range)
    reduces_of = task_numbers(
        rng, "reduces", p.jobs, p.reduces_mean, p.reduces_variance, p.reduces_range
    )
    copies = min(p.replicas, p.nodes)
    check_few_entries("replicas of all map tasks", int(maps_of.sum()), copies)
    slow = rng.random(p.jobs) < p.slow_share
    usual_factor, slow_factors = rng.uniform(*p.factor, p.jobs), rng.uniform(*p.slow_factor, p.jobs)
    job_factor = np.where(slow, slow_factors, usual_factor)
    output_ratio = rng.choice(np.asarray(p.output_ratios, dtype=float), p.jobs)
    map_time = _times(rng, maps_of, p.map_time_mean, p.map_time_variance, job_factor)
    reduce_time = _times(rng, reduces_of, p.reduce_time_mean, p.reduce_time_variance, job_factor)
    input_mb = rng.choice(np.asarray(p.block_mb, dtype=float), len(map_time)) * p.block_scale

    task = np.concatenate([np.arange(count) for count in maps_of])
    return Instance(
        name=f"ljr-{p.jobs}x{p.nodes}-{p.map_slots}to{p.reduce_slots}-seed{p.seed}",
        cluster=cluster,
        job_names=tuple(f"j{i}" for i in range(p.jobs)),
        output_ratio=output_ratio,
        map_offsets=offsets(maps_of),
        map_processing=map_time,
        input_mb=input_mb,
        replica_offsets=offsets(np.full(len(task), copies)),
        replicas=((task[:, None] * p.replicas + np.arange(copies)) % p.nodes).ravel(),
        reduce_offsets=offsets(reduces_of),
        reduce_processing=reduce_time,
        source=f"LJR section 5.1, {call('generate', p)}",
    )


@dataclass(frozen=True)
class SmallLjrParameters(Checked):
    """Parameters of the workload of [LJR] with few tasks and slots."""

    jobs: int = parameter(4, "Number of jobs.")
    nodes: int = parameter(3, "Number of nodes.", least=1)
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    racks: int = parameter(2, "Number of racks (at most one a node).")
    map_slots: int = parameter(2, "Map slots per node.")
    reduce_slots: int = parameter(1, "Reduce slots per node.")
    max_maps: int = parameter(4, "Most map tasks of a job.", least=1)
    max_reduces: int = parameter(3, "Most reduce tasks of a job.", least=1)
    replicas: int = parameter(2, "Replicas of each block.")


@generator(SmallLjrParameters)
def small(parameters: SmallLjrParameters) -> Instance:
    """Draw an instance that an exact method can solve: as `generate`, with few tasks and slots.

    The numbers of map and reduce tasks are uniform on 1 to `max_maps` and 1 to `max_reduces`.
    """
    p = parameters
    return replace(generate(**few_tasks(p)), name=f"ljr-small-{p.jobs}x{p.nodes}-seed{p.seed}")


def published_racks(nodes: int, map_slots: int) -> IntArray:
    """Rack of each node, as near as nodes come to the layout behind [LJR], Table 2.

    Table 2 agrees with racks that belong to slots: slot s is in node s // map_slots but in rack
    min((s % nodes) // (nodes // 3), 2). Here a node is in the rack of its first map slot.

    `map_slots`: map slots per node.
    Raises `InputError` for fewer than three nodes, or no map slots.
    """
    require(
        nodes >= 3 and map_slots >= 1, "racks", "3 nodes or more with map slots", "as published"
    )
    slot = np.arange(nodes) * map_slots
    return np.minimum((slot % nodes) // (nodes // 3), 2)


def _cluster(p: LjrParameters) -> Cluster:
    published = p.racks == "as published"
    cluster = Cluster.uniform(
        p.nodes,
        racks=1 if published else int(p.racks),
        map_slots=p.map_slots,
        reduce_slots=p.reduce_slots,
        rates=Rates(p.node_rate, p.rack_rate, p.remote_rate),
    )
    if not published:
        return cluster
    used, rack_of = np.unique(published_racks(p.nodes, p.map_slots), return_inverse=True)
    return replace(cluster, rack_names=tuple(f"r{rack}" for rack in used), rack_of=rack_of)


def _check_times(name: str, mean: float, variance: float) -> None:
    require(0 < mean < math.inf, f"{name}_mean", "a number > 0", mean)
    require(0 <= variance < math.inf, f"{name}_variance", "at least 0", variance)


def _times(
    rng: np.random.Generator,
    tasks_of: IntArray,
    mean: float,
    variance: float,
    job_factor: FloatArray,
) -> FloatArray:
    drawn = positive_normal(rng, int(tasks_of.sum()), mean, variance)
    return np.rint(drawn * np.repeat(job_factor, tasks_of))
