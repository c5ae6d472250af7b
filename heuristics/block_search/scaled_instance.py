"""The instance in integer time units, laid out for compiled loops, and the way back to a schedule.

Nodes are renumbered rack by rack, so that a rack, and every part of one, is an interval. The tasks
of a job are sorted longest first. The integer time unit is a power of two seconds, so multiples of
it are exact.
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
"""A makespan takes 2**39 to 2**40 time units."""

MOST_UNITS = 2.0 ** (UNIT_BITS + 2)
"""Durations are cut off here: no better schedule has a longer one, and sums fit 64 bits."""

DATA_UNITS = 50
"""All that a reduce task reads is at most 2**50 data units."""


DistanceArray = NDArray[np.int8]
"""Eight bits, because this is the only table of all sets of replicas and all nodes."""


class BlockProblem(NamedTuple):
    """The instance in integer units of time and data.

    All arrays are int64 but `distance` (int8) and `rates` (float64).
    """

    map_begin: IntArray
    """Tasks `map_begin[i]:map_begin[i + 1]` are job i's; shape (jobs + 1,)."""
    map_time: IntArray
    """Processing time of each map task."""
    map_setup: IntArray
    """Setup on a replica's node, in a replica's rack, elsewhere; shape (map tasks, 3)."""
    replica_set: IntArray
    """The number of each map task's set of replicas; shape (map tasks,)."""
    distance: DistanceArray
    """Distance of each node from each set of replicas, shape (sets, nodes): 0 on a node with a
    replica, 1 in the rack of one, 2 elsewhere. It is the column of `map_setup`."""
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
    """Time units to read a data unit on the node, within the rack, from another rack; shape (3,).
    """


class ScaledInstance(NamedTuple):
    """A problem, its time unit (s), and the instance's number of each task and node."""

    problem: BlockProblem
    unit_seconds: float
    map_task: IntArray
    reduce_task: IntArray
    node: IntArray


def scaled(instance: Instance, makespan: float) -> ScaledInstance:
    """Express an instance in integer time units.

    Parameters
    ----------
    instance
        The instance.
    makespan
        Makespan (s, > 0) of the schedules that are to be represented.

    Returns
    -------
    ScaledInstance
        The scaled instance.
    """
    cluster = instance.cluster
    unit_seconds = 2.0 ** (math.frexp(makespan)[1] - UNIT_BITS)
    node = np.argsort(cluster.rack_of, kind="stable")
    place = np.empty(cluster.nodes, dtype=np.int64)
    place[node] = np.arange(cluster.nodes)
    rates = np.array([cluster.rates.node, cluster.rates.rack, cluster.rates.remote])

    def in_units(seconds: FloatArray, most: float = MOST_UNITS) -> IntArray:
        return np.ascontiguousarray(
            np.rint(np.minimum(seconds / unit_seconds, most)).astype(np.int64)
        )

    length = instance.map_processing + instance.input_mb / rates[0]
    map_task = longest_first(length, instance.map_job)
    replica_begin, replicas = _picked(instance.replica_offsets, place[instance.replicas], map_task)
    near_begin, near = _distinct(replica_begin, cluster.rack_of[node][replicas])
    replica_set, distance = _distances(instance, place)
    share = output_share(instance)
    all_share = np.bincount(instance.map_job, share, instance.jobs)
    unit = 2.0 ** (math.frexp(float(all_share.max(initial=0.0)))[1] - DATA_UNITS)

    reduce_task = longest_first(instance.reduce_processing, instance.reduce_job)
    reduce_time = in_units(instance.reduce_processing[reduce_task])
    longest = np.zeros(instance.jobs, dtype=np.int64)
    np.maximum.at(longest, instance.reduce_job, reduce_time)
    work = np.bincount(instance.reduce_job, instance.reduce_processing, instance.jobs)
    racks = np.bincount(cluster.rack_of, minlength=len(cluster.rack_names))
    problem = BlockProblem(
        map_begin=instance.map_offsets.astype(np.int64),
        map_time=in_units(instance.map_processing[map_task]),
        map_setup=in_units(instance.input_mb[map_task, None] / rates),
        replica_set=replica_set[map_task],
        distance=distance,
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
        least_work=in_units(work.astype(np.float64), 2.0**55),
        rates=unit / unit_seconds / rates,
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
    """The schedule of an instance with given slots and orders, timed in s.

    Parameters
    ----------
    instance
        The instance.
    scale
        The scaled instance; all arrays use its numbers of tasks and slots.
    map_slot, reduce_slot
        The slot of each task, shape (tasks,).
    map_rank, reduce_rank
        Tasks on one slot run by ascending rank, shape (tasks,).

    Returns
    -------
    Schedule
        The schedule.
    """
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
    """The slots of a schedule's map and reduce tasks, in the numbers of the scaled instance.

    Parameters
    ----------
    instance
        The instance.
    scale
        The scaled instance.
    schedule
        A schedule of the instance.

    Returns
    -------
    tuple[IntArray, IntArray]
        Slots of the map tasks and of the reduce tasks, shapes (tasks,).
    """
    map_slots, reduce_slots = _true_slots(instance, scale)
    return (
        np.argsort(map_slots)[schedule.map.slot[scale.map_task]],
        np.argsort(reduce_slots)[schedule.reduce.slot[scale.reduce_task]],
    )


def _true_slots(instance: Instance, scale: ScaledInstance) -> tuple[IntArray, IntArray]:
    """The instance's numbers of the scaled instance's map and reduce slots."""
    cluster, problem = instance.cluster, scale.problem
    slots = []
    for begin, per_node in (
        (problem.map_slots, cluster.map_slots),
        (problem.reduce_slots, cluster.reduce_slots),
    ):
        true_begin = _begins(per_node)[:-1][scale.node]
        slots.append(np.arange(begin[-1]) + np.repeat(true_begin - begin[:-1], np.diff(begin)))
    return slots[0], slots[1]


def _distances(instance: Instance, place: IntArray) -> tuple[IntArray, DistanceArray]:
    """The set of replicas of each map task, and the distance of each node from each set.

    `place` is the new number of each of the instance's nodes.
    """
    cluster = instance.cluster
    replica_set, tasks = distinct_holders(instance)
    begin, replicas = _picked(instance.replica_offsets, instance.replicas, tasks)
    row = np.repeat(np.arange(len(tasks)), np.diff(begin))
    by_rack = np.full((len(tasks), len(cluster.rack_names)), 2, dtype=np.int8)
    by_rack[row, cluster.rack_of[replicas]] = 1
    distance = np.repeat(by_rack, np.bincount(cluster.rack_of, minlength=by_rack.shape[1]), axis=1)
    distance[row, place[replicas]] = 0
    return replica_set, distance


def _begins(counts: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def _picked(begin: IntArray, values: IntArray, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The groups `rows` of `values`, in this order, as offsets and values."""
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
