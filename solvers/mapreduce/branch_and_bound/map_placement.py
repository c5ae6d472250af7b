"""Map placements for a given placement of the reduce tasks: depth first, compiled.

The jobs run in every order that the order test permits. States that were searched without success
are remembered. `docs/formulations/branch-and-bound.md` proves every rule that cuts off a
part of the tree. Times are integer time units, job sets bit masks.
"""

from __future__ import annotations

from typing import NamedTuple

from ....core.arrays import IntArray
from ....core.kernels.decorators import inner, kernel
from ....heuristics.mapreduce.search_kernels import copy
from .integer_times import IntegerInstance, zeros
from .reduce_placement import DONE, EARLY, LEFT, OFFER, STOP, TARGET, ReduceSearch
from .subset_bounds import Tables

TABLE_ENTRIES = 4_000_000
"""Numbers that fit the table of remembered states."""
MOST_STATES = 2000
"""Most remembered states for one set of jobs."""
EVERYTHING = 1 << 60
"""With this `cut` the first schedule that is found ends the search, and is not kept."""


class MapSearch(NamedTuple):
    """The state of the search, and the best schedule found."""

    cut: IntArray
    """A schedule found lowers the target to this many time units, and one, below its makespan."""
    best: IntArray
    """Makespan of the best schedule found, -1 without one; shape (1,)."""
    node: IntArray
    """Node of each reduce slot under the present permutation of the nodes."""
    load: IntArray
    """Work on each map slot."""
    slot: IntArray
    """Slot of each map task."""
    reads: IntArray
    """What a reduce task of job i reads of its tasks before map task t: row t + i, by slot."""
    free: IntArray
    """Time at which each reduce slot has finished the jobs in the first places: (jobs + 1, slots).
    """
    order: IntArray
    """Job in each place, -1 for none yet."""
    done: IntArray
    """The jobs before each place, a mask."""
    ahead: IntArray
    key: IntArray
    stored: IntArray
    states: IntArray
    best_map: IntArray
    best_reduce: IntArray
    best_node: IntArray
    best_order: IntArray


def map_search(p: IntegerInstance) -> MapSearch:
    jobs, maps, reduces = len(p.before), len(p.map_work), len(p.reduce_job)
    map_slots, slots = len(p.map_node), len(p.reduce_node)
    width = map_slots + slots
    room = int(min(MOST_STATES, max(8, TABLE_ENTRIES // (max(1, width) << jobs))))
    return MapSearch(
        cut=zeros(1),
        best=zeros(1) - 1,
        node=zeros(slots),
        load=zeros(map_slots),
        slot=zeros(maps),
        reads=zeros(maps + jobs, slots),
        free=zeros(jobs + 1, slots),
        order=zeros(jobs + 1),
        done=zeros(jobs + 1),
        ahead=zeros(1 << jobs),
        key=zeros(width),
        stored=zeros(1 << jobs),
        states=zeros(1 << jobs, room, width),
        best_map=zeros(maps),
        best_reduce=zeros(reduces),
        best_node=zeros(slots),
        best_order=zeros(jobs),
    )


@kernel
def search_map_placements(p: IntegerInstance, tables: Tables, r: ReduceSearch, s: MapSearch) -> int:
    """Search all map placements for the reduce placement in `r` on the nodes in `s.node`.

    `p`: the instance in integer time units.
    Returns `DONE` if no schedule up to TARGET is left. A schedule found lowers TARGET.
    """
    control, count, placed, sums, steps = r.control, r.tasks_on, r.placed, r.sums, r.steps
    node, load, slot, reads, free, order = s.node, s.load, s.slot, s.reads, s.free, s.order
    map_begin, map_work, map_node, map_equal = p.map_begin, p.map_work, p.map_node, p.map_equal
    work_left, reads_left, shortest = tables.work_left, tables.reads_left, tables.shortest
    tail = r.tail[len(r.slot)]
    jobs, sets, map_slots, slots = len(p.before), len(steps), len(load), len(node)
    for k in range(map_slots):
        load[k] = 0
    for mask in range(sets):
        s.stored[mask] = 0
    for k in range(slots):
        free[0, k] = 0
    place, t, order[0], s.done[0] = 0, -1, -1, 0
    while place >= 0:
        done = s.done[place]
        if t < 0:  # the next job for this place
            i = order[place] + 1
            while i < jobs and steps[done] >> i & 1 == 0:
                i += 1
            if i == jobs:
                place -= 1
                if place >= 0 and map_begin[order[place]] < map_begin[order[place] + 1]:
                    t = map_begin[order[place] + 1] - 1
                continue
            order[place] = i
            t = map_begin[i]
            for k in range(slots):
                reads[t + i, k] = 0
            if t < map_begin[i + 1]:
                slot[t] = -1
        i = order[place]
        rest = sets - 1 ^ done ^ 1 << i
        target = min(control[TARGET], control[OFFER])
        control[TARGET] = target
        if t < map_begin[i + 1]:  # the next slot for this task
            due = target - tail[sets - 1 ^ done]
            k = slot[t]
            if k >= 0:
                load[k] -= map_work[t, map_node[k]]
                k += 1
            else:
                k = slot[t - 1] if map_equal[t] else 0
                room = 0
                for j in range(map_slots):
                    if load[j] + shortest[i, map_node[j]] <= due:
                        room += due - load[j]
                if work_left[t] > room:
                    k = map_slots
            fits = False
            while k < map_slots and not fits:
                work = map_work[t, map_node[k]]
                fits = load[k] + work <= due
                for j in range(k):
                    fits &= map_node[j] != map_node[k] or load[j] != load[k]
                if fits:
                    load[k] += work
                    latest = _latest(load)
                    for j in range(slots):
                        read = reads[t + i, j] + p.read[t, map_node[k], node[j]]
                        reads[t + i + 1, j] = read
                        end = max(free[place, j], latest) + placed[i, j] + sums[j, rest]
                        fits &= end + count[i, j] * (read + reads_left[t, node[j]]) <= target
                    if not fits:
                        load[k] -= work
                if not fits:
                    k += 1
            control[LEFT] -= 1
            if control[STOP] or control[LEFT] < 0:
                return EARLY
            if fits:
                slot[t] = k
                t += 1
                if t < map_begin[i + 1]:
                    slot[t] = -1
                    continue
            else:
                t = t - 1 if t > map_begin[i] else -1
                continue

        latest = _latest(load)
        for k in range(slots):
            work = placed[i, k] + count[i, k] * reads[t + i, k]
            free[place + 1, k] = max(free[place, k], latest) + work
        if rest == 0:
            makespan = latest
            for k in range(slots):
                makespan = max(makespan, free[jobs, k])
            if makespan <= target:
                s.best[0] = makespan
                control[TARGET] = makespan - 1 - s.cut[0]
                if s.cut[0] < EVERYTHING:
                    copy(slot, s.best_map)
                    copy(r.slot, s.best_reduce)
                    copy(node, s.best_node)
                    copy(order, s.best_order)
        elif _can_end(
            target,
            rest,
            latest,
            load,
            free[place + 1],
            p.groups,
            p.group_size,
            tables.head,
            tables.map_area,
            sums,
            tail,
            steps,
            s.ahead,
        ) and _is_new(
            target,
            rest,
            latest,
            load,
            free[place + 1],
            map_node,
            node,
            shortest,
            tables.most_reads,
            count,
            placed,
            tail,
            s.key,
            s.stored,
            s.states,
        ):
            place += 1
            s.done[place] = sets - 1 ^ rest
            order[place] = -1
            t = -1
            continue
        t = t - 1 if t > map_begin[i] else -1
    return DONE


@inner
def _latest(load: IntArray) -> int:
    latest = 0
    for k in range(len(load)):
        latest = max(latest, load[k])
    return latest


@inner
def _can_end(
    target: int,
    rest: int,
    latest: int,
    load: IntArray,
    free: IntArray,
    groups: IntArray,
    group_size: IntArray,
    head: IntArray,
    map_area: IntArray,
    sums: IntArray,
    tail: IntArray,
    steps: IntArray,
    ahead: IntArray,
) -> bool:
    """Whether the jobs in `rest` may still end by the target, as far as simple bounds can tell."""
    for g in range(len(groups)):
        end = sums[g, rest]
        for slot in range(len(free)):
            if groups[g] >> slot & 1:
                end += free[slot]
        if end > group_size[g] * target:
            return False
    full = len(head) - 1
    area = 0
    for k in range(len(load)):
        area += load[k]
    done = full ^ rest
    ahead[done] = 1
    chosen = rest & -rest
    while chosen:
        mask = done | chosen
        end = max(head[mask], latest)
        if len(load):
            end = max(end, -(-(area + map_area[chosen]) // len(load)))
        reached = 0
        j = 0
        while chosen >> j:
            first = mask ^ 1 << j
            if (
                chosen >> j & 1
                and ahead[first]
                and steps[first] >> j & 1
                and end + tail[full ^ first] <= target
            ):
                reached = 1
            j += 1
        ahead[mask] = reached
        chosen = (chosen - rest) & rest
    return bool(ahead[full] != 0)


@inner
def _is_new(
    target: int,
    rest: int,
    latest: int,
    load: IntArray,
    free: IntArray,
    map_node: IntArray,
    node: IntArray,
    shortest: IntArray,
    most_reads: IntArray,
    count: IntArray,
    placed: IntArray,
    tail: IntArray,
    key: IntArray,
    stored: IntArray,
    states: IntArray,
) -> bool:
    """Whether no state searched before, with the same jobs to come, is at least as good.

    If so, the state is remembered.
    """
    jobs, map_slots = len(count), len(load)
    due = 0
    for j in range(jobs):
        if rest >> j & 1:
            due = max(due, target - tail[1 << j])
    for k in range(map_slots):
        height = due + 1
        for j in range(jobs):
            if rest >> j & 1 and load[k] + shortest[j, map_node[k]] <= due:
                height = load[k]
        # Insertion keeps the slots of a node in order.
        at = k
        while at and map_node[at - 1] == map_node[k] and key[at - 1] > height:
            key[at] = key[at - 1]
            at -= 1
        key[at] = height
    for slot in range(len(free)):
        most = 0
        for j in range(jobs):
            if rest >> j & 1:
                most += placed[j, slot] + count[j, slot] * most_reads[j, node[slot]]
        key[map_slots + slot] = max(free[slot], latest, target - most)
    done = len(stored) - 1 ^ rest
    room = states.shape[1]
    for n in range(min(stored[done], room)):
        k = 0
        while k < len(key) and states[done, n, k] <= key[k]:
            k += 1
        if k == len(key):
            return False
    for k in range(len(key)):
        states[done, stored[done] % room, k] = key[k]
    stored[done] += 1
    return True
