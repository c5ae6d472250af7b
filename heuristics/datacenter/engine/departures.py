"""When running jobs end: a calendar of short epochs, and a heap for the present one.

Jobs that end in a later epoch are a linked list in it, those beyond the calendar's last epoch one
list more. When an epoch begins its jobs go into a heap, which is small and stays in the fastest
cache. Earliest first; of jobs that end at the same time, the one that arrived first.

An epoch is as long as `PER_EPOCH` arrivals take on average, so that a heap has about as many
entries, and passing through empty epochs costs less than the arrivals do. A bad guess, or durations
of very different length, cost time and change nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inlined, inner
from .columns import END, EPOCH, FAR, HEAP_LENGTH, NEXT_SLOT, NO_SLOT, NUMBER

EPOCHS = 1 << 14
"""Epochs of the calendar."""

PER_EPOCH = 24
"""Arrivals in an epoch, on average."""


class Calendar(NamedTuple):
    """When the running jobs end."""

    first: IntArray
    """Shape (EPOCHS,). The first slot in the list of each epoch."""
    time: FloatArray
    slot: IntArray
    """`time`, `slot`: shape (slots,). The heap of the present epoch."""
    state: IntArray
    """Shape (3,). `HEAP_LENGTH`, `EPOCH` and `FAR`, see `columns`."""
    per_time: FloatArray
    """Shape (1,). Epochs per time unit."""


def empty_calendar(slots: int, arrivals_per_time: float) -> Calendar:
    """`arrivals_per_time`: mean number of arrivals per time unit; it decides an epoch's length."""
    return Calendar(
        np.full(EPOCHS, NO_SLOT, dtype=np.int64),
        np.zeros(slots),
        np.zeros(slots, dtype=np.int64),
        np.array([0, 0, NO_SLOT], dtype=np.int64),
        np.array([arrivals_per_time / PER_EPOCH]),
    )


@inlined
def _earlier(info: IntArray, a: float, slot_a: int, b: float, slot_b: int) -> bool:
    return a < b or (a == b and info[slot_a, NUMBER] < info[slot_b, NUMBER])


@inlined
def _into_heap(calendar: Calendar, info: IntArray, end: float, new: int) -> None:
    time, slot = calendar.time, calendar.slot
    i = calendar.state[HEAP_LENGTH]
    calendar.state[HEAP_LENGTH] = i + 1
    while i > 0:
        above = (i - 1) >> 1
        if not _earlier(info, end, new, time[above], slot[above]):
            break
        time[i], slot[i] = time[above], slot[above]
        i = above
    time[i], slot[i] = end, new


@inlined
def push(calendar: Calendar, info: IntArray, times: FloatArray, end: float, new: int) -> None:
    """The job in slot `new` will end at `end`, in time units."""
    now = calendar.state[EPOCH]
    at = end * calendar.per_time[0]
    if at < now + 1.0:
        _into_heap(calendar, info, end, new)
    elif at < now + EPOCHS:
        epoch = np.int64(at) & (EPOCHS - 1)
        times[new, NEXT_SLOT], times[new, END] = calendar.first[epoch], end
        calendar.first[epoch] = new
    else:
        times[new, NEXT_SLOT], times[new, END] = calendar.state[FAR], end
        calendar.state[FAR] = new


@inner
def next_epoch(calendar: Calendar, info: IntArray, times: FloatArray) -> None:
    """Go on to the next epoch in which a job ends, and fill the heap, which is empty.

    Some job has to run.
    """
    state, first = calendar.state, calendar.first
    empty = 0
    while state[HEAP_LENGTH] == 0:
        state[EPOCH] += 1
        if empty == EPOCHS:
            # All are far away: go on where the first of them is.
            earliest = np.inf
            new = state[FAR]
            while new != NO_SLOT:
                earliest = min(earliest, times[new, END])
                new = np.int64(times[new, NEXT_SLOT])
            state[EPOCH] = np.int64(np.floor(earliest * calendar.per_time[0]))
        if empty == EPOCHS or state[EPOCH] & (EPOCHS - 1) == 0:
            new = state[FAR]
            state[FAR] = NO_SLOT
            while new != NO_SLOT:
                after, end = np.int64(times[new, NEXT_SLOT]), times[new, END]
                push(calendar, info, times, end, new)
                if state[FAR] != new:
                    empty = 0  # it is in an epoch to come, which is not known to be empty
                new = after
        epoch = state[EPOCH] & (EPOCHS - 1)
        new = first[epoch]
        first[epoch] = NO_SLOT
        while new != NO_SLOT:
            _into_heap(calendar, info, times[new, END], new)
            new = np.int64(times[new, NEXT_SLOT])
        empty += 1


@inlined
def pop(calendar: Calendar, info: IntArray) -> int:
    """Remove the first job of the heap, which must not be empty, and return its slot."""
    time, slot = calendar.time, calendar.slot
    first = int(slot[0])
    last = calendar.state[HEAP_LENGTH] - 1
    calendar.state[HEAP_LENGTH] = last
    end, moved = time[last], slot[last]
    i = 0
    while True:
        child = 2 * i + 1
        if child >= last:
            break
        if child + 1 < last and _earlier(
            info, time[child + 1], slot[child + 1], time[child], slot[child]
        ):
            child += 1
        if not _earlier(info, time[child], slot[child], end, moved):
            break
        time[i], slot[i] = time[child], slot[child]
        i = child
    time[i], slot[i] = end, moved
    return first
