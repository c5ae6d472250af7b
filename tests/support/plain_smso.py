"""Reference for SMSO's matchmaking: the steps in the words of its documentation, slot by slot."""

from __future__ import annotations

import numpy as np
from plain_secure import empty, run, with_reduces

from slotwise.heuristics.mapreduce.list_scheduling.orders import johnson_rule
from slotwise.heuristics.mapreduce.smso.reading import Reading
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.setups import map_setup_matrix


def plain_matched(instance: Instance, tasks, queued, reading: Reading) -> list[int]:
    slots = range(len(queued))
    lost = instance.outages.map if instance.outages else [False] * len(queued)
    work = [
        float(instance.map_processing[t]) if reading.load == "seconds" else 1.0
        for t in range(instance.map_tasks)
    ]
    mean = sum(work[t] for t in tasks) / max(sum(not gone for gone in lost), 1)
    load, placed, found = list(queued), [0.0] * len(queued), []
    for t in tasks:
        allowed = [k for k in slots if not lost[k] and may_run(instance, t, k)]
        if reading.data == "ignored":
            k = min(allowed, key=lambda k: load[k])
        else:
            below = [k for k in allowed if placed[k] < reading.theta * mean]
            for candidates in (
                [k for k in below if at_home(instance, t, k)],
                [k for k in below if plain(instance, t, k)],
                allowed,
            ):
                if candidates:
                    break
            k = min(candidates, key=lambda k: (load[k], encrypting(instance, t, k)))
        found.append(k)
        placed[k] += work[t]
        load[k] += work[t]
    return found


def may_run(instance: Instance, task: int, slot: int) -> bool:
    return instance.security is None or bool(instance.security.priorities[task, slot])


def holders(instance: Instance, task: int) -> list[int]:
    first, last = instance.replica_offsets[task : task + 2]
    return instance.replicas[first:last].tolist()


def at_home(instance: Instance, task: int, slot: int) -> bool:
    return instance.cluster.map_slot_node[slot] in holders(instance, task)


def plain(instance: Instance, task: int, slot: int) -> bool:
    if instance.security is None:
        return bool(holders(instance, task))
    return any(instance.security.levels[node, slot] >= 0 for node in holders(instance, task))


def encrypting(instance: Instance, task: int, slot: int) -> int:
    """0 at home, 1 where the data goes as it is, 2 where it is encrypted."""
    return 0 if at_home(instance, task, slot) else 2 - plain(instance, task, slot)


def plain_ordered(instance: Instance, map_slot, by_johnson: bool, planned=None):
    """Each task as soon as its slot is free: by LPT, or jobs in Johnson's order and LPT."""
    rank = dict.fromkeys(range(instance.jobs), 0)
    if by_johnson:
        rank = {int(job): place for place, job in enumerate(johnson_rule(instance))}
    order = sorted(
        range(instance.map_tasks),
        key=lambda t: (rank[int(instance.map_job[t])], -instance.map_processing[t], t),
    )
    setups, free, maps = map_setup_matrix(instance), {}, empty(instance.map_tasks)
    for t in order:
        k = int(map_slot[t])
        run(maps, t, k, free.get(k, 0.0), setups[t, k], instance.map_processing[t])
        free[k] = maps.end[t]
    if planned is not None and instance.outages is not None:
        planned = np.where(instance.outages.reduce[planned], -1, planned)
    return with_reduces(instance, maps, available=True, planned=planned)


def plain_as_printed(instance: Instance) -> list[int]:
    """Algorithm 1 line by line, its jumps to the next task taken where the listing has them."""
    slots = range(len(instance.cluster.map_slot_node))
    node = instance.cluster.map_slot_node
    room = instance.map_tasks / max(len(slots), 1) * 1.2
    queue = [0] * len(slots)

    def chosen(t: int) -> int:
        for u in slots:
            if may_run(instance, t, u):
                if queue[u] < room:
                    return u
            else:
                for v in slots:
                    plain_move = instance.security.levels[node[u], v] == 1
                    if plain_move and may_run(instance, t, v) and queue[v] < room:
                        return v
                return min(slots, key=lambda w: queue[w])
        raise AssertionError("some slot is below 1.2 times the average")

    found = []
    for t in range(instance.map_tasks):
        found.append(chosen(t))
        queue[found[-1]] += 1
    return found
