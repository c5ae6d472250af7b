"""Which slot every attempt held, and until when."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from ...core.arrays import IntArray, offsets
from .run import UNKNOWN, Outcome, Run
from .stage_graph import FAR, Slots


@dataclass(frozen=True)
class Occupation:
    """The slots of a run, and what each attempt held: its slot (-1: none) and until when (ms).

    `cut` counts attempts whose slot went to the next one before they ended: the end that a log
    tells is the driver's, which hears of it later. `cut_time` is the time (ms) that this is in all.
    """

    slots: Slots
    slot: IntArray
    until: IntArray
    cut: int
    cut_time: int


def occupation(run: Run) -> Occupation:
    """Give every attempt, by start, the free slot of its executor that became free last.

    On a full executor the slot of the attempt that ends first is taken. Attempts of no
    length hold no slot, nor do those whose end the log does not tell. An executor is there at least
    while its successful attempts are.
    """
    first = offsets(executor.slots for executor in run.executors)
    slots = _slots(run)
    attempts = run.attempts
    slot = np.full(len(attempts.start), -1, dtype=np.int64)
    until = attempts.end.copy()
    free = [
        [(0, -k) for k in range(executor.slots)] for executor in run.executors
    ]  # (minus the time it became free, minus its number)
    running: list[list[tuple[int, int, int]]] = [[] for _ in run.executors]
    order = np.lexsort((attempts.end, attempts.start))
    for k in order.tolist():
        e, start, end = int(attempts.executor[k]), int(attempts.start[k]), int(attempts.end[k])
        if e == UNKNOWN or end <= start:
            continue
        while running[e] and (running[e][0][0] <= start or not free[e]):
            freed, other, number = heapq.heappop(running[e])
            until[other] = min(freed, start)
            heapq.heappush(free[e], (-min(freed, start), -number))
        number = -heapq.heappop(free[e])[1]
        heapq.heappush(running[e], (end, k, number))
        slot[k] = first[e] + number
    held = np.flatnonzero((slot >= 0) & (attempts.outcome == Outcome.SUCCESS))
    np.minimum.at(slots.since, slot[held], attempts.start[held])
    np.maximum.at(slots.until, slot[held], until[held])
    shorter = np.where(slot >= 0, attempts.end - until, 0)
    return Occupation(slots, slot, until, int((shorter > 0).sum()), int(shorter.sum()))


def without(
    slots: Slots, slot: IntArray, start: IntArray, until: IntArray
) -> tuple[Slots, IntArray]:
    """The slots in the times that these attempts leave, and of which slot each of them is a part.

    The parts of a slot stand together, by time.
    """
    rows: list[tuple[int, int, int]] = []
    since = slots.since.tolist()
    for k in np.lexsort((start, slot)).tolist():
        s = int(slot[k])
        if since[s] < start[k]:
            rows.append((s, since[s], int(start[k])))
        since[s] = max(since[s], int(until[k]))
    rows += [
        (s, begin, end)
        for s, (begin, end) in enumerate(zip(since, slots.until.tolist(), strict=True))
        if begin < end
    ]
    origin, begin, end = np.array(sorted(rows), dtype=np.int64).reshape(-1, 3).T.copy()
    return Slots(slots.pool[origin], begin, end), origin


def _slots(run: Run) -> Slots:
    rows = [
        (e.pool, 0 if e.since == UNKNOWN else e.since, FAR if e.until == UNKNOWN else e.until)
        for e in run.executors
        for _ in range(e.slots)
    ]
    return Slots(*np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy())
