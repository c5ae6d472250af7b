"""Place the tasks of a phase one by one by a rule: each task examines every slot.

What tells slots apart is how fast a task's data gets there, the slot's speed for its job, and
whether the task's priority allows it. The best slot is the one where the task ends first; then the
one with the shortest setup; then the first available; then the lowest number. By the rules
AVAILABLE and LOCAL only the last two count. Slots of a node that nothing tells apart but when they
are available are examined as one, the first of them.

The kernel has loops rather than array expressions, which take several times as long to compile.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray, LevelArray, offsets
from ....core.kernels.decorators import counted
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions
from ....instances.mapreduce.security import ENCRYPTED
from ....instances.mapreduce.setups import distance_rates, reduce_setups
from .orders import job_by_job, reduces_longest_first

AVAILABLE, FINISHING, LOCAL, PRINTED = 0, 1, 2, 3
"""Rules: earliest available slot, earliest finishing slot, earliest available replica slot, and for
reduce tasks the slot where the task would finish first if it did not wait for its job's maps."""


def placed_maps(instance: Instance, order: IntArray, rule: int) -> PhaseSchedule:
    """Place the map tasks in an order."""
    cluster, factors, security = instance.cluster, instance.speed_factors, instance.security
    first, node = _alike(cluster.map_slots, differ=bool(factors or security))
    slot, start, setup, end = place(
        order,
        rule,
        first,
        node,
        np.zeros(instance.jobs),
        instance.map_job,
        instance.map_processing,
        np.zeros((0, 0)) if factors is None else np.ascontiguousarray(factors.map),
        np.zeros((0, 0), bool) if security is None else np.ascontiguousarray(security.priorities),
        instance.input_mb,
        distance_rates(instance),
        cluster.rack_of,
        np.zeros((0, 0), np.int8) if security is None else np.ascontiguousarray(security.levels),
        instance.replica_offsets,
        instance.replicas,
        np.zeros((0, 0)),
    )
    return PhaseSchedule(slot, start, setup, end)


def with_reduces(instance: Instance, maps: PhaseSchedule, rule: int) -> Schedule:
    """Add the reduce phase: jobs by map completion, the tasks of a job by LPT."""
    cluster, factors = instance.cluster, instance.speed_factors
    release = map_completions(instance, maps.end)
    jobs = np.argsort(release, kind="stable")
    first, node = _alike(cluster.reduce_slots, differ=factors is not None)
    none = np.zeros(0, np.int64)
    slot, start, setup, end = place(
        job_by_job(reduces_longest_first(instance), instance.reduce_offsets, jobs),
        rule,
        first,
        node,
        release,
        instance.reduce_job,
        instance.reduce_processing,
        np.zeros((0, 0)) if factors is None else np.ascontiguousarray(factors.reduce),
        np.zeros((0, 0), bool),
        np.zeros(0),
        np.zeros(0),
        none,
        np.zeros((0, 0), np.int8),
        none,
        none,
        np.ascontiguousarray(reduce_setups(instance, cluster.map_slot_node[maps.slot])[:, node]),
    )
    reduces = PhaseSchedule(slot, start, setup, end)
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def _alike(slots: IntArray, *, differ: bool) -> tuple[IntArray, IntArray]:
    """Groups of slots that only differ in when they are available: their offsets, and nodes.

    `slots`: slots of each node, shape (nodes,).
    `differ`: whether each slot is a group of its own.
    """
    if differ:
        node = np.repeat(np.arange(len(slots)), slots)
        return np.arange(len(node) + 1), node
    node = np.flatnonzero(slots)
    return offsets(slots[node]), node


@counted
def place(
    order: IntArray,
    rule: int,
    first: IntArray,
    node: IntArray,
    release: FloatArray,
    job: IntArray,
    processing: FloatArray,
    factors: FloatArray,
    allowed: BoolArray,
    mb: FloatArray,
    rates: FloatArray,
    rack_of: IntArray,
    levels: LevelArray,
    copies_from: IntArray,
    copies: IntArray,
    job_setup: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Slot, start, setup and end (s) of each task, shapes (tasks,).

    `first`: group g has the slots `first[g]:first[g + 1]`, of node `node[g]`.
    `release`: earliest start of the tasks of each job (s), shape (jobs,).
    `factors`: speed factor of each job on each group, shape (jobs, groups); empty for none.
    `allowed`: whether each task may run on each group, shape (tasks, groups); empty for all.
    `mb`, `copies_from`, `copies`: map task t reads so much from the best of the nodes
    `copies[copies_from[t]:copies_from[t + 1]]`, at `rates` by distance (`distance_rates`). Near is
    what is in the rack or, where there are `levels`, shape (nodes, groups), needs no encryption.
    `job_setup`: setup time of a reduce task of each job on each group (s), shape (jobs, groups).
    """
    slot, start = np.zeros(len(order), np.int64), np.zeros(len(order))
    wait, end = np.zeros(len(order)), np.zeros(len(order))
    groups = len(node)
    free, soonest = np.zeros(first[groups]), first[:groups].copy()
    setup, rate, usable = np.zeros(groups), np.zeros(groups), np.ones(groups, np.bool_)
    here = np.zeros(groups, np.bool_)
    for t in order:
        i, local = job[t], False
        if len(rates):
            rate[:], here[:] = rates[2], False
            for c in range(copies_from[t], copies_from[t + 1]):
                v, rack = copies[c], rack_of[copies[c]]
                for g in range(groups):
                    if node[g] == v:
                        rate[g], here[g] = rates[0], True
                    elif levels[v, g] != ENCRYPTED if len(levels) else rack_of[node[g]] == rack:
                        rate[g] = max(rate[g], rates[1])
            for g in range(groups):
                setup[g] = mb[t] / rate[g]
                usable[g] = len(allowed) == 0 or allowed[t, g]
                local |= rule == LOCAL and mb[t] > 0 and here[g] and usable[g]
        else:
            setup[:] = job_setup[i]
        by_end = rule != AVAILABLE and not local
        waited = 0.0 if rule == PRINTED else release[i]
        best, least = -1, (0.0, 0.0, 0.0)
        for g in range(groups):
            if not usable[g] or (local and not here[g]):
                continue
            available, ends = free[soonest[g]], 0.0
            if by_end:
                ends = max(available, waited) + setup[g]
                # Where slots are equally fast the processing time would only make ties by rounding.
                if len(factors):
                    ends += processing[t] * factors[i, g]
            offer = (ends, setup[g] if by_end else 0.0, available)
            if best < 0 or offer < least:
                best, least = g, offer
        k = soonest[best]
        slot[t], start[t], wait[t] = k, max(free[k], release[i]), setup[best]
        time = processing[t] * factors[i, best] if len(factors) else processing[t]
        free[k] = end[t] = start[t] + wait[t] + time
        for other in range(first[best], first[best + 1]):
            if free[other] < free[k] or (free[other] == free[k] and other < k):
                k = other
        soonest[best] = k
    return slot, start, wait, end


def sequenced(instance: Instance, placed: PhaseSchedule, order: IntArray) -> PhaseSchedule:
    """The map tasks on the slots that they have, each slot's in an order of all tasks."""
    processing = instance.phases.map.times(placed.slot)
    slots = len(instance.cluster.map_slot_node)
    start = in_turn(order, placed.slot, placed.setup, processing, slots)
    return replace(placed, start=start, end=start + placed.setup + processing)


@counted
def in_turn(
    order: IntArray, slot: IntArray, setup: FloatArray, processing: FloatArray, slots: int
) -> FloatArray:
    """Starts (s) of tasks that run in a given order, each as soon as its slot is free.

    `setup`, `processing`: times of each task (s), shape (tasks,).
    """
    free = np.zeros(slots)
    starts = np.empty(len(order))
    for t in order:
        starts[t] = free[slot[t]]
        free[slot[t]] = starts[t] + setup[t] + processing[t]
    return starts
