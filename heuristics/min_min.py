"""Min-Min and HMHS (HMHS sections 3.2 and 3.3), on machines that suit each job differently.

A machine is a slot. A task's completion time on a slot counts the wait for the slot and for its
job's map phase, the setup that the task has there, and the processing time times the slot's speed
factor. The paper knows no setups: there the two agree. All of equal tasks is decided by the lowest
number: first the task's (tasks are numbered job by job, so the lowest job), then the slot's.
"""

from __future__ import annotations

from heapq import heappop, heappush, heapreplace

import numpy as np

from ..instances.kernels import counted
from ..instances.mapreduce import FloatArray, Instance, IntArray
from ..instances.processing import map_times
from ..instances.schedule import Phase, Schedule, makespan, map_completions
from ..instances.setups import reduce_setups
from .earliest_slot import in_turn
from .priority import by_priority, priorities
from .task_queues import SlotGroups, TaskQueues, map_queues, reduce_queues


def hmhs(instance: Instance) -> Schedule:
    """Min-Min for the maps, Pri on each map slot, Dynamic-Min-Min for the reduces (section 3.3)."""
    return _sequenced(instance, by_priority(instance))


def r_hmhs(instance: Instance) -> Schedule:
    """HMHS with the map tasks on each slot by decreasing Pri (section 4), equal ones by number."""
    return _sequenced(instance, np.argsort(-priorities(instance), kind="stable"))


def min_min(instance: Instance) -> Schedule:
    """HMHS without sequencing: map tasks run in the order in which Min-Min gives them to a slot."""
    return _with_reduces(instance, _min_min_maps(instance))


def _sequenced(instance: Instance, jobs: IntArray) -> Schedule:
    """Give the map tasks to slots by Min-Min and run those of each slot in the order of `jobs`."""
    given = _min_min_maps(instance)
    position = np.empty(instance.jobs, dtype=np.int64)
    position[jobs] = np.arange(instance.jobs)
    order = np.argsort(position[instance.map_job], kind="stable")
    times = map_times(instance, given.slot)
    slots = len(instance.cluster.map_slot_node)
    start = in_turn(order, given.slot, given.setup, times, slots)
    maps = Phase(given.slot, start, given.setup, start + given.setup + times)
    return _with_reduces(instance, maps)


def _min_min_maps(instance: Instance) -> Phase:
    return _dispatched(*map_queues(instance))


def _with_reduces(instance: Instance, maps: Phase) -> Schedule:
    """Add the reduce phase by Dynamic-Min-Min."""
    release = map_completions(instance, maps.end)
    setups = reduce_setups(instance, instance.cluster.map_slot_node[maps.slot])
    reduces = _dispatched(*reduce_queues(instance, release, setups))
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


def _dispatched(queues: TaskQueues, groups: SlotGroups) -> Phase:
    slot, start, setup, end = dynamic_min_min(
        queues.tasks,
        queues.offsets,
        queues.release,
        queues.factor_row,
        queues.setup_row,
        queues.processing,
        groups.offsets,
        groups.factors,
        groups.setups,
    )
    return Phase(slot, start, setup, end)


@counted
def dynamic_min_min(
    tasks: IntArray,
    offsets: IntArray,
    release: FloatArray,
    factor_row: IntArray,
    setup_row: IntArray,
    processing: FloatArray,
    slot_offsets: IntArray,
    factors: FloatArray,
    setups: FloatArray,
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Slot, start, setup and end of every task, each of shape (tasks,): HMHS Algorithm 1.

    The arguments are the fields of `TaskQueues` and `SlotGroups`. In each round the queues that are
    available when the first slot gets free join those to choose from (if there are none, the next
    queue does), and the task with the least completion time goes to the slot that gives it. With
    all queues available at time 0 this is Min-Min.

    Slots only fill up, so a completion time once computed stays a lower bound. A heap holds one
    for the first task of each queue; on top, it is either still true, hence least, or brought up to
    date and sunk again.
    """
    count, groups = len(tasks), len(slot_offsets) - 1
    slot = np.empty(count, dtype=np.int64)
    start, setup, end = np.empty(count), np.empty(count), np.empty(count)
    slot_free = np.zeros(slot_offsets[groups])
    free = np.zeros(groups)
    first_free = 0.0
    upcoming = offsets[:-1].copy()
    # Completion time, task, its queue, the group of slots; the first entry gives numba the types.
    heap = [(0.0, 0, 0, 0)]
    heap.pop()
    arrived, done = 0, 0
    while done < count:
        while arrived < len(release) and (release[arrived] <= first_free or len(heap) == 0):
            heappush(heap, (release[arrived], tasks[offsets[arrived]], arrived, 0))
            arrived += 1
        bound, t, q, g = heap[0]
        ready, factor, read = release[q], factors[factor_row[q]], setups[setup_row[q]]
        finish = max(free[g], ready) + read[g] + processing[t] * factor[g]
        if finish > bound:
            for other in range(groups):
                sooner = max(free[other], ready) + read[other] + processing[t] * factor[other]
                if sooner < finish or (sooner == finish and other < g):
                    finish, g = sooner, other
            heapreplace(heap, (finish, t, q, g))
            continue

        # In a group the lowest slot of those that finish as soon as the first one that is free.
        k = slot_offsets[g]
        while max(slot_free[k], ready) + read[g] + processing[t] * factor[g] > finish:
            k += 1
        slot[t], start[t], setup[t], end[t] = k, max(slot_free[k], ready), read[g], finish
        slot_free[k] = finish
        free[g] = slot_free[slot_offsets[g] : slot_offsets[g + 1]].min()
        done += 1
        upcoming[q] += 1
        if upcoming[q] < offsets[q + 1]:
            heapreplace(heap, (finish, tasks[upcoming[q]], q, g))
        else:
            heappop(heap)
        if arrived < len(release):
            first_free = free.min()
    return slot, start, setup, end
