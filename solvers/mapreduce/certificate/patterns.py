"""Proofs by prices of whole-task patterns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from .... import verify, verify_prices
from ....core.clock import Clock
from ....instances.mapreduce.usable_slots import usable_slots
from ...certificate import Proof
from ..pattern_prices.kinds import Kinds
from ..pattern_prices.method import CELLS
from ..pattern_prices.prices import PhasePrices
from .claim import Claim

SLACKS = 0.0, 2e-4, 1e-3
"""Relative: horizons so much shorter than the target are tried one after another."""

WHOLE_PRICES = 2.0**40
"""The sum of all whole prices."""

MOST_KINDS = 1000
"""With more kinds of tasks in a phase prices are not looked for."""


def pattern_prices(claim: Claim) -> Iterator[Proof]:
    """Prices of the tasks of one phase for a horizon below the target."""
    if usable_slots(claim.instance).instance.speed_factors is None:
        return
    clock = Clock(claim.stop.left)
    waits = verify_prices.spans(claim.shop)[::-1]
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
            price = prices.known[-1] * (WHOLE_PRICES / float(kinds.number @ prices.known[-1]))
            yield {
                "proof": "patterns",
                "phase": name,
                "horizon": horizon,
                "cells": cells,
                "prices": np.floor(price).astype(np.int64).tolist(),
            }


def _kinds(shop: verify.Shop, name: str) -> Kinds | None:
    """The kinds of tasks as the verifier counts them, times in its units; None if too many."""
    try:
        kinds = verify_prices.task_kinds(shop, name)
    except verify.Refused:
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
