"""A schedule: for every task its slot, start, setup and end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mapreduce import FloatArray, Instance, IntArray
from .setups import map_setups, reduce_setups


@dataclass(frozen=True, eq=False)
class Phase:
    """The tasks of one phase, one entry per task in the instance's order.

    `slot` counts over the whole cluster, node by node, -1 where a task is missing; `start` is the
    start of the setup; `end = start + setup + processing`. Times in s.
    """

    slot: IntArray
    start: FloatArray
    setup: FloatArray
    end: FloatArray


@dataclass(frozen=True, eq=False)
class Schedule:
    """Both phases and the makespan (s) that the schedule's maker claims."""

    instance: str
    map: Phase
    reduce: Phase
    makespan: float


def timed(
    instance: Instance,
    map_slot: IntArray,
    map_rank: IntArray | FloatArray,
    reduce_slot: IntArray,
    reduce_rank: IntArray | FloatArray,
) -> Schedule:
    """The earliest schedule with the given slots (shape (tasks,)) and order of tasks on each slot.

    Tasks on a slot run by increasing rank (ties: by task number), each as soon as the slot is free
    and, for reduce tasks, as soon as the last map task of the job has ended.
    """
    cluster = instance.cluster
    map_node = cluster.map_slot_node[map_slot]
    setup = map_setups(instance, map_node)
    start = _earliest_starts(
        map_slot, map_rank, setup + instance.map_processing, np.zeros(instance.map_tasks)
    )
    maps = Phase(map_slot, start, setup, start + setup + instance.map_processing)

    release = map_completions(instance, maps.end)[instance.reduce_job]
    reduce_node = cluster.reduce_slot_node[reduce_slot]
    setup = reduce_setups(instance, map_node)[instance.reduce_job, reduce_node]
    start = _earliest_starts(reduce_slot, reduce_rank, setup + instance.reduce_processing, release)
    reduces = Phase(reduce_slot, start, setup, start + setup + instance.reduce_processing)
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def makespan(maps: Phase, reduces: Phase) -> float:
    """The last end over both phases, 0 without tasks."""
    return float(max(maps.end.max(initial=0.0), reduces.end.max(initial=0.0)))


def map_completions(instance: Instance, map_end: FloatArray) -> FloatArray:
    """When the last map task of each job ends, 0 for a job without any; shape (jobs,)."""
    completions = np.zeros(instance.jobs)
    np.maximum.at(completions, instance.map_job, map_end)
    return completions


def _earliest_starts(
    slot: IntArray, rank: IntArray | FloatArray, duration: FloatArray, release: FloatArray
) -> FloatArray:
    start = np.zeros(len(slot))
    free = np.zeros(int(slot.max(initial=-1)) + 1)
    for task in np.lexsort((np.arange(len(slot)), rank)):
        k = slot[task]
        start[task] = max(free[k], release[task])
        free[k] = start[task] + duration[task]
    return start
