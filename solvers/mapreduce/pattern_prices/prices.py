"""Prices of the tasks of one phase that prove due dates impossible, by column generation."""

from __future__ import annotations

import highspy
import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.clock import Clock
from ...backends.highs import linear_program, solve_lp
from .patterns import Kinds, Patterns

SAFETY = 1e-9
"""A certificate must hold with this to spare, relatively, for rounding errors."""

CLOSE = 1e-4
"""The search ends when the prices are this close, relatively, to the best ones."""

SMOOTH = 0.7
"""Weight of the best prices so far in the next ones, the others being the master's."""

MOST_RISE = 5.0
"""No price may become more than so many times what it was at the start of a search."""

MOST_ROUNDS = 80
"""Most rounds of a search."""

MOST_PATTERNS = 4000
"""So many of the latest patterns are kept for the next search."""

MOST_PRICES = 6
"""So many prices that were good before are tried first."""


class PhasePrices:
    """Searches for prices in one phase.

    `kinds`: the kinds of tasks.
    `cells`: number of cells into which a horizon is cut.
    `clock`: when to give up.
    """

    def __init__(self, kinds: Kinds, cells: int, clock: Clock) -> None:
        self.kinds, self.clock = kinds, clock
        self.patterns = Patterns(kinds.seconds, kinds.number, cells)
        first = np.quantile(kinds.seconds, 0.2, axis=1) if len(kinds.number) else np.zeros(0)
        self.known = [normal(first, kinds.number)]
        self.slot: IntArray = np.zeros(0, dtype=np.int64)
        self.count: FloatArray = np.zeros((0, len(kinds.number)))

    def excess(self, price: FloatArray, due: FloatArray, horizon: float) -> float:
        """What all slots can earn at these prices as a multiple of what all tasks are worth.

        Below 1 the due dates are impossible, whatever the prices are.

        `price`: prices of a task of each kind, shape (kinds,), not negative, not all 0.
        `due`: when the tasks of each kind must be done (s), shape (kinds,).
        `horizon`: not before the last due date (s).
        """
        values, _ = self.patterns.best(price, due, horizon)
        return float(values.sum() / (self.kinds.number @ price)) * (1 + SAFETY)

    def impossible(self, due: FloatArray, horizon: float) -> bool:
        """Whether prices were found that prove the due dates impossible.

        `due`: when the tasks of each kind must be done (s), shape (kinds,).
        `horizon`: not before the last due date (s).
        """
        if not len(due):
            return False
        least, price = np.inf, self.known[-1]
        for known in reversed(self.known):
            value = self.excess(known, due, horizon)
            if value < least:
                least, price = value, known
            if least < 1:
                self._remember(price)
                return True
        return self._generate(due, horizon, least, price)

    def _generate(self, due: FloatArray, horizon: float, least: float, best: FloatArray) -> bool:
        """Column generation from the best known prices."""
        master = Master(self.kinds.number, self.kinds.seconds.shape[1], MOST_RISE * best)
        fits = in_time(self.kinds.seconds, self.slot, self.count, due)
        master.add(self.slot[fits], self.count[fits])
        price = best
        for _ in range(MOST_ROUNDS):
            if self.clock.over:
                return False
            values, counts = self.patterns.best(price, due, horizon)
            value = float(values.sum()) * (1 + SAFETY)
            if value < least:
                least, best = value, price
            if least < 1:
                break
            slots = np.flatnonzero(counts.any(axis=1))
            self.slot = np.append(self.slot, slots)[-MOST_PATTERNS:]
            self.count = np.concatenate((self.count, counts[slots]))[-MOST_PATTERNS:]
            master.add(slots, counts[slots])
            master_prices = master.solve(self.clock)
            # All tasks fit into the patterns, or nearly: no prices prove anything.
            if master_prices is None or master.share >= 1 - CLOSE:
                break
            price = normal(
                SMOOTH * best + (1 - SMOOTH) * normal(master_prices, self.kinds.number),
                self.kinds.number,
            )
        self._remember(best)
        return least < 1

    def _remember(self, price: FloatArray) -> None:
        others = [known for known in self.known if known is not price]
        self.known = [*others, price][-MOST_PRICES:]


def in_time(seconds: FloatArray, slot: IntArray, count: FloatArray, due: FloatArray) -> BoolArray:
    """Which patterns keep the due dates, nearly; shape (patterns,).

    `seconds`: time (s) of a task of each kind on each slot, shape (kinds, slots).
    `slot`, `count`: slot of each pattern, and its tasks of each kind, shape (patterns, kinds).
    """
    order = np.argsort(due, kind="stable")
    work = (count * seconds.T[slot])[:, order]
    end = np.cumsum(work, axis=1)
    late = (end > due[order] * (1 + CLOSE)) & (work > 0)
    return np.asarray(~late.any(axis=1))


def normal(price: FloatArray, number: IntArray) -> FloatArray:
    """The prices in the unit in which all tasks together are worth 1."""
    total = float(number @ price)
    normal: FloatArray = price / total if total > 0 else price
    return normal


class Master:
    """How large a share of all tasks the known patterns can run, and the prices that follow.

    Rows: Σ tasks in patterns - number * share >= 0 for each kind; Σ patterns <= 1 for each slot.
    A task may be bought for its highest price, `most`, which keeps the first prices within reason;
    `share` is less what is paid.
    """

    def __init__(self, number: IntArray, slots: int, most: FloatArray) -> None:
        kinds = len(number)
        each = np.arange(kinds)
        self.highs = linear_program(
            np.append(1.0, -most),
            np.append(1.0, np.full(kinds, np.inf)),
            (
                np.repeat((0.0, -np.inf), (kinds, slots)),
                np.repeat((np.inf, 1.0), (kinds, slots)),
            ),
            (
                np.tile(each, 2),
                np.append(np.zeros(kinds, dtype=np.int64), 1 + each),
                np.append(-number.astype(float), np.ones(kinds)),
            ),
            presolve="off",  # it would drop the basis
        )
        self.highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self.number, self.share = number, 0.0

    def add(self, slots: IntArray, counts: FloatArray) -> None:
        """Add patterns: their slots, shape (patterns,), and counts, shape (patterns, kinds)."""
        for slot, count in zip(slots.tolist(), counts, strict=True):
            inside = np.flatnonzero(count)
            rows = np.append(inside, len(count) + slot).astype(np.int32)
            self.highs.addCol(0.0, 0.0, np.inf, len(rows), rows, np.append(count[inside], 1.0))

    def solve(self, clock: Clock) -> FloatArray | None:
        """The prices, None if there are none or the time is up; sets `share`."""
        optimum = solve_lp(self.highs, clock, quick=True)
        if optimum is None:
            return None
        self.share = float(optimum.objective)
        price: FloatArray = np.maximum(-optimum.duals[: len(self.number)], 0.0)
        return price if price.any() else None
