"""Proofs by prices of time, also for what a solver proved of the relaxed problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from ....core.arrays import IntArray
from ....core.background import interruptible
from ....instances.mapreduce.usable_slots import usable_slots
from ....verifier.spans import spans
from ...certificate import Proof
from ..branch_and_bound.integer_times import common_unit
from ..relaxations.time_prices import MOST_UNITS, TimedJobs, find_prices, surplus
from .claim import Claim

SCALES = tuple(10**k for k in range(2, 10))
"""The greatest whole price; the first that suffices is taken."""

MOST_KINDS = 20_000
"""With more kinds of tasks prices are not looked for."""


def prices_of_time(claim: Claim) -> Iterator[Proof]:
    """Prices for the longest horizon below the target."""
    cell = _cell(claim)
    horizon = -(-claim.target // cell) - 1
    jobs = _timed(claim, cell)
    if not 0 < horizon <= 2 * MOST_UNITS or not jobs.slots.all() or len(jobs.size) > MOST_KINDS:
        return
    if jobs.least.sum(axis=0).max(initial=0) > horizon:
        return
    flag = np.zeros(1, dtype=np.int64)
    best = [np.ones((2, horizon))]
    interruptible(lambda: best.append(find_prices(jobs, best[0], flag)), flag, claim.stop)
    for scale in SCALES:
        prices = np.floor(best[-1] * (scale / max(1e-300, best[-1].max()))).astype(np.int64)
        if surplus(jobs, prices) > 0:
            maps, reduces = prices.tolist()
            yield {"proof": "prices of time", "cell": cell, "map": maps, "reduce": reduces}
            return


def _cell(claim: Claim) -> int:
    """The product's own unit if that is a multiple of the verifier's, else a part of the target."""
    unit = common_unit(usable_slots(claim.instance).instance)
    cells = Fraction(unit) / claim.shop.unit
    if cells and cells.denominator == 1 and claim.target <= MOST_UNITS * cells:
        return int(cells)
    return max(1, -(-claim.target // MOST_UNITS))


def _timed(claim: Claim, cell: int) -> TimedJobs:
    """The relaxed problem in cells, as the verifier reads it."""
    shop = claim.shop
    begin: list[list[int]] = []
    sizes: list[int] = []
    numbers: list[int] = []
    for phase in (shop.maps, shop.reduces):
        begin.append([len(sizes)])
        for tasks in phase.tasks:
            kinds = Counter(phase.least[t] // cell for t in tasks)
            kinds.pop(0, None)
            sizes += kinds.keys()
            numbers += kinds.values()
            begin[-1].append(len(sizes))
    heads, tails = spans(shop)
    slots = [len(shop.maps.node), len(shop.reduces.node)]
    arrays: list[IntArray] = [
        np.array(values, dtype=np.int64)
        for values in (
            [[head // cell for head in heads], [tail // cell for tail in tails]],
            begin,
            sizes,
            numbers,
            slots,
        )
    ]
    return TimedJobs(*arrays)
