"""Proofs by prices of time, and of whole tasks on slots, also in windows of map phases."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import product

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.background import interruptible
from ....core.clock import Clock
from ....verifier.closed_forms import spans
from ....verifier.documents import Refused
from ....verifier.prices import task_kinds
from ....verifier.problem import Shop
from ...certificate import Proof
from ..pattern_prices.method import CELLS, MOST_JOBS, WINDOWS_PROOF
from ..pattern_prices.patterns import Kinds
from ..pattern_prices.prices import PhasePrices
from ..pattern_prices.windows import DueDates, Windows
from ..relaxations.time_prices import MOST_UNITS, TimedJobs, raise_prices, surplus
from . import Claim

SCALES = tuple(10**k for k in range(2, 10))
"""The greatest whole price of time; the first that suffices is taken."""

MOST_SIZES, MOST_KINDS = 20_000, 1000
"""With more sizes of tasks prices of time are not looked for, with more kinds of tasks in a phase
no prices of tasks."""

SLACKS = 0.0, 2e-4, 1e-3
"""Relative: horizons so much shorter than the target are tried one after another."""

WHOLE_PRICES = 2.0**40
"""The sum of all whole prices of tasks."""

ERROR = 2e-13
"""Of due dates, as a part of the horizon."""

MOST_NODES = 1000
"""Most nodes of a search in windows: it begins without what shorter horizons taught."""


def prices_of_time(claim: Claim) -> Iterator[Proof]:
    """Prices of time for the longest horizon below the target.

    A cell is the unit of all least durations, or a part of the target if these are too many.
    """
    shop = claim.shop
    cell = math.gcd(*shop.maps.least, *shop.reduces.least)
    if not cell or claim.target > MOST_UNITS * cell:
        cell = max(1, -(-claim.target // MOST_UNITS))
    horizon = -(-claim.target // cell) - 1
    jobs = _timed(shop, cell)
    if not 0 < horizon <= 2 * MOST_UNITS or not jobs.slots.all() or len(jobs.size) > MOST_SIZES:
        return
    if jobs.least.sum(axis=0).max(initial=0) > horizon:
        return
    flag, best = np.zeros(1, dtype=np.int64), np.ones((2, horizon))
    interruptible(lambda: raise_prices(flag, jobs, best), flag, claim.stop)
    for scale in SCALES:
        prices = np.floor(best * (scale / max(1e-300, best.max()))).astype(np.int64)
        if surplus(jobs, prices) > 0:
            maps, reduces = prices.tolist()
            yield {"proof": "prices of time", "cell": cell, "map": maps, "reduce": reduces}
            return


def _timed(shop: Shop, cell: int) -> TimedJobs:
    """The relaxed problem in cells, as the verifier reads it."""
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
    least = [[time // cell for time in side] for side in spans(shop)]
    slots = [len(shop.maps.node), len(shop.reduces.node)]
    arrays: list[IntArray] = [
        np.array(values, dtype=np.int64) for values in (least, begin, sizes, numbers, slots)
    ]
    return TimedJobs(*arrays)


def pattern_prices(claim: Claim) -> Iterator[Proof]:
    """Prices of the tasks of one phase for a horizon below the target."""
    if claim.shop.equal:
        return
    clock = Clock(claim.stop.left)
    waits = spans(claim.shop)[::-1]
    searches = []
    for (name, wait), cells in product(zip(("map", "reduce"), waits, strict=True), CELLS):
        kinds = _kinds(claim.shop, name)
        if kinds is not None:
            due = np.array([wait[job] for job in kinds.job], dtype=float)
            searches.append((name, cells, due, kinds, PhasePrices(kinds, cells, clock)))
    for slack, (name, cells, wait, kinds, prices) in product(SLACKS, searches):
        horizon = claim.target - 1 - int(claim.target * slack)
        if horizon <= 0 or clock.over:
            return
        if prices.impossible(horizon - wait, float(horizon)):
            yield {
                "proof": "patterns",
                "phase": name,
                "horizon": horizon,
                "cells": cells,
                "prices": _whole(prices.known[-1], kinds),
            }


def windows(claim: Claim) -> Iterator[Proof]:
    """Due dates of both phases of the longest jobs that leave no end for their map phases."""
    if claim.bound_name != WINDOWS_PROOF:  # a long search that rarely finds anything elsewhere
        return
    maps, reduces = _kinds(claim.shop, "map"), _kinds(claim.shop, "reduce")
    if maps is None or reduces is None:
        return
    clock = Clock(claim.stop.left)
    heads, tails = (np.array(side, dtype=float) for side in spans(claim.shop))
    longest = np.argsort(-(heads + tails), kind="stable")[:MOST_JOBS]
    for slack, chosen in product(SLACKS, range(1, len(longest) + 1)):
        horizon = claim.target - 1 - int(claim.target * slack)
        if horizon <= 0 or clock.over:
            return
        jobs = np.sort(longest[:chosen])
        search = Windows((maps, reduces), heads, tails, jobs, CELLS[0], clock)
        if search.exclude(float(horizon), MOST_NODES):
            yield {
                "proof": "windows",
                "jobs": jobs.tolist(),
                "horizon": horizon,
                "cells": CELLS[0],
                "map": _excluded(search.maps, horizon),
                "reduce": _excluded(search.reduces, horizon),
            }


def _excluded(known: DueDates, horizon: int) -> list[Proof]:
    """Due dates in whole units, and prices.

    Map phases end at whole units, so due dates are rounded down, but for the errors of sums in
    floating point. Less than `EDGE` of a cell, these were allowed for where dates were excluded.
    """
    kinds, error = known.prices.kinds, ERROR * horizon
    return [
        {
            "due": [min(horizon, math.floor(time + error)) for time in due.tolist()],
            "prices": _whole(price, kinds),
        }
        for due, price in known.excluded
    ]


def _whole(price: FloatArray, kinds: Kinds) -> list[int]:
    share = price * (WHOLE_PRICES / float(kinds.number @ price))
    whole: list[int] = np.floor(share).astype(np.int64).tolist()
    return whole


def _kinds(shop: Shop, name: str) -> Kinds | None:
    """The kinds of tasks as the verifier counts them, times in its units; None if too many."""
    try:
        kinds = task_kinds(shop, name)
    except Refused:
        return None
    if not 0 < len(kinds) <= MOST_KINDS:
        return None
    rows = [[np.inf if time is None else time for time in times] for _, times in kinds]
    seconds = np.array(rows, dtype=float)
    # Tasks that take no time somewhere are worth nothing: they count as none.
    number = np.where(seconds.min(axis=1) > 0, list(kinds.values()), 0)
    return Kinds(
        np.array([job for job, _ in kinds], dtype=np.int64),
        number.astype(np.int64),
        np.maximum(seconds, 1e-9),
    )
