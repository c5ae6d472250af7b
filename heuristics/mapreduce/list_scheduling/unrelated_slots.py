"""Place tasks on unrelated slots, which differ in speed or security: each task examines each slot.

With speed factors, priorities or security levels the setup classes of `earliest_slot` no longer
tell slots apart. Rules and ties are the same, except that the finishing time counts processing as
well. Slots that a task's priority forbids are not used.

Loops rather than array expressions, which take several times as long to compile.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray, LevelArray
from ....core.kernels.decorators import counted
from ....instances.mapreduce.security import PLAIN, SAME_NODE
from .earliest_slot import AVAILABLE, FINISHING, LOCAL


@counted
def place_unrelated_maps(
    order: IntArray,
    rule: int,
    slot_node: IntArray,
    node_rack: IntArray,
    rates: tuple[float, float, float],
    job: IntArray,
    processing: FloatArray,
    factors: FloatArray,
    input_mb: FloatArray,
    replica_offsets: IntArray,
    replicas: IntArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Place the map tasks one by one on slots of different speed.

    `processing`: processing time of each task (s), shape (tasks,).
    `input_mb`: input of each task (MB), shape (tasks,).
    Returns slot, start (s) and setup (s) of each task, shapes (tasks,).
    """
    slots = np.empty(len(order), np.int64)
    starts, setups = np.empty(len(order)), np.empty(len(order))
    free, setup = np.zeros(len(slot_node)), np.empty(len(slot_node))
    times = np.empty(len(slot_node))
    usable = np.empty(len(slot_node), np.bool_)
    on_node = np.empty(len(node_rack))
    for t in order:
        copies = replicas[replica_offsets[t] : replica_offsets[t + 1]]
        for node in range(len(node_rack)):
            on_node[node] = input_mb[t] / rates[2]
        for copy in copies:
            for node in range(len(node_rack)):
                if node_rack[node] == node_rack[copy]:
                    on_node[node] = input_mb[t] / rates[1]
        for copy in copies:
            on_node[copy] = input_mb[t] / rates[0]
        for k in range(len(slot_node)):
            setup[k], usable[k] = on_node[slot_node[k]], True
            times[k] = processing[t] * factors[job[t], k]
        local = rule == LOCAL and input_mb[t] > 0 and _keep_local(usable, copies, slot_node)
        k = _slot(rule != AVAILABLE and not local, usable, 0.0, free, setup, times)
        slots[t], starts[t], setups[t] = k, free[k], setup[k]
        free[k] += setups[t] + times[k]
    return slots, starts, setups


@counted
def place_secure_maps(
    order: IntArray,
    rule: int,
    slot_node: IntArray,
    priorities: BoolArray,
    levels: LevelArray,
    seconds: tuple[float, float],
    job: IntArray,
    processing: FloatArray,
    factors: FloatArray,
    input_mb: FloatArray,
    replica_offsets: IntArray,
    replicas: IntArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """As `place_unrelated_maps`, on eligible slots and with setups by security level.

    `priorities`: whether each task may run on each slot, shape (tasks, slots).
    `levels`: security level of moving data of a node to a slot, shape (nodes, slots).
    `processing`: processing time of each task (s), shape (tasks,).
    `input_mb`: input of each task (MB), shape (tasks,).
    Returns slot, start (s) and setup (s) of each task, shapes (tasks,).
    """
    slots = np.empty(len(order), np.int64)
    starts, setups = np.empty(len(order)), np.empty(len(order))
    free, setup = np.zeros(len(slot_node)), np.empty(len(slot_node))
    times = np.empty(len(slot_node))
    usable = np.empty(len(slot_node), np.bool_)
    for t in order:
        copies = replicas[replica_offsets[t] : replica_offsets[t + 1]]
        plain, encrypted = input_mb[t] * seconds[0], input_mb[t] * seconds[1]
        for k in range(len(slot_node)):
            setup[k], usable[k] = encrypted, priorities[t, k]
            times[k] = processing[t] * factors[job[t], k]
        for copy in copies:
            for k in range(len(slot_node)):
                if levels[copy, k] == SAME_NODE:
                    setup[k] = 0.0
                elif levels[copy, k] == PLAIN:
                    setup[k] = min(setup[k], plain)
        local = rule == LOCAL and input_mb[t] > 0 and _keep_local(usable, copies, slot_node)
        k = _slot(rule != AVAILABLE and not local, usable, 0.0, free, setup, times)
        slots[t], starts[t], setups[t] = k, free[k], setup[k]
        free[k] += setups[t] + times[k]
    return slots, starts, setups


@counted
def place_unrelated_reduces(
    order: IntArray,
    rule: int,
    release: FloatArray,
    job: IntArray,
    processing: FloatArray,
    factors: FloatArray,
    setup: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Place the reduce tasks one by one on slots of different speed.

    `release`: end of the map phase of each job (s), shape (jobs,).
    `processing`: processing time of each task (s), shape (tasks,).
    `setup`: setup time of a task of each job on each slot (s), shape (jobs, slots).
    Returns slot, start (s) and setup (s) of each task, shapes (tasks,).
    """
    slots = np.empty(len(order), np.int64)
    starts, setups = np.empty(len(order)), np.empty(len(order))
    free, times = np.zeros(setup.shape[1]), np.empty(setup.shape[1])
    usable = np.ones(setup.shape[1], np.bool_)
    for t in order:
        i = job[t]
        for k in range(len(times)):
            times[k] = processing[t] * factors[i, k]
        compared = release[i] if rule == FINISHING else 0.0
        k = _slot(rule != AVAILABLE, usable, compared, free, setup[i], times)
        slots[t], starts[t], setups[t] = k, max(free[k], release[i]), setup[i, k]
        free[k] = starts[t] + setups[t] + times[k]
    return slots, starts, setups


@counted
def _keep_local(usable: BoolArray, copies: IntArray, slot_node: IntArray) -> bool:
    """Whether slots on nodes with a copy are usable; if so, only they stay usable."""
    some = False
    for k in range(len(slot_node)):
        some = some or (usable[k] and slot_node[k] in copies)
    if some:
        for k in range(len(slot_node)):
            usable[k] = usable[k] and slot_node[k] in copies
    return some


@counted
def _slot(
    by_end: bool,
    usable: BoolArray,
    release: float,
    free: FloatArray,
    setup: FloatArray,
    times: FloatArray,
) -> int:
    """The usable slot where the task ends first, or that is available first; -1 for none."""
    best = -1
    for k in range(len(free)):
        if not usable[k]:
            continue
        if best < 0:
            best = k
            continue
        if by_end:
            ends = max(free[k], release) + setup[k] + times[k]
            there = max(free[best], release) + setup[best] + times[best]
            if ends != there:
                if ends < there:
                    best = k
                continue
            if setup[k] != setup[best]:
                if setup[k] < setup[best]:
                    best = k
                continue
        if free[k] < free[best]:
            best = k
    return best
