"""Task matchmaking of [SMSO], Algorithm 1: a map slot for every task, near its data, evenly loaded.

The load of a slot is the sum of the processing times of its tasks, or their number. A task goes to
the first of these groups that has a slot:

1. eligible slots on a node that holds its data, below the threshold;
2. other eligible slots that take the data without encryption, below the threshold;
3. all eligible slots.

Within the group it goes to the slot with the least load; then, in group 3, to one without
encryption; then to the lowest number. The threshold is theta times the load of all tasks that are
being placed over the number of usable slots, and only these tasks count towards it.

If data is ignored there is only group 3, and encryption decides nothing.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray, LevelArray
from ....core.errors import InputError
from ....core.kernels.decorators import counted
from ....instances.mapreduce.eligibility import impossible
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.security import ENCRYPTED
from .reading import USUAL, Load, Reading

LOCAL, UNENCRYPTED, ENCRYPTED_MOVE, NO_SLOT = 0, 1, 2, 3
"""How data gets to a slot. The number is one less than that of the group above for slots below the
threshold."""


def matched(
    instance: Instance, tasks: IntArray, queued: FloatArray, reading: Reading = USUAL
) -> IntArray:
    """Choose a map slot for each task ([SMSO], Algorithm 1).

    Lost slots and slots that are not eligible take nothing.

    Raises `InputError` if a task has no eligible slot.
    """
    node = instance.cluster.map_slot_node
    usable = np.ones(len(node), bool) if instance.outages is None else ~instance.outages.map
    priorities = (
        np.ones((1, len(node)), bool) if instance.security is None else instance.security.priorities
    )
    rows = tasks if instance.security is not None else np.zeros_like(tasks)
    work = loads(instance, reading.load)[tasks]
    load = queued.astype(np.float64)
    if reading.data == "ignored":
        slot = _least_loaded(rows, priorities, usable, work, load)
    else:
        slot = _near_the_data(
            tasks,
            rows,
            priorities,
            usable,
            security_levels(instance),
            np.searchsorted(node, np.arange(instance.cluster.nodes + 1)),
            instance.replica_offsets,
            instance.replicas,
            work,
            load,
            reading.theta * work.sum() / max(usable.sum(), 1),
        )
    if slot.min(initial=0) < 0:
        raise InputError(f"{instance.name}: {impossible(instance)}")
    return slot


def loads(instance: Instance, load: Load) -> FloatArray:
    """What each map task adds to the load of its slot."""
    return instance.map_processing if load == "seconds" else np.ones(instance.map_tasks)


def security_levels(instance: Instance) -> LevelArray:
    """Security levels, shape (nodes, map slots); without a security part nothing is encrypted."""
    if instance.security is not None:
        return instance.security.levels
    node = instance.cluster.map_slot_node
    elsewhere: LevelArray = (np.arange(instance.cluster.nodes)[:, None] != node).astype(np.int8)
    return elsewhere


@counted
def _least_loaded(
    rows: IntArray, priorities: BoolArray, usable: BoolArray, work: FloatArray, load: FloatArray
) -> IntArray:
    """The eligible slot with the least load for each task; -1 if it has none."""
    slot = np.empty(len(rows), np.int64)
    for i in range(len(rows)):
        best, least = -1, np.inf
        for k in range(len(load)):
            if load[k] < least and usable[k] and priorities[rows[i], k]:
                best, least = k, load[k]
        slot[i] = best
        if best >= 0:
            load[best] += work[i]
    return slot


@counted
def _near_the_data(
    tasks: IntArray,
    rows: IntArray,
    priorities: BoolArray,
    usable: BoolArray,
    levels: LevelArray,
    first_slot: IntArray,
    replica_offsets: IntArray,
    replicas: IntArray,
    work: FloatArray,
    load: FloatArray,
    threshold: float,
) -> IntArray:
    """As `matched`; -1 for a task without an eligible slot.

    `first_slot` has the first slot of each node, and the number of slots at its end.
    """
    slot = np.empty(len(tasks), np.int64)
    placed = np.zeros(len(load))
    transfer = np.empty(len(load), np.int64)
    for i in range(len(tasks)):
        t, allowed = tasks[i], priorities[rows[i]]
        copies = replicas[replica_offsets[t] : replica_offsets[t + 1]]
        best, least = -1, np.inf
        for copy in copies:
            for k in range(first_slot[copy], first_slot[copy + 1]):
                fits = usable[k] and allowed[k] and placed[k] < threshold
                if fits and (load[k] < least or (load[k] == least and k < best)):
                    best, least = k, load[k]
        if best < 0:
            transfer[:] = ENCRYPTED_MOVE
            for copy in copies:
                for k in range(len(load)):
                    if levels[copy, k] != ENCRYPTED:
                        transfer[k] = UNENCRYPTED
            for copy in copies:
                transfer[first_slot[copy] : first_slot[copy + 1]] = LOCAL
            best = _elsewhere(allowed, usable, transfer, placed, load, threshold)
        slot[i] = best
        if best >= 0:
            placed[best] += work[i]
            load[best] += work[i]
    return slot


@counted
def _elsewhere(
    allowed: BoolArray,
    usable: BoolArray,
    transfer: IntArray,
    placed: FloatArray,
    load: FloatArray,
    threshold: float,
) -> int:
    """The slot of groups 2 and 3 that takes a task, -1 if there is none."""
    best, least = -1, (NO_SLOT, 0.0, 0)
    for k in range(len(load)):
        if not (usable[k] and allowed[k]):
            continue
        step = transfer[k] if placed[k] < threshold else ENCRYPTED_MOVE
        if step > least[0] or (step == least[0] and load[k] > least[1]):
            continue
        offer = (step, load[k], transfer[k])
        if offer < least:
            best, least = k, offer
    return best
