"""Other orders of the jobs, timed with the map tasks on their slots, compiled.

What the map tasks of a job take on each slot, and what its reduce tasks read on each node, does not
depend on the order of the jobs. So an order is timed by jobs and slots, not task by task, and the
slots stay balanced when jobs change places. Which jobs come last decides how much longer the reduce
phase lasts than the map phase. Timing an order takes a thousandth of a polish, so several changes
are tried before each polish.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import counted
from ..search_kernels import below, copy, shift
from .decoder import NO_SLOT, Scratch, decode_reduces, free_all_slots, new_work
from .polish import (
    LocalSearch,
    SlotAssignment,
    evaluate,
    map_durations,
    polish,
    reduce_phase,
)
from .scaled_instance import BlockProblem

LAST_JOBS = 10
"""Number of jobs at the end of the order that are moved."""


class SlotWork(NamedTuple):
    """The work of each job on each slot of a phase: job i has `[begin[i]:begin[i + 1]]`."""

    begin: IntArray
    slot: IntArray
    time: IntArray


def reordered(
    search: LocalSearch,
    problem: BlockProblem,
    placement: SlotAssignment,
    short: IntArray,
    tries: int,
) -> SlotAssignment:
    """A schedule with another job order: one change, and further ones that do not lengthen it.

    Each order is tried with the reduce tasks on their slots, and with all of them placed anew: jobs
    by map completion, the longest task first, earliest end.

    `short`: jobs with short tails, the shortest first.
    `tries`: changes to try.
    """
    time = map_durations(problem, problem.map_place[placement.map_slot])
    maps = _slot_work(problem.map_begin, placement.map_slot, time, int(problem.map_slots[-1]))
    read = evaluate(problem, placement).read
    order, reduce_slot = placement.order.copy(), placement.reduce_slot.copy()
    reorder(search.stop, search.random, problem, maps, read, order, reduce_slot, short, tries)
    return SlotAssignment(order, placement.map_slot, reduce_slot)


@counted
def _slot_work(task_begin: IntArray, slot: IntArray, time: IntArray, slots: int) -> SlotWork:
    """Sums of the tasks' times. `task_begin`: first task of each job, and the number of all."""
    jobs, last = len(task_begin) - 1, 0
    begin = np.zeros(jobs + 1, np.int64)
    of_slot, total = np.empty_like(slot), np.empty_like(time)
    place = np.full(slots, -1)
    for i in range(jobs):
        for t in range(task_begin[i], task_begin[i + 1]):
            at = place[slot[t]]
            if at < begin[i]:
                at = place[slot[t]] = last
                of_slot[at], total[at] = slot[t], 0
                last += 1
            total[at] += time[t]
        begin[i + 1] = last
    return SlotWork(begin, of_slot[:last].copy(), total[:last].copy())


@counted
def reorder(
    stop: IntArray,
    random: IntArray,
    problem: BlockProblem,
    maps: SlotWork,
    read: IntArray,
    order: IntArray,
    reduce_slot: IntArray,
    short: IntArray,
    tries: int,
) -> None:
    """Change `order` and `reduce_slot` in place, as `reordered` says.

    `read`: read time of a reduce task of each job on each node, shape (jobs, nodes).
    """
    jobs, least, work = len(order), NO_SLOT, new_work(problem)
    trial, completion, by_end = np.empty_like(order), np.zeros(jobs, np.int64), order.copy()
    free, anew = np.zeros(problem.map_slots[-1], np.int64), np.empty_like(reduce_slot)
    for _ in range(tries):
        if stop[0]:
            return
        copy(order, trial)
        _change(random, trial, by_end, short)
        longest = _map_ends(maps, trial, free, completion)
        _sort(trial, completion, by_end)
        end = max(longest, reduce_phase(problem, reduce_slot, by_end, completion, read))
        if end <= least:
            least = end
            copy(trial, order)
        _placed_anew(problem, work, by_end, completion, read, anew)
        end = max(longest, reduce_phase(problem, anew, by_end, completion, read))
        if end <= least:
            least = end
            copy(trial, order)
            copy(anew, reduce_slot)


@counted
def _change(random: IntArray, order: IntArray, spare: IntArray, short: IntArray) -> None:
    """Change the order. `spare`: scratch, shape (jobs,). `short`: jobs, the shortest tail first."""
    jobs, kind = len(order), below(random, 4)
    near = min(LAST_JOBS, jobs)
    if kind == 0:
        _put_last(order, spare, short, below(random, len(short)) + 1)
        return
    if kind == 1:
        job, source = short[below(random, len(short))], 0
        while order[source] != job:
            source += 1
        shift(order, source, jobs - 1 - below(random, near))
        return
    source = jobs - 1 - below(random, near)
    shift(order, source, jobs - 1 - below(random, jobs if kind == 2 else near))


@counted
def _put_last(order: IntArray, spare: IntArray, short: IntArray, count: int) -> None:
    """Put the first `count` jobs of `short` last, the first of them at the very end."""
    copy(order, spare)
    at = 0
    for job in spare:
        is_last = False
        for k in range(count):
            is_last = is_last or short[k] == job
        if not is_last:
            order[at] = job
            at += 1
    for k in range(count):
        order[len(order) - 1 - k] = short[k]


@counted
def _map_ends(maps: SlotWork, order: IntArray, free: IntArray, completion: IntArray) -> int:
    """Compute the end of each job's map phase; the last of them. `free`: scratch for the slots."""
    free[:] = 0
    last = 0
    for i in order:
        completion[i] = 0
        for k in range(maps.begin[i], maps.begin[i + 1]):
            free[maps.slot[k]] += maps.time[k]
            completion[i] = max(completion[i], free[maps.slot[k]])
        last = max(last, completion[i])
    return last


@counted
def _sort(order: IntArray, completion: IntArray, by_end: IntArray) -> None:
    """Write the jobs by map completion, then number, to `by_end`; the order is nearly that."""
    for k in range(len(order)):
        job, at = order[k], k
        while at and (completion[by_end[at - 1]], by_end[at - 1]) > (completion[job], job):
            by_end[at] = by_end[at - 1]
            at -= 1
        by_end[at] = job


@counted
def _placed_anew(
    problem: BlockProblem,
    work: Scratch,
    by_end: IntArray,
    completion: IntArray,
    read: IntArray,
    slot: IntArray,
) -> None:
    """Place all reduce tasks: jobs by map completion, the longest task first, earliest end."""
    free = np.zeros(len(problem.reduce_slot_node), np.int64)
    free_all_slots(problem, work)
    for i in by_end:
        # For now the node of each task.
        decode_reduces(problem, work, i, 1, completion[i], read[i], slot)
        for w in range(problem.reduce_begin[i], problem.reduce_begin[i + 1]):
            v = slot[w]
            k = problem.reduce_slots[v]
            for other in range(k + 1, problem.reduce_slots[v + 1]):
                if free[other] < free[k]:
                    k = other
            slot[w] = k
            free[k] = max(free[k], completion[i]) + problem.reduce_time[w] + read[i, v]


ORDERS_TRIED = 60
"""Orders tried between two polishes."""

PRICES = (0.0, 0.0, 0.0, 0.5, 1.0, 2.0)
"""Prices of reading, one of which each polish has, as multiples of a suitable one."""

POLISH_ROUNDS, POLISH_TRIES = 3, 3000
"""Rounds of each polish, and tries of each of its steps."""


def perturb(
    search: LocalSearch,
    problem: BlockProblem,
    placement: SlotAssignment,
    perturbations: int,
    tails: IntArray,
    price: float,
) -> None:
    """Perturb a schedule repeatedly and keep what is not worse.

    `search`: when to end, whom to tell of better schedules, and the random numbers.
    `price`: a suitable price of reading.
    """
    short = np.argsort(tails, kind="stable")[: 2 * LAST_JOBS]
    makespan = evaluate(problem, placement).makespan
    for _ in range(perturbations):
        if search.stop[0] or makespan <= search.target or len(placement.order) < 2:
            return
        changed = reordered(search, problem, placement, short, ORDERS_TRIED)
        factor = PRICES[below(search.random, len(PRICES))]
        polished = polish(search, problem, changed, POLISH_ROUNDS, POLISH_TRIES, factor * price)
        if polished.makespan <= makespan:
            placement, makespan = polished.placement, polished.makespan
