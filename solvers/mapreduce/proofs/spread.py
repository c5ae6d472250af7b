"""Proofs by prices of work in intervals of time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from ....core.arrays import FloatArray
from ....core.clock import Clock
from ....formulations.mapreduce.spread_bound.model import FEWEST, GROWTH, INTERVALS, LARGEST
from ....verifier.closed_forms import spans
from ....verifier.problem import Shop
from ....verifier.spread import cases_by_job
from ...backends.highs import linear_program, solve_lp
from ...certificate import Proof
from . import Claim

SLACKS = 0.0, 1e-5, 1e-4, 1e-3
"""Relative: horizons so much shorter than the target are tried one after another."""

LASTS = 0.001, 0.03
"""Relative lengths of the last interval."""

UNITS = 1000.0
"""The horizon in the units of the program, in which HiGHS' tolerances are small."""

WHOLE_PRICES = 10**9
"""The greatest whole price."""


def spread(claim: Claim) -> Iterator[Proof]:
    """Prices of work for a horizon below the target; with too many jobs they are of no use."""
    if len(claim.shop.jobs) * FEWEST > LARGEST:
        return
    for slack, last in product(SLACKS, LASTS):
        horizon = claim.target - 1 - int(claim.target * slack)
        if horizon < 1:
            return
        ends = intervals(claim.shop, horizon, int(horizon * last))
        prices = Program(claim.shop, ends).prices(claim.stop)
        if prices is not None:
            yield {"proof": "spread", "ends": ends, **prices}
        if claim.stop():
            return


def intervals(shop: Shop, horizon: int, length: int) -> list[int]:
    """Ends of intervals: ever longer ones from the least head on, and a last one of some length."""
    count = min(INTERVALS, LARGEST // max(len(shop.jobs), 1))
    heads, _ = spans(shop)
    last = horizon - length
    reducing = [head for head, tasks in zip(heads, shop.reduces.tasks, strict=True) if tasks]
    first = min([*reducing, last])
    share = np.linspace(0, 1, max(count - 1, 1)) ** GROWTH
    ends = {first + int((last - first) * part) for part in share.tolist()}
    return [*sorted(end for end in ends if 0 < end < horizon), horizon]


class Program:
    """Every job mixes its cases, so that slots work as little longer as they can: column `late`.

    The duals are the prices. Times are in units in which the horizon is `UNITS`.
    """

    def __init__(self, shop: Shop, ends: list[int]) -> None:
        self.shop, self.scale, self.columns = shop, ends[-1] / UNITS, 1
        self.lengths = [(b - a) / self.scale for a, b in pairwise([0, *ends])]
        self.cases = cases_by_job(shop, tuple(ends))
        self.shares = [[self._new(len(case.works)) for case in cases] for cases in self.cases]
        self.rows: list[tuple[float, float, dict[int, float]]] = []

    def prices(self, stop: Clock) -> dict[str, Any] | None:
        """The prices of both phases; None if there is time enough, or none to find them."""
        free = {"price": [0] * len(self.lengths), "open": [0] * len(self.lengths), "all": 0}
        if not all(self.cases):
            return {"map": free, "reduce": free}
        for shares in self.shares:
            self._row({column: 1.0 for columns in shares for column in columns}, 1.0, 1.0)
        heads, _ = spans(self.shop)
        tails = [min(case.tail for case in cases) for cases in self.cases]
        rows = self._phase("map", tails), self._phase("reduce", heads)
        duals = self._duals(stop)
        if duals is None:
            return None
        scale = WHOLE_PRICES / (float(duals[[*rows[0][0], *rows[1][0]]].max()) or 1.0)
        whole = np.rint(duals * scale).astype(np.int64)
        return {
            kind: {
                "price": whole[work].tolist(),
                "open": whole[ready].tolist(),
                "all": int(whole[total]),
            }
            for kind, (work, ready, total) in zip(("map", "reduce"), rows, strict=True)
        }

    def _phase(self, kind: str, waits: list[int]) -> tuple[list[int], list[int], int]:
        """Add the rows of a phase; those of work and of what is open by interval, that of all work.

        In the comments it is that of map tasks; in that of reduces all is read backwards.
        """
        side, phase, count = int(kind == "reduce"), self.shop.phases[kind], len(self.lengths)
        slots = len(phase.node)
        occupied = [min(slots, len(tasks)) for tasks in phase.tasks]
        busy, ahead, ready = (self._new(count) for _ in range(3))
        work: list[dict[int, float]] = [{busy[k]: 1.0, ahead[k]: -1.0} for k in range(count)]
        still: list[dict[int, float]] = [{ready[k]: -1.0} for k in range(count)]
        room: list[dict[int, float]] = [{0: slots, busy[k]: -1.0} for k in range(count)]
        for k, after in pairwise(range(count)[:: -1 if side else 1]):
            work[after][ahead[k]] = 1.0  # done before, for jobs that end later
            still[k][ready[after]] = 1.0  # open later, hence here
            room[k][ready[after]] = self.lengths[k]
        for cases, shares, most in zip(self.cases, self.shares, occupied, strict=True):
            for case, columns in zip(cases, shares, strict=True):
                part = most * (case.reduce_open if side else case.map_open) / self.scale
                for column, way in zip(columns, case.works, strict=True):
                    work[case.interval][column] = -way[side] / self.scale
                    still[case.interval][column] = float(most)
                    room[case.interval][column] = part
        for k in range(count):
            self._row(still[k], 0.0, 0.0)
            self._row({0: slots, busy[k]: -1.0}, -slots * self.lengths[k])
        wait = sorted(w for w, most in zip(waits, occupied, strict=True) for _ in range(most))
        used = len(wait[:slots])
        least = sum(wait[:slots]) / self.scale - used * UNITS
        total = self._row({0: used, **dict.fromkeys(busy, -1.0)}, least)
        return [self._row(row, 0.0, 0.0) for row in work], [self._row(row) for row in room], total

    def _new(self, number: int) -> range:
        self.columns += number
        return range(self.columns - number, self.columns)

    def _row(self, terms: dict[int, float], low: float = 0.0, high: float = np.inf) -> int:
        self.rows.append((low, high, terms))
        return len(self.rows) - 1

    def _duals(self, stop: Clock) -> FloatArray | None:
        """Sizes of the duals of all rows, if the least `late` is above 0."""
        low, high, terms = zip(*self.rows, strict=True)
        program = linear_program(
            np.eye(1, self.columns).ravel(),
            np.full(self.columns, np.inf),
            (np.array(low), np.array(high)),
            (
                np.repeat(np.arange(len(terms)), [len(row) for row in terms]),
                np.array([column for row in terms for column in row]),
                np.array([value for row in terms for value in row.values()]),
            ),
        )
        optimum = solve_lp(program, stop)
        return np.abs(optimum.duals) if optimum is not None and optimum.objective > 0 else None
