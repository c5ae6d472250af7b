"""Classes of tasks and slots that a dispatcher by completion times need not distinguish.

Tasks of a queue differ in processing time only, so wherever one of them ends first, the shortest
does; or, where nothing but their distance from the data tells slots apart, they are those with data
at one place (`lists_by_distance`). Slots of a group are the same for every task. The jobs of [HMHS]
have one queue each per phase.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray, offsets
from ....core.kernels.decorators import inner
from ....instances.mapreduce.instance import Instance


class Setups(NamedTuple):
    """Setup times (s) by rows; the columns are nodes, or distances from the data.

    In the latter case the columns are on a node with the data, in its rack, and elsewhere, and row
    t has the data of map task t on the nodes `replicas[replica_offsets[t]:replica_offsets[t + 1]]`.
    In the former case `replica_offsets` is empty.
    """

    seconds: FloatArray
    replica_offsets: IntArray
    replicas: IntArray
    rack_of: IntArray


class TaskQueues(NamedTuple):
    """Queues of tasks of one phase, sorted by release time; the first of a queue ends first.

    Queue q consists of the runs `first[q]:first[q + 1]` of equal tasks, and run r of the tasks
    `tasks[begin[r]:begin[r + 1]]`, by number. The runs ascend by `least`, the least time (s) that
    such a task takes, without what all tasks of the queue have in common. The tasks of queue q are
    offered to the groups of slots `groups[asked[q, 0]:asked[q, 1]]`. `release` (s) and `factor_row`
    have one entry per queue; `processing` (s) and `setup_row` have one per task, in the instance's
    order.
    """

    tasks: IntArray
    begin: IntArray
    least: FloatArray
    first: IntArray
    groups: IntArray
    asked: IntArray
    release: FloatArray
    factor_row: IntArray
    processing: FloatArray
    setup_row: IntArray


class SlotGroups(NamedTuple):
    """Groups of equal slots of one phase: group g has the slots `begin[g]:begin[g + 1]` of a node.

    `factors` has shape (factor rows, groups), `least_factor` is the least of each row.
    """

    begin: IntArray
    node: IntArray
    factors: FloatArray
    least_factor: FloatArray


@inner
def setup_on(setups: Setups, row: int, node: int) -> float:
    """Setup time (s) of a row on a node."""
    column = node
    if len(setups.replica_offsets):
        column = 2
        for copy in range(setups.replica_offsets[row], setups.replica_offsets[row + 1]):
            holder = setups.replicas[copy]
            if holder == node:
                column = 0
                break
            if setups.rack_of[holder] == setups.rack_of[node]:
                column = 1
    return float(setups.seconds[row, column])


def input_setups(instance: Instance) -> Setups:
    """Setup times of the map tasks, one row each, without security levels."""
    seconds = instance.input_mb[:, None] / np.array(astuple(instance.cluster.rates), dtype=float)
    holders = instance.replica_offsets, instance.replicas
    return Setups(seconds, *holders, instance.cluster.rack_of)


def node_setups(instance: Instance, seconds: FloatArray) -> Setups:
    """Setup times by row and node.

    `seconds`: setup times (s), shape (rows, nodes).
    """
    none = np.zeros(0, dtype=np.int64)
    return Setups(np.ascontiguousarray(seconds), none, none, instance.cluster.rack_of)


def lists_by_distance(instance: Instance) -> TaskQueues:
    """Queues of map tasks for slots that differ only in their distance from a task's data.

    There is one for every node, of the tasks with data there, for every rack, and one of all tasks
    for the whole cluster. Each offers its tasks to the slots there, and supposes that they read
    from that distance. So it offers nothing that is too early; and the task that ends first of all
    is offered by the queue that supposes right.
    """
    cluster, rates = instance.cluster, instance.cluster.rates
    every, nodes, racks = np.arange(instance.map_tasks), cluster.nodes, len(cluster.rack_names)
    holder, holding = instance.replicas, np.repeat(every, np.diff(instance.replica_offsets))
    task = np.r_[holding, holding, every]
    place = np.r_[holder, nodes + cluster.rack_of[holder], np.full(len(every), nodes + racks)]
    rate = np.repeat(astuple(rates), [len(holding), len(holding), len(every)])
    mb, processing = instance.input_mb[task], instance.map_processing[task]
    order, begin, least, first, queue = _runs(place, mb / rate + processing, processing, mb)
    by_rack = np.argsort(cluster.rack_of, kind="stable")
    position = np.argsort(by_rack)
    of_rack = offsets(np.bincount(cluster.rack_of, minlength=racks))
    first_asked, end_of = np.r_[position, of_rack[:-1], 0], np.r_[position + 1, of_rack[1:], nodes]
    asked = np.stack((first_asked, end_of), axis=1)
    none = np.zeros(len(queue), dtype=np.int64)
    return TaskQueues(
        task[order],
        begin,
        least,
        first,
        by_rack,
        asked[queue],
        none.astype(np.float64),
        none,
        instance.map_processing,
        every,
    )


def map_queues(instance: Instance, groups: SlotGroups) -> TaskQueues:
    """A queue of map tasks for each job and each input, all released at time 0."""
    # Number of each map task's input among the distinct ones, shape (map_tasks,). Inputs are equal
    # if size and replica nodes are, or if there is nothing to read.
    inputs = np.zeros(instance.map_tasks, dtype=np.int64)
    some = np.flatnonzero(instance.input_mb)
    if some.size:
        inputs[some] = 1 + numbers(instance.input_mb[some], *_holders(instance)[some].T)
    queue = numbers(inputs, instance.map_job)
    return _queues(
        queue,
        instance.map_processing,
        np.zeros(instance.map_tasks),
        instance.map_job,
        np.arange(instance.map_tasks),
        groups,
    )


def reduce_queues(instance: Instance, groups: SlotGroups, release: FloatArray) -> TaskQueues:
    """A queue of reduce tasks for each job that has some; the rows of setups are jobs.

    `release`: end of each job's map phase (s), shape (jobs,); queues of equal release come by job
    number.
    """
    job = instance.reduce_job
    position = np.argsort(np.argsort(release, kind="stable"))
    factor_row = np.zeros_like(job) if instance.speed_factors is None else job
    return _queues(position[job], instance.reduce_processing, release[job], factor_row, job, groups)


def _queues(
    queue: IntArray,
    processing: FloatArray,
    release: FloatArray,
    factor_row: IntArray,
    setup_row: IntArray,
    groups: SlotGroups,
) -> TaskQueues:
    """Queues of tasks that all slots are asked for; the arguments have an entry per task."""
    times = processing * groups.least_factor[factor_row]
    order, begin, least, first, _ = _runs(queue, times, processing)
    some = order[begin[first[:-1]]]
    count = len(groups.node)
    return TaskQueues(
        order,
        begin,
        least,
        first,
        np.arange(count),
        np.tile(np.array([0, count]), (len(some), 1)),
        release[some],
        factor_row[some],
        processing,
        setup_row,
    )


def _runs(
    queue: IntArray, least: FloatArray, *alike: FloatArray
) -> tuple[IntArray, IntArray, FloatArray, IntArray, IntArray]:
    """Tasks by queue and then by `least`, in runs of tasks that are alike.

    Returns the tasks, the offsets of the runs, what is least in each, the offsets of the queues in
    runs, and the queues.
    """
    order, begin = grouped(*alike, least, queue)
    run = order[begin[:-1]]
    head = np.flatnonzero(np.diff(queue[run], prepend=-1))
    return order, begin, least[run], np.append(head, len(run)), queue[run[head]]


def slot_groups(slots: IntArray, factors: FloatArray | None) -> SlotGroups:
    """One group per node, or per slot if slots have speed factors of their own.

    `factors`: speed factor of each row on each slot, shape (rows, slots), or None.
    """
    if factors is None:
        node = np.arange(len(slots))
        return SlotGroups(offsets(slots), node, np.ones((1, len(slots))), np.ones(1))
    node = np.repeat(np.arange(len(slots)), slots)
    return SlotGroups(
        np.arange(len(node) + 1, dtype=np.int64),
        node,
        np.ascontiguousarray(factors, dtype=np.float64),
        factors.min(axis=1, initial=np.inf),
    )


def distinct_holders(instance: Instance) -> tuple[IntArray, IntArray]:
    """Number of each map task's set of replicas, shape (map_tasks,), and a task with each set."""
    number = numbers(*_holders(instance).T, np.zeros(instance.map_tasks))
    return number, np.unique(number, return_index=True)[1]


def _holders(instance: Instance) -> IntArray:
    """The nodes with each map task's input in ascending order, padded with -1 in front."""
    copies = np.diff(instance.replica_offsets)
    place = np.arange(len(instance.replicas)) - np.repeat(instance.replica_offsets[:-1], copies)
    holders = np.full((instance.map_tasks, int(copies.max(initial=0))), -1, dtype=np.int64)
    holders[np.repeat(np.arange(instance.map_tasks), copies), place] = instance.replicas
    holders.sort(axis=1)
    return holders


def numbers(*keys: IntArray | FloatArray) -> IntArray:
    """The same number for entries with equal keys, from 0 on, ascending by the last key first."""
    order, begin = grouped(*keys)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
    return number


def grouped(*keys: IntArray | FloatArray) -> tuple[IntArray, IntArray]:
    """Group entries by equal keys; the groups ascend by the last key first.

    `*keys`: arrays of one entry each per element.
    Returns the entries group by group, by number, and the offsets of the groups.
    """
    order = np.lexsort(keys)
    differs = np.zeros(len(order), dtype=bool)
    differs[:1] = True
    for key in keys:
        differs[1:] |= key[order[1:]] != key[order[:-1]]
    return order, np.append(np.flatnonzero(differs), len(order))
