"""List scheduling of a graph: whenever a slot is free, the first ready group gives its next task.

A group is a run of tasks of one stage that are ready together, the longest first. Slots may be
there for a while only: a group whose longest task does not fit gives its shortest, or waits.
Tasks that may begin before their stage's gate opens are put where a slot was idle, also in the past
of the tasks placed so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import IntArray
from ...core.kernels.decorators import inner, kernel
from ...instances.history.stage_graph import FAR, StageGraph

BITS = 21
"""Bits of an event's key that say whose event it is; the time is above them."""


class Decoder(NamedTuple):
    """A graph as arrays for the kernel, with its tasks in groups."""

    stage_release: IntArray
    stage_pool: IntArray
    parents: IntArray
    child_begin: IntArray
    child: IntArray
    child_lag: IntArray
    order: IntArray
    task_begin: IntArray
    stage: IntArray
    time: IntArray
    overlap: IntArray
    cut: IntArray
    slot_pool: IntArray
    slot_since: IntArray
    slot_until: IntArray
    stage_group: IntArray
    group_stage: IntArray
    group_begin: IntArray
    group_overlap: IntArray
    job: IntArray
    job_release: IntArray


def decoder(graph: StageGraph, ratio: float = 1.4, most: int = 4) -> Decoder:
    """Group the tasks of each stage: times within a factor, the same overlap, at most so many.

    The last group of a stage takes all that is left.
    """
    begin: list[int] = [0]
    stage: list[int] = []
    time, overlap, offsets = graph.tasks.time, graph.tasks.overlap, graph.task_offsets
    first = np.zeros(graph.stages + 1, dtype=np.int64)
    for s in range(graph.stages):
        first[s] = len(stage)
        at, end = int(offsets[s]), int(offsets[s + 1])
        groups = 0
        while at < end:
            alike = (time[at:end] * ratio >= time[at]) & (overlap[at:end] == overlap[at])
            size = end - at if alike.all() or groups == most - 1 else int(np.argmin(alike))
            at += size
            groups += 1
            begin.append(at)
            stage.append(s)
    first[-1] = len(stage)
    child_begin, child, lag = graph.children
    return Decoder(
        graph.stage_release,
        graph.stage_pool,
        np.bincount(graph.arcs.child, minlength=graph.stages),
        child_begin,
        child,
        lag,
        graph.order,
        offsets,
        graph.tasks.stage,
        time,
        overlap,
        graph.tasks.cut,
        graph.slots.pool,
        graph.slots.since,
        graph.slots.until,
        first,
        np.array(stage, dtype=np.int64),
        np.array(begin, dtype=np.int64),
        np.maximum.reduceat(overlap, begin[:-1]) if stage else overlap,
        graph.stage_job,
        graph.job_release,
    )


class State(NamedTuple):
    """What is placed and what waits: gates and ends of stages, heaps of events and ready groups."""

    gate: IntArray
    end: IntArray
    waits: IntArray
    left: IntArray
    head: IntArray
    tail: IntArray
    free: IntArray
    events: IntArray
    ready: IntArray
    idle: IntArray
    many_ready: IntArray
    many_idle: IntArray
    many: IntArray
    """How many events there are, and how many tasks are placed."""
    todo: IntArray
    aside: IntArray
    rank: IntArray


EVENTS, PLACED = 0, 1
"""Positions in `State.many`."""


def list_schedule(
    d: Decoder, state: State, order: IntArray, hold: IntArray, start: IntArray, slot: IntArray
) -> IntArray:
    """Place every task; `order` has the groups, those that go first first. Fills `start`, `slot`.

    No group is thought of before `hold` (ms), so that a job about to come can go first. Gives the
    end of each job (ms); of length 0 if some task fits on no slot.
    """
    state.rank[order] = np.arange(len(order))
    job_end = d.job_release.copy()
    return job_end if _all_placed(d, state, order, hold, start, slot, job_end) else job_end[:0]


def scratch(d: Decoder) -> State:
    """Room for the state of one schedule after another."""
    stages, groups, slots = len(d.job), len(d.group_stage), len(d.slot_pool)
    pools = 1 + int(d.slot_pool.max(initial=0))
    shapes = {
        **dict.fromkeys(("gate", "end", "waits", "left"), stages),
        **dict.fromkeys(("head", "tail", "aside", "rank"), groups),
        **dict.fromkeys(("many_ready", "many_idle"), pools),
        "free": slots,
        "events": groups + slots + 1,
        "ready": (pools, groups),
        "idle": (pools, slots),
        "many": 2,
        "todo": stages + 1,
    }
    return State(**{name: np.zeros(shape, dtype=np.int64) for name, shape in shapes.items()})


@kernel
def _all_placed(
    d: Decoder,
    state: State,
    order: IntArray,
    hold: IntArray,
    start: IntArray,
    slot: IntArray,
    job_end: IntArray,
) -> bool:
    groups, pools = len(d.group_stage), len(state.many_ready)
    _open(d, state, hold, _nothing_placed(d, state))
    while state.many[PLACED] < len(start):
        if state.many[EVENTS] == 0:
            return False
        key = _pop(state.events, state.many[EVENTS])
        state.many[EVENTS] -= 1
        now, who = key >> BITS, key & ((1 << BITS) - 1)
        if who < groups:
            pool = d.stage_pool[d.group_stage[who]]
            _push(state.ready[pool], state.many_ready[pool], state.rank[who])
            state.many_ready[pool] += 1
        else:
            pool = d.slot_pool[who - groups]
            state.idle[pool, state.many_idle[pool]] = who - groups
            state.many_idle[pool] += 1
        if state.many[EVENTS] == 0 or (state.events[0] >> BITS) > now:
            for pool in range(pools):
                _fill(d, state, pool, order, hold, start, slot)
    for s in range(len(d.job)):
        if d.job[s] >= 0:
            job_end[d.job[s]] = max(job_end[d.job[s]], state.end[s])
    return True


@inner
def _nothing_placed(d: Decoder, state: State) -> int:
    """Begin anew; gives how many stages wait for none, with which `State.todo` begins."""
    todo = 0
    state.many[EVENTS], state.many[PLACED] = 0, 0
    for pool in range(len(state.many_ready)):
        state.many_ready[pool] = state.many_idle[pool] = 0
    for s in d.order:
        state.gate[s], state.end[s] = d.stage_release[s], 0
        state.waits[s] = d.parents[s]
        state.left[s] = d.task_begin[s + 1] - d.task_begin[s]
        if d.parents[s] == 0:
            state.todo[todo] = s
            todo += 1
    for g in range(len(d.group_stage)):
        state.head[g], state.tail[g] = d.group_begin[g], d.group_begin[g + 1] - 1
    for m in range(len(d.slot_pool)):
        state.free[m] = d.slot_since[m]
        _add_event(state, max(d.slot_since[m], 0), len(d.group_stage) + m)
    return todo


@inner
def _push(heap: IntArray, size: int, key: int) -> None:
    at = size
    while at > 0:
        up = (at - 1) >> 1
        if heap[up] <= key:
            break
        heap[at] = heap[up]
        at = up
    heap[at] = key


@inner
def _pop(heap: IntArray, size: int) -> int:
    """Take the least of so many keys."""
    least, key, at = heap[0], heap[size - 1], 0
    while True:
        down = 2 * at + 1
        if down >= size - 1:
            break
        if down + 1 < size - 1 and heap[down + 1] < heap[down]:
            down += 1
        if heap[down] >= key:
            break
        heap[at] = heap[down]
        at = down
    heap[at] = key
    return int(least)


@inner
def _add_event(state: State, time: int, who: int) -> None:
    _push(state.events, state.many[EVENTS], (time << BITS) | who)
    state.many[EVENTS] += 1


@inner
def _fill(
    d: Decoder,
    state: State,
    pool: int,
    order: IntArray,
    hold: IntArray,
    start: IntArray,
    slot: IntArray,
) -> None:
    """Give the idle slots of a pool to the groups that are ready, as long as something fits."""
    put_aside = 0
    ready, idle = state.ready[pool], state.idle[pool]
    while state.many_ready[pool] > 0 and state.many_idle[pool] > 0:
        group = order[ready[0]]
        task = state.head[group]
        at = _best_slot(d, state, task, idle, state.many_idle[pool])
        if at < 0 and state.tail[group] > task:
            task = state.tail[group]
            at = _best_slot(d, state, task, idle, state.many_idle[pool])
        if at < 0:
            state.aside[put_aside] = _pop(ready, state.many_ready[pool])
            state.many_ready[pool] -= 1
            put_aside += 1
            continue
        if task == state.head[group]:
            state.head[group] += 1
        else:
            state.tail[group] -= 1
        if state.head[group] > state.tail[group]:
            _pop(ready, state.many_ready[pool])
            state.many_ready[pool] -= 1
        slot[task] = idle[at]
        state.many_idle[pool] -= 1
        idle[at] = idle[state.many_idle[pool]]
        start[task] = _place(d, state, task, slot[task], hold)
    for k in range(put_aside):
        _push(ready, state.many_ready[pool], state.aside[k])
        state.many_ready[pool] += 1


@inner
def _best_slot(d: Decoder, state: State, task: int, idle: IntArray, count: int) -> int:
    """The idle slot where the task begins first, of equal ones that which goes first; -1: none."""
    best, best_start, best_until = -1, FAR, FAR
    gate, overlap = state.gate[d.stage[task]], d.overlap[task]
    earliest = max(d.stage_release[d.stage[task]], gate - overlap)
    for k in range(count - 1, -1, -1):
        s = idle[k]
        begin = max(state.free[s], earliest)
        over = max(begin + overlap, gate) + d.time[task] - d.cut[task]
        until = d.slot_until[s]
        if over > until:
            continue
        if best < 0 or begin < best_start or (begin == best_start and until < best_until):
            best, best_start, best_until = k, begin, until
            if begin == earliest and until >= FAR:
                break
    return best


@inner
def _place(d: Decoder, state: State, task: int, slot: int, hold: IntArray) -> int:
    """Place a task on a slot, and open the stages that waited for it; gives its start (ms)."""
    stage = d.stage[task]
    gate, overlap = state.gate[stage], d.overlap[task]
    begin = max(state.free[slot], d.stage_release[stage], gate - overlap)
    over = max(begin + overlap, gate) + d.time[task]
    state.free[slot] = over - d.cut[task]
    if state.free[slot] < d.slot_until[slot]:
        _add_event(state, state.free[slot], len(d.group_stage) + slot)
    state.many[PLACED] += 1
    state.end[stage] = max(state.end[stage], over)
    state.left[stage] -= 1
    if state.left[stage] == 0:
        state.todo[0] = stage
        _open(d, state, hold, 1)
    return int(begin)


@inner
def _open(d: Decoder, state: State, hold: IntArray, todo: int) -> None:
    """Open stages that wait for none, and end those that are done, with what follows from it.

    `State.todo` begins with `todo` such stages.
    """
    while todo > 0:
        todo -= 1
        s = state.todo[todo]
        if state.waits[s] == 0 and state.left[s] > 0:
            state.waits[s] = -1
            for g in range(d.stage_group[s], d.stage_group[s + 1]):
                at = max(d.stage_release[s], state.gate[s] - d.group_overlap[g], hold[g])
                _add_event(state, at, g)
            continue
        state.end[s] = max(state.end[s], state.gate[s])
        for k in range(d.child_begin[s], d.child_begin[s + 1]):
            c = d.child[k]
            state.gate[c] = max(state.gate[c], state.end[s] + d.child_lag[k])
            state.waits[c] -= 1
            if state.waits[c] == 0:
                state.todo[todo] = c
                todo += 1
