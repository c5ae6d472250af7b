"""Reference for HMHS's heuristics: every task looks at every slot, as in the paper's pseudocode."""

from __future__ import annotations

import numpy as np

from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions
from slotwise.instances.mapreduce.setups import map_setup_matrix, reduce_setups


def plain_hmhs(instance: Instance) -> Schedule:
    return plain(instance, sign=1)


def plain_r_hmhs(instance: Instance) -> Schedule:
    return plain(instance, sign=-1)


def plain_min_min(instance: Instance) -> Schedule:
    return plain(instance, sign=0)


def plain(instance: Instance, sign: int) -> Schedule:
    """Min-Min maps, by `sign` times Pri on each slot unless it is 0; Dynamic-Min-Min reduces."""
    setups, times = on_map_slots(instance)
    arrived = np.zeros(instance.jobs)
    maps = dispatch(instance.map_job, arrived, setups, times)
    if sign:
        priority = [sign * pri(instance, i) for i in range(instance.jobs)]
        order = sorted(range(instance.map_tasks), key=lambda t: priority[instance.map_job[t]])
        maps = in_order(order, maps.slot, setups, times)
    arrival, setups, times = on_reduce_slots(instance, maps)
    reduces = dispatch(instance.reduce_job, arrival, setups, times)
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def plain_fifo(instance: Instance) -> Schedule:
    return plain_first_come(instance, range(instance.jobs))


def plain_fifo_pri(instance: Instance) -> Schedule:
    return plain_first_come(instance, sorted(range(instance.jobs), key=lambda i: pri(instance, i)))


def plain_first_come(instance: Instance, jobs) -> Schedule:
    setups, times = on_map_slots(instance)
    maps = serve(instance.map_job, jobs, np.zeros(instance.jobs), setups, times)
    arrival, setups, times = on_reduce_slots(instance, maps)
    reduces = serve(instance.reduce_job, jobs, arrival, setups, times)
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def pri(instance: Instance, job: int) -> float:
    """Equations (1) and (4)."""
    means = [
        sum(p for p, j in zip(processing, job_of, strict=True) if j == job)
        * (1.0 if factors is None else sum(factors[job]) / max(len(factors[job]), 1))
        for processing, job_of, factors in (
            (
                instance.map_processing,
                instance.map_job,
                instance.speed_factors and instance.speed_factors.map,
            ),
            (
                instance.reduce_processing,
                instance.reduce_job,
                instance.speed_factors and instance.speed_factors.reduce,
            ),
        )
    ]
    sign = 1 if means[0] > means[1] else -1
    return sign / min(means) if min(means) else sign * np.inf


def on_map_slots(instance: Instance):
    """Setup and processing time of each map task on each map slot."""
    return map_setup_matrix(instance), instance.phases.map.matrix()


def on_reduce_slots(instance: Instance, maps: PhaseSchedule):
    """When each job arrives; setup and processing time of its reduce tasks on each slot."""
    cluster = instance.cluster
    setups = reduce_setups(instance, cluster.map_slot_node[maps.slot])
    setups = setups[instance.reduce_job][:, cluster.reduce_slot_node]
    return map_completions(instance, maps.end), setups, instance.phases.reduce.matrix()


def dispatch(job_of, arrival, setups, times) -> PhaseSchedule:
    """Algorithm 1; ties: the lowest task, then the lowest slot."""
    tasks, slots = times.shape
    slot, start, setup, end = empty(tasks)
    left = {int(i): [t for t in range(tasks) if job_of[t] == i] for i in job_of}
    unarrived, waiting = sorted(left), []
    available = [0.0] * slots
    while unarrived or waiting:
        earliest = min(available)
        waiting += [i for i in unarrived if arrival[i] <= earliest]
        if not waiting:
            waiting.append(min(unarrived, key=lambda i: arrival[i]))
        unarrived = [i for i in unarrived if i not in waiting]
        completion, t, k, i = min(
            (max(available[k], arrival[i]) + setups[t, k] + times[t, k], t, k, i)
            for i in waiting
            for t in left[i]
            for k in range(slots)
        )
        slot[t], start[t] = k, max(available[k], arrival[i])
        setup[t], end[t] = setups[t, k], completion
        available[k] = completion
        left[i].remove(t)
        if not left[i]:
            waiting.remove(i)
    return PhaseSchedule(slot, start, setup, end)


def serve(job_of, jobs, arrival, setups, times) -> PhaseSchedule:
    """First come first served: the earliest free slot, the first job in order that has arrived."""
    tasks, slots = times.shape
    slot, start, setup, end = empty(tasks)
    available = [0.0] * slots
    left = [t for i in jobs for t in range(tasks) if job_of[t] == i]
    while left:
        k = available.index(min(available))
        now = max(available[k], min(arrival[job_of[t]] for t in left))
        t = next(t for t in left if arrival[job_of[t]] <= now)
        slot[t], start[t], setup[t] = k, now, setups[t, k]
        available[k] = end[t] = now + setups[t, k] + times[t, k]
        left.remove(t)
    return PhaseSchedule(slot, start, setup, end)


def in_order(order, slot, setups, times) -> PhaseSchedule:
    available = {}
    _, start, setup, end = empty(len(slot))
    for t in order:
        start[t], setup[t] = available.get(slot[t], 0.0), setups[t, slot[t]]
        available[slot[t]] = end[t] = start[t] + setup[t] + times[t, slot[t]]
    return PhaseSchedule(slot, start, setup, end)


def empty(tasks):
    return np.zeros(tasks, dtype=np.int64), np.zeros(tasks), np.zeros(tasks), np.zeros(tasks)
