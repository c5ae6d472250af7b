"""Repair: tasks of both phases move until no slot is over a limit, reads included, compiled.

As in the search on classes, every job has a target date for the end of its map phase. Against these
dates the phases are independent, but for what reduce tasks read: where a map task of their job goes
to another node, that changes at once, on every slot with reduce tasks of the job.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inner, kernel
from ..class_search.dates import Dates, accepted, change_date
from ..class_search.repair import CHECK_STEPS, SQUARE, RepairPlan, overload, overloaded, weigh
from ..class_search.slot_values import Cost, Side, cost_of, refresh, value_after
from ..random_numbers import below, uniform
from .scaled_instance import BlockProblem, distance_at, may_use
from .slot_exchange import SlotTasks, exchange

DATE_SHARE = 0.06
"""Share of the steps that change a date."""

PARTNERS = 6
"""Tasks of the other slot that are tried for an exchange."""

NO_TASK = -1
"""In place of a task: none comes back."""


class PhaseTasks(NamedTuple):
    """The tasks of one phase."""

    begin: IntArray
    """Job i has the tasks `begin[i]:begin[i + 1]`; shape (jobs + 1,)."""
    job: IntArray
    slot: IntArray
    """`job`, `slot`: of each task; shape (tasks,)."""
    node: IntArray
    """Node of each slot."""
    first: IntArray
    """Node v has the slots `first[v]:first[v + 1]`; shape (nodes + 1,)."""
    on_slots: SlotTasks
    side: Side


class Reads(NamedTuple):
    """What decides how long a job's reduce tasks read."""

    held: FloatArray
    """Map output of each job on each node, in data units; shape (jobs, nodes)."""
    in_rack: FloatArray
    """The same for each rack; shape (jobs, racks)."""
    total: FloatArray
    """All map output of each job; shape (jobs,)."""
    tasks: IntArray
    """Reduce tasks of each job on each node; shape (jobs, nodes)."""
    tasks_in_rack: IntArray
    """The same for each rack; shape (jobs, racks)."""


class Exchange(NamedTuple):
    """A task of slot a goes to slot b; what comes back, and what both slots gain and lose by it."""

    partner: int
    """The task that comes back, or `NO_TASK`."""
    less_a: int
    more_b: int
    less_b: int
    more_a: int
    """`less_a`, `more_b`, `less_b`, `more_a`: time units that tasks take off a slot, or add."""


@kernel
def fill(problem: BlockProblem, maps: PhaseTasks, reduces: PhaseTasks, reads: Reads) -> None:
    """Put all tasks on their slots; `reads`, and both sides, have none yet."""
    for t in range(len(maps.slot)):
        j, v = maps.job[t], maps.node[maps.slot[t]]
        reads.held[j, v] += problem.output[t]
        reads.in_rack[j, problem.rack_of[v]] += problem.output[t]
        reads.total[j] += problem.output[t]
    for t in range(len(reduces.slot)):
        _count_reduce(problem, reads, reduces.job[t], reduces.node[reduces.slot[t]], 1)
    for in_maps in (True, False):
        phase = maps if in_maps else reduces
        for t in range(len(phase.slot)):
            k, g = phase.slot[t], phase.side.place[phase.job[t]]
            phase.side.held[k, g] += 1
            phase.side.work[k, g] += _time(problem, phase, reads, in_maps, t, k)
        for k in range(len(phase.side.value)):
            refresh(phase.side, k, 0, len(phase.side.delivery) - 1)


@kernel
def repair(
    stop: IntArray,
    random: IntArray,
    problem: BlockProblem,
    maps: PhaseTasks,
    reduces: PhaseTasks,
    reads: Reads,
    dates: Dates,
    plan: RepairPlan,
) -> int:
    """Move tasks, exchange them or change dates until no slot is overloaded.

    `stop`: it ends when `stop[0]` is set, shape (1,).
    `maps`, `reduces`, `reads`, `dates`: the state, as `fill` leaves it; changed in place.
    Returns the overload that is left, summed over the slots of both phases.
    """
    cost, heat = Cost(plan.limit, 1.0, SQUARE / plan.limit, plan.thrift), plan.hot
    for step in range(plan.steps):
        if step % CHECK_STEPS == 0:
            left = overload(maps.side, plan.limit) + overload(reduces.side, plan.limit)
            if left == 0 or stop[0]:
                break
            weigh(maps.side, plan)
            weigh(reduces.side, plan)
            heat = plan.hot * (plan.cold / plan.hot) ** (step / plan.steps)
        in_maps = below(random, 2) == 0
        if uniform(random) < DATE_SHARE:
            k = overloaded(random, maps.side if in_maps else reduces.side, plan.limit)
            k = k if in_maps else k + len(maps.side.value)
            change_date(random, maps.side, reduces.side, dates, k, plan.limit, cost, heat)
        else:
            _move_task(random, problem, maps, reduces, reads, in_maps, cost, heat)
    return overload(maps.side, plan.limit) + overload(reduces.side, plan.limit)


@inner
def _time(
    problem: BlockProblem, phase: PhaseTasks, reads: Reads, in_maps: bool, t: int, k: int
) -> int:
    if in_maps:
        distance = distance_at(problem.distance, problem.replica_set[t], problem.map_place[k])
        return int(problem.map_time[t] + problem.map_setup[t, distance])
    j, v = phase.job[t], phase.node[k]
    near, rack, far = problem.rates
    read = far * reads.total[j] - (far - rack) * reads.in_rack[j, problem.rack_of[v]]
    read -= (rack - near) * reads.held[j, v]
    return int(problem.reduce_time[t] + np.int64(read + 0.5))


@inner
def _count_reduce(problem: BlockProblem, reads: Reads, j: int, v: int, number: int) -> None:
    """So many reduce tasks of job j are on node v in addition."""
    reads.tasks[j, v] += number
    reads.tasks_in_rack[j, problem.rack_of[v]] += number


@inner
def _move_task(
    random: IntArray,
    problem: BlockProblem,
    maps: PhaseTasks,
    reduces: PhaseTasks,
    reads: Reads,
    in_maps: bool,
    cost: Cost,
    heat: float,
) -> None:
    """Move a task, or exchange it for one of another slot."""
    phase = maps if in_maps else reduces
    side, tasks = phase.side, phase.on_slots
    x = _task(random, phase, cost.limit)
    if x == NO_TASK:
        return
    a, j = phase.slot[x], phase.job[x]
    b = _target(random, phase, reduces if in_maps else maps, j)
    if a == b or (in_maps and not may_use(problem.allowed, x, b)):
        return
    change = _exchange(random, problem, phase, reads, in_maps, x, b, cost)
    y, g, h, i = change.partner, side.place[j], -1, -1
    if y != NO_TASK:
        i = phase.job[y]
        h = side.place[i]
    elif tasks.size[b] == tasks.task.shape[1]:
        return
    v, w = phase.node[a], phase.node[b]
    growth = cost.work * (change.more_a + change.more_b - change.less_a - change.less_b)
    value = value_after(side, a, g, 1, change.less_a, h, change.more_a)
    growth += _growth(side, a, value, cost)
    value = value_after(side, b, h, 1, change.less_b, g, change.more_b)
    growth += _growth(side, b, value, cost)
    if in_maps and v != w:
        growth += _growth_of_reads(problem, reduces, reads, x, j, v, w, cost)
        if y != NO_TASK:
            growth += _growth_of_reads(problem, reduces, reads, y, i, w, v, cost)
    if not accepted(random, growth, heat):
        return
    _replace(side, a, g, change.less_a, h, change.more_a)
    _replace(side, b, h, change.less_b, g, change.more_b)
    exchange(phase.slot, tasks, x, y, a, b)
    if v == w:
        return
    _moved(problem, reduces, reads, in_maps, x, j, v, w)
    if y != NO_TASK:
        _moved(problem, reduces, reads, in_maps, y, i, w, v)


@inner
def _task(random: IntArray, phase: PhaseTasks, limit: int) -> int:
    """A task of an overloaded slot, or any; `NO_TASK` if the slot has none."""
    if below(random, 2):
        return int(below(random, len(phase.slot)))
    k = overloaded(random, phase.side, limit)
    if phase.on_slots.size[k] == 0:
        return NO_TASK
    return int(phase.on_slots.task[k, below(random, phase.on_slots.size[k])])


@inner
def _target(random: IntArray, phase: PhaseTasks, other: PhaseTasks, j: int) -> int:
    """A slot for a task of job j, mostly on a node that has tasks of its other phase."""
    first, last = other.begin[j], other.begin[j + 1]
    if last > first and below(random, 4):
        v = other.node[other.slot[first + below(random, last - first)]]
        slots = phase.first[v + 1] - phase.first[v]
        if slots:
            return int(phase.first[v] + below(random, slots))
    return int(below(random, len(phase.node)))


@inner
def _exchange(
    random: IntArray,
    problem: BlockProblem,
    phase: PhaseTasks,
    reads: Reads,
    in_maps: bool,
    x: int,
    b: int,
    cost: Cost,
) -> Exchange:
    """What comes from slot b for task x: the best of a few, or nothing.

    They are judged as if all were the last on their slots, and a second of reading as one of work
    beyond the limit.
    """
    a, j = phase.slot[x], phase.job[x]
    tasks, size = phase.on_slots.task, phase.on_slots.size[b]
    less_a = _time(problem, phase, reads, in_maps, x, a)
    more_b = _time(problem, phase, reads, in_maps, x, b)
    left_a, with_b = phase.side.value[a] - less_a, phase.side.value[b] + more_b
    best, least = Exchange(NO_TASK, less_a, more_b, 0, 0), np.inf
    if size < tasks.shape[1]:
        least = cost_of(left_a, cost) + cost_of(with_b, cost)
    at = below(random, size) if size else 0
    for _ in range(min(size, PARTNERS)):
        at = at + 1 if at + 1 < size else 0
        y = tasks[b, at]
        i = phase.job[y]
        if i == j or (in_maps and not may_use(problem.allowed, y, a)):
            continue
        less_b = _time(problem, phase, reads, in_maps, y, b)
        more_a = _time(problem, phase, reads, in_maps, y, a)
        this = cost_of(left_a + more_a, cost) + cost_of(with_b - less_b, cost)
        this += cost.work * (more_a - less_b)
        if in_maps:
            this += _longer_reads(problem, reads, y, i, phase.node[b], phase.node[a])
        if this < least:
            best, least = Exchange(y, less_a, more_b, less_b, more_a), this
    return best


@inner
def _longer_reads(problem: BlockProblem, reads: Reads, t: int, j: int, v: int, w: int) -> float:
    """How much longer job j's reduce tasks read if its map task t goes from node v to node w."""
    near, rack, far = problem.rates
    r, q = problem.rack_of[v], problem.rack_of[w]
    longer = (rack - near) * (reads.tasks[j, v] - reads.tasks[j, w])
    longer += (far - rack) * (reads.tasks_in_rack[j, r] - reads.tasks_in_rack[j, q])
    return float(longer * problem.output[t])


@inner
def _growth(side: Side, k: int, value: int, cost: Cost) -> float:
    """What a value other than the present one of slot k costs more."""
    return float(side.weight[k] * (cost_of(value, cost) - cost_of(side.value[k], cost)))


@inner
def _longer_read(problem: BlockProblem, t: int, v: int, w: int, u: int) -> float:
    """How much longer a reduce task on node u reads if map task t goes from node v to node w."""
    near, rack, far = problem.rates
    of_u = problem.rack_of[u]
    longer = (rack - near) * ((u == v) - (u == w))
    longer += (far - rack) * ((of_u == problem.rack_of[v]) - (of_u == problem.rack_of[w]))
    return float(longer * problem.output[t])


@inner
def _growth_of_reads(
    problem: BlockProblem,
    reduces: PhaseTasks,
    reads: Reads,
    t: int,
    j: int,
    v: int,
    w: int,
    cost: Cost,
) -> float:
    """What it costs that job j's map task t goes from node v to node w, on the reduce slots."""
    growth, side = 0.0, reduces.side
    g = side.place[j]
    for u in range(len(problem.rack_of)):
        if not reads.tasks[j, u]:
            continue
        longer = _longer_read(problem, t, v, w, u)
        if longer == 0.0:
            continue
        for k in range(reduces.first[u], reduces.first[u + 1]):
            if side.held[k, g]:
                more = np.int64(longer * side.held[k, g])
                value = max(side.before[k, g], side.onward[k, g] + more)
                growth += _growth(side, k, value, cost) + cost.work * more
    return growth


@inner
def _moved(
    problem: BlockProblem,
    reduces: PhaseTasks,
    reads: Reads,
    in_maps: bool,
    t: int,
    j: int,
    v: int,
    w: int,
) -> None:
    """Keep account of a task of job j that went from node v to node w."""
    if not in_maps:
        _count_reduce(problem, reads, j, v, -1)
        _count_reduce(problem, reads, j, w, 1)
        return
    reads.held[j, v] -= problem.output[t]
    reads.held[j, w] += problem.output[t]
    reads.in_rack[j, problem.rack_of[v]] -= problem.output[t]
    reads.in_rack[j, problem.rack_of[w]] += problem.output[t]
    side = reduces.side
    g, last = side.place[j], len(side.delivery) - 1
    for u in range(len(problem.rack_of)):
        longer = _longer_read(problem, t, v, w, u) if reads.tasks[j, u] else 0.0
        if longer == 0.0:
            continue
        for k in range(reduces.first[u], reduces.first[u + 1]):
            if side.held[k, g]:
                side.work[k, g] += np.int64(longer * side.held[k, g])
                refresh(side, k, g, last)


@inner
def _replace(side: Side, k: int, g: int, less: int, h: int, more: int) -> None:
    """Take a task of the job at place g off slot k, and put one of that at h there; -1 for none."""
    last = len(side.delivery) - 1
    low = last
    if g >= 0:
        side.held[k, g] -= 1
        side.work[k, g] -= less
        low = min(low, g)
    if h >= 0:
        side.held[k, h] += 1
        side.work[k, h] += more
        low = min(low, h)
    refresh(side, k, low, last)
