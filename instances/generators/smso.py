"""The workload of SMSO (Hu, Qian and Li), section V, with what the paper leaves open as parameters.

The paper gives numbers of tasks, processing times, rates and the probability of outages; it is
silent on slots per node, sizes of inputs and outputs, priorities and security levels. Everything
comes from `numpy.random.SeedSequence(seed)`, which gives three streams. The first draws numbers of
map tasks, of reduce tasks, map times, reduce times, block sizes, output ratios, and where each
block is; the second levels and priorities; the third one number per node (or slot), which is lost
if that is below gamma. So a greater gamma loses the same nodes and more, and jobs do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from ..advice import need_choice
from ..arrays import offsets
from ..limits import MOST_NAMED, MOST_SLOTS
from ..mapreduce.cluster import Cluster, Rates
from ..mapreduce.instance import Instance
from ..mapreduce.security import ENCRYPTED, PLAIN, SAME_NODE, Outages, Security
from .draws import task_counts
from .parameters import call, need, need_at_most, need_few_entries

Range = tuple[float, float]

BLOCK_MB = (128.0, 192.0, 256.0, 320.0)
OUTPUT_RATIOS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""As in LJR, whose workload SMSO takes its numbers of tasks from."""


def generate(
    jobs: int = 500,
    nodes: int = 10,
    *,
    seed: int,
    map_slots: int = 2,
    reduce_slots: int = 2,
    gamma: float = 0.0,
    outages: Literal["nodes", "slots"] = "nodes",
    maps_mean: float = 154.0,
    maps_variance: float = 558.0,
    maps_range: tuple[int, int] | None = None,
    reduces_mean: float = 19.0,
    reduces_variance: float = 145.0,
    reduces_range: tuple[int, int] | None = None,
    processing: Range = (0.0, 2020.0),
    transfer_rate: float = 100.0,
    encryption_rate: float = 50.0,
    priority: float = 0.8,
    encrypted: float = 0.5,
    block_mb: Sequence[float] = BLOCK_MB,
    output_ratios: Sequence[float] = OUTPUT_RATIOS,
) -> Instance:
    """An instance of SMSO section V.

    Slots are per node, rates MB/s, times s. Each block is on one node. A task may run on a slot
    with probability `priority`, and on one slot in any case; data moved between two nodes is
    encrypted with probability `encrypted`, the same from all slots to all slots of the two. Each
    node, or each slot, is lost with probability `gamma`. `maps_range` (or `reduces_range`) replaces
    the normal distribution of a job's number of tasks by a uniform one, bounds included.

    Raises `InputError` for parameters that describe no workload.
    """
    source = call("generate", dict(locals()))
    low, high = processing
    need(jobs >= 1, "jobs", "at least 1", jobs)
    need(nodes >= 1, "nodes", "at least 1", nodes)
    need(seed >= 0, "seed", "an integer >= 0", seed)
    need(map_slots >= 1, "map_slots", "at least 1", map_slots)
    need(reduce_slots >= 1, "reduce_slots", "at least 1", reduce_slots)
    need(0 <= low <= high < np.inf, "processing", "0 <= low <= high", processing)
    need_at_most(MOST_NAMED, jobs=jobs, nodes=nodes)
    need_at_most(MOST_SLOTS, map_slots=map_slots, reduce_slots=reduce_slots)
    need_few_entries("levels between nodes", nodes, nodes * map_slots)
    need(len(block_mb) > 0, "block_mb", "at least one size", block_mb)
    need(len(output_ratios) > 0, "output_ratios", "at least one ratio", output_ratios)
    for name, probability in (("gamma", gamma), ("priority", priority), ("encrypted", encrypted)):
        need(0 <= probability <= 1, name, "a probability", probability)

    streams = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(3))
    rng = next(streams)
    maps_of = task_counts(rng, "maps", jobs, maps_mean, maps_variance, maps_range)
    reduces_of = task_counts(rng, "reduces", jobs, reduces_mean, reduces_variance, reduces_range)
    tasks = int(maps_of.sum())
    need_few_entries("priorities by map task and slot", tasks, nodes * map_slots)
    map_times = rng.uniform(low, high, tasks)
    reduce_times = rng.uniform(low, high, int(reduces_of.sum()))
    sizes = rng.choice(np.asarray(block_mb, dtype=float), tasks)
    ratios = rng.choice(np.asarray(output_ratios, dtype=float), jobs)
    # A part of the cluster, so that the same block moves little if the cluster grows.
    home = (rng.random(tasks) * nodes).astype(np.int64)
    cluster = Cluster.uniform(
        nodes,
        map_slots=map_slots,
        reduce_slots=reduce_slots,
        rates=Rates(*[transfer_rate] * 3),
    )
    instance = Instance(
        name=f"smso-{jobs}x{nodes}-{map_slots}+{reduce_slots}-gamma{gamma:g}-seed{seed}",
        cluster=cluster,
        job_names=tuple(f"j{i}" for i in range(jobs)),
        output_ratio=ratios,
        map_offsets=offsets(maps_of),
        map_processing=map_times,
        input_mb=sizes,
        replica_offsets=np.arange(tasks + 1),
        replicas=home,
        reduce_offsets=offsets(reduces_of),
        reduce_processing=reduce_times,
        source=f"SMSO section V, {source}",
    )
    security = _security(next(streams), instance, priority, encrypted)
    return replace(
        instance,
        security=replace(security, transfer_rate=transfer_rate, encryption_rate=encryption_rate),
        outages=_outages(next(streams), cluster, gamma, outages),
    )


def small(
    jobs: int = 4,
    nodes: int = 3,
    *,
    seed: int,
    map_slots: int = 2,
    reduce_slots: int = 1,
    max_maps: int = 4,
    max_reduces: int = 3,
    gamma: float = 0.0,
    outages: Literal["nodes", "slots"] = "nodes",
) -> Instance:
    """An instance that an exact method can prove: as `generate`, with few tasks and slots.

    Times are up to 100 s, so that encryption counts. Raises `InputError` for parameters that
    describe no workload.
    """
    instance = generate(
        jobs,
        nodes,
        seed=seed,
        map_slots=map_slots,
        reduce_slots=reduce_slots,
        gamma=gamma,
        outages=outages,
        maps_range=(1, max_maps),
        reduces_range=(1, max_reduces),
        processing=(0.0, 100.0),
        block_mb=(512.0, 1024.0),
    )
    return replace(instance, name=f"smso-small-{jobs}x{nodes}-gamma{gamma:g}-seed{seed}")


def _security(
    rng: np.random.Generator, instance: Instance, priority: float, encrypted: float
) -> Security:
    node = instance.cluster.map_slot_node
    between = np.where(rng.random((instance.cluster.nodes,) * 2) < encrypted, ENCRYPTED, PLAIN)
    np.fill_diagonal(between, SAME_NODE)
    allowed = np.empty((instance.map_tasks, len(node)), dtype=bool)
    for part in range(0, len(allowed), 4096):  # to save memory
        rows = allowed[part : part + 4096]
        rows[:] = rng.random(rows.shape) < priority
    in_any_case = rng.integers(0, len(node), instance.map_tasks)
    allowed[np.arange(instance.map_tasks), in_any_case] = True
    return Security(priorities=allowed, levels=between[:, node].astype(np.int8))


def _outages(rng: np.random.Generator, cluster: Cluster, gamma: float, what: str) -> Outages | None:
    need_choice("outages", what, ("nodes", "slots"))
    maps, reduces = len(cluster.map_slot_node), len(cluster.reduce_slot_node)
    if what == "nodes":
        lost = Outages.of_nodes(cluster, np.flatnonzero(rng.random(cluster.nodes) < gamma))
    else:
        drawn = rng.random(maps + reduces) < gamma
        lost = Outages(drawn[:maps], drawn[maps:])
    return lost if lost.map.any() or lost.reduce.any() else None
