"""When running jobs end: a heap, earliest first; at the same time the one that arrived first.

The heap has as many entries as jobs run (`RUNNING` of the tally); a node has four children, which
is the fastest with some ten thousand jobs.
"""

from __future__ import annotations

from typing import NamedTuple

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import inlined
from .columns import NUMBER


class Departures(NamedTuple):
    """`time`, `slot`: shape (slots,). When each job ends, in time units, and its slot."""

    time: FloatArray
    slot: IntArray


@inlined
def _earlier(info: IntArray, a: float, slot_a: int, b: float, slot_b: int) -> bool:
    return a < b or (a == b and info[slot_a, NUMBER] < info[slot_b, NUMBER])


@inlined
def push(heap: Departures, info: IntArray, size: int, end: float, new: int) -> None:
    """The job in slot `new` will end at `end`, in time units; `size` jobs run beside it."""
    time, slot = heap.time, heap.slot
    i = size
    while i > 0:
        above = (i - 1) >> 2
        if not _earlier(info, end, new, time[above], slot[above]):
            break
        time[i], slot[i] = time[above], slot[above]
        i = above
    time[i], slot[i] = end, new


@inlined
def pop(heap: Departures, info: IntArray, size: int) -> int:
    """Remove the first of `size` jobs, and return its slot."""
    time, slot = heap.time, heap.slot
    first = int(slot[0])
    last = size - 1
    end, moved = time[last], slot[last]
    i = 0
    while 4 * i + 1 < last:
        child = 4 * i + 1
        for other in range(child + 1, min(child + 4, last)):
            if _earlier(info, time[other], slot[other], time[child], slot[child]):
                child = other
        if not _earlier(info, time[child], slot[child], end, moved):
            break
        time[i], slot[i] = time[child], slot[child]
        i = child
    time[i], slot[i] = end, moved
    return first
