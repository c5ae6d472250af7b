"""Task matchmaking of [SMSO], Algorithm 1: a map slot for every task, near its data, evenly loaded.

The load of a slot is its number of tasks. A task goes to the first of these groups that has a slot:

1. eligible slots on a node that holds its data, below the threshold;
2. other eligible slots that take the data without encryption, below the threshold;
3. all eligible slots.

Within the group it goes to the slot with the fewest tasks; then, in group 3, to one without
encryption; then to the lowest number. The threshold is THETA times the mean number of the tasks
that are being placed, and only these count towards it.
"""

from __future__ import annotations

import numpy as np

from ...instances.arrays import BoolArray, IntArray, LevelArray
from ...instances.errors import InputError
from ...instances.kernels.decorators import counted
from ...instances.mapreduce.eligibility import impossible, map_eligible
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.security import ENCRYPTED

THETA = 1.2
"""Load threshold of the paper."""

LOCAL, UNENCRYPTED, ENCRYPTED_MOVE, NO_SLOT = 0, 1, 2, 3
"""How data gets to a slot. The number is one less than that of the group above for slots below the
threshold."""


def matched(
    instance: Instance, tasks: IntArray, queued: IntArray, *, theta: float = THETA
) -> IntArray:
    """Choose a map slot for each task ([SMSO], Algorithm 1).

    Lost slots and slots that are not eligible take nothing.

    Parameters
    ----------
    instance
        The instance.
    tasks
        The tasks in the order of their placement, shape (n,).
    queued
        Number of tasks on each map slot already, shape (map slots,).
    theta
        Load threshold.

    Returns
    -------
    IntArray
        A slot for each task, shape (n,).

    Raises
    ------
    InputError
        If a task has no eligible slot.
    """
    usable = len(queued) if instance.outages is None else int((~instance.outages.map).sum())
    found = _matched(
        tasks,
        map_eligible(instance),
        security_levels(instance),
        instance.cluster.map_slot_node,
        instance.replica_offsets,
        instance.replicas,
        queued.astype(np.int64),
        theta * len(tasks) / max(usable, 1),
    )
    if found.min(initial=0) < 0:
        raise InputError(f"{instance.name}: {impossible(instance)}")
    return found


def security_levels(instance: Instance) -> LevelArray:
    """Security levels, shape (nodes, map slots); without a security part nothing is encrypted."""
    if instance.security is not None:
        return instance.security.levels
    node = instance.cluster.map_slot_node
    elsewhere: LevelArray = (np.arange(instance.cluster.nodes)[:, None] != node).astype(np.int8)
    return elsewhere


@counted
def _matched(
    tasks: IntArray,
    allowed: BoolArray,
    levels: LevelArray,
    slot_node: IntArray,
    replica_offsets: IntArray,
    replicas: IntArray,
    queued: IntArray,
    threshold: float,
) -> IntArray:
    """As `matched`; -1 for a task without an eligible slot."""
    slots = len(slot_node)
    found = np.empty(len(tasks), np.int64)
    placed = np.zeros(slots, np.int64)
    load = queued.copy()
    for i in range(len(tasks)):
        t = tasks[i]
        copies = replicas[replica_offsets[t] : replica_offsets[t + 1]]
        best, least = -1, (NO_SLOT, 0, 0)
        for k in range(slots):
            if not allowed[t, k]:
                continue
            transfer = ENCRYPTED_MOVE
            for copy in copies:
                if slot_node[k] == copy:
                    transfer = LOCAL
                elif levels[copy, k] != ENCRYPTED:
                    transfer = min(transfer, UNENCRYPTED)
            step = transfer if placed[k] < threshold else ENCRYPTED_MOVE
            if step > least[0] or (step == least[0] and load[k] > least[1]):
                continue
            offer = (step, load[k], transfer)
            if offer < least:
                best, least = k, offer
        found[i] = best
        if best >= 0:
            placed[best] += 1
            load[best] += 1
    return found
