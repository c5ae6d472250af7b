"""The value of every slot of one phase, and what moves would make of it, compiled.

All slots run the jobs in one common order, and the job at place g of the order has a delivery time.
The value of a slot is its largest (completion of the job + delivery time). Map slots have this form
with a horizon less the job's target date as delivery time; so have reduce slots read backwards,
with the target date itself. The order is that of falling delivery times, which is best on every
slot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inner
from .task_classes import PhaseClasses

EMPTY_SLOT = -(1 << 60)
"""The value of an empty slot."""


class Cost(NamedTuple):
    """What it costs that a slot's value exceeds a limit."""

    limit: int
    """In time units, as the values are."""
    linear: float
    square: float
    """`linear`, `square`: what a unit beyond the limit costs, and its square."""
    work: float
    """What a unit of work costs on any slot."""


class Side(NamedTuple):
    """The tasks of one phase on its slots; places are those of the jobs in the order."""

    time: IntArray
    job: IntArray
    fastest: IntArray
    """As in `PhaseClasses`."""
    place: IntArray
    """Place of each job; shape (jobs,)."""
    delivery: IntArray
    """Delivery time of the job at each place; shape (jobs,)."""
    number: IntArray
    """Tasks of each class on each slot; shape (slots, classes)."""
    present: IntArray
    """Slot k has tasks of the classes `present[k, :kinds[k]]`; shape (slots, classes)."""
    column: IntArray
    """Column of each class in its slot's row of `present`; shape (slots, classes)."""
    kinds: IntArray
    held: IntArray
    """Tasks of the job at each place on each slot; shape (slots, jobs)."""
    work: IntArray
    """Their time."""
    until: IntArray
    """Completion of the jobs before a place; shape (slots, jobs + 1)."""
    path: IntArray
    """Completion + delivery time of the job at each place, `EMPTY_SLOT` without tasks of it on the
    slot; shape (slots, jobs)."""
    before: IntArray
    """The greatest completion + delivery time of the jobs before a place."""
    onward: IntArray
    """The same from a place on."""
    value: IntArray
    """The value of each slot; shape (slots,)."""
    weight: FloatArray
    """What the cost of each slot is multiplied by; shape (slots,)."""


def new_side(classes: PhaseClasses, count: IntArray, place: IntArray, delivery: IntArray) -> Side:
    """Lay out one phase.

    `count`: tasks of each class on each slot, shape (slots, classes); taken over, not copied.
    Returns the phase, whose values are yet to be computed by `refresh`.
    """
    present = np.zeros_like(count)
    column = np.zeros_like(count)
    there = count > 0
    slot, its_class = np.nonzero(there)
    column[slot, its_class] = (np.cumsum(there, axis=1) - 1)[slot, its_class]
    present[slot, column[slot, its_class]] = its_class
    slots, jobs = len(count), len(place)
    held, work, path = (np.zeros((slots, jobs), dtype=np.int64) for _ in range(3))
    until, before, onward = (np.zeros((slots, jobs + 1), dtype=np.int64) for _ in range(3))
    before[:, 0] = onward[:, jobs] = EMPTY_SLOT
    np.add.at(held.T, place[classes.job], count.T)
    np.add.at(work.T, place[classes.job], count.T * classes.time)
    of_slots = count, present, column, there.sum(axis=1)
    paths = held, work, until, path, before, onward
    values = np.zeros(slots, dtype=np.int64), np.ones(slots)
    return Side(*classes, place, delivery, *of_slots, *paths, *values)


@inner
def refresh(side: Side, k: int, low: int, high: int) -> None:
    """Compute the row of a slot anew.

    `low`, `high`: places of the changes: work before `low` and completions after `high` are as
    before.
    """
    for g in range(low, len(side.delivery)):
        until = side.until[k, g] + side.work[k, g]
        path = until + side.delivery[g] if side.held[k, g] else EMPTY_SLOT
        value = max(side.before[k, g], path)
        if g > high and value == side.before[k, g + 1]:
            break
        side.until[k, g + 1] = until
        side.path[k, g] = path
        side.before[k, g + 1] = value
    for g in range(high, -1, -1):
        value = max(side.onward[k, g + 1], side.path[k, g])
        if g < low and value == side.onward[k, g]:
            break
        side.onward[k, g] = value
    side.value[k] = side.onward[k, 0]


@inner
def _longest(side: Side, k: int, low: int, high: int) -> int:
    """The longest path through a slot and the job at one of the places from `low` to `high`."""
    longest = EMPTY_SLOT
    for g in range(low, high):
        longest = max(longest, side.path[k, g])
    return longest


@inner
def value_after(side: Side, k: int, g: int, lost: int, less: int, h: int, more: int) -> int:
    """The value of a slot without some tasks of a job and with some of another.

    `g`, `lost`, `less`: place of the job of the tasks that leave, their number and their time; -1
    and 0 if none leaves.
    `h`, `more`: place of the job of those that come, and their time, likewise.
    """
    if g == h:
        value = max(side.before[k, g], side.onward[k, g + 1] + more - less)
        return int(max(value, side.until[k, g + 1] + more - less + side.delivery[g]))
    first, second = min(g, h), max(g, h)
    if first < 0:
        first = second
        delta = more if h >= 0 else -less
        value = max(side.before[k, first], side.onward[k, first + 1] + delta)
        if h >= 0 or side.held[k, first] > lost:
            value = max(value, side.until[k, first + 1] + delta + side.delivery[first])
        return int(value)
    delta = more if first == h else -less
    value = side.before[k, first]
    if first == h or side.held[k, first] > lost:
        value = max(value, side.until[k, first + 1] + delta + side.delivery[first])
    value = max(value, _longest(side, k, first + 1, second) + delta)
    delta = more - less
    if second == h or side.held[k, second] > lost:
        value = max(value, side.until[k, second + 1] + delta + side.delivery[second])
    return int(max(value, side.onward[k, second + 1] + delta))


@inner
def replace_tasks(side: Side, k: int, c: int, lost: int, d: int, come: int) -> None:
    """Take tasks of a class off a slot and put some of another there.

    `c`, `d`: class of the tasks that leave and of those that come; -1 for none.
    `lost`, `come`: how many they are.
    """
    low = len(side.delivery) - 1
    high = low
    if c >= 0:
        g = side.place[side.job[c]]
        side.held[k, g] -= lost
        side.work[k, g] -= lost * side.time[c, k]
        side.number[k, c] -= lost
        if side.number[k, c] == 0:
            side.kinds[k] -= 1
            last = side.present[k, side.kinds[k]]
            side.present[k, side.column[k, c]] = last
            side.column[k, last] = side.column[k, c]
        low = min(low, g)
    if d >= 0:
        g = side.place[side.job[d]]
        side.held[k, g] += come
        side.work[k, g] += come * side.time[d, k]
        if side.number[k, d] == 0:
            side.present[k, side.kinds[k]] = d
            side.column[k, d] = side.kinds[k]
            side.kinds[k] += 1
        side.number[k, d] += come
        low = min(low, g)
    refresh(side, k, low, high)


@inner
def cost_of(value: int, cost: Cost) -> float:
    """What a value costs, 0 up to the limit."""
    over = float(max(value - cost.limit, 0))
    return over * (cost.linear + cost.square * over)


@inner
def cost_after_date(side: Side, p: int, q: int, delivery: int, cost: Cost) -> float:
    """What the cost of all slots grows by if a job gets another place and delivery time."""
    total = 0.0
    for k in range(len(side.value)):
        if not side.held[k, p]:
            continue
        own, low, high = side.work[k, p], min(p, q), max(p, q)
        value = max(side.before[k, low], side.onward[k, high + 1])
        if p <= q:
            value = max(value, side.until[k, q + 1] + delivery)
            value = max(value, _longest(side, k, p + 1, q + 1) - own)
        else:
            value = max(value, side.until[k, q] + own + delivery)
            value = max(value, _longest(side, k, q, p) + own)
        if value != side.value[k]:
            growth = cost_of(value, cost) - cost_of(side.value[k], cost)
            total += side.weight[k] * growth
    return total


@inner
def move_job(side: Side, p: int, q: int, delivery: int) -> None:
    """Give a job another place and delivery time; `side.place` is left to the caller."""
    step = 1 if q > p else -1
    for g in range(p, q, step):
        side.delivery[g] = side.delivery[g + step]
    side.delivery[q] = delivery
    for k in range(len(side.value)):
        held, work = side.held[k, p], side.work[k, p]
        for g in range(p, q, step):
            side.held[k, g] = side.held[k, g + step]
            side.work[k, g] = side.work[k, g + step]
        side.held[k, q] = held
        side.work[k, q] = work
        if p != q or held:
            refresh(side, k, min(p, q), max(p, q))
