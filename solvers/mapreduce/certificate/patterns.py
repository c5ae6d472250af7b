"""Proofs by prices of whole-task patterns, also in windows of map phases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from ....core.arrays import FloatArray
from ....core.clock import Clock
from ....instances.mapreduce.usable_slots import usable_slots
from ....verifier.documents import Refused
from ....verifier.prices import task_kinds
from ....verifier.problem import Shop
from ....verifier.spans import spans
from ...certificate import Proof
from ..pattern_prices.method import CELLS, MOST_JOBS, WINDOWS_PROOF
from ..pattern_prices.patterns import Kinds
from ..pattern_prices.prices import PhasePrices
from ..pattern_prices.windows import DueDates, Windows
from .claim import Claim

SLACKS = 0.0, 2e-4, 1e-3
"""Relative: horizons so much shorter than the target are tried one after another."""

WHOLE_PRICES = 2.0**40
"""The sum of all whole prices."""

ERROR = 2e-13
"""Of due dates, as a part of the horizon."""

MOST_NODES = 1000
"""Most nodes of a search in windows: it begins without what shorter horizons taught."""

MOST_KINDS = 1000
"""With more kinds of tasks in a phase prices are not looked for."""


def pattern_prices(claim: Claim) -> Iterator[Proof]:
    """Prices of the tasks of one phase for a horizon below the target."""
    if usable_slots(claim.instance).instance.speed_factors is None:
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
    heads, tails = (np.array(span, dtype=float) for span in spans(claim.shop))
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
