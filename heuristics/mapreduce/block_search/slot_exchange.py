"""Local search within one phase: move single tasks between slots or exchange two, compiled.

All slots run their tasks job by job in one common order, and job g has a delivery time q. The value
of a slot is its largest (completion of g on the slot + q of g); the makespan is the greatest value
of all slots. The map phase has this form, with q as the time that must follow a job's map tasks. So
has the reduce phase read backwards, with q as the map completion that must precede.

A change is made if it lowers the sum of the squares by which the values of two slots exceed a
reference. With a reference well below the mean this saves work: tasks go where they take least.
With a reference near the mean it balances the slots, also those that no step from the worst slot
alone would reach.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inner, kernel
from ..search_kernels import below
from .scaled_instance import BitArray, distance_at, may_use
from .sparse_values import Slots, change, new_slots, put, rebuild, value_with

UNBOUNDED = 1 << 60
"""Greater than every value."""

NO_PARTNER = -2
"""In place of a task: nothing may be exchanged."""

MOST_PARTNERS = 64
"""Tasks of the other slot that are tried for an exchange."""

GAIN_DIVISOR = 2000
"""The search ends when it gains less than a task's mean time divided by this."""


class ExchangePhase(NamedTuple):
    """The tasks of a phase; groups (jobs) are numbered in the order in which slots run them.

    Task t takes `time[t] + extra[row[t], place[k]]` on slot k or, where there is a table of
    distances, `time[t] + extra[row[t], d]` with the distance d of the place from `replica_set[t]`.
    """

    group: IntArray
    time: IntArray
    row: IntArray
    extra: IntArray
    replica_set: IntArray
    distance: BitArray
    place: IntArray
    slot_node: IntArray
    allowed: BitArray
    """Which slots each task may use, without a row if all; see `may_use`."""
    delivery: IntArray
    """Delivery time q of each group."""
    least: IntArray
    """The least that each task takes beyond `time`."""
    weight: IntArray
    pull: FloatArray
    """Task t on node v saves the other phase `weight[t] * pull[group[t], v]` time units, in the
    measure of this phase; no rows if that is not to count."""


class SlotTasks(NamedTuple):
    """The tasks on each slot."""

    task: IntArray
    """Slot k has the tasks `task[k, :size[k]]` in any order; the rest of the row is spare."""
    size: IntArray
    place: IntArray
    """Column of each task in its slot's row; shape (tasks,)."""
    extra: IntArray
    """What each task takes on its slot beyond `time`; shape (tasks,)."""


def exchange_tasks(
    stop: IntArray, random: IntArray, phase: ExchangePhase, slot: IntArray, tries: int, kept: int
) -> float:
    """Improve `slot`, the slot of each task, by moves and exchanges.

    The first pass saves work, the second balances the slots.

    `stop`: the search ends when `stop[0]` is set, shape (1,).
    `slot`: the slot of each task, shape (tasks,); changed in place.
    `tries`: a pass ends after this many tries that gained too little.
    `kept`: groups from this number on keep their number of tasks on each node.
    Returns the mean value of the slots at the end, 0 if nothing can be exchanged.
    """
    number = len(phase.slot_node)
    if number < 2 or not slot.size:
        return 0.0
    on_slots = slot_tasks(slot, number)
    slots = new_slots(number, len(phase.delivery), on_slots.task.shape[1])
    value = np.zeros(number, dtype=np.int64)
    run_exchanges(stop, random, phase, slot, slots, on_slots, value, tries, kept)
    return float(np.maximum(value, 0).mean())


def slot_tasks(slot: IntArray, slots: int) -> SlotTasks:
    """The tasks on each slot, with nothing in `extra` yet. `slot`: of each task."""
    size = np.bincount(slot, minlength=slots)
    in_turn = np.argsort(slot, kind="stable")
    place = np.empty(len(slot), dtype=np.int64)
    place[in_turn] = np.arange(len(slot)) - np.repeat(np.cumsum(size) - size, size)
    task = np.zeros((slots, 2 * size.max() + 8), dtype=np.int64)
    task[slot, place] = np.arange(len(slot))
    return SlotTasks(task, size, place, np.zeros(len(slot), dtype=np.int64))


@kernel
def run_exchanges(
    stop: IntArray,
    random: IntArray,
    phase: ExchangePhase,
    slot: IntArray,
    slots: Slots,
    on_slots: SlotTasks,
    value: IntArray,
    tries: int,
    kept: int,
) -> None:
    """Run both passes. `slots`, `value` and `on_slots.extra` are 0 in the beginning."""
    unit = 0
    if stop[0]:
        return
    for t in range(len(slot)):
        on_slots.extra[t] = _extra(phase, t, slot[t])
        put(slots, slot[t], phase.group[t], 1, phase.time[t] + on_slots.extra[t])
    for k in range(len(value)):
        rebuild(slots, phase.delivery, k)
        value[k] = slots.onward[k, 0]
    for t in range(len(slot)):
        unit += phase.time[t]
    unit //= len(slot)
    for saving in (True, False):
        _descend(stop, random, phase, slot, slots, on_slots, value, tries, kept, saving, unit)


@inner
def _worst(value: IntArray) -> int:
    k = 0
    for other in range(len(value)):
        if value[other] > value[k]:
            k = other
    return k


@inner
def _extra(phase: ExchangePhase, t: int, k: int) -> int:
    column = phase.place[k]
    if len(phase.distance):
        column = distance_at(phase.distance, phase.replica_set[t], column)
    return int(phase.extra[phase.row[t], column])


@inner
def _saved(phase: ExchangePhase, t: int, a: int, b: int) -> float:
    """What the other phase saves if task t moves from slot a to slot b."""
    if not len(phase.pull):
        return 0.0
    pull = phase.pull[phase.group[t]]
    return float(phase.weight[t] * (pull[phase.slot_node[b]] - pull[phase.slot_node[a]]))


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
    on_slots: SlotTasks,
    value: IntArray,
    tries: int,
    kept: int,
    saving: bool,
    unit: int,
) -> None:
    """Make moves and exchanges while they pay. `unit` is the mean time of a task."""
    number, worst, total = len(value), _worst(value), 0
    for k in range(number):
        total += max(value[k], 0)
    before, step = UNBOUNDED, 0
    while not stop[0]:
        mean = total // number
        if step % tries == 0:
            now = mean if saving else value[worst]
            if before - now <= unit // GAIN_DIVISOR:
                return
            before = now
        step += 1
        # A low reference makes work itself count, a high one only the worst slots.
        apart = value[worst] - mean
        reference = mean - unit if saving else mean - apart if apart < unit else mean + apart // 2
        most = max(value[worst], mean + unit) if saving else value[worst]
        x = _task(random, phase, slot, on_slots, value, saving, worst, mean)
        if x < 0:
            continue
        a = slot[x]
        b = _target(random, phase, x, a, number, saving)
        # By so much a second less lowers the square of a mean slot, if the reference is low.
        price = 2.0 * unit
        y = _partner(random, phase, on_slots, value, x, a, b, kept, reference, price)
        if a == b or y == NO_PARTNER:
            continue
        g, h, less_b, more_a = phase.group[x], -1, 0, 0
        less_a, more_b = phase.time[x] + on_slots.extra[x], phase.time[x] + _extra(phase, x, b)
        if y >= 0:
            h = phase.group[y]
            less_b = phase.time[y] + on_slots.extra[y]
            more_a = phase.time[y] + _extra(phase, y, a)
        new_a = value_with(slots, phase.delivery, a, g, less_a, h, more_a)
        new_b = value_with(slots, phase.delivery, b, h, less_b, g, more_b)
        old, new = _excess(value[a], value[b], reference), _excess(new_a, new_b, reference)
        old += price * _saved(phase, x, a, b)
        if y >= 0:
            old += price * _saved(phase, y, b, a)
        # Tiny gains could be rounding, and go on for ever.
        if new > old * (1.0 - 1e-6) or max(new_a, new_b) > most:
            continue
        change(slots, phase.delivery, a, g, less_a, h, more_a)
        change(slots, phase.delivery, b, h, less_b, g, more_b)
        total += max(new_a, 0) + max(new_b, 0) - max(value[a], 0) - max(value[b], 0)
        value[a], value[b] = new_a, new_b
        worst = _worst(value)
        on_slots.extra[x] = more_b - phase.time[x]
        if y >= 0:
            on_slots.extra[y] = more_a - phase.time[y]
        exchange(slot, on_slots, x, y, a, b)


@inner
def _task(
    random: IntArray,
    phase: ExchangePhase,
    slot: IntArray,
    on_slots: SlotTasks,
    value: IntArray,
    saving: bool,
    worst: int,
    mean: int,
) -> int:
    """Choose a task to move: one that is not where it takes least, or one of a slot of great value.

    -1 if there is none.
    """
    if saving:
        t = below(random, len(slot))
        if len(phase.pull) and below(random, 2):
            return int(t)
        for _ in range(16):
            if on_slots.extra[t] > phase.least[t]:
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
    if on_slots.size[a] == 0:
        return -1
    return int(on_slots.task[a, below(random, on_slots.size[a])])


@inner
def _target(
    random: IntArray, phase: ExchangePhase, x: int, a: int, number: int, saving: bool
) -> int:
    """Choose a slot for task x of slot a, if possible one where it takes less, or as much.

    It is one that the task may use.
    """
    b = _usable(phase, x, below(random, number), number)
    now = float(_extra(phase, x, a))
    for _ in range(8):
        then = _extra(phase, x, b) - _saved(phase, x, a, b)
        if then < now or (then == now and not saving):
            break
        b = _usable(phase, x, below(random, number), number)
    return int(b)


@inner
def _usable(phase: ExchangePhase, t: int, k: int, number: int) -> int:
    """The first slot from k on, in a circle of all, that task t may use; it must have one."""
    while not may_use(phase.allowed, t, k):
        k = k + 1 if k + 1 < number else 0
    return k


@inner
def _partner(
    random: IntArray,
    phase: ExchangePhase,
    on_slots: SlotTasks,
    value: IntArray,
    x: int,
    a: int,
    b: int,
    kept: int,
    reference: int,
    price: float,
) -> int:
    """Choose what moves from slot b to slot a in exchange for task x.

    A task, -1 for a plain move, or `NO_PARTNER`. It is the best of `MOST_PARTNERS` tasks, judged as
    if all of them were at the end of their slots.
    """
    g, size = phase.group[x], on_slots.size[b]
    fixed = phase.slot_node[a] != phase.slot_node[b] and kept < len(phase.delivery)
    left_a = value[a] - phase.time[x] - on_slots.extra[x]
    with_b = value[b] + phase.time[x] + _extra(phase, x, b)
    y, best = NO_PARTNER, np.inf
    if size < on_slots.task.shape[1] and not (fixed and g >= kept):
        y, best = -1, _excess(left_a, with_b, reference)
    j = below(random, size) if size else 0
    for _ in range(min(size, MOST_PARTNERS)):
        j = j + 1 if j + 1 < size else 0
        z = on_slots.task[b, j]
        if fixed and g != phase.group[z] and max(g, phase.group[z]) >= kept:
            continue
        left_b = with_b - phase.time[z] - on_slots.extra[z]
        saved = price * _saved(phase, z, b, a)
        # Most tasks are ruled out by what they take at least: the tables are far from the cache.
        least = _excess(left_a + phase.time[z] + phase.least[z], left_b, reference) - saved
        if least >= best or not may_use(phase.allowed, z, a):
            continue
        with_a = left_a + phase.time[z] + _extra(phase, z, a)
        this = _excess(with_a, left_b, reference) - saved
        if this < best:
            y, best = z, this
    return int(y)


@inner
def exchange(slot: IntArray, on_slots: SlotTasks, x: int, y: int, a: int, b: int) -> None:
    """Move task x from slot a to b, and task y, unless it is -1, from b to a."""
    task, size, place = on_slots.task, on_slots.size, on_slots.place
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
