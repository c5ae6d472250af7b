"""Placing tasks on slots of different speed: every task looks at every slot.

With speed factors the setup classes of `earliest_slot` no longer tell slots apart, so there is no
short cut. Rules and ties are the same, except that the finishing time counts processing as well.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from ..instances.mapreduce import FloatArray, IntArray
from .earliest_slot import AVAILABLE, LOCAL


@njit(cache=True)
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
    """Slot, start and setup (s) of each map task, placed in `order`; shapes (tasks,)."""
    slots = np.empty(len(order), np.int64)
    starts, setups = np.empty(len(order)), np.empty(len(order))
    free = np.zeros(len(slot_node))
    setup = np.empty(len(node_rack))
    for t in order:
        copies = replicas[replica_offsets[t] : replica_offsets[t + 1]]
        setup[:] = input_mb[t] / rates[2]
        for copy in copies:
            for node in range(len(node_rack)):
                if node_rack[node] == node_rack[copy]:
                    setup[node] = input_mb[t] / rates[1]
        for copy in copies:
            setup[copy] = input_mb[t] / rates[0]
        local = setup.min() if rule == LOCAL and input_mb[t] > 0 and len(copies) else np.inf
        has_local = False
        if local < np.inf:
            for node in slot_node:
                has_local = has_local or setup[node] <= local
        times = processing[t] * factors[job[t]]
        k = _slot(rule, local if has_local else np.inf, 0.0, free, setup, slot_node, times)
        slots[t], starts[t], setups[t] = k, free[k], setup[slot_node[k]]
        free[k] += setups[t] + times[k]
    return slots, starts, setups


@njit(cache=True)
def place_unrelated_reduces(
    order: IntArray,
    rule: int,
    slot_node: IntArray,
    release: FloatArray,
    job: IntArray,
    processing: FloatArray,
    factors: FloatArray,
    setup: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Slot, start and setup (s) of each reduce task, placed in `order`; shapes (tasks,).

    `release` (jobs,) ends the map phases, `setup` (jobs, nodes) in s.
    """
    slots = np.empty(len(order), np.int64)
    starts, setups = np.empty(len(order)), np.empty(len(order))
    free = np.zeros(len(slot_node))
    for t in order:
        times = processing[t] * factors[job[t]]
        k = _slot(rule, np.inf, release[job[t]], free, setup[job[t]], slot_node, times)
        slots[t], setups[t] = k, setup[job[t], slot_node[k]]
        starts[t] = max(free[k], release[job[t]])
        free[k] = starts[t] + setups[t] + times[k]
    return slots, starts, setups


@njit(cache=True)
def _slot(
    rule: int,
    local: float,
    release: float,
    free: FloatArray,
    setup: FloatArray,
    slot_node: IntArray,
    times: FloatArray,
) -> int:
    """The slot that the rule takes; only slots with a setup of at most `local` are looked at."""
    best = -1
    for k in range(len(slot_node)):
        if local < np.inf and setup[slot_node[k]] > local:
            continue
        if best < 0:
            best = k
            continue
        if rule != AVAILABLE and local == np.inf:
            here = max(free[k], release) + setup[slot_node[k]] + times[k]
            there = max(free[best], release) + setup[slot_node[best]] + times[best]
            if here != there:
                if here < there:
                    best = k
                continue
            if setup[slot_node[k]] != setup[slot_node[best]]:
                if setup[slot_node[k]] < setup[slot_node[best]]:
                    best = k
                continue
        if free[k] < free[best]:
            best = k
    return best
