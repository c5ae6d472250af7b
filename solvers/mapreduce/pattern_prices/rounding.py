"""Whole-task patterns for all slots of a phase that keep due dates, slot by slot from fractions.

The master program says which share of each pattern runs where. Slots on which one pattern has most
of the share keep it; the program for the tasks and slots that are left follows, until none is left.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.clock import Clock
from .patterns import MOST_KINDS, Kinds, Patterns
from .prices import MOST_RISE, Master, in_time, normal

CELLS = 1500
"""Number of cells into which the horizon is cut."""

FIRST_ROUNDS, NEXT_ROUNDS = 50, 12
"""Most rounds of column generation at first and after slots were fixed."""

ENOUGH = 0.999
"""With a smaller share of all tasks in patterns the due dates are given up."""

ENOUGH_LATER, FEW_SLOTS = 0.97, 0.2
"""The same after slots were fixed, as long as more than this part of them is free."""

FIXED_SHARE, SURE = 0.15, 0.95
"""So large a part of the slots is fixed at a time; and those on which one pattern has this share.
"""

SMOOTH = 0.5
"""Weight of the last prices in the next ones."""

MOST_KEPT = 3000
"""So many of the latest patterns are kept for the next time."""


class PatternRounding:
    """Fits the tasks of one phase into ever new due dates; it keeps patterns and prices."""

    def __init__(self) -> None:
        self.slot: IntArray = np.zeros(0, dtype=np.int64)
        self.count: FloatArray = np.zeros((0, 0))
        self.price: FloatArray = np.zeros(0)

    def __call__(
        self, time: IntArray, count: IntArray, due: IntArray, horizon: int, clock: Clock
    ) -> IntArray | None:
        """Fit the tasks into the due dates; `PhaseRounding` says what is given and returned.

        Due dates may be exceeded a little. None is found if the tasks do not even fit in parts.
        """
        some = np.flatnonzero((time.min(axis=1, initial=1) > 0) & count.any(axis=0))
        if not len(some):
            return count
        if len(some) > MOST_KINDS:
            return None
        kinds = Kinds(some, count.sum(axis=0)[some], time[some].astype(float))
        start, before = count[:, some].astype(float), due[some].astype(float)
        whole = self._whole(kinds, start, before, horizon, clock)
        if whole is None:
            return None
        _add_rest(whole, kinds)
        found = count.copy()
        found[:, some] = whole
        return found

    def _whole(
        self, kinds: Kinds, start: FloatArray, due: FloatArray, horizon: int, clock: Clock
    ) -> IntArray | None:
        """The patterns of all slots, one after another; shape (slots, kinds)."""
        slots = len(start)
        if len(self.price) != len(kinds.number):
            self.slot, self.count = np.zeros(0, dtype=np.int64), np.zeros((0, len(kinds.number)))
            self.price = np.quantile(kinds.seconds, 0.2, axis=1)
        self.keep(np.arange(slots), start)
        left, free = kinds.number.copy(), np.ones(slots, dtype=np.bool_)
        whole = np.zeros((slots, len(left)), dtype=np.int64)
        first = True
        while free.any() and left.any():
            rest = _Rest(kinds, left, free, due, horizon)
            patterns = rest.generated(self, FIRST_ROUNDS if first else NEXT_ROUNDS, clock)
            enough = ENOUGH if first else ENOUGH_LATER
            if clock.over or (rest.share < enough and free.sum() > FEW_SLOTS * slots):
                return None
            first = False
            for slot, pattern in patterns:
                whole[slot] = np.minimum(pattern, left)
                left -= whole[slot]
                free[slot] = False
            if not patterns:
                break
        return whole

    def keep(self, slot: IntArray, count: FloatArray) -> None:
        self.slot = np.append(self.slot, slot)[-MOST_KEPT:]
        self.count = np.concatenate((self.count, count))[-MOST_KEPT:]


class _Rest:
    """The tasks and slots that are left."""

    def __init__(
        self, kinds: Kinds, left: IntArray, free: BoolArray, due: FloatArray, horizon: int
    ) -> None:
        self.kinds, self.free, self.horizon = kinds, np.flatnonzero(free), horizon
        self.some = np.flatnonzero(left)
        self.number, self.due = left[self.some], due[self.some]
        self.seconds = np.ascontiguousarray(kinds.seconds[np.ix_(self.some, self.free)])
        self.place = np.full(len(free), -1)
        self.place[self.free] = np.arange(len(self.free))
        self.slots: list[int] = []
        self.counts: list[FloatArray] = []
        self.share = 0.0

    def generated(
        self, memory: PatternRounding, rounds: int, clock: Clock
    ) -> list[tuple[int, IntArray]]:
        """Column generation; the slots to fix and their patterns of all kinds."""
        price = normal(np.maximum(memory.price[self.some], 1e-12), self.number)
        self.master = Master(self.number, len(self.free), MOST_RISE * price)
        place = self.place[memory.slot]
        count = np.minimum(memory.count[:, self.some], self.number)
        good = (place >= 0) & count.any(axis=1)
        place, count = place[good], count[good]
        good = in_time(self.seconds, place, count, self.due)
        self._add(place[good], count[good])
        patterns = Patterns(self.seconds, self.number, CELLS)
        for _ in range(rounds):
            if clock.over:
                return []
            _, counts = patterns.best(price, self.due, float(self.horizon))
            new = np.floor(counts + 1e-6)
            used = np.flatnonzero(new.any(axis=1))
            self._add(used, new[used])
            found = self.master.solve(clock)
            self.share = self.master.share
            if found is None or self.share >= 1 - 1e-4:
                break
            price = normal(SMOOTH * price + (1 - SMOOTH) * normal(found, self.number), self.number)
        memory.price[self.some] = price * self.number.sum()  # 1 for a task on average
        return self._fixed(memory)

    def _add(self, slots: IntArray, counts: FloatArray) -> None:
        self.master.add(slots, counts)
        self.slots += slots.tolist()
        self.counts += list(counts)

    def _fixed(self, memory: PatternRounding) -> list[tuple[int, IntArray]]:
        share = self.master.shares()
        used = np.flatnonzero(share > 1e-6)
        if not len(used):
            return []
        slot = np.array(self.slots)[used]
        count = np.zeros((len(used), len(self.kinds.number)))
        count[:, self.some] = np.array([self.counts[p] for p in used])
        memory.keep(self.free[slot], count)
        # The last pattern of a slot in this order is that of its greatest share.
        best = {int(slot[p]): int(p) for p in np.argsort(share[used], kind="stable")}
        order = sorted(best, key=lambda one: -share[used[best[one]]])
        sure = sum(share[used[best[one]]] > SURE for one in order)
        most = max(1, sure, round(FIXED_SHARE * len(self.free)))
        return [(int(self.free[one]), count[best[one]].astype(np.int64)) for one in order[:most]]


def _add_rest(whole: IntArray, kinds: Kinds) -> None:
    """Put the tasks that no pattern has on the slot that then ends first, the long ones first."""
    left = kinds.number - whole.sum(axis=0)
    load = np.einsum("sk,ks->s", whole, kinds.seconds)
    for k in np.argsort(-kinds.seconds.min(axis=1), kind="stable"):
        for _ in range(left[k]):
            slot = int(np.argmin(load + kinds.seconds[k]))
            whole[slot, k] += 1
            load[slot] += kinds.seconds[k, slot]
