"""Simulated annealing over the order of the jobs alone, where all slots of a phase are alike.

Tasks take the slot that is free first, so an order makes a schedule. Read backwards, that is one of
the shop with its stages exchanged, and some good ones are found only that way round.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.background import interruptible
from ...core.clock import Clock
from ...core.kernels.decorators import counted, inner
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule, map_completions, timed
from ...instances.mapreduce.setups import map_setup_matrix, output_share, read_seconds
from .search_kernels import below, copy, seeded, shift, uniform

ROUNDS = 8
"""Number of rounds each way round; each anneals once more from the best order so far."""
STEPS = 50_000
"""Steps of each round."""

FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.006, 0.0002
"""First and last temperature, as a share of the makespan."""

BALANCE_WEIGHT = 0.1
"""Weight of the mean slot completion beside the makespan, which alone gives no direction."""


def improve(instance: Instance, schedule: Schedule, stop: Clock, *, seed: int = 0) -> Schedule:
    """Search for a shorter schedule of an instance whose tasks take the same time on every slot.

    `stop`: when to end. Its iterations are rounds each way round, `ROUNDS` if it sets none.
    Makespans on the way are not shown to it.
    Raises `KeyboardInterrupt` on Ctrl-C.
    """
    if 0 in (instance.map_tasks, instance.reduce_tasks):
        return schedule
    for backwards in (False, True):
        if schedule.makespan > stop.target:
            other = _annealed(instance, schedule, stop, seed, backwards)
            schedule = min(schedule, other, key=lambda one: one.makespan)
    return schedule


def _annealed(
    instance: Instance, schedule: Schedule, stop: Clock, seed: int, backwards: bool
) -> Schedule:
    """The schedule of the best order found, beginning with that of a schedule, if it is shorter.

    `backwards`: whether the reduce phase comes first in the search.
    """
    way = -1 if backwards else 1
    phases = _phases(instance)[::way]
    offsets, task, seconds, slots = zip(*phases, strict=True)
    order = np.argsort(way * map_completions(instance, schedule.map.end), kind="stable")
    rounds = ROUNDS if stop.iterations is None else stop.iterations
    flag = np.zeros(1, dtype=np.int64)
    least: list[float] = []

    def work() -> None:
        search = flag, rounds, seeded(seed), stop.target, order
        least.append(anneal_order(*search, *offsets, *seconds, *slots))

    if not interruptible(work, flag, stop):
        raise KeyboardInterrupt
    if not least or least[0] >= schedule.makespan:
        return schedule
    free = [np.zeros(count) for count in slots]
    slot = [np.zeros(len(times), dtype=np.int64) for times in seconds]
    end = [np.zeros(len(times)) for times in seconds]
    queue, ready = np.zeros_like(order), np.zeros(len(order))
    _place(order, queue, ready, *offsets, *seconds, *free, *slot, *end)
    by_task = [np.argsort(tasks) for tasks in task]
    maps, reduces = [(slot[k][by_task[k]], way * end[k][by_task[k]]) for k in (0, 1)][::way]
    return timed(instance, *maps, *reduces)


def _phases(instance: Instance) -> list[tuple[IntArray, IntArray, FloatArray, int]]:
    """Of both phases, whose slots are all alike: offsets and tasks by job, the longest of a job
    first, the time (s) of each, and the number of slots."""
    maps = (map_setup_matrix(instance) + instance.phases.map.matrix())[:, 0]
    outputs = np.bincount(instance.map_job, output_share(instance), instance.jobs)
    reads = outputs * read_seconds(instance)[0, 0]
    reduces = instance.phases.reduce.matrix()[:, 0] + reads[instance.reduce_job]
    cluster = instance.cluster
    phases = []
    for offsets, job, seconds, slots in (
        (instance.map_offsets, instance.map_job, maps, cluster.map_slots),
        (instance.reduce_offsets, instance.reduce_job, reduces, cluster.reduce_slots),
    ):
        task = np.lexsort((-seconds, job))
        phases.append((offsets, task, seconds[task], int(slots.sum())))
    return phases


@inner
def _place(
    order: IntArray,
    queue: IntArray,
    ready: FloatArray,
    first_offsets: IntArray,
    second_offsets: IntArray,
    first_seconds: FloatArray,
    second_seconds: FloatArray,
    first_free: FloatArray,
    second_free: FloatArray,
    first_slot: IntArray,
    second_slot: IntArray,
    first_end: FloatArray,
    second_end: FloatArray,
) -> tuple[float, float]:
    """Place all tasks; the makespan (s), and the mean slot completion of the second phase (s).

    The second phase takes the jobs as the first ends them. Of the slots that are free by then a
    task takes the one that has waited least.
    """
    first_free[:] = 0.0
    second_free[:] = 0.0
    longest = 0.0
    for place, i in enumerate(order):
        done = 0.0
        for t in range(first_offsets[i], first_offsets[i + 1]):
            k = 0
            for other in range(1, len(first_free)):
                if first_free[other] < first_free[k]:
                    k = other
            first_free[k] += first_seconds[t]
            first_slot[t], first_end[t] = k, first_free[k]
            done = max(done, first_free[k])
        ready[i] = done
        longest = max(longest, done)
        behind = place
        while behind > 0 and ready[queue[behind - 1]] > done:
            queue[behind] = queue[behind - 1]
            behind -= 1
        queue[behind] = i
    for i in queue:
        for w in range(second_offsets[i], second_offsets[i + 1]):
            k = 0
            for other in range(1, len(second_free)):
                free, least = second_free[other], second_free[k]
                if least < free <= ready[i] or (free < least and least > ready[i]):
                    k = other
            second_free[k] = max(second_free[k], ready[i]) + second_seconds[w]
            second_slot[w], second_end[w] = k, second_free[k]
            longest = max(longest, second_free[k])
    return longest, second_free.sum() / len(second_free)


@counted
def anneal_order(
    flag: IntArray,
    rounds: int,
    state: IntArray,
    target: float,
    best_order: IntArray,
    first_offsets: IntArray,
    second_offsets: IntArray,
    first_seconds: FloatArray,
    second_seconds: FloatArray,
    first_slots: int,
    second_slots: int,
) -> float:
    """Replace `best_order` by the best order found; its makespan (s), infinity if none was timed.

    `flag`: the search ends when `flag[0]` is set, shape (1,).
    `target`: makespan (s) at which the search ends.
    `first_seconds`, `second_seconds`: what each task takes (s), shape (tasks of the phase,).
    """
    jobs = len(best_order)
    order, queue, ready = best_order.copy(), best_order.copy(), np.zeros(jobs)
    first_free, second_free = np.zeros(first_slots), np.zeros(second_slots)
    first_slot = np.zeros(len(first_seconds), dtype=np.int64)
    second_slot = np.zeros(len(second_seconds), dtype=np.int64)
    first_end, second_end = np.zeros(len(first_seconds)), np.zeros(len(second_seconds))
    best = np.inf
    for _ in range(rounds):
        copy(best_order, order)
        current = np.inf
        temperature, cooling = 0.0, (LAST_TEMPERATURE / FIRST_TEMPERATURE) ** (1.0 / STEPS)
        for step in range(STEPS):
            if flag[0]:
                return best
            a = b = 0
            swaps = below(state, 2) == 0
            if step:
                a, b = below(state, jobs), below(state, jobs)
                if a == b:
                    continue
                if swaps:
                    order[a], order[b] = order[b], order[a]
                else:
                    shift(order, a, b)
            makespan, level = _place(
                order,
                queue,
                ready,
                first_offsets,
                second_offsets,
                first_seconds,
                second_seconds,
                first_free,
                second_free,
                first_slot,
                second_slot,
                first_end,
                second_end,
            )
            cost = makespan + BALANCE_WEIGHT * level
            if makespan < best:
                best = makespan
                copy(order, best_order)
                if best <= target:
                    return best
            if step == 0:
                temperature = FIRST_TEMPERATURE * makespan
            temperature *= cooling
            chance = 1.0 - uniform(state)
            if cost <= current or np.log(chance) * temperature < current - cost:
                current = cost
            elif swaps:
                order[a], order[b] = order[b], order[a]
            else:
                shift(order, b, a)
    return best
