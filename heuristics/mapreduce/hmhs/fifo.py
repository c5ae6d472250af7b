"""First in, first out (FIFO; [HMHS], section 4): jobs in order, slots as they become free.

The next slot is the one that becomes free first, on ties the lowest number, whatever its speed and
its data. It takes the first task that may run there. In the reduce phase it takes a task of the
first job, in order, whose map phase has ended by then; if there is none it waits for the next end
of a map phase. Tasks of a job come by number.
"""

from __future__ import annotations

from heapq import heappop, heappush, heapreplace

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import counted
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions
from ....instances.mapreduce.setups import best_map_setups, reduce_setups
from ..list_scheduling.placement import AVAILABLE, placed_maps
from .priority import by_priority


def fifo(instance: Instance) -> Schedule:
    """Hadoop's default scheduler: jobs in the order of the instance."""
    return _in_order(instance, np.arange(instance.jobs))


def fifo_pri(instance: Instance) -> Schedule:
    """FIFO with the jobs by increasing Pri ([HMHS], section 4)."""
    return _in_order(instance, by_priority(instance))


def fifo_path(instance: Instance) -> Schedule:
    """FIFO with the jobs by decreasing length of their longest path.

    Best where some jobs are long by themselves: they begin first.
    """
    return _in_order(instance, np.argsort(-longest_paths(instance), kind="stable"))


def longest_paths(instance: Instance) -> FloatArray:
    """Each job's longest map task, with its least setup, and its longest reduce task (s)."""
    maps, reduces = np.zeros(instance.jobs), np.zeros(instance.jobs)
    np.maximum.at(maps, instance.map_job, instance.phases.map.least() + best_map_setups(instance))
    np.maximum.at(reduces, instance.reduce_job, instance.phases.reduce.least())
    return maps + reduces


def _in_order(instance: Instance, jobs: IntArray) -> Schedule:
    cluster, factors = instance.cluster, instance.speed_factors
    position = np.argsort(jobs)
    # All map tasks are there at once, so the task may as well look for the first slot.
    maps = placed_maps(instance, np.argsort(position[instance.map_job], kind="stable"), AVAILABLE)
    release, node = map_completions(instance, maps.end), cluster.reduce_slot_node
    slot, start, setup, end = first_come(
        jobs,
        np.lexsort((position, release)),
        position,
        release,
        instance.reduce_offsets,
        instance.reduce_processing,
        np.zeros((0, 0)) if factors is None else np.ascontiguousarray(factors.reduce),
        reduce_setups(instance, cluster.map_slot_node[maps.slot]),
        node,
    )
    reduces = PhaseSchedule(slot, start, setup, end)
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


@counted
def first_come(
    jobs: IntArray,
    arrivals: IntArray,
    position: IntArray,
    release: FloatArray,
    offsets: IntArray,
    processing: FloatArray,
    factors: FloatArray,
    setups: FloatArray,
    slot_node: IntArray,
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Place all reduce tasks by FIFO: slot, start, setup and end (s) of each, shapes (tasks,).

    `jobs`, `arrivals`: the jobs in their order, and by `release`, the end of their map phase (s).
    `position`: place of each job in the order.
    `factors`: speed factor of each job on each slot, empty for none.
    `setups`: setup time of each job on each node (s).
    """
    count = len(processing)
    slot = np.empty(count, dtype=np.int64)
    start, setup, end = np.empty(count), np.empty(count), np.empty(count)
    slots = [(0.0, k) for k in range(len(slot_node))]
    upcoming = offsets[:-1].copy()
    # The first entry gives numba the type.
    waiting = [0]
    waiting.pop()
    arrived = 0
    for _ in range(count):
        free, k = slots[0]
        while arrived < len(jobs) and (release[arrivals[arrived]] <= free or len(waiting) == 0):
            job = arrivals[arrived]
            if upcoming[job] < offsets[job + 1]:
                heappush(waiting, position[job])
            arrived += 1
        job = jobs[waiting[0]]
        t = upcoming[job]
        slot[t], start[t], setup[t] = k, max(free, release[job]), setups[job, slot_node[k]]
        time = processing[t] * factors[job, k] if len(factors) else processing[t]
        end[t] = start[t] + setup[t] + time
        heapreplace(slots, (end[t], k))
        upcoming[job] += 1
        if upcoming[job] == offsets[job + 1]:
            heappop(waiting)
    return slot, start, setup, end
