"""Reference for heuristics under security: every task, or slot, looks at everything, in Python.

It shares the order of jobs and tasks with slotwise.heuristics, nothing else.
"""

from __future__ import annotations

import numpy as np
from brute_force import reduce_setup, secure_setup

from slotwise.heuristics.mapreduce.list_scheduling.orders import OMEGA, johnson_rule, map_lengths
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions


def plain_eass(instance: Instance) -> Schedule:
    return plain(instance, available=True)


def plain_efss(instance: Instance) -> Schedule:
    return plain(instance)


def plain_efss_local(instance: Instance) -> Schedule:
    return plain(instance, local=True)


def plain_tbs(instance: Instance) -> Schedule:
    return plain(instance, task_based=True)


def plain_tbs_local(instance: Instance) -> Schedule:
    return plain(instance, task_based=True, local=True)


def plain(instance, *, available=False, local=False, task_based=False) -> Schedule:
    position = np.argsort(johnson_rule(instance, OMEGA))
    lengths = map_lengths(instance)
    by_job = np.lexsort((-lengths, position[instance.map_job])).tolist()
    order = np.argsort(-lengths, kind="stable").tolist() if task_based else by_job
    node = instance.cluster.map_slot_node.tolist()
    times = instance.phases.map.matrix()
    # With one speed the processing time decides nothing.
    decides = times if instance.speed_factors is not None else np.zeros_like(times)
    free, maps = [0.0] * len(node), empty(instance.map_tasks)
    for t in order:
        usable = allowed(instance, t)
        first, last = instance.replica_offsets[t : t + 2]
        holders = instance.replicas[first:last].tolist() if instance.input_mb[t] else []
        home = [k for k in usable if node[k] in holders]
        setups = {k: secure_setup(instance, t, k) for k in usable}
        if available:
            k = min(usable, key=lambda k: (free[k], k))
        elif local and home:
            k = min(home, key=lambda k: (free[k], k))
        else:
            k = min(usable, key=lambda k: (free[k] + setups[k] + decides[t, k], setups[k], free[k]))
        run(maps, t, k, free[k], setups[k], times[t, k])
        free[k] = maps.end[t]
    if task_based:
        again = in_order(by_job, maps, times)
        maps = PhaseSchedule(maps.slot, again.start, maps.setup, again.end)
    return with_reduces(instance, maps, available)


def with_reduces(instance, maps, available, planned=None) -> Schedule:
    """Jobs as their map phases end, tasks by LPT; those with a planned slot >= 0 stay there."""
    release = map_completions(instance, maps.end)
    job_of, node = instance.reduce_job, instance.cluster.reduce_slot_node.tolist()
    order = np.lexsort((-instance.reduce_processing, job_of, release[job_of]))
    usable = [k for k in range(len(node)) if not (instance.outages and instance.outages.reduce[k])]
    map_node = instance.cluster.map_slot_node[maps.slot].tolist()
    times = instance.phases.reduce.matrix()
    free, reduces = [0.0] * len(node), empty(instance.reduce_tasks)
    for w in order.tolist():
        job = job_of[w]
        setups = [reduce_setup(instance, job, map_node, n) for n in node]

        def end(k, w=w, job=job, setups=setups):
            # With one speed the processing time decides nothing.
            last = times[w, k] if instance.speed_factors is not None else 0.0
            return max(free[k], release[job]) + setups[k] + last

        if planned is not None and planned[w] >= 0:
            k = planned[w]
        elif available:
            k = min(usable, key=lambda k: (free[k], k))
        else:
            k = min(usable, key=lambda k, e=end, s=setups: (e(k), s[k], free[k], k))
        run(reduces, w, k, max(free[k], release[job]), setups[k], times[w, k])
        free[k] = reduces.end[w]
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def plain_fifo_maps(instance: Instance, jobs) -> PhaseSchedule:
    """The slot that gets free first takes the first task in order that may run on it."""
    times = instance.phases.map.matrix()
    left = [t for i in jobs for t in range(instance.map_tasks) if instance.map_job[t] == i]
    free = [0.0] * len(instance.cluster.map_slot_node)
    maps = empty(instance.map_tasks)
    while left:
        wanted = [k for k in range(len(free)) if any(k in allowed(instance, t) for t in left)]
        k = min(wanted, key=lambda k: (free[k], k))
        t = next(t for t in left if k in allowed(instance, t))
        run(maps, t, k, free[k], secure_setup(instance, t, k), times[t, k])
        free[k] = maps.end[t]
        left.remove(t)
    return maps


def allowed(instance: Instance, task: int) -> list[int]:
    return np.flatnonzero(instance.security.priorities[task]).tolist()


def in_order(order, placed: PhaseSchedule, times) -> PhaseSchedule:
    free, phase = {}, empty(len(placed.slot))
    for t in order:
        k = int(placed.slot[t])
        run(phase, t, k, free.get(k, 0.0), placed.setup[t], times[t, k])
        free[k] = phase.end[t]
    return phase


def run(
    phase: PhaseSchedule, task: int, slot: int, start: float, setup: float, time: float
) -> None:
    phase.slot[task], phase.start[task], phase.setup[task] = slot, start, setup
    phase.end[task] = start + setup + time


def empty(tasks: int) -> PhaseSchedule:
    return PhaseSchedule(
        np.zeros(tasks, dtype=np.int64), np.zeros(tasks), np.zeros(tasks), np.zeros(tasks)
    )
