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
from ....instances.mapreduce.schedule import PhaseSchedule, Schedule, makespan, map_completions
from ....instances.mapreduce.setups import reduce_setups
from ..list_scheduling.placement import sequenced
from .equivalence_classes import (
    Setups,
    SlotGroups,
    TaskQueues,
    input_setups,
    lists_by_distance,
    map_queues,
    node_setups,
    reduce_queues,
    setup_on,
    slot_groups,
)
from .priority import by_priority, priorities

ROUNDING = 2e-15
"""Relative: tasks whose times differ by more than this share of the end do not end together. A
completion time has three roundings of 1.2e-16 each."""


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
    order = np.argsort(np.argsort(jobs)[instance.map_job], kind="stable")
    return _with_reduces(instance, sequenced(instance, _min_min_maps(instance), order))


def _min_min_maps(instance: Instance) -> PhaseSchedule:
    factors, cluster = instance.speed_factors, instance.cluster
    groups = slot_groups(cluster.map_slots, None if factors is None else factors.map)
    if factors is None:
        return _dispatched(lists_by_distance(instance), groups, input_setups(instance))
    return _dispatched(map_queues(instance, groups), groups, input_setups(instance))


def _with_reduces(instance: Instance, maps: PhaseSchedule) -> Schedule:
    factors, cluster = instance.speed_factors, instance.cluster
    groups = slot_groups(cluster.reduce_slots, None if factors is None else factors.reduce)
    reduces = _dispatched(
        reduce_queues(instance, groups, map_completions(instance, maps.end)),
        groups,
        node_setups(instance, reduce_setups(instance, cluster.map_slot_node[maps.slot])),
    )
    return Schedule(instance.name, maps, reduces, makespan(maps, reduces))


class _State(NamedTuple):
    """What is left of each queue, when slots become free, and a tournament of the queues.

    Queue q begins with run `first[q]`, run r with the task in place `upcoming[r]`. No task of queue
    q ends before `bound[q]`; by then `task[q]` might end, on a slot of `group[q]` (-1: any task
    might, anywhere). Match k of the tournament, for the least bound and then the lowest task, is
    between the winners of 2k and 2k + 1; queue q stands in place `queues + q`.
    """

    first: IntArray
    upcoming: IntArray
    bound: FloatArray
    task: IntArray
    group: IntArray
    match: IntArray
    slot_free: FloatArray
    """When each slot becomes free, shape (slots,)."""
    free: FloatArray
    """When the first slot of each group does, infinity without slots, shape (groups,)."""


def _dispatched(queues: TaskQueues, groups: SlotGroups, setups: Setups) -> PhaseSchedule:
    tasks, count = len(queues.processing), len(queues.release)
    slot = np.full(tasks, -1, dtype=np.int64)
    start, setup, end = np.empty(tasks), np.empty(tasks), np.empty(tasks)
    match = np.full(2 * count, count - 1, dtype=np.int64)
    match[count:] = np.arange(count)
    state = _State(
        queues.first[:-1].copy(),
        queues.begin[:-1].copy(),
        np.full(count, np.inf),
        np.full(count, tasks),
        np.full(count, -1),
        match,
        np.zeros(groups.begin[-1]),
        np.where(np.diff(groups.begin) > 0, 0.0, np.inf),
    )
    dynamic_min_min(queues, groups, setups, state, slot, start, setup, end)
    return PhaseSchedule(slot, start, setup, end)


@kernel
def dynamic_min_min(
    queues: TaskQueues,
    groups: SlotGroups,
    setups: Setups,
    state: _State,
    slot: IntArray,
    start: FloatArray,
    setup: FloatArray,
    end: FloatArray,
) -> None:
    """Place all tasks of a phase by Dynamic-Min-Min ([HMHS], Algorithm 1).

    In each round the queues that are released when the first slot becomes free join those to choose
    from (if there are none, the next queue does), and the task with the least completion time goes
    to the slot that gives it. With all queues released at time 0 this is Min-Min. `slot` (-1
    before), `start`, `setup` and `end` (s) of each task are filled in.

    Slots only fill up, so a completion time once computed stays a lower bound. The tournament holds
    one for each queue; that of the winner is either still exact, hence least, or is computed again.
    """
    slot_free, free = state.slot_free, state.free
    count, arrived, waiting = len(queues.release), 0, 0
    first_free = 0.0
    for _ in range(len(slot)):
        while arrived < count and (queues.release[arrived] <= first_free or waiting == 0):
            state.bound[arrived], state.task[arrived] = queues.release[arrived], -1
            _rematch(state, arrived)
            first, end_of = queues.first[arrived], queues.first[arrived + 1]
            waiting += queues.begin[end_of] - queues.begin[first]
            arrived += 1
        q = state.match[1]
        while not _is_true(queues, groups, setups, state, slot, q):
            _bring_up_to_date(queues, groups, setups, state, slot, q)
            _rematch(state, q)
            q = state.match[1]
        finish, t, ready = state.bound[q], state.task[q], queues.release[q]

        # Of the slots where it ends that early, the lowest.
        g, ends = -1, np.inf
        read, time = 0.0, 0.0
        while ends > finish:
            g += 1
            read = setup_on(setups, queues.setup_row[t], groups.node[g])
            time = queues.processing[t] * groups.factors[queues.factor_row[q], g]
            ends = max(free[g], ready) + read + time
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
        waiting -= 1


@inner
def _is_true(
    queues: TaskQueues, groups: SlotGroups, setups: Setups, state: _State, slot: IntArray, q: int
) -> bool:
    """Whether the bound of queue q is still its least completion time."""
    t, g = state.task[q], state.group[q]
    if g < 0 or slot[t] >= 0:
        return False
    read = setup_on(setups, queues.setup_row[t], groups.node[g])
    time = queues.processing[t] * groups.factors[queues.factor_row[q], g]
    return bool(max(state.free[g], queues.release[q]) + read + time <= state.bound[q])


@inner
def _bring_up_to_date(
    queues: TaskQueues, groups: SlotGroups, setups: Setups, state: _State, slot: IntArray, q: int
) -> None:
    """Compute the least completion time of queue q, its lowest task and its lowest group.

    It is that of the first task, but rounding may let later ones end at the same time.
    """
    state.bound[q], state.task[q], least = np.inf, len(slot), np.inf
    for r in range(state.first[q], queues.first[q + 1]):
        if queues.least[r] - least > ROUNDING * state.bound[q]:
            break
        while state.upcoming[r] < queues.begin[r + 1]:
            if slot[queues.tasks[state.upcoming[r]]] < 0:
                break
            state.upcoming[r] += 1
        if state.upcoming[r] == queues.begin[r + 1]:
            if state.first[q] == r:
                state.first[q] += 1
            continue
        least = min(least, queues.least[r])
        t, factor = queues.tasks[state.upcoming[r]], queues.factor_row[q]
        for place in range(queues.asked[q, 0], queues.asked[q, 1]):
            g = queues.groups[place]
            read = setup_on(setups, queues.setup_row[t], groups.node[g])
            finish = max(state.free[g], queues.release[q]) + read
            finish += queues.processing[t] * groups.factors[factor, g]
            if finish < state.bound[q] or (finish == state.bound[q] and t < state.task[q]):
                state.bound[q], state.task[q], state.group[q] = finish, t, g


@inner
def _rematch(state: _State, q: int) -> None:
    """Play the matches on the way of a queue whose bound or task has changed."""
    match, bound, task = state.match, state.bound, state.task
    k = (len(match) // 2 + q) >> 1
    while k >= 1:
        a, b = match[2 * k], match[2 * k + 1]
        better = (bound[a] < bound[b]) | ((bound[a] == bound[b]) & (task[a] <= task[b]))
        match[k] = a if better else b
        k >>= 1
