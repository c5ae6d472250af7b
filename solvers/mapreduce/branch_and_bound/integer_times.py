"""An instance in integer time units, every duration rounded down, for proofs without rounding.

Rounding down makes no schedule longer. If no schedule of the rounded instance has a makespan of at
most C units, then no schedule of the instance is shorter than C + 1 units.
"""

from __future__ import annotations

from itertools import permutations, product
from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....formulations.mapreduce.coefficients import Coefficients
from ....instances.mapreduce.cluster import Cluster
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.integer_time import units_below
from ....instances.mapreduce.setups import map_setups_by_node, output_share, read_seconds

UNITS_OF_HORIZON = 2.0**40
"""Time units in the makespan of the known schedule: far finer than any tolerance, and safe from
overflow."""

MOST_RENAMINGS = 2000
"""With more symmetries among the nodes than this, only equal slots of a node are treated."""


class IntegerInstance(NamedTuple):
    """What the compiled search reads. Job sets are bit masks, durations integer time units.

    The map tasks are sorted by job, the longest first, the reduce tasks in the order in which they
    are placed, the reduce slots rack by rack. Nodes without map slots (or reduce slots) never
    appear as places of map (or reduce) tasks.
    """

    before: IntArray
    """Mask of the jobs that precede each job in every schedule considered; shape (jobs,)."""
    map_begin: IntArray
    """Offsets of the map tasks of each job; shape (jobs + 1,)."""
    map_work: IntArray
    """Setup plus processing of each map task on each node; shape (map tasks, nodes)."""
    least_work: IntArray
    """Its least value over the nodes with map slots; shape (map tasks,)."""
    map_equal: IntArray
    """1 if a map task is equal to its predecessor."""
    map_node: IntArray
    """Node of each map slot, ascending."""
    read: IntArray
    """Time in which a reduce task on node b reads the output of map task t on node a: (map tasks,
    nodes, nodes)."""
    least_read: IntArray
    """Its least value over the nodes a with map slots; shape (map tasks, nodes)."""
    least_reads: IntArray
    """The same, summed over each job's map tasks; shape (jobs, nodes)."""
    read_all: IntArray
    """Time in which a reduce task on node b reads all output of job i on node a: (jobs, nodes,
    nodes)."""
    holders: IntArray
    """The nodes with map slots."""
    reduce_job: IntArray
    processing: IntArray
    """Job and processing time of each reduce task."""
    reduces_of: IntArray
    """Reduce tasks of each job."""
    reduce_equal: IntArray
    """1 if a reduce task is equal to its predecessor."""
    reduce_node: IntArray
    """Node of each reduce slot."""
    twin_begin: IntArray
    twins: IntArray
    """Pairs of equal groups of slots, as one mask each, by the slot of the latter group."""
    renamings: IntArray
    """Every permutation of the nodes that no bound can tell apart; shape (permutations, nodes)."""
    groups: IntArray
    """Sets of reduce slots whose work is bounded together, as masks, single slots first."""
    group_size: IntArray


class Rescaling(NamedTuple):
    """A problem and the way back to the instance."""

    problem: IntegerInstance
    """The instance in integer time units."""
    map_task: IntArray
    reduce_task: IntArray
    """`map_task`, `reduce_task`: the instance's number of each task."""
    symmetries: IntArray
    """The renamings of the nodes that leave the problem as it is; shape (permutations, nodes)."""


def in_integer_times(instance: Instance, makespan: float) -> Rescaling:
    """Express an instance in integer units of `makespan` / `UNITS_OF_HORIZON` s.

    Durations above the makespan are cut off just above it: no better schedule has such a task.

    `makespan`: makespan (s) of the known schedule.
    """
    cluster, data = instance.cluster, Coefficients(instance)
    before = np.zeros(instance.jobs, dtype=np.int64)
    for i, j in data.pairs:
        before[j] |= int(data.comes_first(i, j)) << i

    def units(seconds: FloatArray) -> IntArray:
        return units_below(seconds, makespan / UNITS_OF_HORIZON, UNITS_OF_HORIZON + 2)

    holders = np.flatnonzero(cluster.map_slots > 0)
    work = units(map_setups_by_node(instance) + instance.map_processing[:, None])
    read = units(output_share(instance)[:, None, None] * read_seconds(instance))
    least_work = work[:, holders].min(axis=1, initial=np.iinfo(np.int64).max)
    map_task = np.lexsort(
        (*read.reshape(len(read), cluster.nodes**2).T, *work.T, -least_work, instance.map_job)
    )
    work, read, least_work = work[map_task], read[map_task], least_work[map_task]
    map_job = instance.map_job[map_task]
    map_equal = np.zeros(len(work), dtype=np.int64)
    map_equal[1:] = (
        (map_job[1:] == map_job[:-1])
        & (work[1:] == work[:-1]).all(axis=1)
        & (read[1:] == read[:-1]).all(axis=(1, 2))
    )
    least_read = read[:, holders, :].min(axis=1, initial=np.iinfo(np.int64).max)
    least_reads = _by_job(instance, least_read)

    processing = units(instance.reduce_processing)
    job = instance.reduce_job
    reads = least_reads[:, cluster.reduce_slots > 0].min(axis=1, initial=np.iinfo(np.int64).max)
    reduce_task = np.lexsort((np.arange(len(job)), job, -(processing + reads[job])))
    job, processing = job[reduce_task], processing[reduce_task]
    reduce_equal = np.zeros(len(job), dtype=np.int64)
    reduce_equal[1:] = (job[1:] == job[:-1]) & (processing[1:] == processing[:-1])

    slot_node = cluster.reduce_slot_node
    reduce_node = slot_node[np.lexsort((slot_node, cluster.rack_of[slot_node]))]
    renamings = _renamings(cluster)
    twin_begin, twins = _twins(cluster, reduce_node, symmetric_nodes=len(renamings) > 1)
    groups = _groups(reduce_node)
    problem = IntegerInstance(
        before=before,
        map_begin=instance.map_offsets.astype(np.int64),
        map_work=work,
        least_work=least_work,
        map_equal=map_equal,
        map_node=cluster.map_slot_node.astype(np.int64),
        read=read,
        least_read=np.ascontiguousarray(least_read),
        least_reads=least_reads,
        read_all=_by_job(instance, read),
        holders=holders.astype(np.int64),
        reduce_job=job.astype(np.int64),
        processing=processing,
        reduces_of=instance.reduces_of.astype(np.int64),
        reduce_equal=reduce_equal,
        reduce_node=reduce_node.astype(np.int64),
        twin_begin=twin_begin,
        twins=twins,
        renamings=renamings,
        groups=groups,
        group_size=np.array([int(mask).bit_count() for mask in groups], dtype=np.int64),
    )
    symmetries = _symmetries(renamings, cluster, map_job, work, read)
    return Rescaling(problem, map_task, reduce_task, symmetries)


def zeros(*shape: int) -> IntArray:
    return np.zeros(shape, dtype=np.int64)


def _by_job(instance: Instance, values: IntArray) -> IntArray:
    """The sums over each job's map tasks, shape (jobs, …)."""
    sums = np.zeros((instance.jobs, *values.shape[1:]), dtype=np.int64)
    np.add.at(sums, instance.map_job, values)
    return sums


Kind = tuple[int, bool]
"""What the bounds know of a node: its reduce slots, and whether it can hold map output."""


def _racks(cluster: Cluster) -> tuple[list[Kind], list[list[int]], list[list[Kind]]]:
    """The kind of each node; the nodes of each rack, equal ones side by side; and their kinds."""
    kind = list(zip(cluster.reduce_slots.tolist(), (cluster.map_slots > 0).tolist(), strict=True))
    racks: list[list[int]] = [[] for _ in cluster.rack_names]
    for node in sorted(range(cluster.nodes), key=lambda node: (kind[node], node)):
        racks[cluster.rack_of[node]].append(node)
    return kind, racks, [[kind[node] for node in rack] for rack in racks]


def _renamings(cluster: Cluster) -> IntArray:
    """Permutations of the nodes that keep racks together and the kind of every node."""
    kind, racks, shapes = _racks(cluster)
    unchanged = np.arange(cluster.nodes)[None, :]
    if max(len(racks), *map(len, racks)) > 6:
        return unchanged
    renamings: list[IntArray] = []
    for target in permutations(range(len(racks))):
        if any(shapes[a] != shapes[b] for a, b in enumerate(target)):
            continue
        choices = [
            [image for image in permutations(racks[b]) if [kind[n] for n in image] == shapes[a]]
            for a, b in enumerate(target)
        ]
        for images in product(*choices):
            renamings.append(np.empty(cluster.nodes, dtype=np.int64))
            for rack, image in zip(racks, images, strict=True):
                renamings[-1][rack] = image
            if len(renamings) > MOST_RENAMINGS:
                return unchanged
    return np.array(renamings)


def _symmetries(
    renamings: IntArray, cluster: Cluster, job: IntArray, work: IntArray, read: IntArray
) -> IntArray:
    """Those of the renamings that change no map slot and only exchange map tasks of a job.

    A renaming keeps reads, because they depend only on what is the same node and the same rack.
    """
    _, kind = np.unique(
        np.column_stack((job, read.reshape(len(job), cluster.nodes**2))),
        axis=0,
        return_inverse=True,
    )

    def tasks(renaming: IntArray) -> IntArray:
        rows = np.column_stack((kind.ravel(), work[:, renaming]))
        return rows[np.lexsort(rows.T)]

    unchanged = tasks(np.arange(cluster.nodes))
    return renamings[
        [
            np.array_equal(cluster.map_slots[renaming], cluster.map_slots)
            and np.array_equal(tasks(renaming), unchanged)
            for renaming in renamings
        ]
    ]


def _twins(
    cluster: Cluster, reduce_node: IntArray, symmetric_nodes: bool
) -> tuple[IntArray, IntArray]:
    """For each slot the masks of which one without any task makes the slot unnecessary to try.

    A mask holds a slot, or its node, or its rack, and an equal one with lower numbers.
    """
    kind, racks, shapes = _racks(cluster)
    on_node = [
        sum(1 << k for k, n in enumerate(reduce_node) if n == node) for node in range(cluster.nodes)
    ]
    in_rack = [sum(on_node[node] for node in rack) for rack in racks]
    begin, masks = [0], []
    for k, node in enumerate(reduce_node.tolist()):
        if k and reduce_node[k - 1] == node:
            masks.append(1 << k | 1 << k - 1)
        if symmetric_nodes:
            a = int(cluster.rack_of[node])
            masks += [
                on_node[n] | on_node[node]
                for n in racks[a]
                if kind[n] == kind[node] and on_node[n] < on_node[node]
            ]
            masks += [
                in_rack[a] | in_rack[b]
                for b in range(len(racks))
                if shapes[b] == shapes[a] and in_rack[b] < in_rack[a]
            ]
        begin.append(len(masks))
    return np.array(begin, dtype=np.int64), np.array(masks, dtype=np.int64)


def _groups(reduce_node: IntArray) -> IntArray:
    """Single slots, then all sets of up to six slots, or of up to six nodes, or all slots."""
    slots = len(reduce_node)
    used = np.unique(reduce_node)
    single = [1 << k for k in range(slots)]
    if slots <= 6:
        parts = single
    elif len(used) <= 6:
        parts = [sum(1 << k for k in range(slots) if reduce_node[k] == node) for node in used]
    else:
        return np.array([*single, (1 << slots) - 1], dtype=np.int64)
    unions = {
        sum(part for b, part in enumerate(parts) if chosen >> b & 1)
        for chosen in range(1, 1 << len(parts))
    }
    return np.array([*single, *sorted(unions - set(single))], dtype=np.int64)
