"""The schedule. Only slot and order of each task are believed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from .documents import Number, fields, need, refuse, refusing, whole
from .problem import FAR, LOCAL, NEAR, Shop


def shortest(shop: Shop, schedule: Any) -> int:
    """The makespan if every task starts as early as the order on its slot allows.

    The tasks that a slot runs follow each other without a wait, but a reduce task waits for the map
    tasks of its job. So nothing overlaps, whatever the starts that the schedule claims, and nothing
    ends later than in a valid schedule with the same order.
    """
    with refusing():
        order = in_order(shop, schedule)
    free, output = Counter[Any](), Counter[Any]()
    done = [0] * len(shop.jobs)
    for task, slot in order["map"]:
        job, node = shop.maps.job[task], shop.maps.node[slot]
        free["map", slot] += shop.map_time(task, slot)
        done[job] = max(done[job], free["map", slot])
        for place in (node, shop.rack[node]):
            output[job, place] += shop.output[task]
    ends = list(done)
    for task, slot in order["reduce"]:
        job, node = shop.reduces.job[task], shop.reduces.node[slot]
        near, rack = output[job, node], output[job, shop.rack[node]]
        sizes = {LOCAL: near, NEAR: rack - near, FAR: shop.output_of[job] - rack}
        read = sum(size * shop.cost[far] for far, size in sizes.items())
        start = max(free["reduce", slot], done[job])
        free["reduce", slot] = start + read + shop.reduces.time(task, slot)
        ends[job] = max(ends[job], free["reduce", slot])
    return max(ends, default=0)


def in_order(shop: Shop, schedule: Any) -> dict[str, list[tuple[int, int]]]:
    """By phase: each task once, with its slot, by the start that the schedule claims."""
    fields(schedule, "format instance tasks makespan?")
    claims: dict[str, dict[int, tuple[Number, Number, int]]] = {"map": {}, "reduce": {}}
    for entry in need(schedule["tasks"], list):
        fields(entry, "job phase task node slot start setup? end?")
        kind, phase = entry["phase"], shop.phases[entry["phase"]]
        tasks = phase.tasks[shop.jobs[entry["job"]]]
        task = tasks[whole(entry["task"], len(tasks))]
        slot = phase.place[entry["node"], whole(entry["slot"])]
        what = f"{kind} task {entry['task']} of {entry['job']!a}"
        if kind == "map" and not shop.may_run(task, slot):
            refuse(f"{what} may not run where it is")
        if task in claims[kind]:
            refuse(f"{what} comes twice")
        start = need(entry["start"], Fraction)
        claims[kind][task] = start, need(entry.get("end", start), Fraction), slot
    for kind, phase in shop.phases.items():
        if len(claims[kind]) < len(phase.job):
            refuse(f"{kind} tasks are missing")
    return {
        kind: [(task, of_task[task][2]) for task in sorted(of_task, key=of_task.__getitem__)]
        for kind, of_task in claims.items()
    }
