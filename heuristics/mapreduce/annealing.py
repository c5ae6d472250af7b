"""Simulated annealing over the order of the jobs and the slots of all tasks.

It is for small and middle instances: every step times the whole schedule anew. The result is a
plain schedule, so it can follow any heuristic and start any exact method.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.background import interruptible
from ...core.clock import Clock
from ...core.kernels.decorators import counted, inner
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule, map_completions, timed_by_job
from ...instances.mapreduce.setups import map_setup_matrix, output_share, read_seconds
from .search_kernels import below, copy, seeded, shift, uniform

ROUNDS = 8
"""Number of rounds; each anneals once more from the best schedule so far."""
STEPS = 50_000
"""Steps of each round."""

FIRST_TEMPERATURE, LAST_TEMPERATURE = 0.03, 0.0002
"""First and last temperature, as a share of the makespan."""

BALANCE_WEIGHT = 0.02
"""Weight of the mean slot completion beside the makespan, which alone gives no direction."""


def improve(instance: Instance, schedule: Schedule, stop: Clock, *, seed: int = 0) -> Schedule:
    """Search for a shorter schedule by simulated annealing.

    The result is deterministic if the time suffices for all rounds, as it does in a second for up
    to about fifty tasks. A step costs time proportional to the number of tasks.

    `stop`: when to end. Its iterations are rounds of annealing, `ROUNDS` if it sets none. With a
    target the search lowers by how much the longest path through each slot passes it, not only the
    longest of all. Makespans on the way are not shown to it.
    Raises `KeyboardInterrupt` on Ctrl-C.
    """
    if instance.jobs == 0 or instance.map_tasks + instance.reduce_tasks == 0:
        return schedule
    cluster = instance.cluster
    flag = np.zeros(1, dtype=np.int64)
    rounds = ROUNDS if stop.iterations is None else stop.iterations
    order = np.argsort(map_completions(instance, schedule.map.end), kind="stable")
    map_slot, reduce_slot = schedule.map.slot.copy(), schedule.reduce.slot.copy()

    def work() -> None:
        anneal(
            flag,
            rounds,
            seeded(seed),
            stop.target,
            order,
            map_slot,
            reduce_slot,
            cluster.map_slot_node,
            cluster.reduce_slot_node,
            instance.map_offsets,
            instance.reduce_offsets,
            map_setup_matrix(instance) + instance.phases.map.matrix(),
            instance.phases.reduce.matrix(),
            output_share(instance),
            read_seconds(instance),
        )

    if not interruptible(work, flag, stop):
        raise KeyboardInterrupt
    again = timed_by_job(instance, map_slot, reduce_slot, order)
    return again if again.makespan < schedule.makespan else schedule


@inner
def _cost(
    order: IntArray,
    map_slot: IntArray,
    reduce_slot: IntArray,
    reduce_node: IntArray,
    map_offsets: IntArray,
    reduce_offsets: IntArray,
    map_work: FloatArray,
    reduce_time: FloatArray,
    reads: FloatArray,
    map_free: FloatArray,
    reduce_free: FloatArray,
    map_path: FloatArray,
    reduce_tail: FloatArray,
    target: float,
) -> tuple[float, float]:
    """Makespan (s) of the jobs in `order` on every slot, and the cost of the schedule.

    That is the makespan or, with a target, by how much the longest path through each slot passes
    it, in all; and a little of the mean slot completion.
    """
    map_free[:] = 0.0
    reduce_free[:] = 0.0
    longest = 0.0
    for i in order:
        for t in range(map_offsets[i], map_offsets[i + 1]):
            map_free[map_slot[t]] += map_work[t, map_slot[t]]
        end = 0.0
        for t in range(map_offsets[i], map_offsets[i + 1]):
            end = max(end, map_free[map_slot[t]])
        longest = max(longest, end)
        for w in range(reduce_offsets[i], reduce_offsets[i + 1]):
            slot = reduce_slot[w]
            begin = max(reduce_free[slot], end)
            reduce_free[slot] = begin + reads[i, reduce_node[slot]] + reduce_time[w, slot]
            longest = max(longest, reduce_free[slot])
    level = 0.0
    for free in map_free:
        level += free / len(map_free)
    for free in reduce_free:
        level += free / len(reduce_free)
    if target <= 0.0:
        return longest, longest + BALANCE_WEIGHT * level
    map_path[:] = 0.0
    reduce_tail[:] = 0.0
    for i in order[::-1]:
        tail = 0.0
        for w in range(reduce_offsets[i], reduce_offsets[i + 1]):
            slot = reduce_slot[w]
            reduce_tail[slot] += reads[i, reduce_node[slot]] + reduce_time[w, slot]
            tail = max(tail, reduce_tail[slot])
        for t in range(map_offsets[i], map_offsets[i + 1]):
            map_path[map_slot[t]] = max(map_path[map_slot[t]], map_free[map_slot[t]] + tail)
        for t in range(map_offsets[i], map_offsets[i + 1]):
            map_free[map_slot[t]] -= map_work[t, map_slot[t]]
    excess = 0.0
    for free in reduce_free:
        excess += max(0.0, free - target)
    for path in map_path:
        excess += max(0.0, path - target)
    return longest, excess + BALANCE_WEIGHT * level


@inner
def _read_anew(
    i: int, map_slot: IntArray, map_offsets: IntArray, slot_reads: FloatArray, reads: FloatArray
) -> None:
    """Set what a reduce task of job i takes to read on each node."""
    reads[i] = 0.0
    for t in range(map_offsets[i], map_offsets[i + 1]):
        for node in range(reads.shape[1]):
            reads[i, node] += slot_reads[t, map_slot[t], node]


@counted
def anneal(
    flag: IntArray,
    rounds: int,
    state: IntArray,
    target: float,
    best_order: IntArray,
    best_map: IntArray,
    best_reduce: IntArray,
    map_node: IntArray,
    reduce_node: IntArray,
    map_offsets: IntArray,
    reduce_offsets: IntArray,
    map_work: FloatArray,
    reduce_time: FloatArray,
    share: FloatArray,
    seconds_per_mb: FloatArray,
) -> None:
    """Replace the three `best` arrays by the best schedule found.

    `flag`: the search ends when `flag[0]` is set, shape (1,).
    `target`: makespan (s) at which the search ends.
    `map_work`: setup plus processing time of each map task on each slot (s), shape (tasks, slots).
    `reduce_time`: processing time of each reduce task on each slot (s), shape (tasks, slots).
    `share`: output of each map task for one reduce task of its job (MB), shape (map tasks,).
    """
    jobs, maps, reduces = len(best_order), len(best_map), len(best_reduce)
    map_free, reduce_free = np.zeros(len(map_node)), np.zeros(len(reduce_node))
    map_path, reduce_tail = np.zeros(len(map_node)), np.zeros(len(reduce_node))
    map_job = np.zeros(maps, dtype=np.int64)
    for i in range(jobs):
        map_job[map_offsets[i] : map_offsets[i + 1]] = i
    slot_reads = np.zeros((maps, len(map_node), len(seconds_per_mb)))
    for t in range(maps):
        for k in range(len(map_node)):
            slot_reads[t, k] = share[t] * seconds_per_mb[map_node[k]]
    reads = np.zeros((jobs, len(seconds_per_mb)))
    order, map_slot, reduce_slot = best_order.copy(), best_map.copy(), best_reduce.copy()
    best = np.inf
    for _ in range(rounds):
        copy(best_order, order)
        copy(best_map, map_slot)
        copy(best_reduce, reduce_slot)
        for i in range(jobs):
            _read_anew(i, map_slot, map_offsets, slot_reads, reads)
        current = np.inf
        temperature, cooling = 0.0, (LAST_TEMPERATURE / FIRST_TEMPERATURE) ** (1.0 / STEPS)
        for step in range(STEPS):
            if flag[0]:
                return
            # What is changed is kept as two entries, or as a job and where it came from.
            kind = below(state, 10) if step else 10
            a = b = before_a = before_b = 0
            slots, move, on_map = map_slot, 0, False
            if kind < 7:
                on_map = reduces == 0 or (maps > 0 and below(state, maps + 2 * reduces) < maps)
                slots = map_slot if on_map else reduce_slot
                count = len(map_node) if on_map else len(reduce_node)
                a, b = below(state, len(slots)), below(state, len(slots))
                before_a, before_b = slots[a], slots[b]
                if kind < 4:
                    b, before_b = a, before_a
                    slots[a] = below(state, count)
                else:
                    slots[a], slots[b] = before_b, before_a
                if slots[a] == before_a:
                    continue
                move = 1
                if on_map:
                    for t in (a, b):
                        _read_anew(map_job[t], map_slot, map_offsets, slot_reads, reads)
            elif kind < 10:
                a, b = below(state, jobs), below(state, jobs)
                if a == b:
                    continue
                shift(order, a, b)
                move = 2
            makespan, cost = _cost(
                order,
                map_slot,
                reduce_slot,
                reduce_node,
                map_offsets,
                reduce_offsets,
                map_work,
                reduce_time,
                reads,
                map_free,
                reduce_free,
                map_path,
                reduce_tail,
                target,
            )
            if makespan < best:
                best = makespan
                copy(order, best_order)
                copy(map_slot, best_map)
                copy(reduce_slot, best_reduce)
                if best <= target:
                    return
            if move == 0:
                temperature = FIRST_TEMPERATURE * makespan
            temperature *= cooling
            chance = 1.0 - uniform(state)
            if cost <= current or np.log(chance) * temperature < current - cost:
                current = cost
            elif move == 1:
                slots[a], slots[b] = before_a, before_b
                if on_map:
                    for t in (a, b):
                        _read_anew(map_job[t], map_slot, map_offsets, slot_reads, reads)
            else:
                shift(order, b, a)
