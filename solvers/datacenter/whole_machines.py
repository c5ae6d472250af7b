"""The best plan in whole machines: an integer program over all bins that a better plan can use.

Where they are too many, the program has those nearest to the best ones, and some that are priced
against what rounding down leaves over.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.clock import Clock
from ...instances.datacenter.checker import RATE_TOLERANCE
from ...instances.datacenter.datacenter import Datacenter
from .column_generation import GAP, Columns, NoRate, generate_columns
from .integer_program import solve_program
from .knapsack import valuable_bins
from .rounding import WHOLE, greedy_rounding, rate_of, served

MOST_BINS = 5_000
"""Most bins of the integer program when it has all."""

FEW_BINS = 400
"""Most bins with which it begins when it has all."""

GENERATED_BINS, NEAREST_BINS = 400, 500
"""About how many generated bins, and how many nearest to the best, it has when not all."""

ALL_BINS = "integer program over all bins"
NEAREST = "integer program over the bins nearest to the best"

Plan = tuple[tuple[IntArray, ...], tuple[IntArray, ...]]
"""Bins that are used, shapes (bins, K), and machines with each, shapes (bins,)."""

_OPTIMAL = 1e-9
"""A plan this near the bound, relatively, needs no integer program."""

_NEAR = 1e-4
"""A plan this near is not improved with all bins if those are many."""

_HALVINGS = 12
"""Most times that the distance from the best bins is halved until there are few."""


class WholePlan(NamedTuple):
    """A plan in whole machines."""

    bins: tuple[IntArray, ...]
    """Bins of each configuration, shapes (bins, K)."""
    machines: tuple[IntArray, ...]
    """Machines with each bin, shapes (bins,)."""
    bound: float
    """No plan in whole machines has a higher arrival rate or, with a target rate, fewer machines;
    infinitely many if none carries the target."""
    proof: str
    """What proved the bound, empty if it is that of fractions of machines."""
    method: str
    """How the plan was made."""


def whole_plan(
    datacenter: Datacenter, columns: Columns, clock: Clock, *, target_rate: float | None = None
) -> WholePlan:
    """Find a plan in whole machines, and bound all others.

    `clock`: when to end with what there is.
    `target_rate`: arrival rate to carry on the fewest machines (jobs per time unit), None to
    maximise it.
    Returns the plan. It may fall short of a target rate, if no better one was found.
    """
    search = _Search(datacenter, columns, clock, target_rate)
    if search.is_within(_OPTIMAL):
        return search.plan()
    if not search.take_all(FEW_BINS):
        # First a plan of few bins: the better it is, the fewer bins a better one can use.
        search.take_residual()
        if not search.is_within(_NEAR):
            search.solve(search.part(0.5))
            if not search.take_all(MOST_BINS):
                search.take_nearest()
    search.solve(clock)
    return search.plan()


class _Search:
    """The best plan so far, the bins for the next integer program, and the bound.

    Costs are arrival rates, negative, or numbers of machines: the less, the better.
    """

    def __init__(
        self, datacenter: Datacenter, columns: Columns, clock: Clock, target_rate: float | None
    ) -> None:
        self.datacenter, self.columns, self.clock = datacenter, columns, clock
        self.target_rate = target_rate
        self.relaxed = -columns.bound if target_rate is None else columns.bound
        self.bound, self.proof, self.method = self._whole(self.relaxed), "", "rounding"
        # What the program has, what it proves, and what a plan with other bins costs at least.
        self.bins, self.name, self.outside = columns.bins, "integer program", self.bound
        self.best: Plan = (), ()
        self.cost = math.inf
        self._round(columns.bins, columns.machines)

    def is_within(self, gap: float) -> bool:
        """Whether no better plan is possible but for this relative gap."""
        return self.cost <= self.bound + gap * abs(self.bound)

    @property
    def distance(self) -> float:
        """How far above the relaxed bound a better plan may be."""
        if self.target_rate is None:
            return self.cost - self.relaxed
        return min(self.cost - 1.0, float(self.datacenter.machines)) - self.relaxed

    def part(self, share: float) -> Clock:
        """A clock for a share of the time that is left, at most a minute."""
        return self.clock.until(self.clock.elapsed + min(share * self.clock.left, 60.0))

    def take_all(self, most: int) -> bool:
        """Take all bins that a better plan can use; return whether there are at most so many."""
        bins = self._valuable(self.distance, most)
        if bins is None:
            return False
        self.bins, self.name, self.outside = bins, ALL_BINS, self.cost
        return True

    def take_residual(self) -> None:
        """Take the most promising of the generated bins, and those priced against the rest."""
        bins, machines = residual_columns(
            self.datacenter, self.columns, self.part(0.4), self.target_rate
        )
        self._round(bins, machines)
        each = max(3, GENERATED_BINS // len(bins))
        chosen = []
        for j, (rows, old) in enumerate(zip(bins, self.columns.bins, strict=True)):
            worth = old @ (self.columns.worth * self.datacenter.rate[:, j])
            order = np.argsort(-worth, kind="stable")
            chosen.append(np.concatenate([old[order[:each]], rows[len(old) :][-each:]]))
        self.bins = tuple(chosen)

    def take_nearest(self) -> None:
        """Take the bins nearest to the best ones too."""
        within = self.distance
        for _ in range(_HALVINGS):
            within /= 2
            bins = self._valuable(within, NEAREST_BINS)
            if bins is not None:
                self.bins = _joined(self.bins, bins)
                self.name, self.outside = NEAREST, self._whole(self.relaxed + within)
                break

    def solve(self, clock: Clock) -> None:
        """Run the integer program on the bins that were taken."""
        if self.is_within(_OPTIMAL) or clock.over:
            return
        bins = _joined(self.bins, self.best[0])
        outcome = solve_program(
            self.datacenter,
            bins,
            self.columns.bound if self.target_rate is None else self.target_rate,
            clock,
            start=None if math.isinf(self.cost) else _counts(bins, self.best),
            target_rate=self.target_rate,
            prove=self.outside > self.bound,
        )
        if outcome.machines is not None:
            self._consider(bins, outcome.machines)
            self.method = self.name
        if outcome.bound is not None:
            bound = -outcome.bound if self.target_rate is None else self._whole(outcome.bound)
            bound = min(bound, self.outside)
            if bound > self.bound:
                self.bound, self.proof, self.method = bound, self.name, self.name

    def plan(self) -> WholePlan:
        """The best plan and the bound."""
        bound = -self.bound if self.target_rate is None else self.bound
        return WholePlan(*self.best, bound, self.proof, f"column generation, {self.method}")

    def _valuable(self, within: float, most: int) -> tuple[IntArray, ...] | None:
        """The bins that are worth less than the best by at most so much, if they are few."""
        if self.clock.over:
            return None
        # With a target rate a machine costs 1, and its price is what it is worth beyond that.
        price = self.columns.machine_price
        top = price if self.target_rate is None else 1.0 - price
        worth = self.columns.worth[:, None] * self.datacenter.rate
        return valuable_bins(self.datacenter, worth, top - within, most=most)

    def _round(self, bins: tuple[IntArray, ...], machines: Sequence[FloatArray]) -> None:
        rate = self.columns.value if self.target_rate is None else self.target_rate
        everywhere = self.target_rate is None
        plan = greedy_rounding(self.datacenter, bins, machines, rate, all_machines=everywhere)
        self._consider(bins, plan)

    def _consider(self, bins: tuple[IntArray, ...], machines: tuple[IntArray, ...]) -> None:
        """Keep a plan if it is better than the best so far, or the first."""
        rate = rate_of(self.datacenter, bins, machines)
        if self.target_rate is None:
            cost = -rate
        elif rate >= self.target_rate * (1 - RATE_TOLERANCE):
            cost = float(sum(int(x.sum()) for x in machines))
        else:
            cost = math.inf
        if cost < self.cost or not self.best[0]:
            used = [np.flatnonzero(x) for x in machines]
            self.cost = cost
            self.best = (
                tuple(rows[kept] for rows, kept in zip(bins, used, strict=True)),
                tuple(x[kept] for x, kept in zip(machines, used, strict=True)),
            )

    def _whole(self, bound: float) -> float:
        """A lower bound of numbers of machines as a whole number; others stay."""
        if self.target_rate is None or math.isinf(bound):
            return bound
        return float(max(0, math.ceil(bound - GAP * max(1.0, bound))))


def _joined(bins: Sequence[IntArray], more: Sequence[IntArray]) -> tuple[IntArray, ...]:
    """The bins of both, each once, those of the first in their order."""
    joined = (
        dict.fromkeys(map(tuple, np.concatenate(rows).tolist()))
        for rows in zip(bins, more, strict=True)
    )
    return tuple(np.array(list(rows), np.int64) for rows in joined)


def _counts(bins: Sequence[IntArray], plan: Plan) -> tuple[IntArray, ...]:
    """The machines of a plan with each of these bins, which hold its own."""
    counts = []
    for rows, used, machines in zip(bins, *plan, strict=True):
        of = Counter[tuple[int, ...]]()
        for row, number in zip(used.tolist(), machines.tolist(), strict=True):
            of[tuple(row)] += number
        counts.append(np.array([of[tuple(row)] for row in rows.tolist()], np.int64))
    return tuple(counts)


_ROUNDS = 8
"""Most times that the rest is solved again."""

_GAP = 1e-3
"""Relative gap at which the linear program of the rest ends."""

_MISSING = 1e-9
"""A class that lacks less than this share of its arrivals lacks nothing."""


def residual_columns(
    datacenter: Datacenter, columns: Columns, clock: Clock, target_rate: float | None = None
) -> tuple[tuple[IntArray, ...], tuple[FloatArray, ...]]:
    """Round down, solve the linear program of what is left over, and so on until nothing is.

    `clock`: when to end with what there is.
    `target_rate`: arrival rate to carry on the fewest machines (jobs per time unit), None to
    maximise it.
    Returns the bins of `columns` and then new ones, shapes (bins, K).
    Returns a fractional plan of them, most of it in whole machines, shapes (bins,).
    """
    wanted = datacenter.share * (columns.value if target_rate is None else target_rate)
    bins, rest = columns.bins, columns.machines
    settled = [np.zeros(len(rows)) for rows in bins]
    for _ in range(_ROUNDS):
        whole = [np.floor(fractional + WHOLE) for fractional in rest]
        settled = [x + more for x, more in zip(settled, whole, strict=True)]
        rest = tuple(np.maximum(x - y, 0.0) for x, y in zip(rest, whole, strict=True))
        missing = np.maximum(wanted - served(datacenter, bins, settled), 0.0)
        missing[missing < _MISSING * wanted] = 0.0
        left = datacenter.count - np.array([int(x.sum()) for x in settled])
        if clock.over or not (missing.any() and left.any() and any(x.any() for x in whole)):
            break
        total = float(missing.sum())
        small = replace(datacenter, count=left, share=missing / total)
        target = None if target_rate is None else total
        try:
            again = generate_columns(
                small,
                target_rate=target,
                start=bins,
                gap=_GAP,
                time_limit=clock.left,
                stop=clock.stop,
            )
        except NoRate:
            break
        bins, rest = again.bins, again.machines
        settled = [
            np.pad(x, (0, len(rows) - len(x))) for x, rows in zip(settled, bins, strict=True)
        ]
    return bins, tuple(x + y for x, y in zip(settled, rest, strict=True))
