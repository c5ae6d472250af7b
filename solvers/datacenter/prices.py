"""What a job of each class is worth to a dispatcher, and where a class belongs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...core.arrays import FloatArray
from ...core.errors import InputError
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.guidance import ClassPrices, Guidance
from ...instances.limits import MOST
from .knapsack import best_bins, worth_of_room

TOLERANCE = 1e-4
"""Relative tolerance of the worth of a part of a machine."""

WHOLE_TOLERANCE = 1e-6
"""The same for a whole machine."""

MOST_NODES = 20_000
"""Nodes of its search; after them its bound stands for its value, so that more belongs."""

STRICT, PER_SPREAD = 0.2, 2.0
"""A class belongs where it spoils at most `STRICT + PER_SPREAD * spread` of what it brings more
than where it spoils least."""


def class_prices(datacenter: Datacenter, value: FloatArray, *, spread: float = 0.0) -> ClassPrices:
    """Return the prices of the classes with the configurations where each belongs.

    A class belongs on configuration j if the room that a job takes of an empty machine there,
    tau_kj (V_j(capacity) - V_j(capacity - request)), is worth little more than the job brings; V_j
    is the worth of the best filling (docs/heuristics/dispatch.md). What counts is how much more
    than on the configuration where that is least: no class is barred everywhere.

    `value`: what serving each class at a rate greater by 1 is worth, shape (K,).
    Raises `InputError` if the spread is negative or not finite.
    """
    check_spread(spread)
    room = _price_of_room(datacenter, value)
    # Of machines that do not exist yet, only what is left over decides.
    there = datacenter.fits & (datacenter.count > 0)
    there = np.where(there.any(axis=1, keepdims=True), there, datacenter.fits)
    least = np.where(there, room, np.inf).min(axis=1, initial=MOST)
    # Where demands vary, a class without a price must not be barred for hardly any worth.
    brings = np.maximum(np.maximum(value, least), spread * np.median(value[value > 0]))
    allowed = (STRICT + PER_SPREAD * spread) * brings
    belongs = datacenter.fits & (room - least[:, None] <= allowed[:, None])
    return ClassPrices(value=value, belongs=belongs, spread=spread)


def check_spread(spread: float) -> None:
    """Raise `InputError` unless a spread is finite and not negative."""
    if not 0 <= spread < float("inf"):
        raise InputError(f"spread: need a number >= 0, got {spread}")


def with_spread(guidance: Guidance, spread: float) -> Guidance:
    """Return the same guidance for jobs whose demands vary more or less within their class.

    Returns the plan with the places where each class belongs at that spread; the plan itself if it
    has no prices.
    """
    prices = guidance.class_prices
    if prices is None or prices.spread == spread:
        return guidance
    made = class_prices(guidance.datacenter, prices.value, spread=spread)
    made = replace(made, draws=prices.draws, seed=prices.seed, bonus=prices.bonus)
    return replace(guidance, class_prices=made)


def _price_of_room(datacenter: Datacenter, value: FloatArray) -> FloatArray:
    """What the room of a job on an empty machine is worth while it runs, shape (K, M).

    inf where a job does not fit.
    """
    full = best_bins(
        datacenter,
        value[:, None] * datacenter.rate,
        tolerance=WHOLE_TOLERANCE,
        most_nodes=10 * MOST_NODES,
    )
    room = np.full(datacenter.mean_time.shape, np.inf)
    inside = full.bins.T > 0
    # A job in the best bin takes room worth just what it brings.
    room[inside] = np.broadcast_to(value[:, None], room.shape)[inside]
    for j in range(len(datacenter.count)):
        kept = np.flatnonzero(datacenter.fits[:, j] & ~inside[:, j])
        rest = datacenter.capacity_units[j] - datacenter.request_units[kept]
        worth = value * datacenter.rate[:, j]
        left = worth_of_room(datacenter, j, worth, rest, tolerance=TOLERANCE, most_nodes=MOST_NODES)
        # Room that is worth nothing must not seem to be worth the tolerance.
        whole = full.bound[j] * (1 - 2 * WHOLE_TOLERANCE)
        lost = np.maximum(whole - left, 0.0)
        room[kept, j] = np.maximum(value[kept], lost * datacenter.mean_time[kept, j])
    return room
