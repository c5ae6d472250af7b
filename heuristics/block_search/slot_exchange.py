"""Local search over the slots of single tasks in one phase, compiled.

Slots run their tasks job by job in one common order, and job g has a delivery time q: the value of
a slot is its largest (completion of g there + q of g), and the greatest value of all slots counts.
The map phase is of this form with q as what must follow a job's map tasks. So is the reduce phase
read backwards, where q is the map completion that must precede.

Tasks move to other slots, or change places, while the sum of the squares by which values exceed a
reference falls. With a reference well below the mean that saves work: tasks go where they take
least. With one that nears the mean as values become even it levels, and fills hollows that no step
from the worst slot alone would reach.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...instances.arrays import IntArray
from ...instances.kernels.decorators import inner, kernel
from ..random_numbers import below
from .scaled_instance import WayArray

NOTHING = -(1 << 60)
"""The value of an empty slot."""

ENDLESS = 1 << 60

NO_ONE = -2

SEEN = 64
"""How many tasks of the other slot are looked at for an exchange."""

WORTH = 2000
"""Less than a task's average time over this is no gain to go on for."""


class ExchangePhase(NamedTuple):
    """The tasks of a phase, groups of tasks (jobs) numbered in the order in which slots run them.

    Task t takes `time[t] + extra[row[t], v]` on node v; or `time[t] + extra[row[t], w]`, where w is
    `way[holders[t], v]`, if there are ways.
    """

    group: IntArray
    time: IntArray
    row: IntArray
    extra: IntArray
    holders: IntArray
    way: WayArray
    slot_node: IntArray
    delivery: IntArray
    """q of each group."""
    least: IntArray
    """The least of each row of `extra`."""


class Slots(NamedTuple):
    """What each slot does; shapes (slots, groups + 1) and, for `number`, (slots, groups)."""

    number: IntArray
    until: IntArray
    """Completion of the groups before g."""
    before: IntArray
    """The greatest (completion + q) of the groups before g."""
    onward: IntArray
    """The same from group g on."""


class Members(NamedTuple):
    """Which tasks are on each slot."""

    task: IntArray
    """`task[k, :size[k]]` are slot k's, in any order; a row of them has room for more."""
    size: IntArray
    place: IntArray
    """Where in its row each task is; shape (tasks,)."""


@inner
def _rebuild(phase: ExchangePhase, slots: Slots, k: int, work: IntArray) -> None:
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


@inner
def _value(phase: ExchangePhase, slots: Slots, k: int, g: int, less: int, h: int, more: int) -> int:
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


@inner
def _change(
    phase: ExchangePhase, slots: Slots, k: int, g: int, less: int, h: int, more: int, work: IntArray
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


def level(
    stop: IntArray, random: IntArray, phase: ExchangePhase, slot: IntArray, tries: int, kept: int
) -> None:
    """Change `slot`, the slot of each task.

    First work is saved, then values are levelled. Each ends after `tries` tries that gained too
    little. Groups from `kept` on keep their number of tasks on each node.
    """
    number, groups = len(phase.slot_node), len(phase.delivery)
    if number < 2 or not slot.size:
        return
    slots = Slots(*(np.zeros((number, groups + more), dtype=np.int64) for more in (0, 1, 1, 1)))
    work = np.zeros((number, groups), dtype=np.int64)
    np.add.at(slots.number, (slot, phase.group), 1)
    column = phase.slot_node[slot]
    if phase.way.size:
        column = phase.way[phase.holders, column].astype(np.int64)
    durations = phase.time + phase.extra[phase.row, column]
    np.add.at(work, (slot, phase.group), durations)
    size = np.bincount(slot, minlength=number)
    in_turn = np.argsort(slot, kind="stable")
    place = np.empty(len(slot), dtype=np.int64)
    place[in_turn] = np.arange(len(slot)) - np.repeat(np.cumsum(size) - size, size)
    task = np.zeros((number, 2 * size.max() + 8), dtype=np.int64)
    task[slot, place] = np.arange(len(slot))
    value = np.zeros(number, dtype=np.int64)
    _level(stop, random, phase, slot, slots, Members(task, size, place), value, work, tries, kept)


@kernel
def _level(
    stop: IntArray,
    random: IntArray,
    phase: ExchangePhase,
    slot: IntArray,
    slots: Slots,
    members: Members,
    value: IntArray,
    work: IntArray,
    tries: int,
    kept: int,
) -> None:
    """`work` of each group on each slot, and scratch afterwards; `value` of each slot is set."""
    unit = 0
    if stop[0]:
        return
    for k in range(len(value)):
        _rebuild(phase, slots, k, work[k])
        value[k] = slots.onward[k, 0]
    for t in range(len(slot)):
        unit += phase.time[t]
    unit //= len(slot)
    for saving in (True, False):
        _descend(
            stop, random, phase, slot, slots, members, value, tries, kept, saving, unit, work[0]
        )


@inner
def _worst(value: IntArray) -> int:
    k = 0
    for other in range(len(value)):
        if value[other] > value[k]:
            k = other
    return k


@inner
def _extra(phase: ExchangePhase, t: int, k: int) -> int:
    column = phase.slot_node[k]
    if len(phase.way):
        column = phase.way[phase.holders[t], column]
    return int(phase.extra[phase.row[t], column])


@inner
def _excess(first: int, second: int, reference: int) -> float:
    return float(max(first - reference, 0)) ** 2 + float(max(second - reference, 0)) ** 2


@inner
def _descend(
    stop: IntArray,
    random: IntArray,
    phase: ExchangePhase,
    slot: IntArray,
    slots: Slots,
    members: Members,
    value: IntArray,
    tries: int,
    kept: int,
    saving: bool,
    unit: int,
    row: IntArray,
) -> None:
    """Moves and exchanges while they pay; `unit`: what a task takes on average."""
    number, worst, total = len(value), _worst(value), 0
    for k in range(number):
        total += max(value[k], 0)
    before, step = ENDLESS, 0
    while not stop[0]:
        mean = total // number
        if step % tries == 0:
            now = mean if saving else value[worst]
            if before - now <= unit // WORTH:
                return
            before = now
        step += 1
        # A low reference makes work itself count, a high one only the worst slots.
        apart = value[worst] - mean
        reference = mean - unit if saving else mean - apart if apart < unit else mean + apart // 2
        most = max(value[worst], mean + unit) if saving else value[worst]
        x = _task(random, phase, slot, members, value, saving, worst, mean)
        if x < 0:
            continue
        a = slot[x]
        b = _target(random, phase, x, a, number, saving)
        y = _partner(random, phase, members, value, x, a, b, kept, reference)
        if a == b or y == NO_ONE:
            continue
        g, h, less_b, more_a = phase.group[x], -1, 0, 0
        less_a, more_b = phase.time[x] + _extra(phase, x, a), phase.time[x] + _extra(phase, x, b)
        if y >= 0:
            h = phase.group[y]
            less_b = phase.time[y] + _extra(phase, y, b)
            more_a = phase.time[y] + _extra(phase, y, a)
        new_a = _value(phase, slots, a, g, less_a, h, more_a)
        new_b = _value(phase, slots, b, h, less_b, g, more_b)
        old, new = _excess(value[a], value[b], reference), _excess(new_a, new_b, reference)
        # Tiny gains could be rounding, and go on for ever.
        if new > old * (1.0 - 1e-6) or max(new_a, new_b) > most:
            continue
        _change(phase, slots, a, g, less_a, h, more_a, row)
        _change(phase, slots, b, h, less_b, g, more_b, row)
        total += max(new_a, 0) + max(new_b, 0) - max(value[a], 0) - max(value[b], 0)
        value[a], value[b] = new_a, new_b
        worst = _worst(value)
        _exchange(slot, members, x, y, a, b)


@inner
def _task(
    random: IntArray,
    phase: ExchangePhase,
    slot: IntArray,
    members: Members,
    value: IntArray,
    saving: bool,
    worst: int,
    mean: int,
) -> int:
    """A task that takes more than it need, or one of a slot with a great value; -1 for none."""
    if saving:
        t = below(random, len(slot))
        for _ in range(16):
            if _extra(phase, t, slot[t]) > phase.least[phase.row[t]]:
                break
            t = below(random, len(slot))
        return int(t)
    a = worst
    if below(random, 4):
        a = below(random, len(value))
        for _ in range(8):
            if value[a] > mean:
                break
            a = below(random, len(value))
    if members.size[a] == 0:
        return -1
    return int(members.task[a, below(random, members.size[a])])


@inner
def _target(
    random: IntArray, phase: ExchangePhase, x: int, a: int, number: int, saving: bool
) -> int:
    """A slot for task x of slot a, if possible one where it takes less, or as much."""
    b = below(random, number)
    now = _extra(phase, x, a)
    for _ in range(8):
        then = _extra(phase, x, b)
        if then < now or (then == now and not saving):
            break
        b = below(random, number)
    return int(b)


@inner
def _partner(
    random: IntArray,
    phase: ExchangePhase,
    members: Members,
    value: IntArray,
    x: int,
    a: int,
    b: int,
    kept: int,
    reference: int,
) -> int:
    """What comes to slot a from slot b if task x goes there: a task, -1 for nothing, or `NO_ONE`.

    Of `SEEN` tasks the best one, as if all of them were at the end of their slots.
    """
    g, size = phase.group[x], members.size[b]
    away = phase.slot_node[a] != phase.slot_node[b]
    left_a = value[a] - phase.time[x] - _extra(phase, x, a)
    with_b = value[b] + phase.time[x] + _extra(phase, x, b)
    y, best = NO_ONE, np.inf
    if size < members.task.shape[1] and not (away and g >= kept):
        y, best = -1, _excess(left_a, with_b, reference)
    j = below(random, size) if size else 0
    for _ in range(min(size, SEEN)):
        j = j + 1 if j + 1 < size else 0
        z = members.task[b, j]
        h = phase.group[z]
        if away and g != h and max(g, h) >= kept:
            continue
        more, less = phase.time[z] + _extra(phase, z, a), phase.time[z] + _extra(phase, z, b)
        this = _excess(left_a + more, with_b - less, reference)
        if this < best:
            y, best = z, this
    return int(y)


@inner
def _exchange(slot: IntArray, members: Members, x: int, y: int, a: int, b: int) -> None:
    """Task x goes from slot a to b, task y, unless it is -1, from b to a."""
    task, size, place = members
    at = place[x]
    slot[x] = b
    if y >= 0:
        slot[y] = a
        task[a, at], task[b, place[y]] = y, x
        place[x], place[y] = place[y], at
        return
    size[a] -= 1
    task[a, at] = task[a, size[a]]
    place[task[a, at]] = at
    task[b, size[b]] = x
    place[x] = size[b]
    size[b] += 1
