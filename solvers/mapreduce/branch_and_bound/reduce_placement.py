"""Placements of the reduce tasks that leave room for the map phase: depth first, compiled.

`docs/formulations/branch-and-bound.md` defines the search tree and proves every rule that
cuts off a part of it. Times are integer time units, job sets bit masks.
"""

from __future__ import annotations

from typing import NamedTuple

from ....core.arrays import IntArray
from ....core.kernels.decorators import inner, kernel
from .integer_times import IntegerInstance, zeros
from .subset_bounds import Tables

STOP, OFFER, TARGET, LEFT, DEPTH = range(5)
"""Entries of `control`.

STOP and OFFER may be changed by the caller at any time: STOP ends the search, OFFER is the greatest
makespan that is still wanted. TARGET belongs to the kernels: the greatest makespan sought. LEFT is
the number of nodes that may still be visited. DEPTH is the reduce task placed last, `FRESH` before
the first call."""

FRESH, EXHAUSTED = -1, -2
"""Values of DEPTH."""

EARLY, DONE, FOUND = range(3)
"""What a kernel returns: it ended early; no placement is left; a placement was found."""


class ReduceSearch(NamedTuple):
    """The state of the search."""

    control: IntArray
    slot: IntArray
    """Slot of each reduce task."""
    tasks_on: IntArray
    """Reduce tasks of each job on each slot."""
    placed: IntArray
    """Total processing time of each job's reduce tasks on each slot."""
    used: IntArray
    """Mask of the slots used by the tasks before each task; bit 62 stands for none."""
    work: IntArray
    """Least work of each job on each group of slots."""
    change: IntArray
    """By how much each task raised the work of each group."""
    sums: IntArray
    """Least work of each job set on each group: shape (groups, 2^jobs)."""
    tail: IntArray
    """Least time that the reduces of each job set take after the first of its map phases ends:
    (tasks placed, 2^jobs)."""
    steps: IntArray
    """Mask of the jobs that may come next after each job set."""
    ends: IntArray
    """Most that a number of map slots can work for each job set."""


def reduce_search(p: IntegerInstance, tables: Tables, control: IntArray) -> ReduceSearch:
    """The initial state of a search.

    `p`: the instance in integer time units.
    """
    jobs, sets = len(p.before), len(tables.tail)
    reduces, slots, groups = len(p.reduce_job), len(p.reduce_node), len(p.groups)
    tail = zeros(reduces + 1, sets)
    tail[0] = tables.tail
    return ReduceSearch(
        control=control,
        slot=zeros(reduces),
        tasks_on=zeros(jobs, slots),
        placed=zeros(jobs, slots),
        used=zeros(reduces + 1) + (1 << 62),
        work=zeros(jobs, groups),
        change=zeros(reduces, groups),
        sums=zeros(groups, sets),
        tail=tail,
        steps=zeros(sets),
        ends=zeros(sets, len(p.map_node) + 1),
    )


@kernel
def next_placement(p: IntegerInstance, tables: Tables, s: ReduceSearch) -> int:
    """Go on to the next placement of all reduce tasks that passes every test.

    `p`: the instance in integer time units.
    `s`: the state of the search. It receives the placement and, in `steps`, its order test.
    Returns `FOUND`, or `DONE` if no placement up to TARGET is left, or `EARLY`.
    """
    control, slot, count, placed, used = s.control, s.slot, s.tasks_on, s.placed, s.used
    work, change, sums, tail = s.work, s.change, s.sums, s.tail
    groups, group_size, reduce_equal = p.groups, p.group_size, p.reduce_equal
    tasks, slots, sets = len(slot), count.shape[1], sums.shape[1]
    w = control[DEPTH]
    if w == FRESH:
        w = 0
        for k in range(tasks):
            slot[k] = -1
    first = control[DEPTH] == FRESH
    while w >= 0:
        if first:
            placed_tasks = w
        else:
            i, k = p.reduce_job[w], slot[w]
            if k >= 0:
                count[i, k] -= 1
                placed[i, k] -= p.processing[w]
                for g in range(len(groups)):
                    if change[w, g]:
                        work[i, g] -= change[w, g]
                        for later in range(sets):
                            if later >> i & 1:
                                sums[g, later] -= change[w, g]
                k += 1
            else:
                k = slot[w - 1] if reduce_equal[w] else 0
            while k < slots:
                needless = False
                for twin in range(p.twin_begin[k], p.twin_begin[k + 1]):
                    needless |= used[w] & p.twins[twin] == 0
                if not needless:
                    break
                k += 1
            if k == slots:
                slot[w] = -1
                w -= 1
                continue
            control[LEFT] -= 1
            if control[STOP] or control[LEFT] < 0:
                return EARLY
            slot[w] = k
            used[w + 1] = used[w] | 1 << k
            count[i, k] += 1
            placed[i, k] += p.processing[w]
            for later in range(sets):
                tail[w + 1, later] = tail[w, later]
            for g in range(len(groups)):
                change[w, g] = 0
                if groups[g] >> k & 1:
                    more = _least_work(i, groups[g], p, s) - work[i, g]
                    change[w, g] = more
                    work[i, g] += more
                    size = group_size[g]
                    for later in range(sets):
                        if later >> i & 1:
                            sums[g, later] += more
                            if sums[g, later] > size * tail[w + 1, later]:
                                tail[w + 1, later] = -(-sums[g, later] // size)
            placed_tasks = w + 1
        control[TARGET] = min(control[TARGET], control[OFFER])
        possible = _some_order(control[TARGET], placed_tasks, p, tables, s)
        if first and not possible:
            break
        first = False
        if possible:
            if placed_tasks == tasks:
                control[DEPTH] = tasks - 1 if tasks else EXHAUSTED
                return FOUND
            w = placed_tasks
    control[DEPTH] = EXHAUSTED
    return DONE


@inner
def _least_work(i: int, group: int, p: IntegerInstance, s: ReduceSearch) -> int:
    """Least work of job i's placed reduce tasks on a group of slots, over all map placements."""
    count, reduce_node = s.tasks_on, p.reduce_node
    processing, apart, tasks = 0, 0, 0
    for slot in range(len(reduce_node)):
        if group >> slot & 1 and count[i, slot]:
            processing += s.placed[i, slot]
            apart += count[i, slot] * p.least_reads[i, reduce_node[slot]]
            tasks += count[i, slot]
    together = -1
    for holder in p.holders:
        read = 0
        for slot in range(len(reduce_node)):
            if group >> slot & 1 and count[i, slot]:
                read += count[i, slot] * p.read_all[i, holder, reduce_node[slot]]
        if together < 0 or read < together:
            together = read
    # Each read of each map task's output may have been rounded down by a unit.
    together -= tasks * (p.map_begin[i + 1] - p.map_begin[i])
    return int(processing + max(apart, together))


@inner
def _some_order(
    target: int, placed: int, p: IntegerInstance, tables: Tables, s: ReduceSearch
) -> bool:
    """Whether some order of the jobs passes the order test with `placed` reduce tasks placed."""
    before, map_begin, slots = p.before, p.map_begin, len(p.reduce_node)
    head, steps, ends, sums, tail = tables.head, s.steps, s.ends, s.sums, s.tail
    sets, map_slots, everywhere = len(head), ends.shape[1] - 1, len(sums) - 1
    for mask in range(sets):
        steps[mask] = 0
        for q in range(map_slots + 1):
            ends[mask, q] = -1 if mask else 0
    for mask in range(1, sets):
        for i in range(len(before)):
            first = mask ^ 1 << i
            if mask >> i & 1 == 0 or ends[first, 0] < 0 or before[i] & ~first:
                continue
            later = sets - 1 ^ first
            due = target - tail[placed, later]
            if head[mask] > due:
                continue
            if slots:
                work = (
                    tables.starts[mask, i]
                    + tables.unplaced[placed, later]
                    + sums[everywhere, later]
                )
                if work > slots * target:
                    continue
            closing = min(map_slots, map_begin[i + 1] - map_begin[i])
            if tables.map_area[mask] > closing * due + ends[first, map_slots - closing]:
                continue
            steps[first] |= 1 << i
            for q in range(map_slots + 1):
                last = min(q, closing)
                end = last * due + ends[first, q - last]
                if end > ends[mask, q]:
                    ends[mask, q] = end
    return bool(ends[sets - 1, 0] >= 0)
