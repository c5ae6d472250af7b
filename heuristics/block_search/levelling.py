"""Local search over the slots of single tasks in one phase, compiled.

Slots run their tasks job by job in one common order, and job g has a delivery time q: the value of
a slot is its largest (completion of g there + q of g), and the greatest value of all slots counts.
The map phase is of this form with q as what must follow a job's map tasks. So is the reduce phase
read backwards, where q is the map completion that must precede.

Tasks move to other slots, or change places, while the sum of the squares by which values exceed a
reference falls: that also fills hollows which no step from the worst slot alone would reach.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ...instances.mapreduce import IntArray
from .random_numbers import below

NOTHING = -(1 << 60)
"""The value of an empty slot."""


class Phase(NamedTuple):
    """The tasks of a phase, groups of tasks (jobs) numbered in the order in which slots run them.

    Task t takes `time[t] + extra[row[t], node of its slot]`.
    """

    group: IntArray
    time: IntArray
    row: IntArray
    extra: IntArray
    slot_node: IntArray
    delivery: IntArray
    """q of each group."""


class Slots(NamedTuple):
    """What each slot does; shapes (slots, groups + 1) and, for `number`, (slots, groups)."""

    number: IntArray
    until: IntArray
    """Completion of the groups before g."""
    before: IntArray
    """The greatest (completion + q) of the groups before g."""
    onward: IntArray
    """The same from group g on."""


@njit(cache=True, nogil=True)
def _rebuild(phase: Phase, slots: Slots, k: int, work: IntArray) -> None:
    """Row k from the work of each group on slot k."""
    groups = len(phase.delivery)
    slots.until[k, 0] = 0
    slots.before[k, 0] = NOTHING
    for g in range(groups):
        slots.until[k, g + 1] = slots.until[k, g] + work[g]
        value = NOTHING
        if slots.number[k, g]:
            value = slots.until[k, g + 1] + phase.delivery[g]
        slots.before[k, g + 1] = max(slots.before[k, g], value)
    slots.onward[k, groups] = NOTHING
    for g in range(groups - 1, -1, -1):
        value = NOTHING
        if slots.number[k, g]:
            value = slots.until[k, g + 1] + phase.delivery[g]
        slots.onward[k, g] = max(slots.onward[k, g + 1], value)


@njit(cache=True, nogil=True)
def _value(phase: Phase, slots: Slots, k: int, g: int, less: int, h: int, more: int) -> int:
    """Value of slot k with a task of `less` ticks of group g gone and one of `more` of h come.

    g or h may be -1: no such task.
    """
    if g == h:
        value = max(slots.before[k, g], slots.onward[k, g + 1] + more - less)
        return int(max(value, slots.until[k, g + 1] + more - less + phase.delivery[g]))
    first, second = min(g, h), max(g, h)
    if first < 0:
        first = second
        delta = more if h >= 0 else -less
        value = max(slots.before[k, first], slots.onward[k, first + 1] + delta)
        if h >= 0 or slots.number[k, first] > 1:
            value = max(value, slots.until[k, first + 1] + delta + phase.delivery[first])
        return int(value)
    delta = more if first == h else -less
    value = slots.before[k, first]
    if first == h or slots.number[k, first] > 1:
        value = max(value, slots.until[k, first + 1] + delta + phase.delivery[first])
    for j in range(first + 1, second):
        if slots.number[k, j]:
            value = max(value, slots.until[k, j + 1] + delta + phase.delivery[j])
    delta = more - less
    if second == h or slots.number[k, second] > 1:
        value = max(value, slots.until[k, second + 1] + delta + phase.delivery[second])
    return int(max(value, slots.onward[k, second + 1] + delta))


@njit(cache=True, nogil=True)
def _change(
    phase: Phase, slots: Slots, k: int, g: int, less: int, h: int, more: int, work: IntArray
) -> None:
    for j in range(len(work)):
        work[j] = slots.until[k, j + 1] - slots.until[k, j]
    if g >= 0:
        work[g] -= less
        slots.number[k, g] -= 1
    if h >= 0:
        work[h] += more
        slots.number[k, h] += 1
    _rebuild(phase, slots, k, work)


@njit(cache=True, nogil=True)
def level_kernel(
    stop: IntArray, random: IntArray, phase: Phase, slot: IntArray, tries: int, keep: bool
) -> int:
    """Change `slot`, the slot of each task; return the greatest value of a slot.

    Ends after so many tries in a row without success, `keep`: a group's number of tasks on
    each node stays.
    """
    tasks, number, groups = len(slot), len(phase.slot_node), len(phase.delivery)
    slots = Slots(
        np.zeros((number, groups), np.int64),
        np.zeros((number, groups + 1), np.int64),
        np.zeros((number, groups + 1), np.int64),
        np.zeros((number, groups + 1), np.int64),
    )
    work = np.zeros((number, groups), np.int64)
    size = np.zeros(number, np.int64)
    for t in range(tasks):
        k, g = slot[t], phase.group[t]
        work[k, g] += phase.time[t] + phase.extra[phase.row[t], phase.slot_node[k]]
        slots.number[k, g] += 1
        size[k] += 1
    room = 2 * size.max() + 8
    member = np.zeros((number, room), np.int64)
    size[:] = 0
    for t in range(tasks):
        member[slot[t], size[slot[t]]] = t
        size[slot[t]] += 1
    value = np.zeros(number, np.int64)
    total, worst = 0.0, 0
    for k in range(number):
        _rebuild(phase, slots, k, work[k])
        value[k] = slots.onward[k, 0]
        total += max(value[k], 0)
        if value[k] > value[worst]:
            worst = k
    row = work[0]
    if number < 2:
        return int(value[worst])
    mean = int(total / number)
    reference = value[worst] - (value[worst] - mean) // 2
    failures = 0
    while failures < tries and not stop[0]:
        failures += 1
        a = worst
        if below(random, 4):
            a = below(random, number)
            for _ in range(8):
                if value[a] > reference:
                    break
                a = below(random, number)
        b = below(random, number)
        if a == b or size[a] == 0 or value[a] <= reference:
            continue
        at = below(random, size[a])
        x = member[a, at]
        g = phase.group[x]
        less_a = phase.time[x] + phase.extra[phase.row[x], phase.slot_node[a]]
        more_b = phase.time[x] + phase.extra[phase.row[x], phase.slot_node[b]]
        y, h, with_b, less_b, more_a = -1, -1, -1, 0, 0
        if size[b] and (size[b] == room or below(random, 4)):
            with_b = below(random, size[b])
            y = member[b, with_b]
            h = phase.group[y]
            less_b = phase.time[y] + phase.extra[phase.row[y], phase.slot_node[b]]
            more_a = phase.time[y] + phase.extra[phase.row[y], phase.slot_node[a]]
            if more_a >= less_a and h >= g:
                continue
        if keep and h != g and phase.slot_node[a] != phase.slot_node[b]:
            continue
        new_a = _value(phase, slots, a, g, less_a, h, more_a)
        if new_a >= value[a] and value[a] >= value[b]:
            continue
        new_b = _value(phase, slots, b, h, less_b, g, more_b)
        old = float(value[a] - reference) ** 2 + float(max(value[b] - reference, 0)) ** 2
        new = float(max(new_a - reference, 0)) ** 2 + float(max(new_b - reference, 0)) ** 2
        # Tiny gains could be rounding, and go on for ever.
        if new > old * (1.0 - 1e-6) or max(new_a, new_b) > value[worst]:
            continue
        failures = 0
        _change(phase, slots, a, g, less_a, h, more_a, row)
        _change(phase, slots, b, h, less_b, g, more_b, row)
        value[a], value[b] = new_a, new_b
        slot[x] = b
        if y >= 0:
            slot[y] = a
            member[a, at], member[b, with_b] = y, x
        else:
            size[a] -= 1
            member[a, at] = member[a, size[a]]
            member[b, size[b]] = x
            size[b] += 1
        worst = int(np.argmax(value))
        reference = value[worst] - (value[worst] - mean) // 2
    return int(value[worst])
