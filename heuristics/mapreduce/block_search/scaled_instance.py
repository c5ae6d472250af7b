"""The instance in integer time units, laid out for compiled loops, and the way back to a schedule.

Nodes are renumbered rack by rack, so that a rack, and every part of one, is an interval. The tasks
of a job are sorted longest first. The integer time unit is a power of two seconds, so multiples of
it are exact. Priorities and security levels of slots become bits and distances, so that the loops
need not know of them.
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ....core.arrays import FloatArray, IntArray, offsets
from ....core.kernels.decorators import inner
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.integer_time import nearest_units, power_of_two_unit
from ....instances.mapreduce.schedule import Schedule, timed
from ....instances.mapreduce.security import ENCRYPTED, SAME_NODE, Security
from ....instances.mapreduce.setups import best_map_setups, distance_rates, output_share, read_rates
from ..hmhs.equivalence_classes import distinct_holders
from ..list_scheduling.orders import longest_first

UNIT_BITS = 40
"""A makespan takes 2**39 to 2**40 time units."""

MOST_UNITS = 2.0 ** (UNIT_BITS + 2)
"""Durations are cut off here: no better schedule has a longer one, and sums fit 64 bits."""

DATA_UNITS = 50
"""All that a reduce task reads is at most 2**50 data units."""

BINDING_RATIO = 1.15
"""The map phase is the bottleneck if its slots have this many times the work of reduce slots."""

SETS_AT_ONCE = 1 << 14
"""Sets of replicas whose distances are computed together."""

Number = TypeVar("Number", int, IntArray)

BitArray = NDArray[np.uint8]
"""Several small numbers in each byte: these are the tables of all tasks, or inputs, and all slots.
"""


class BlockProblem(NamedTuple):
    """The instance in integer units of time and data.

    All arrays are int64 but `distance` and `allowed` (uint8) and `rates` (float64).
    """

    map_begin: IntArray
    """Tasks `map_begin[i]:map_begin[i + 1]` are job i's; shape (jobs + 1,)."""
    map_job: IntArray
    """Job of each map task."""
    map_time: IntArray
    """Processing time of each map task."""
    map_setup: IntArray
    """Setup by distance, shape (map tasks, 3): on a replica's node, in a replica's rack, elsewhere.
    With security levels: on a replica's node, from a replica that spares encryption, else."""
    least_setup: IntArray
    """The least setup of each map task on any slot that it may use; shape (map tasks,)."""
    replica_set: IntArray
    """The number of each map task's set of replicas; shape (map tasks,)."""
    distance: BitArray
    """Distance of each place from each set of replicas, the column of `map_setup`; four to a byte,
    read by `distance_at`."""
    map_place: IntArray
    """Place of each map slot: its node or, with security levels, the slot itself; shape (slots,).
    """
    allowed: BitArray
    """With security a bit for each map task (row) and map slot, read by `may_use`; else no row."""
    output: IntArray
    """Data that each map task leaves for each reduce task of its job."""
    replica_begin: IntArray
    replicas: IntArray
    """Nodes with the input of task t: `replicas[replica_begin[t]:replica_begin[t + 1]]`."""
    near_begin: IntArray
    near: IntArray
    """The racks of these nodes, in the same layout."""
    map_slots: IntArray
    """Map slots `map_slots[v]:map_slots[v + 1]` are node v's; shape (nodes + 1,)."""
    map_slot_node: IntArray
    """Node of each map slot."""
    rack_of: IntArray
    rack_begin: IntArray
    """Nodes `rack_begin[r]:rack_begin[r + 1]` are rack r's; shape (racks + 1,)."""
    reduce_begin: IntArray
    reduce_job: IntArray
    reduce_time: IntArray
    reduce_slots: IntArray
    reduce_slot_node: IntArray
    """The same for reduce tasks and slots."""
    longest: IntArray
    """Processing time of each job's longest reduce task, 0 without one; shape (jobs,)."""
    least_work: IntArray
    """Processing time of each job's reduce tasks together; shape (jobs,)."""
    rates: FloatArray
    """Time units to read a data unit on the node, within the rack, from another rack; shape (3,).
    """
    maps_bind: bool
    """Whether the map phase is the bottleneck; then only the reads of the last jobs matter."""
    reads_differ: bool
    """Whether it matters to a reduce task where the map tasks of its job were."""


@inner
def distance_at(distance: BitArray, row: Number, place: Number) -> Number:
    code: Number = (distance[row, place >> 2] >> ((place & 3) << 1)) & 3
    return code


@inner
def may_use(allowed: BitArray, task: int, slot: int) -> bool:
    """Whether a map task may run on a slot.

    Returns true if it may.
    """
    return not len(allowed) or bool((allowed[task, slot >> 3] >> (slot & 7)) & 1)


class ScaledInstance(NamedTuple):
    """A problem, its time unit (s), and the instance's number of each task and node."""

    problem: BlockProblem
    unit_seconds: float
    map_task: IntArray
    reduce_task: IntArray
    node: IntArray


def scaled(instance: Instance, makespan: float) -> ScaledInstance:
    """Express an instance in integer time units."""
    cluster = instance.cluster
    unit_seconds = power_of_two_unit(makespan, UNIT_BITS)
    node = np.argsort(cluster.rack_of, kind="stable")
    place = np.empty(cluster.nodes, dtype=np.int64)
    place[node] = np.arange(cluster.nodes)
    read = read_rates(instance)
    rates = np.array([read.node, read.rack, read.remote])

    def in_units(seconds: FloatArray, most: float = MOST_UNITS) -> IntArray:
        return nearest_units(seconds, unit_seconds, most)

    length = instance.map_processing + instance.input_mb / rates[0]
    map_task = longest_first(length, instance.map_job)
    replica_begin, replicas = _picked(instance.replica_offsets, place[instance.replicas], map_task)
    near_begin, near = _distinct(replica_begin, cluster.rack_of[node][replicas])
    map_slots = offsets(cluster.map_slots[node])
    replica_set, sets = distinct_holders(instance)
    where, holders = _picked(instance.replica_offsets, place[instance.replicas], sets)
    map_place, by_holder = _distances_of_nodes(instance, node, map_slots)
    share = output_share(instance)
    all_share = np.bincount(instance.map_job, share, instance.jobs)
    unit = power_of_two_unit(float(all_share.max(initial=0.0)), DATA_UNITS)

    reduce_task = longest_first(instance.reduce_processing, instance.reduce_job)
    reduce_time = in_units(instance.reduce_processing[reduce_task])
    longest = np.zeros(instance.jobs, dtype=np.int64)
    np.maximum.at(longest, instance.reduce_job, reduce_time)
    work = np.bincount(instance.reduce_job, instance.reduce_processing, instance.jobs)
    racks = np.bincount(cluster.rack_of, minlength=len(cluster.rack_names))
    reduce_slots = offsets(cluster.reduce_slots[node])
    map_time = in_units(instance.map_processing[map_task])
    maps = map_time.sum() / max(1, map_slots[-1])
    reduces = reduce_time.sum() / max(1, reduce_slots[-1])
    unit_rates = unit / unit_seconds / rates
    problem = BlockProblem(
        map_begin=instance.map_offsets.astype(np.int64),
        map_job=instance.map_job,
        map_time=map_time,
        map_setup=in_units(instance.input_mb[map_task, None] / distance_rates(instance)),
        least_setup=in_units(best_map_setups(instance)[map_task]),
        replica_set=replica_set[map_task],
        distance=_distances(where, holders, by_holder),
        map_place=map_place,
        allowed=_allowed(
            instance.security, map_task, _true_slots(map_slots, cluster.map_slots, node)
        ),
        output=np.rint(share[map_task] / unit).astype(np.int64),
        replica_begin=replica_begin,
        replicas=replicas,
        near_begin=near_begin,
        near=near,
        map_slots=map_slots,
        map_slot_node=np.repeat(np.arange(cluster.nodes), np.diff(map_slots)),
        rack_of=cluster.rack_of[node].astype(np.int64),
        rack_begin=offsets(racks),
        reduce_begin=instance.reduce_offsets.astype(np.int64),
        reduce_job=instance.reduce_job,
        reduce_time=reduce_time,
        reduce_slots=reduce_slots,
        reduce_slot_node=np.repeat(np.arange(cluster.nodes), np.diff(reduce_slots)),
        longest=longest,
        least_work=in_units(work.astype(np.float64), 2.0**55),
        rates=unit_rates,
        maps_bind=bool(maps > BINDING_RATIO * reduces),
        reads_differ=bool(unit_rates[0] < unit_rates[2]),
    )
    return ScaledInstance(problem, unit_seconds, map_task, reduce_task, node)


def schedule_of(
    instance: Instance,
    scale: ScaledInstance,
    map_slot: IntArray,
    map_rank: IntArray,
    reduce_slot: IntArray,
    reduce_rank: IntArray,
) -> Schedule:
    """The schedule of an instance with given slots and orders, timed in s."""
    map_slots, reduce_slots = _both_slots(instance, scale)
    arrays = []
    for task, values in (
        (scale.map_task, map_slots[map_slot]),
        (scale.map_task, map_rank),
        (scale.reduce_task, reduce_slots[reduce_slot]),
        (scale.reduce_task, reduce_rank),
    ):
        arrays.append(np.empty(len(task), dtype=np.int64))
        arrays[-1][task] = values
    return timed(instance, *arrays)


def slots_of(
    instance: Instance, scale: ScaledInstance, schedule: Schedule
) -> tuple[IntArray, IntArray]:
    """The slots of a schedule's map and reduce tasks, in the numbers of the scaled instance.

    Returns slots of the map tasks and of the reduce tasks, shapes (tasks,).
    """
    map_slots, reduce_slots = _both_slots(instance, scale)
    return (
        np.argsort(map_slots)[schedule.map.slot[scale.map_task]],
        np.argsort(reduce_slots)[schedule.reduce.slot[scale.reduce_task]],
    )


def _both_slots(instance: Instance, scale: ScaledInstance) -> tuple[IntArray, IntArray]:
    """The instance's numbers of the scaled instance's map and reduce slots."""
    cluster, problem = instance.cluster, scale.problem
    return (
        _true_slots(problem.map_slots, cluster.map_slots, scale.node),
        _true_slots(problem.reduce_slots, cluster.reduce_slots, scale.node),
    )


def _true_slots(begin: IntArray, per_node: IntArray, node: IntArray) -> IntArray:
    """The instance's numbers of one phase's slots, which begin at `begin` on each new node."""
    true_begin = offsets(per_node)[:-1][node]
    return np.arange(begin[-1]) + np.repeat(true_begin - begin[:-1], np.diff(begin))


def _distances_of_nodes(
    instance: Instance, node: IntArray, map_slots: IntArray
) -> tuple[IntArray, BitArray]:
    """The place of each map slot, and the distance of each place from each node."""
    cluster, security = instance.cluster, instance.security
    nodes = np.arange(cluster.nodes)
    if security is None:
        rack = cluster.rack_of[node]
        apart = np.where(rack[:, None] == rack, 1, 2).astype(np.uint8)
        np.fill_diagonal(apart, 0)
        return np.repeat(nodes, np.diff(map_slots)), apart
    slot = _true_slots(map_slots, cluster.map_slots, node)
    levels = security.levels[node[:, None], slot]
    apart = np.where(levels == SAME_NODE, 0, np.where(levels == ENCRYPTED, 2, 1)).astype(np.uint8)
    return np.arange(len(slot)), apart


def _distances(begin: IntArray, holders: IntArray, by_holder: BitArray) -> BitArray:
    """The distance of each place from each set of nodes, four to a byte; 2 from the empty set."""
    sets, places = len(begin) - 1, by_holder.shape[1]
    packed = np.zeros((sets, (places + 3) // 4), dtype=np.uint8)
    for low in range(0, sets, SETS_AT_ONCE):
        high = min(low + SETS_AT_ONCE, sets)
        least = np.full((high - low, 4 * packed.shape[1]), 2, dtype=np.uint8)
        copies = np.diff(begin[low : high + 1])
        for copy in range(int(copies.max(initial=0))):
            some = np.flatnonzero(copies > copy)
            distance = by_holder[holders[begin[low:high][some] + copy]]
            least[some, :places] = np.minimum(least[some, :places], distance)
        for part in range(4):
            packed[low:high] |= least[:, part::4] << (2 * part)
    return packed


def _allowed(security: Security | None, task: IntArray, slot: IntArray) -> BitArray:
    """Bits of the given tasks (rows) and slots, in this order."""
    if security is None:
        return np.zeros((0, 0), dtype=np.uint8)
    bits = np.packbits(np.take(security.priorities, slot, axis=1), axis=1, bitorder="little")
    return bits[task]


def _picked(begin: IntArray, values: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The groups `rows` of `values`, in this order, as offsets and values."""
    counts = np.diff(begin)[rows]
    new = offsets(counts)
    index = np.arange(new[-1]) - np.repeat(new[:-1] - begin[rows], counts)
    return new, np.ascontiguousarray(values[index].astype(np.int64))


def _distinct(begin: IntArray, values: IntArray) -> tuple[IntArray, IntArray]:
    group = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    most = int(values.max(initial=0)) + 1
    pairs = np.unique(group * most + values)
    counts = np.bincount(pairs // most, minlength=len(begin) - 1)
    return offsets(counts), pairs % most
