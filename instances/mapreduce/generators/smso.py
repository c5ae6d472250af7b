"""The workload of [SMSO], section V, with what the paper leaves open as parameters.

The paper gives numbers of tasks, processing times, rates and the probability of outages. It does
not give slots per node, sizes of inputs and outputs, priorities and security levels. All numbers
come from `numpy.random.SeedSequence(seed)`, which gives three streams. The first draws numbers of
map tasks, of reduce tasks, map times, reduce times, block sizes, output ratios, and where each
block is; the second levels and priorities; the third one number per node (or slot), which is lost
if that is below gamma. So a greater gamma loses the same nodes and more, and jobs do not change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Literal

import numpy as np

from ....core.arrays import offsets
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
    few_tasks,
    require,
)
from ...limits import MOST_NAMED, MOST_SLOTS
from ..cluster import Cluster, Rates
from ..instance import Instance
from ..security import ENCRYPTED, PLAIN, SAME_NODE, Outages, Security
from .task_numbers import check_task_numbers, task_numbers

MOST_FLAGS = 200_000_000
"""Most entries of a generated table of truth values, of a byte each."""


@dataclass(frozen=True)
class SmsoParameters(Checked):
    """Parameters of [SMSO], section V; block sizes and output ratios as in [LJR]."""

    jobs: int = parameter(500, "Number of jobs.", least=1, most=MOST_NAMED)
    nodes: int = parameter(10, "Number of nodes.", least=1, most=MOST_NAMED)
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    map_slots: int = parameter(
        2,
        "Map slots per node; the paper is silent, 15 give its Table I.",
        least=1,
        most=MOST_SLOTS,
    )
    reduce_slots: int = parameter(2, "Reduce slots per node.", least=1, most=MOST_SLOTS)
    gamma: float = parameter(0.0, "Probability of an outage.", least=0, most=1)
    outages: Literal["nodes", "slots"] = parameter("nodes", "What an outage takes away.")
    maps_mean: float = parameter(154.0, "Mean number of map tasks of a job.")
    maps_variance: float = parameter(558.0, "Variance of the number of map tasks.")
    maps_range: Counts | None = field(default=None, metadata=MAPS_RANGE)
    reduces_mean: float = parameter(19.0, "Mean number of reduce tasks of a job.")
    reduces_variance: float = parameter(145.0, "Variance of the number of reduce tasks.")
    reduces_range: Counts | None = field(default=None, metadata=REDUCES_RANGE)
    processing: Range = parameter((0.0, 2020.0), "Time of a task.", unit="s")
    transfer_rate: float = parameter(100.0, "MB/s of data that moves.")
    encryption_rate: float = parameter(50.0, "MB/s of data that is encrypted.")
    priority: float = parameter(0.8, "Probability that a task may use a slot.", least=0, most=1)
    encrypted: float = parameter(
        0.5, "Probability that data between two nodes is encrypted.", least=0, most=1
    )
    block_mb: Sequence[float] = parameter(
        BLOCK_SIZES_MB, "A block size; repeat. Default 128 192 256 320 MB."
    )
    output_ratios: Sequence[float] = parameter(
        OUTPUT_RATIOS,
        "Output per input of a job; repeat. Default 0.2 0.4 0.6 0.8 1.",
        option="output-ratio",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = self.processing
        require(0 <= low <= high < math.inf, "processing", "0 <= low <= high", self.processing)
        check_few_entries("levels between nodes", self.nodes, self.nodes * self.map_slots)
        require(len(self.block_mb) > 0, "block_mb", "at least one size", self.block_mb)
        require(
            len(self.output_ratios) > 0, "output_ratios", "at least one ratio", self.output_ratios
        )
        check_task_numbers("maps", self.maps_mean, self.maps_variance, self.maps_range)
        check_task_numbers("reduces", self.reduces_mean, self.reduces_variance, self.reduces_range)


@generator(SmsoParameters)
def generate(parameters: SmsoParameters) -> Instance:
    """Draw an instance of [SMSO], section V.

    Each block is on one node. A task may run on a slot with probability `priority`, and on one slot
    in any case. Data moved between two nodes is encrypted with probability `encrypted`, the same
    for all slots of the two. Each node, or each slot, is lost with probability `gamma`.
    `maps_range` (or `reduces_range`) replaces the normal distribution of a job's number of tasks by
    a uniform one, bounds included.
    """
    p = parameters
    streams = map(np.random.default_rng, np.random.SeedSequence(p.seed).spawn(3))
    instance = _jobs(next(streams), p)
    return replace(
        instance,
        security=_security(next(streams), instance, p),
        outages=_outages(next(streams), instance.cluster, p.gamma, p.outages),
    )


def _jobs(rng: np.random.Generator, p: SmsoParameters) -> Instance:
    """The instance without security and outages."""
    maps_of = task_numbers(rng, "maps", p.jobs, p.maps_mean, p.maps_variance, p.maps_range)
    reduces_of = task_numbers(
        rng, "reduces", p.jobs, p.reduces_mean, p.reduces_variance, p.reduces_range
    )
    tasks = int(maps_of.sum())
    slots = p.nodes * p.map_slots
    check_few_entries("priorities by map task and slot", tasks, slots, most=MOST_FLAGS)
    map_times = rng.uniform(*p.processing, tasks)
    reduce_times = rng.uniform(*p.processing, int(reduces_of.sum()))
    sizes = rng.choice(np.asarray(p.block_mb, dtype=float), tasks)
    ratios = rng.choice(np.asarray(p.output_ratios, dtype=float), p.jobs)
    # A part of the cluster, so that the same block moves little if the cluster grows.
    home = (rng.random(tasks) * p.nodes).astype(np.int64)
    return Instance(
        name=f"smso-{p.jobs}x{p.nodes}-{p.map_slots}+{p.reduce_slots}-gamma{p.gamma:g}-seed{p.seed}",
        cluster=Cluster.uniform(
            p.nodes,
            map_slots=p.map_slots,
            reduce_slots=p.reduce_slots,
            rates=Rates(*[p.transfer_rate] * 3),
        ),
        job_names=tuple(f"j{i}" for i in range(p.jobs)),
        output_ratio=ratios,
        map_offsets=offsets(maps_of),
        map_processing=map_times,
        input_mb=sizes,
        replica_offsets=np.arange(tasks + 1),
        replicas=home,
        reduce_offsets=offsets(reduces_of),
        reduce_processing=reduce_times,
        source=f"SMSO section V, {call('generate', p)}",
    )


@dataclass(frozen=True)
class SmallSmsoParameters(Checked):
    """Parameters of the workload of [SMSO] with few tasks and slots."""

    jobs: int = parameter(4, "Number of jobs.")
    nodes: int = parameter(3, "Number of nodes.")
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    map_slots: int = parameter(2, "Map slots per node.")
    reduce_slots: int = parameter(1, "Reduce slots per node.")
    max_maps: int = parameter(4, "Most map tasks of a job.", least=1)
    max_reduces: int = parameter(3, "Most reduce tasks of a job.", least=1)
    gamma: float = parameter(0.0, "Probability of an outage.")
    outages: Literal["nodes", "slots"] = parameter("nodes", "What an outage takes away.")


@generator(SmallSmsoParameters)
def small(parameters: SmallSmsoParameters) -> Instance:
    """Draw an instance that an exact method can solve: as `generate`, with few tasks and slots.

    Times are at most 100 s, so that encryption matters.
    """
    p = parameters
    instance = generate(**few_tasks(p), processing=(0.0, 100.0), block_mb=(512.0, 1024.0))
    return replace(instance, name=f"smso-small-{p.jobs}x{p.nodes}-gamma{p.gamma:g}-seed{p.seed}")


def _security(rng: np.random.Generator, instance: Instance, p: SmsoParameters) -> Security:
    node = instance.cluster.map_slot_node
    between = np.where(rng.random((instance.cluster.nodes,) * 2) < p.encrypted, ENCRYPTED, PLAIN)
    np.fill_diagonal(between, SAME_NODE)
    allowed = np.empty((instance.map_tasks, len(node)), dtype=bool)
    entries, drawn = allowed.reshape(-1), np.empty(32768)  # little enough for the cache
    for part in range(0, entries.size, drawn.size):
        some = entries[part : part + drawn.size]
        np.less(rng.random(out=drawn[: some.size]), p.priority, out=some)
    in_any_case = rng.integers(0, len(node), instance.map_tasks)
    allowed[np.arange(instance.map_tasks), in_any_case] = True
    levels = between[:, node].astype(np.int8)
    return Security(allowed, levels, p.transfer_rate, p.encryption_rate)


def _outages(rng: np.random.Generator, cluster: Cluster, gamma: float, what: str) -> Outages | None:
    maps, reduces = len(cluster.map_slot_node), len(cluster.reduce_slot_node)
    if what == "nodes":
        lost = Outages.of_nodes(cluster, np.flatnonzero(rng.random(cluster.nodes) < gamma))
    else:
        drawn = rng.random(maps + reduces) < gamma
        lost = Outages(drawn[:maps], drawn[maps:])
    return lost if lost.map.any() or lost.reduce.any() else None
