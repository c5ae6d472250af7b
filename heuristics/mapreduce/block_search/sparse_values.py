"""The values of slots, and what they would be with a task less or more, compiled.

The value of a slot is its largest (completion of group g on the slot + delivery time q of g). Only
groups that have tasks on a slot are looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import inner

EMPTY_SLOT = -(1 << 60)
"""The value of an empty slot."""


class Slots(NamedTuple):
    """The work on each slot: an entry for each group that has tasks there, in the groups' order.

    Slot k has the entries `[k, :entries[k]]`; the rest of its row is spare. The last three arrays
    have a value more, after the last entry.
    """

    groups: int
    """Number of all groups."""
    entries: IntArray
    group: IntArray
    number: IntArray
    """Tasks of the group on the slot."""
    work: IntArray
    """Time units that they take."""
    until: IntArray
    """Completion of the groups before the entry's."""
    before: IntArray
    """The greatest completion + q of the groups before."""
    onward: IntArray
    """The same from the entry's group on."""


def new_slots(slots: int, groups: int, most: int) -> Slots:
    most = min(groups, most)
    rows = (np.zeros((slots, most + more), dtype=np.int64) for more in (0, 0, 0, 1, 1, 1))
    return Slots(groups, np.zeros(slots, dtype=np.int64), *rows)


@inner
def _entry(slots: Slots, k: int, g: int) -> tuple[int, int]:
    """The place of group g among the entries of slot k, and the place after it.

    They are the same if the group has no tasks there.
    """
    # As many entries are missing before the group at most as are missing at all.
    low, high = max(0, g - slots.groups + slots.entries[k]), min(g, slots.entries[k])
    while low < high:
        middle = (low + high) >> 1
        if slots.group[k, middle] < g:
            low = middle + 1
        else:
            high = middle
    there = low < slots.entries[k] and slots.group[k, low] == g
    return low, low + 1 if there else low


@inner
def put(slots: Slots, k: int, g: int, tasks: int, time: int) -> None:
    """Put tasks on a slot, or take them off it; its values have to be rebuilt then.

    `tasks`, `time`: their number, and the time units that they take together; negative to take them
    off.
    """
    at, after = _entry(slots, k, g)
    group, number, work, last = slots.group[k], slots.number[k], slots.work[k], slots.entries[k]
    if at == after:
        for j in range(last, at, -1):
            group[j], number[j], work[j] = group[j - 1], number[j - 1], work[j - 1]
        group[at], number[at], work[at] = g, 0, 0
        slots.entries[k] += 1
    number[at] += tasks
    work[at] += time
    if number[at] == 0:
        for j in range(at + 1, last):
            group[j - 1], number[j - 1], work[j - 1] = group[j], number[j], work[j]
        slots.entries[k] -= 1


@inner
def rebuild(slots: Slots, delivery: IntArray, k: int) -> None:
    """Compute the last three values of each entry of a slot."""
    last, group, work = slots.entries[k], slots.group[k], slots.work[k]
    until, before, onward = slots.until[k], slots.before[k], slots.onward[k]
    until[0], before[0], onward[last] = 0, EMPTY_SLOT, EMPTY_SLOT
    for j in range(last):
        until[j + 1] = until[j] + work[j]
        before[j + 1] = max(before[j], until[j + 1] + delivery[group[j]])
    for j in range(last - 1, -1, -1):
        onward[j] = max(onward[j + 1], until[j + 1] + delivery[group[j]])


@inner
def value_with(
    slots: Slots, delivery: IntArray, k: int, g: int, less: int, h: int, more: int
) -> int:
    """The value of a slot without one task, with another.

    `g`, `less`: group of the task that leaves the slot, and the time units that it takes there; -1
    and 0 if none does.
    """
    number, until = slots.number[k], slots.until[k]
    before, onward = slots.before[k], slots.onward[k]
    first, second = min(g, h), max(g, h)
    if first < 0 or first == second:
        at, after = _entry(slots, k, second)
        delta = (more if h >= 0 else 0) - (less if g >= 0 else 0)
        value = max(before[at], onward[after] + delta)
        if h >= 0 or number[at] > 1:
            value = max(value, until[after] + delta + delivery[second])
        return int(value)
    at, after = _entry(slots, k, first)
    delta = more if first == h else -less
    value = before[at]
    if first == h or number[at] > 1:
        value = max(value, until[after] + delta + delivery[first])
    begin = after
    at, after = _entry(slots, k, second)
    for j in range(begin, at):
        value = max(value, until[j + 1] + delta + delivery[slots.group[k, j]])
    delta = more - less
    if second == h or number[at] > 1:
        value = max(value, until[after] + delta + delivery[second])
    return int(max(value, onward[after] + delta))


@inner
def change(slots: Slots, delivery: IntArray, k: int, g: int, less: int, h: int, more: int) -> None:
    if g >= 0:
        put(slots, k, g, -1, -less)
    if h >= 0:
        put(slots, k, h, 1, more)
    rebuild(slots, delivery, k)
