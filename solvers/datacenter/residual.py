"""Bins that are priced against what rounding down leaves over."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.clock import Clock
from ...instances.datacenter.datacenter import Datacenter
from .column_generation import Columns, NoRate, generate_columns
from .rounding import WHOLE, served

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
