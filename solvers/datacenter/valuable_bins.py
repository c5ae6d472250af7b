"""All bins that a better plan can use, where they are few.

At prices π a plan carries less than the bound by what its bins are worth less than the best one of
their configuration. A plan better than a known one therefore has no bin that falls short of the
best by more than the known plan falls short of the bound:
docs/formulations/lotes.md has the proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.kernels.decorators import counted
from ...instances.datacenter.datacenter import Datacenter
from .knapsack import dot, fill_up, price_vectors, shares

MOST_NODES = 2_000_000
"""Most nodes of the search in one configuration, about a quarter of a second."""

_ROUNDING = 1e-9
"""Relative amount by which a bin may miss the least worth, for rounding errors."""


@dataclass(frozen=True)
class _Order:
    """Classes of one configuration, the most valuable for their size first."""

    classes: IntArray
    worth: FloatArray
    need: IntArray
    share: FloatArray


def valuable_bins(
    datacenter: Datacenter, worth: FloatArray, least: FloatArray, *, most: int
) -> tuple[IntArray, ...] | None:
    """Enumerate the bins worth at least so much beside which no further job fits.

    Jobs of classes without arrivals count as filling only: of the bins that differ in them alone
    there is one.

    Returns the bins of each configuration, shapes (bins, K); the empty one where there are none.
    None if there are more than `most`, or the search takes too long.
    """
    tables, left = [], most
    for j, capacity in enumerate(datacenter.capacity_units):
        order = _order(datacenter, worth, j)
        bins = np.zeros((left + 1, len(order.classes)), dtype=np.int64)
        number = 0
        if datacenter.count[j] and len(order.classes):
            below = float(least[j]) * (1 - _ROUNDING)
            number = _collect(
                order.worth, order.need, order.share, capacity, below, bins, MOST_NODES
            )
        if number > left:
            return None
        left -= number
        table = np.zeros((max(1, number), len(datacenter.classes)), dtype=np.int64)
        table[:number, order.classes] = bins[:number]
        for jobs in table[:number]:
            fill_up(jobs, datacenter.fits[:, j], datacenter.request_units, capacity)
        tables.append(table)
    return tuple(tables)


def warm_up() -> None:
    """Compile the kernel or load it from the cache."""
    none, table = np.zeros(0), np.zeros((0, 1))
    whole = table.astype(np.int64)
    _collect(none, whole, table, np.zeros(1, dtype=np.int64), 0.0, whole, 0)


def _order(datacenter: Datacenter, worth: FloatArray, j: int) -> _Order:
    kept = np.flatnonzero(datacenter.fits[:, j] & (datacenter.share > 0))
    share = shares(datacenter.request_units[kept], datacenter.capacity_units[j])
    value = worth[kept, j]
    order = np.argsort(-value / np.maximum(share.sum(axis=1), 1e-200), kind="stable")
    return _Order(kept[order], value[order], datacenter.request_units[kept[order]], share[order])


@counted
def _collect(
    p: FloatArray,
    need: IntArray,
    share: FloatArray,
    capacity: IntArray,
    least: float,
    bins: IntArray,
    most_nodes: int,
) -> int:
    """Depth first over the counts of the classes, as in the knapsack.

    Fills `bins` and returns how many there are, or one more than it has rows if the search has to
    stop.
    """
    classes, resources = need.shape
    if classes == 0:
        return 0
    vectors = price_vectors(p, share)
    count = np.zeros(classes, dtype=np.int64)
    room = np.zeros((classes + 1, resources), dtype=np.int64)
    left = np.zeros((classes + 1, resources))
    worth = np.zeros(classes + 1)
    for r in range(resources):
        room[0, r] = capacity[r]
        left[0, r] = 1.0 if capacity[r] > 0 else 0.0
    number, nodes, x, down = 0, 0, 0, True
    while x >= 0:
        if down:
            nodes += 1
            count[x] = _fitting(need, x, room, x)
        elif count[x] == 0:
            x -= 1
            continue
        else:
            count[x] -= 1
        worth[x + 1] = worth[x] + count[x] * p[x]
        for r in range(resources):
            room[x + 1, r] = room[x, r] - count[x] * need[x, r]
            if capacity[r] > 0:
                left[x + 1, r] = room[x + 1, r] / capacity[r]
        if x < classes - 1:
            hopeful = True
            for v in range(vectors.shape[1]):
                if worth[x + 1] + dot(vectors[x + 1, v], left, x + 1) < least:
                    hopeful = False
                    # Fewer jobs of class x are hopeless too if it is worth its price here.
                    if dot(vectors[x + 1, v], share, x) <= p[x]:
                        count[x] = 0
                    break
            if hopeful and nodes >= most_nodes:
                return len(bins)
            down = hopeful
            if hopeful:
                x += 1
            continue
        if worth[classes] >= least:
            full = True
            for y in range(classes):
                if _fitting(need, y, room, classes) > 0:
                    full = False
                    break
            if full:
                if number >= len(bins) - 1:
                    return len(bins)
                for y in range(classes):
                    bins[number, y] = count[y]
                number += 1
        # Fewer of the last class would leave room for it.
        x, down = x - 1, False
    return number


@counted
def _fitting(need: IntArray, k: int, room: IntArray, row: int) -> int:
    """How many jobs of class k fit into row `row` of `room`."""
    fitting = 2**62
    for r in range(need.shape[1]):
        if need[k, r] > 0:
            fitting = min(fitting, room[row, r] // need[k, r])
    return fitting
