"""Tasks and slots that a dispatcher by completion times need not tell apart.

Tasks of a queue have the same speed factors and the same setups on every slot and become available
together: they differ in processing time only, so wherever a task of the queue ends first, the
shortest does. Slots of a group are the same to every task. HMHS jobs have one queue each per phase.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..instances.mapreduce import FloatArray, Instance, IntArray, offsets
from ..instances.setups import map_setups_by_node


@dataclass(frozen=True, eq=False)
class TaskQueues:
    """The tasks of one phase in queues, in the order in which these become available.

    `tasks[offsets[q]:offsets[q + 1]]` are those of queue q, the shortest first, equal ones by
    number. `release` (s), `factor_row` and `setup_row` have one entry per queue; `processing` (s)
    has one per task, in the instance's order.
    """

    tasks: IntArray
    offsets: IntArray
    release: FloatArray
    factor_row: IntArray
    setup_row: IntArray
    processing: FloatArray


@dataclass(frozen=True, eq=False)
class SlotGroups:
    """Groups of equal slots of one phase: group g has the slots `offsets[g]:offsets[g + 1]`.

    `factors` has shape (factor rows, groups), `setups` (s) shape (setup rows, groups).
    """

    offsets: IntArray
    factors: FloatArray
    setups: FloatArray


def map_queues(instance: Instance) -> tuple[TaskQueues, SlotGroups]:
    """Queues of map tasks, all available at time 0, and the map slots in groups."""
    input_row, setups = distinct_inputs(instance)
    factors = None if instance.speed_factors is None else instance.speed_factors.map
    factor_row = np.zeros_like(input_row) if factors is None else instance.map_job
    tasks, starts = _grouped(input_row, factor_row, within=instance.map_processing)
    first = tasks[starts[:-1]]
    queues = TaskQueues(
        tasks,
        starts,
        release=np.zeros(len(first)),
        factor_row=factor_row[first],
        setup_row=input_row[first],
        processing=instance.map_processing,
    )
    return queues, _slot_groups(instance.cluster.map_slots, factors, setups)


def reduce_queues(
    instance: Instance, release: FloatArray, setups: FloatArray
) -> tuple[TaskQueues, SlotGroups]:
    """A queue of reduce tasks for each job that has some, and the reduce slots in groups.

    `release` (s), shape (jobs,), is the end of each job's map phase; `setups` (s), shape
    (jobs, nodes), comes from `instances.setups.reduce_setups`. Equal releases: by job number.
    """
    factors = None if instance.speed_factors is None else instance.speed_factors.reduce
    position = np.empty(instance.jobs, dtype=np.int64)
    position[np.argsort(release, kind="stable")] = np.arange(instance.jobs)
    tasks, starts = _grouped(position[instance.reduce_job], within=instance.reduce_processing)
    job = instance.reduce_job[tasks[starts[:-1]]]
    queues = TaskQueues(
        tasks,
        starts,
        release=release[job],
        factor_row=np.zeros_like(job) if factors is None else job,
        setup_row=job,
        processing=instance.reduce_processing,
    )
    return queues, _slot_groups(instance.cluster.reduce_slots, factors, setups)


def _slot_groups(slots: IntArray, factors: FloatArray | None, setups: FloatArray) -> SlotGroups:
    """One group a node, or a slot where slots have speed factors of their own."""
    if factors is None:
        used = slots > 0
        return SlotGroups(
            offsets(slots[used]),
            np.ones((1, int(used.sum()))),
            np.ascontiguousarray(setups[:, used]),
        )
    node = np.repeat(np.arange(len(slots)), slots)
    return SlotGroups(
        np.arange(len(node) + 1, dtype=np.int64),
        np.ascontiguousarray(factors, dtype=np.float64),
        np.ascontiguousarray(setups[:, node]),
    )


def distinct_inputs(instance: Instance) -> tuple[IntArray, FloatArray]:
    """Row of each map task among the distinct inputs, and the setups (s) of those on each node.

    Inputs are the same if size and replica nodes are. Shapes (map_tasks,) and (inputs, nodes).
    """
    row = np.zeros(instance.map_tasks, dtype=np.int64)
    nothing = np.zeros((1, instance.cluster.nodes))
    some = np.flatnonzero(instance.input_mb)
    if not some.size:
        return row, nothing
    copies = np.diff(instance.replica_offsets)
    place = np.arange(len(instance.replicas)) - np.repeat(instance.replica_offsets[:-1], copies)
    holders = np.full((instance.map_tasks, int(copies.max())), -1, dtype=np.int64)
    holders[np.repeat(np.arange(instance.map_tasks), copies), place] = instance.replicas
    holders.sort(axis=1)
    tasks, starts = _grouped(instance.input_mb[some], *holders[some].T)
    row[some[tasks]] = 1 + np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    setups = map_setups_by_node(_only_inputs(instance, some[tasks[starts[:-1]]]))
    return row, np.concatenate((nothing, setups))


def _only_inputs(instance: Instance, tasks: IntArray) -> Instance:
    """An instance with these map tasks and nothing else, for their setups."""
    copies = np.diff(instance.replica_offsets)[tasks]
    within = np.arange(copies.sum()) - np.repeat(np.cumsum(copies) - copies, copies)
    return replace(
        instance,
        job_names=("",),
        output_ratio=np.zeros(1),
        map_offsets=np.array([0, len(tasks)]),
        map_processing=np.zeros(len(tasks)),
        input_mb=instance.input_mb[tasks],
        replica_offsets=offsets(copies),
        replicas=instance.replicas[np.repeat(instance.replica_offsets[tasks], copies) + within],
        reduce_offsets=np.zeros(2, dtype=np.int64),
        reduce_processing=np.zeros(0),
        speed_factors=None,
        security=None,
        outages=None,
        history=None,
    )


def _grouped(
    *keys: IntArray | FloatArray, within: FloatArray | None = None
) -> tuple[IntArray, IntArray]:
    """Entries in groups of equal keys, by `within`, then by number, and where each group starts.

    The groups ascend by the last key first.
    """
    order = np.lexsort(keys if within is None else (within, *keys))
    differs = np.zeros(len(order), dtype=bool)
    differs[:1] = True
    for key in keys:
        differs[1:] |= key[order[1:]] != key[order[:-1]]
    return order, np.append(np.flatnonzero(differs), len(order))
