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
from ....instances.mapreduce.processing import least_map_times, least_reduce_times
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions
from ....instances.mapreduce.setups import best_map_setups, reduce_setups
from ..list_scheduling.earliest_slot import AVAILABLE
from ..list_scheduling.placement import placed_maps
from .equivalence_classes import Setups, input_setups, node_setups, setup_on
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
    np.maximum.at(maps, instance.map_job, least_map_times(instance) + best_map_setups(instance))
    np.maximum.at(reduces, instance.reduce_job, least_reduce_times(instance))
    return maps + reduces


def _in_order(instance: Instance, jobs: IntArray) -> Schedule:
    cluster, factors = instance.cluster, instance.speed_factors
    maps = _maps(instance, jobs)
    reduces = _served(
        jobs,
        map_completions(instance, maps.end),
        instance.reduce_offsets,
        instance.reduce_processing,
        None if factors is None else factors.reduce,
        instance.reduce_job,
        node_setups(instance, reduce_setups(instance, cluster.map_slot_node[maps.slot])),
        cluster.reduce_slot_node,
    )
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def _maps(instance: Instance, jobs: IntArray) -> PhaseSchedule:
    if instance.security is not None:
        # All tasks are there at once, so the task may as well look for the first slot.
        order = np.argsort(np.argsort(jobs)[instance.map_job], kind="stable")
        return placed_maps(instance, order, AVAILABLE)
    factors = instance.speed_factors
    return _served(
        jobs,
        np.zeros(instance.jobs),
        instance.map_offsets,
        instance.map_processing,
        None if factors is None else factors.map,
        np.arange(instance.map_tasks),
        input_setups(instance),
        instance.cluster.map_slot_node,
    )


def _served(
    jobs: IntArray,
    release: FloatArray,
    offsets: IntArray,
    processing: FloatArray,
    factors: FloatArray | None,
    setup_row: IntArray,
    setups: Setups,
    slot_node: IntArray,
) -> PhaseSchedule:
    position = np.empty(len(jobs), dtype=np.int64)
    position[jobs] = np.arange(len(jobs))
    if factors is None:
        factor_row, factors = np.zeros_like(jobs), np.ones((1, len(slot_node)))
    else:
        factor_row, factors = np.arange(len(jobs)), np.ascontiguousarray(factors, dtype=np.float64)
    slot, start, setup, end = first_come(
        jobs,
        np.lexsort((position, release)),
        position,
        release,
        offsets,
        processing,
        factor_row,
        factors,
        setup_row,
        setups,
        slot_node,
    )
    return PhaseSchedule(slot, start, setup, end)


@counted
def first_come(
    jobs: IntArray,
    arrivals: IntArray,
    position: IntArray,
    release: FloatArray,
    offsets: IntArray,
    processing: FloatArray,
    factor_row: IntArray,
    factors: FloatArray,
    setup_row: IntArray,
    setups: Setups,
    slot_node: IntArray,
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Place all tasks of a phase by FIFO.

    `release`: earliest start of the tasks of each job (s), shape (jobs,).
    `processing`: processing time of each task (s), shape (tasks,).
    Returns slot, start (s), setup (s) and end (s) of each task, shapes (tasks,).
    """
    count = len(processing)
    slot = np.empty(count, dtype=np.int64)
    start, setup, end = np.empty(count), np.empty(count), np.empty(count)
    slots = [(0.0, k) for k in range(len(slot_node))]
    upcoming = offsets[:-1].copy()
    # The first entry gives numba the type.
    waiting = [0]
    waiting.pop()
    arrived, done = 0, 0
    while done < count:
        free, k = slots[0]
        while arrived < len(jobs) and (release[arrivals[arrived]] <= free or len(waiting) == 0):
            job = arrivals[arrived]
            if upcoming[job] < offsets[job + 1]:
                heappush(waiting, position[job])
            arrived += 1
        job = jobs[waiting[0]]
        t = upcoming[job]
        slot[t], start[t] = k, max(free, release[job])
        setup[t] = setup_on(setups, setup_row[t], slot_node[k])
        end[t] = start[t] + setup[t] + processing[t] * factors[factor_row[job], k]
        heapreplace(slots, (end[t], k))
        upcoming[job] += 1
        if upcoming[job] == offsets[job + 1]:
            heappop(waiting)
        done += 1
    return slot, start, setup, end
