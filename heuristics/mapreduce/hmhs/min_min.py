"""Min-Min [Braun2001] and HMHS ([HMHS], sections 3.2 and 3.3) on unrelated machines.

A machine is a slot. The completion time of a task on a slot includes the wait for the slot and for
the job's map phase, the setup time there, and the processing time multiplied by the slot's speed
factor. The paper has no setups; without any the two agree. Of equal completion times the lowest
task number decides (tasks are numbered job by job), then the lowest slot number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inner, kernel
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.processing import map_times
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions
from ....instances.mapreduce.setups import reduce_setups
from ..list_scheduling.earliest_slot import in_turn
from .equivalence_classes import (
    Setups,
    SlotGroups,
    TaskQueues,
    input_setups,
    map_queues,
    node_setups,
    reduce_queues,
    setup_on,
    slot_groups,
)
from .near_data import near_data_maps
from .priority import by_priority, priorities
from .tournament import entered, rematch

MOST_UNINDEXED_PAIRS = 100_000
"""Up to this many pairs of map tasks and nodes one kernel serves both phases; compiling the other
takes seconds."""

ROUNDING = 1e-15
"""Relative rounding error of a difference of processing times, compared with the end."""


def hmhs(instance: Instance) -> Schedule:
    """Min-Min for the maps, Pri on each map slot, Dynamic-Min-Min for the reduces ([HMHS], 3.3)."""
    return _sequenced(instance, by_priority(instance))


def r_hmhs(instance: Instance) -> Schedule:
    """HMHS with the map tasks on each slot by decreasing Pri ([HMHS], section 4).

    Ties are broken by number.
    """
    return _sequenced(instance, np.argsort(-priorities(instance), kind="stable"))


def min_min(instance: Instance) -> Schedule:
    """HMHS without sequencing: map tasks run in the order in which Min-Min assigns them."""
    return _with_reduces(instance, _min_min_maps(instance))


def _sequenced(instance: Instance, jobs: IntArray) -> Schedule:
    """Assign the map tasks by Min-Min and run those of each slot in the order of `jobs`."""
    given = _min_min_maps(instance)
    position = np.empty(instance.jobs, dtype=np.int64)
    position[jobs] = np.arange(instance.jobs)
    order = np.argsort(position[instance.map_job], kind="stable")
    times = map_times(instance, given.slot)
    slots = len(instance.cluster.map_slot_node)
    start = in_turn(order, given.slot, given.setup, times, slots)
    maps = PhaseSchedule(given.slot, start, given.setup, start + given.setup + times)
    return _with_reduces(instance, maps)


def _min_min_maps(instance: Instance) -> PhaseSchedule:
    factors, cluster = instance.speed_factors, instance.cluster
    if factors is None and instance.map_tasks * cluster.nodes > MOST_UNINDEXED_PAIRS:
        return near_data_maps(instance)
    groups = slot_groups(cluster.map_slots, None if factors is None else factors.map)
    return _dispatched(map_queues(instance), groups, input_setups(instance))


def _with_reduces(instance: Instance, maps: PhaseSchedule) -> Schedule:
    factors, cluster = instance.speed_factors, instance.cluster
    reduces = _dispatched(
        reduce_queues(instance, map_completions(instance, maps.end)),
        slot_groups(cluster.reduce_slots, None if factors is None else factors.reduce),
        node_setups(instance, reduce_setups(instance, cluster.map_slot_node[maps.slot])),
    )
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


class _Waiting(NamedTuple):
    """The released queues: the runs that have tasks left, and a tournament of the next tasks.

    Queue q has the run `first[q]`, run r is followed by `after[r]` (-1: by none), and has the tasks
    from `upcoming[r]` on. No task of queue q ends before `bound[q]`; by then `task[q]` might end,
    on a slot of `group[q]` (-1: any task might, anywhere).
    """

    first: IntArray
    after: IntArray
    upcoming: IntArray
    bound: FloatArray
    task: IntArray
    group: IntArray
    match: IntArray


def _dispatched(queues: TaskQueues, groups: SlotGroups, setups: Setups) -> PhaseSchedule:
    tasks, count = len(queues.tasks), len(queues.release)
    slot = np.empty(tasks, dtype=np.int64)
    start, setup, end = np.empty(tasks), np.empty(tasks), np.empty(tasks)
    if not tasks:
        return PhaseSchedule(slot, start, setup, end)
    after = np.arange(1, len(queues.begin))
    after[queues.first[1:] - 1] = -1
    dynamic_min_min(
        queues,
        groups,
        setups,
        _Waiting(
            queues.first[:-1].copy(),
            after,
            queues.begin[:-1].copy(),
            np.full(count, np.inf),
            np.full(count, tasks),
            np.full(count, -1),
            entered(count),
        ),
        np.zeros(groups.begin[-1]),
        np.zeros(len(groups.node)),
        slot,
        start,
        setup,
        end,
    )
    return PhaseSchedule(slot, start, setup, end)


@kernel
def dynamic_min_min(
    queues: TaskQueues,
    groups: SlotGroups,
    setups: Setups,
    waiting: _Waiting,
    slot_free: FloatArray,
    free: FloatArray,
    slot: IntArray,
    start: FloatArray,
    setup: FloatArray,
    end: FloatArray,
) -> None:
    """Place all tasks of a phase by Dynamic-Min-Min ([HMHS], Algorithm 1).

    In each round the queues that are released when the first slot becomes free join those to choose
    from (if there are none, the next queue does), and the task with the least completion time goes
    to the slot that gives it. With all queues released at time 0 this is Min-Min.

    `waiting`: scratch: the state of the queues.
    `slot_free`: scratch: when each slot becomes free, 0 at first, shape (slots,).
    `free`: scratch: when the first slot of each group becomes free, 0 at first, shape (groups,).
    `slot`, `start`, `setup`, `end`: receive the slot and the times (s) of each task, shapes
    (tasks,).

    Notes
    -----
    Slots only fill up, so a completion time once computed stays a lower bound. The tournament holds
    one for each queue; that of the winner is either still exact, hence least, or is computed again.
    """
    count, arrived, there = len(queues.release), 0, 0
    first_free = 0.0
    for _ in range(len(slot)):
        while arrived < count and (queues.release[arrived] <= first_free or there == 0):
            waiting.bound[arrived], waiting.task[arrived] = queues.release[arrived], -1
            rematch(waiting.match, waiting.bound, waiting.task, arrived)
            arrived += 1
            there += 1
        q = waiting.match[1]
        while not _is_true(queues, groups, setups, waiting, free, q):
            _bring_up_to_date(queues, groups, setups, waiting, free, q)
            rematch(waiting.match, waiting.bound, waiting.task, q)
            q = waiting.match[1]
        finish, t, g, ready = waiting.bound[q], waiting.task[q], waiting.group[q], queues.release[q]
        read = setup_on(setups, queues.setup_row[q], groups.node[g])
        time = queues.processing[t] * groups.factors[queues.factor_row[q], g]

        # In a group the lowest slot of those that finish as soon as the first one that is free.
        k = groups.begin[g]
        while max(slot_free[k], ready) + read + time > finish:
            k += 1
        slot[t], start[t], setup[t], end[t] = k, max(slot_free[k], ready), read, finish
        slot_free[k] = finish
        free[g] = finish
        for k in range(groups.begin[g], groups.begin[g + 1]):
            free[g] = min(free[g], slot_free[k])
        if arrived < count:
            first_free = free[0]
            for g in range(len(free)):
                first_free = min(first_free, free[g])

        _take(queues, waiting, q, t)
        waiting.task[q], waiting.group[q] = -1, -1
        if waiting.first[q] < 0:
            waiting.bound[q], waiting.task[q] = np.inf, len(slot)
            there -= 1
        rematch(waiting.match, waiting.bound, waiting.task, q)


@inner
def _is_true(
    queues: TaskQueues,
    groups: SlotGroups,
    setups: Setups,
    waiting: _Waiting,
    free: FloatArray,
    q: int,
) -> bool:
    """Whether the bound of queue q is still its least completion time."""
    t, g = waiting.task[q], waiting.group[q]
    if g < 0:
        return False
    read = setup_on(setups, queues.setup_row[q], groups.node[g])
    time = queues.processing[t] * groups.factors[queues.factor_row[q], g]
    return bool(max(free[g], queues.release[q]) + read + time <= waiting.bound[q])


@inner
def _bring_up_to_date(
    queues: TaskQueues,
    groups: SlotGroups,
    setups: Setups,
    waiting: _Waiting,
    free: FloatArray,
    q: int,
) -> None:
    """Compute the least completion time of queue q, its lowest task and its lowest group.

    It is that of the shortest task, but rounding may let longer ones end at the same time.
    """
    ready, factor, row = queues.release[q], queues.factor_row[q], queues.setup_row[q]
    waiting.bound[q] = np.inf
    r = waiting.first[q]
    shortest = queues.processing[queues.tasks[waiting.upcoming[r]]]
    while r >= 0:
        t = queues.tasks[waiting.upcoming[r]]
        time = queues.processing[t]
        if (time - shortest) * groups.least_factor[factor] > ROUNDING * waiting.bound[q]:
            break
        for g in range(len(free)):
            read = setup_on(setups, row, groups.node[g])
            finish = max(free[g], ready) + read + time * groups.factors[factor, g]
            if finish < waiting.bound[q] or (finish == waiting.bound[q] and t < waiting.task[q]):
                waiting.bound[q], waiting.task[q], waiting.group[q] = finish, t, g
        r = waiting.after[r]


@inner
def _take(queues: TaskQueues, waiting: _Waiting, q: int, t: int) -> None:
    """Remove task t, the first of its run, from queue q."""
    before, r = -1, waiting.first[q]
    while queues.tasks[waiting.upcoming[r]] != t:
        before, r = r, waiting.after[r]
    waiting.upcoming[r] += 1
    if waiting.upcoming[r] < queues.begin[r + 1]:
        return
    if before < 0:
        waiting.first[q] = waiting.after[r]
    else:
        waiting.after[before] = waiting.after[r]
