"""Reference for LJR's heuristics: every task looks at every slot, as in the paper's algorithms.

Compiled, so that a comparison of running times compares methods and not languages. It shares the
order of jobs and tasks with slotwise.heuristics, nothing else.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from slotwise.heuristics.mapreduce.list_scheduling.orders import OMEGA, johnson_rule, map_lengths
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions
from slotwise.instances.mapreduce.setups import output_share


def plain_eass(instance: Instance, *, omega: float = OMEGA) -> Schedule:
    return plain(instance, omega, available=True)


def plain_efss(instance: Instance, *, omega: float = OMEGA) -> Schedule:
    return plain(instance, omega)


def plain_efss_local(instance: Instance, *, omega: float = OMEGA) -> Schedule:
    return plain(instance, omega, local=True)


def plain_tbs(instance: Instance, *, omega: float = OMEGA) -> Schedule:
    return plain(instance, omega, task_based=True)


def plain_tbs_local(instance: Instance, *, omega: float = OMEGA) -> Schedule:
    return plain(instance, omega, task_based=True, local=True)


def plain_efss_as_printed(instance: Instance, *, omega: float = OMEGA) -> Schedule:
    return plain(instance, omega, waits=False)


def plain_tbs_local_as_printed(instance: Instance, *, omega: float = OMEGA) -> Schedule:
    return plain(instance, omega, task_based=True, local=True, waits=False)


def plain(
    instance: Instance,
    omega: float,
    *,
    available: bool = False,
    local: bool = False,
    task_based: bool = False,
    waits: bool = True,
) -> Schedule:
    cluster = instance.cluster
    rates = np.array([cluster.rates.node, cluster.rates.rack, cluster.rates.remote])
    position = np.argsort(johnson_rule(instance, omega))
    lengths = map_lengths(instance)
    by_job = np.lexsort((-lengths, position[instance.map_job]))
    slot, start, setup = scan_maps(
        np.argsort(-lengths, kind="stable") if task_based else by_job,
        available,
        local,
        cluster.map_slot_node,
        cluster.rack_of,
        rates,
        instance.map_processing,
        instance.input_mb,
        instance.replica_offsets,
        instance.replicas,
    )
    if task_based:
        start = retimed(instance, by_job, slot, setup)
    maps = PhaseSchedule(slot, start, setup, start + setup + instance.map_processing)

    release = map_completions(instance, maps.end)
    slot, start, setup = scan_reduces(
        np.lexsort(
            (-instance.reduce_processing, instance.reduce_job, release[instance.reduce_job])
        ),
        available,
        waits,
        cluster.reduce_slot_node,
        cluster.rack_of,
        len(cluster.rack_names),
        rates,
        release,
        instance.reduce_processing,
        instance.reduce_job,
        output_share(instance),
        cluster.map_slot_node[maps.slot],
        instance.map_offsets,
    )
    reduces = PhaseSchedule(slot, start, setup, start + setup + instance.reduce_processing)
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def retimed(instance, order, slot, setup):
    free = {}
    start = np.zeros(len(slot))
    for t in order:
        start[t] = free.get(slot[t], 0.0)
        free[slot[t]] = start[t] + setup[t] + instance.map_processing[t]
    return start


@njit(cache=True)
def scan_maps(
    order,
    available,
    local,
    slot_node,
    node_rack,
    rates,
    processing,
    input_mb,
    replica_offsets,
    replicas,
):
    free = np.zeros(len(slot_node))
    slots = np.empty(len(order), np.int64)
    starts = np.empty(len(order))
    setups = np.empty(len(order))
    setup = np.empty(len(node_rack))
    allowed = np.empty(len(node_rack), np.bool_)
    everywhere = np.ones(len(node_rack), np.bool_)
    none = np.zeros(len(node_rack))
    for t in order:
        copies = replicas[replica_offsets[t] : replica_offsets[t + 1]]
        setup[:] = input_mb[t] / rates[2]
        for c in copies:
            for n in range(len(node_rack)):
                if node_rack[n] == node_rack[c]:
                    setup[n] = input_mb[t] / rates[1]
        for c in copies:
            setup[c] = input_mb[t] / rates[0]
        k = -1
        if available:
            k = scan(free, 0.0, none, slot_node, everywhere)
        elif local and input_mb[t] > 0:
            allowed[:] = False
            for c in copies:
                allowed[c] = True
            k = scan(free, 0.0, none, slot_node, allowed)
        if k < 0:
            k = scan(free, 0.0, setup, slot_node, everywhere)
        slots[t], starts[t], setups[t] = k, free[k], setup[slot_node[k]]
        free[k] = free[k] + setup[slot_node[k]] + processing[t]
    return slots, starts, setups


@njit(cache=True)
def scan_reduces(
    order,
    available,
    waits,
    slot_node,
    node_rack,
    racks,
    rates,
    release,
    processing,
    reduce_job,
    share,
    map_node,
    map_offsets,
):
    free = np.zeros(len(slot_node))
    slots = np.empty(len(order), np.int64)
    starts = np.empty(len(order))
    setups = np.empty(len(order))
    setup = np.empty(len(node_rack))
    everywhere = np.ones(len(node_rack), np.bool_)
    none = np.zeros(len(node_rack))
    job = -1
    for t in order:
        if reduce_job[t] != job:
            job = reduce_job[t]
            on_node = np.zeros(len(node_rack))
            in_rack = np.zeros(racks)
            total = 0.0
            for m in range(map_offsets[job], map_offsets[job + 1]):
                on_node[map_node[m]] += share[m]
                in_rack[node_rack[map_node[m]]] += share[m]
                total += share[m]
            for n in range(len(node_rack)):
                near = in_rack[node_rack[n]]
                far = max(total - near, 0.0) / rates[2]
                # Nearer data never take longer, not even by rounding.
                setup[n] = min(
                    on_node[n] / rates[0] + max(near - on_node[n], 0.0) / rates[1] + far,
                    near / rates[1] + far,
                    total / rates[2],
                )
        if available:
            k = scan(free, 0.0, none, slot_node, everywhere)
        else:
            k = scan(free, release[job] if waits else 0.0, setup, slot_node, everywhere)
        slots[t], setups[t] = k, setup[slot_node[k]]
        starts[t] = max(free[k], release[job])
        free[k] = starts[t] + setups[t] + processing[t]
    return slots, starts, setups


@njit(cache=True)
def scan(free, release, setup, slot_node, allowed):
    """Earliest end of setup; then shortest setup, first available, lowest number. -1: no slot."""
    best, best_end = -1, np.inf
    for k in range(len(free)):
        n = slot_node[k]
        end = max(free[k], release) + setup[n]
        if allowed[n] and (
            end < best_end
            or (end == best_end and (setup[n], free[k]) < (setup[slot_node[best]], free[best]))
        ):
            best, best_end = k, end
    return best
