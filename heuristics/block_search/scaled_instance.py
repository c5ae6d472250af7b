"""The instance in whole ticks, laid out for compiled loops, and the way back to a schedule.

Nodes are numbered rack by rack here, so that a rack, and every part of one, is an interval. Tasks
of a job are sorted longest first. A tick is a power of two seconds, so times that are multiples of
it stay exact.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...instances.arrays import FloatArray, IntArray
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule, timed
from ...instances.mapreduce.setups import output_share
from ..hmhs.equivalence_classes import distinct_holders
from ..list_scheduling.lpt import longest_first

UNIT_BITS = 40
"""A makespan takes 2**39 to 2**40 ticks."""

MOST_UNITS = 2.0 ** (UNIT_BITS + 2)
"""Ticks that durations are cut off at: on no better schedule, and sums stay within 64 bits."""

DATA_UNITS = 50
"""All that a job's reduce task reads is at most 2**50 units of data."""


WayArray = NDArray[np.int8]
"""Narrow, for this is the one table of (almost) all tasks and all nodes."""


class BlockProblem(NamedTuple):
    """Times in ticks, data in units; all arrays int64 but `way` and `rates`."""

    map_begin: IntArray
    """Tasks `map_begin[i]:map_begin[i + 1]` are job i's; shape (jobs + 1,)."""
    map_time: IntArray
    """Processing time of each map task."""
    map_setup: IntArray
    """Setup on a replica's node, in a replica's rack, elsewhere; shape (map tasks, 3)."""
    holders: IntArray
    way: WayArray
    """Which of them map task t has on node v: `way[holders[t], v]`; a row for each distinct set of
    replicas."""
    output: IntArray
    """Data that each map task leaves for each reduce task of its job."""
    replica_begin: IntArray
    replicas: IntArray
    """Nodes with the input of task t: `replicas[replica_begin[t]:replica_begin[t + 1]]`."""
    near_begin: IntArray
    near: IntArray
    """The racks of these nodes, laid out in the same way."""
    map_slots: IntArray
    """Map slots `map_slots[v]:map_slots[v + 1]` are node v's; shape (nodes + 1,)."""
    rack_of: IntArray
    rack_begin: IntArray
    """Nodes `rack_begin[r]:rack_begin[r + 1]` are rack r's; shape (racks + 1,)."""
    reduce_begin: IntArray
    reduce_time: IntArray
    reduce_slots: IntArray
    """The same for reduce tasks and slots."""
    longest: IntArray
    """Processing time of each job's longest reduce task, 0 without one; shape (jobs,)."""
    least_work: IntArray
    """Processing time of each job's reduce tasks together; shape (jobs,)."""
    rates: FloatArray
    """Ticks to read a unit on the node, within the rack, from another rack; shape (3,)."""


class ScaledInstance(NamedTuple):
    """A problem, s per tick, and the instance's numbers of tasks and nodes by ours."""

    problem: BlockProblem
    tick: float
    map_task: IntArray
    reduce_task: IntArray
    node: IntArray


def scaled(instance: Instance, makespan: float) -> ScaledInstance:
    """The instance in ticks that suit schedules of about `makespan` s (> 0)."""
    cluster = instance.cluster
    tick = 2.0 ** (math.frexp(makespan)[1] - UNIT_BITS)
    node = np.argsort(cluster.rack_of, kind="stable")
    place = np.empty(cluster.nodes, dtype=np.int64)
    place[node] = np.arange(cluster.nodes)
    rates = np.array([cluster.rates.node, cluster.rates.rack, cluster.rates.remote])

    def ticks(seconds: FloatArray, most: float = MOST_UNITS) -> IntArray:
        return np.ascontiguousarray(np.rint(np.minimum(seconds / tick, most)).astype(np.int64))

    length = instance.map_processing + instance.input_mb / rates[0]
    map_task = longest_first(length, instance.map_job)
    replica_begin, replicas = _picked(instance.replica_offsets, place[instance.replicas], map_task)
    near_begin, near = _distinct(replica_begin, cluster.rack_of[node][replicas])
    holders, way = _ways(instance, place)
    share = output_share(instance)
    all_share = np.bincount(instance.map_job, share, instance.jobs)
    unit = 2.0 ** (math.frexp(float(all_share.max(initial=0.0)))[1] - DATA_UNITS)

    reduce_task = longest_first(instance.reduce_processing, instance.reduce_job)
    reduce_time = ticks(instance.reduce_processing[reduce_task])
    longest = np.zeros(instance.jobs, dtype=np.int64)
    np.maximum.at(longest, instance.reduce_job, reduce_time)
    work = np.bincount(instance.reduce_job, instance.reduce_processing, instance.jobs)
    racks = np.bincount(cluster.rack_of, minlength=len(cluster.rack_names))
    problem = BlockProblem(
        map_begin=instance.map_offsets.astype(np.int64),
        map_time=ticks(instance.map_processing[map_task]),
        map_setup=ticks(instance.input_mb[map_task, None] / rates),
        holders=holders[map_task],
        way=way,
        output=np.rint(share[map_task] / unit).astype(np.int64),
        replica_begin=replica_begin,
        replicas=replicas,
        near_begin=near_begin,
        near=near,
        map_slots=_begins(cluster.map_slots[node]),
        rack_of=cluster.rack_of[node].astype(np.int64),
        rack_begin=_begins(racks),
        reduce_begin=instance.reduce_offsets.astype(np.int64),
        reduce_time=reduce_time,
        reduce_slots=_begins(cluster.reduce_slots[node]),
        longest=longest,
        least_work=ticks(work.astype(np.float64), 2.0**55),
        rates=unit / tick / rates,
    )
    return ScaledInstance(problem, tick, map_task, reduce_task, node)


def schedule_of(
    instance: Instance,
    scale: ScaledInstance,
    map_slot: IntArray,
    map_rank: IntArray,
    reduce_slot: IntArray,
    reduce_rank: IntArray,
) -> Schedule:
    """The schedule with these slots and this order on each of them, in our numbers, timed in s."""
    map_slots, reduce_slots = _true_slots(instance, scale)
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
    """The slots of a schedule's map and reduce tasks, all in our numbers."""
    map_slots, reduce_slots = _true_slots(instance, scale)
    return (
        np.argsort(map_slots)[schedule.map.slot[scale.map_task]],
        np.argsort(reduce_slots)[schedule.reduce.slot[scale.reduce_task]],
    )


def _true_slots(instance: Instance, scale: ScaledInstance) -> tuple[IntArray, IntArray]:
    """The instance's numbers of our map and reduce slots."""
    cluster, problem = instance.cluster, scale.problem
    slots = []
    for begin, per_node in (
        (problem.map_slots, cluster.map_slots),
        (problem.reduce_slots, cluster.reduce_slots),
    ):
        true_begin = _begins(per_node)[:-1][scale.node]
        slots.append(np.arange(begin[-1]) + np.repeat(true_begin - begin[:-1], np.diff(begin)))
    return slots[0], slots[1]


def _ways(instance: Instance, place: IntArray) -> tuple[IntArray, WayArray]:
    """Row of each map task, and by rows and nodes: 0 on a replica's node, 1 in its rack, else 2.

    Nodes in our numbers, rack by rack; `place`: those of the instance's nodes.
    """
    cluster = instance.cluster
    holders, tasks = distinct_holders(instance)
    begin, replicas = _picked(instance.replica_offsets, instance.replicas, tasks)
    row = np.repeat(np.arange(len(tasks)), np.diff(begin))
    by_rack = np.full((len(tasks), len(cluster.rack_names)), 2, dtype=np.int8)
    by_rack[row, cluster.rack_of[replicas]] = 1
    way = np.repeat(by_rack, np.bincount(cluster.rack_of, minlength=by_rack.shape[1]), axis=1)
    way[row, place[replicas]] = 0
    return holders, way


def _begins(counts: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def _picked(begin: IntArray, values: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The groups `rows` of `values`, in this order."""
    counts = np.diff(begin)[rows]
    new = _begins(counts)
    index = np.arange(new[-1]) - np.repeat(new[:-1] - begin[rows], counts)
    return new, np.ascontiguousarray(values[index].astype(np.int64))


def _distinct(begin: IntArray, values: IntArray) -> tuple[IntArray, IntArray]:
    """The distinct values of each group."""
    group = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    most = int(values.max(initial=0)) + 1
    pairs = np.unique(group * most + values)
    counts = np.bincount(pairs // most, minlength=len(begin) - 1)
    return _begins(counts), pairs % most
