"""Improve a decoded schedule task by task: the reduce slots, then the map slots, in turn.

While the map phase stays as it is, tasks are exchanged between reduce slots. This determines a due
date for the map phase of each job: the latest end that does not lengthen the schedule. The jobs are
put in the order of these dates, which is best on every slot, and tasks are exchanged between map
slots to meet them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import counted
from .decoder import NO_SLOT, reads
from .scaled_instance import BlockProblem, distance_at
from .slot_exchange import ExchangePhase, exchange_tasks

KEPT_JOBS = 15
"""Number of last jobs whose reads matter if the map phase is the bottleneck."""

PRICE = 1.0
"""Price of reading at first, and as a rule at most."""

PRICE_STEP, LEAST_PRICE = 1.2, 0.2
"""Factor by which the price changes between two rounds of a polish, and the least price."""

APART = 0.001
"""The price changes if the mean values of the slots of both phases differ by more, relatively."""


class SlotAssignment(NamedTuple):
    """The slot of each task, and the order of the jobs on the map slots.

    On reduce slots the jobs run by map completion, then by number.
    """

    order: IntArray
    map_slot: IntArray
    reduce_slot: IntArray


class Timing(NamedTuple):
    """The times of a slot assignment, in integer time units."""

    makespan: int
    completion: IntArray
    """End of each job's map phase; shape (jobs,)."""
    by_end: IntArray
    """The jobs by map completion; shape (jobs,)."""
    read: IntArray
    """Read time of a reduce task of each job on each node; shape (jobs, nodes). 0 for jobs without
    reduce tasks, whose rows take no memory."""
    due: IntArray
    """Latest end of each job's map phase for this makespan; shape (jobs,)."""


class Polished(NamedTuple):
    """What a polish found."""

    placement: SlotAssignment
    makespan: int
    price: float
    """The price of reading at the end."""


class LocalSearch(NamedTuple):
    """What every step of a thread's search is given: when to end, whom to tell, what to draw."""

    stop: IntArray
    """The search ends when `stop[0]` is set; shape (1,)."""
    random: IntArray
    """State of the random numbers; shape (1,)."""
    target: int
    """Makespan at which the search ends."""
    tell: Callable[[SlotAssignment, Timing], None]
    """Called with each better slot assignment."""


Step = Callable[..., tuple[SlotAssignment, float]]
"""Exchanges tasks of one phase; gives also the mean value of the phase's slots."""


def evaluate(problem: BlockProblem, placement: SlotAssignment) -> Timing:
    """Time a slot assignment."""
    read = np.zeros((len(placement.order), len(problem.rack_of)), dtype=np.int64)
    makespan, completion, by_end, due = _timed(problem, placement, read)
    return Timing(int(makespan), completion, by_end, read, due)


@counted
def _timed(
    problem: BlockProblem, placement: SlotAssignment, read: IntArray
) -> tuple[int, IntArray, IntArray, IntArray]:
    """The times but for `read`, which is filled in."""
    completion = np.zeros(len(placement.order), np.int64)
    free = np.zeros(len(problem.map_slot_node), np.int64)
    held = np.zeros(len(problem.rack_of), np.int64)
    makespan = 0
    for i in placement.order:
        held[:] = 0
        for t in range(problem.map_begin[i], problem.map_begin[i + 1]):
            k = placement.map_slot[t]
            place = problem.map_place[k]
            distance = distance_at(problem.distance, problem.replica_set[t], place)
            free[k] += problem.map_time[t] + problem.map_setup[t, distance]
            held[problem.map_slot_node[k]] += problem.output[t]
        for t in range(problem.map_begin[i], problem.map_begin[i + 1]):
            completion[i] = max(completion[i], free[placement.map_slot[t]])
        makespan = max(makespan, completion[i])
        if problem.reduce_begin[i] < problem.reduce_begin[i + 1]:
            reads(problem, held, read[i])
    by_end, slot = np.argsort(completion, kind="mergesort"), placement.reduce_slot
    makespan = max(makespan, reduce_phase(problem, slot, by_end, completion, read))
    # The latest starts of the jobs' reduce tasks, the last job first.
    due = np.full(len(completion), makespan)
    free = np.full(len(problem.reduce_slot_node), makespan)
    for i in by_end[::-1]:
        for w in range(problem.reduce_begin[i], problem.reduce_begin[i + 1]):
            k = slot[w]
            free[k] -= problem.reduce_time[w] + read[i, problem.reduce_slot_node[k]]
        for w in range(problem.reduce_begin[i], problem.reduce_begin[i + 1]):
            due[i] = min(due[i], free[slot[w]])
    return makespan, completion, by_end, due


@counted
def reduce_phase(
    problem: BlockProblem,
    slot: IntArray,
    by_end: IntArray,
    completion: IntArray,
    read: IntArray,
) -> int:
    """The last end of a reduce task, 0 without tasks."""
    free = np.zeros(len(problem.reduce_slot_node), np.int64)
    last = 0
    for i in by_end:
        for w in range(problem.reduce_begin[i], problem.reduce_begin[i + 1]):
            k = slot[w]
            duration = problem.reduce_time[w] + read[i, problem.reduce_slot_node[k]]
            free[k] = max(free[k], completion[i]) + duration
            last = max(last, free[k])
    return last


def polish(
    search: LocalSearch,
    problem: BlockProblem,
    placement: SlotAssignment,
    rounds: int,
    tries: int,
    price: float = 0.0,
) -> Polished:
    """Improve a slot assignment by exchanges of tasks between slots.

    `search`: when to end, whom to tell of the given and each better slot assignment, and the random
    numbers.
    `tries`: tries of a step that may gain too little before the step ends.
    `price`: what a second of reading counts at first in exchanges of map tasks, in mean seconds of
    a map slot for one of a reduce slot. It falls where map slots are fuller than reduce slots. 0
    leaves each job's map output where it is. Without effect if the map phase is the bottleneck.
    Returns the best assignment, never longer than the given one.
    """
    price = 0.0 if problem.maps_bind else price
    most, mean = max(price, PRICE), [0.0, 0.0]
    timing = evaluate(problem, placement)
    best, least = placement, timing.makespan
    search.tell(best, timing)
    idle = 0
    for _ in range(rounds):
        if search.stop[0] or least <= search.target or idle == 2:
            break
        idle += 1
        steps: tuple[Step, ...] = (_exchanged_reduces, partial(_exchanged_maps, price=price))
        for phase, step in enumerate(steps):
            if search.stop[0]:
                break
            changed, mean[phase] = step(search, problem, placement, timing, tries)
            its_timing = evaluate(problem, changed)
            if its_timing.makespan <= timing.makespan or not problem.maps_bind:
                placement, timing = changed, its_timing
            if timing.makespan < least:
                best, least, idle = placement, timing.makespan, 0
                search.tell(best, timing)
        price = _next_price(price, most, *mean)
    return Polished(best, least, price)


def _next_price(price: float, most: float, reduces: float, maps: float) -> float:
    """The price of reading for the next round.

    `reduces`, `maps`: mean value of the slots of the phase.
    """
    if maps > reduces * (1.0 + APART):
        return max(price / PRICE_STEP, min(price, LEAST_PRICE))
    return min(price * PRICE_STEP, most) if reduces > maps * (1.0 + APART) else price


def _exchanged_reduces(
    search: LocalSearch,
    problem: BlockProblem,
    placement: SlotAssignment,
    timing: Timing,
    tries: int,
) -> tuple[SlotAssignment, float]:
    """The assignment, and the mean value of the reduce slots."""
    # Read backwards: the last job first, and each slot's value is when its first task may start.
    backwards = np.ascontiguousarray(timing.by_end[::-1])
    position = np.argsort(backwards)
    group = position[problem.reduce_job]
    none = np.zeros((0, 0), dtype=np.uint8)
    phase = ExchangePhase(
        group,
        problem.reduce_time,
        problem.reduce_job,
        timing.read,
        group,
        none,
        problem.reduce_slot_node,
        problem.reduce_slot_node,
        none,
        timing.completion[backwards],
        timing.read.min(axis=1, initial=NO_SLOT)[problem.reduce_job],
        group,
        np.zeros((0, 0)),
    )
    slot = placement.reduce_slot.copy()
    mean = exchange_tasks(search.stop, search.random, phase, slot, tries, len(position))
    return placement._replace(reduce_slot=slot), mean


def _exchanged_maps(
    search: LocalSearch,
    problem: BlockProblem,
    placement: SlotAssignment,
    timing: Timing,
    tries: int,
    price: float,
) -> tuple[SlotAssignment, float]:
    """The assignment, and the mean value of the map slots."""
    order = np.argsort(timing.due, kind="stable")
    position = np.argsort(order)
    kept = max(0, len(position) - KEPT_JOBS) if problem.maps_bind else 0
    pull = np.zeros((0, 0))
    if not problem.reads_differ:
        kept = len(position)
    elif price > 0.0 and len(placement.reduce_slot):
        kept = len(position)
        node = problem.reduce_slot_node[placement.reduce_slot]
        pull = saved_reading(problem, position[problem.reduce_job], node)
        pull *= price * problem.map_slots[-1] / problem.reduce_slots[-1]
    phase = ExchangePhase(
        position[problem.map_job],
        problem.map_time,
        np.arange(len(problem.map_time)),
        problem.map_setup,
        problem.replica_set,
        problem.distance,
        problem.map_place,
        problem.map_slot_node,
        problem.allowed,
        timing.makespan - timing.due[order],
        problem.least_setup,
        problem.output,
        pull,
    )
    slot = placement.map_slot.copy()
    mean = exchange_tasks(search.stop, search.random, phase, slot, tries, kept)
    return placement._replace(order=order, map_slot=slot), mean


def map_durations(problem: BlockProblem, place: IntArray) -> IntArray:
    """What each map task takes at a place; `place` and result: shape (map tasks,)."""
    distance = distance_at(problem.distance, problem.replica_set, place)
    setup: IntArray = np.take_along_axis(problem.map_setup, distance[:, None], axis=1)[:, 0]
    return problem.map_time + setup


def placement_of(
    problem: BlockProblem, order: IntArray, map_node: IntArray, reduce_node: IntArray
) -> SlotAssignment:
    """Slots for tasks that have nodes: each in turn on the slot of its node that is free first."""
    position = np.argsort(order)
    turn = np.lexsort((np.arange(len(map_node)), position[problem.map_job]))
    durations = map_durations(problem, map_node)
    map_slot = np.zeros(len(map_node), dtype=np.int64)
    ready = np.zeros(len(order), dtype=np.int64)
    _first_slots(turn, map_node, problem.map_job, durations, problem.map_slots, ready, map_slot)
    without = np.zeros(len(reduce_node), dtype=np.int64)
    if not without.size:
        return SlotAssignment(order, map_slot, without)
    # The reduce slots do not matter to what is read from here.
    timing = evaluate(problem, SlotAssignment(order, map_slot, without))
    turn = np.lexsort((np.arange(len(reduce_node)), np.argsort(timing.by_end)[problem.reduce_job]))
    durations = problem.reduce_time + timing.read[problem.reduce_job, reduce_node]
    reduce_slot = without
    _first_slots(
        turn,
        reduce_node,
        problem.reduce_job,
        durations,
        problem.reduce_slots,
        timing.completion,
        reduce_slot,
    )
    return SlotAssignment(order, map_slot, reduce_slot)


@counted
def _first_slots(
    turn: IntArray,
    node: IntArray,
    job: IntArray,
    duration: IntArray,
    begin: IntArray,
    ready: IntArray,
    slot: IntArray,
) -> None:
    free = np.zeros(begin[-1], np.int64)
    for t in turn:
        k = begin[node[t]]
        for other in range(begin[node[t]], begin[node[t] + 1]):
            if free[other] < free[k]:
                k = other
        slot[t] = k
        free[k] = max(free[k], ready[job[t]]) + duration[t]


def saved_reading(problem: BlockProblem, group: IntArray, reduce_node: IntArray) -> FloatArray:
    """Reading that a data unit of each job's map output on each node saves.

    `group`, `reduce_node`: number of the job, in any order of the jobs, and node of each reduce
    task, shape (reduce tasks,).
    Returns time units that the job's reduce tasks together spend less than if the unit lay in a
    rack without any of them; shape (jobs, nodes).
    """
    near, rack, far = problem.rates
    on_node = np.zeros((len(problem.longest), len(problem.rack_of)))
    np.add.at(on_node, (group, reduce_node), 1.0)
    inside = np.zeros((len(on_node), len(problem.rack_begin) - 1))
    np.add.at(inside.T, problem.rack_of, on_node.T)
    inside *= far - rack
    on_node *= rack - near
    on_node += inside[:, problem.rack_of]
    return on_node
