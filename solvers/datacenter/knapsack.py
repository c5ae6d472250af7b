"""Bins that are worth most: an unbounded knapsack with several resources.

Depth first over the number of jobs of each class, from as many as fit down to none, the classes
with the best value for what they need first. A branch is cut off if no dual price vector of the
remaining classes lets it beat the best bin so far: with prices u >= 0 at which no class is worth
more than what it needs, the room that is left is worth no more than its price.
docs/formulations/lotes.md has the proof.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import BoolArray, FloatArray, IntArray
from ...core.kernels.decorators import counted
from ...formulations.datacenter.machine_assignment.bins import fitting
from ...instances.datacenter.datacenter import Datacenter

MOST_NODES = 2_000_000
"""Most nodes of the search for all valuable bins of one configuration, a quarter of a second."""

_SCARCE = 0.4
"""Share of one resource that is left when further price vectors are computed."""

_ROUNDING = 1e-12
"""Relative rounding error that is added to every bound."""

_MISSED = 1e-9
"""Relative amount by which a bin may miss the least worth, for rounding errors."""


class BestBins(NamedTuple):
    """A bin of each configuration, for M configurations and K classes."""

    bins: IntArray
    """The bins, shape (M, K); empty if the search found none above the floor."""
    value: FloatArray
    """Their values, shape (M,), or the floor."""
    bound: FloatArray
    """No bin of the configuration is worth more than this, shape (M,)."""


def best_bins(
    datacenter: Datacenter,
    worth: FloatArray,
    *,
    floor: FloatArray | None = None,
    tolerance: float = 1e-9,
    most_nodes: int = 10_000_000,
) -> BestBins:
    """Find the most valuable bin of each configuration.

    Bins are filled up with jobs that are worth nothing, so that they are non-dominated.

    `worth`: of a running job of each class, shape (K, M).
    `floor`: only bins worth more are sought, shape (M,); 0 by default.
    `most_nodes`: most nodes of the search for one configuration; after them it ends with its bound.
    """
    count, request = len(datacenter.configurations), datacenter.request_units
    bins = np.zeros((count, len(datacenter.classes)), dtype=np.int64)
    value = np.zeros(count) if floor is None else floor.astype(float)
    bound, times = np.zeros(count), _replacements(request)
    for j, capacity in enumerate(datacenter.capacity_units):
        classes = _best_classes(datacenter, j, worth[:, j], times)
        mix, value[j], bound[j], _ = _search(
            *classes.table, capacity, capacity, float(value[j]), float(tolerance), most_nodes, _NONE
        )
        if mix.any():
            bins[j, classes.kept] = mix
            usable = datacenter.fits[:, j]
            fill_up(bins[j], usable, request, capacity)
            value[j] = max(value[j], bins[j] @ np.where(usable, worth[:, j], 0.0))
    return BestBins(bins, value, bound)


def worth_of_room(
    datacenter: Datacenter,
    j: int,
    worth: FloatArray,
    room: IntArray,
    *,
    tolerance: float = 1e-9,
    most_nodes: int = 10_000_000,
) -> FloatArray:
    """What the best filling of parts of a machine is worth.

    `worth`: of a running job of each class on configuration j, shape (K,).
    `room`: the parts, in units, at most the capacity, shape (parts, R).
    `most_nodes`: most nodes of the search for one part; after them it ends with its bound.
    Returns no filling is worth more than this, and within the tolerance one is unless the search
    ended early, shape (parts,).
    """
    classes = _best_classes(datacenter, j, worth, _replacements(datacenter.request_units))
    capacity = datacenter.capacity_units[j]
    found = (
        _search(*classes.table, part, capacity, 0.0, float(tolerance), most_nodes, _NONE)
        for part in room
    )
    return np.array([bound for _, _, bound, _ in found])


def valuable_bins(
    datacenter: Datacenter, worth: FloatArray, least: FloatArray, *, most: int
) -> tuple[IntArray, ...] | None:
    """Enumerate the bins worth at least so much beside which no further job fits.

    At prices π a plan carries less than the bound by what its bins are worth less than the best one
    of their configuration. So a plan better than a known one has no bin that falls short of the
    best by more than the known plan falls short of the bound.

    Jobs of classes without arrivals count as filling only: of the bins that differ in them alone
    there is one.

    Returns the bins of each configuration, shapes (bins, K); the empty one where there are none.
    None if there are more than `most`, or the search takes too long.
    """
    tables, left = [], most
    for j, capacity in enumerate(datacenter.capacity_units):
        kept = np.flatnonzero(datacenter.fits[:, j] & (datacenter.share > 0))
        size = np.maximum(_shares(datacenter.request_units[kept], capacity).sum(axis=1), 1e-200)
        kept = kept[np.argsort(-worth[kept, j] / size, kind="stable")]
        bins = np.zeros((left + 1, len(kept)), dtype=np.int64)
        number = 0
        if datacenter.count[j]:
            classes = _classes(datacenter, j, worth[:, j], kept)
            below = float(np.nextafter(float(least[j]) * (1 - _MISSED), -np.inf))
            *_, number = _search(*classes.table, capacity, capacity, below, 0.0, MOST_NODES, bins)
        if number > left:
            return None
        left -= number
        table = np.zeros((max(1, number), len(datacenter.classes)), dtype=np.int64)
        table[:number, kept] = bins[:number]
        for jobs in table[:number]:
            fill_up(jobs, datacenter.fits[:, j], datacenter.request_units, capacity)
        tables.append(table)
    return tuple(tables)


def resource_prices(datacenter: Datacenter, worth: FloatArray) -> FloatArray:
    """Compute upper bounds on the worth of a unit of each resource on each configuration.

    They are the dual prices of the knapsack that may hold fractions of jobs: no bin of
    configuration j is worth more than capacity[j] @ prices[j].
    """
    prices = np.zeros(datacenter.capacity.shape)
    for j, capacity in enumerate(datacenter.capacity_units):
        p = worth[:, j]
        kept = np.flatnonzero(datacenter.fits[:, j] & (p > 0))
        share = _shares(datacenter.request_units[kept], capacity)
        prices[j] = _relaxed_prices(p[kept], share, 0, -1)
        cost = share @ prices[j]
        short = cost > 0
        if short.any():
            prices[j] *= max(1.0, float((p[kept][short] / cost[short]).max()))
    has = datacenter.capacity > 0
    return np.divide(prices, datacenter.capacity, out=np.zeros_like(prices), where=has)


def warm_up() -> None:
    """Compile the kernels or load them from the cache."""
    none, table, nothing = np.zeros(0), np.zeros((0, 1)), np.zeros(1, dtype=np.int64)
    vectors = _price_vectors(none, table)
    _search(none, table.astype(np.int64), table, vectors, nothing, nothing, 0.0, 0.0, 0, _NONE)


def fill_up(jobs: IntArray, usable: BoolArray, request: IntArray, capacity: IntArray) -> None:
    """Add jobs of usable classes, in their order, until none fits.

    `jobs`: counts of a bin, shape (K,); changed in place.
    `usable`: classes that may run there, shape (K,).
    """
    room = capacity - jobs @ request
    for k in np.flatnonzero(usable).tolist():
        inside = request[k] > 0
        more = int((room[inside] // request[k][inside]).min())
        jobs[k] += more
        room -= more * request[k]


class _Classes(NamedTuple):
    """Classes that may be in a bin, in the order of the search."""

    kept: IntArray
    """Their numbers."""
    table: tuple[FloatArray, IntArray, FloatArray, FloatArray]
    """Worth, request, request as shares of the capacity, and price vectors; see `_search`."""


def _classes(datacenter: Datacenter, j: int, worth: FloatArray, kept: IntArray) -> _Classes:
    need = datacenter.request_units[kept]
    share = _shares(need, datacenter.capacity_units[j])
    return _Classes(kept, (worth[kept], need, share, _price_vectors(worth[kept], share)))


def _best_classes(datacenter: Datacenter, j: int, worth: FloatArray, times: IntArray) -> _Classes:
    """The classes that may be in a best bin, the best value for the price of their needs first."""
    p = np.where(datacenter.fits[:, j], worth, 0.0)
    replaced = (times >= 1) & (times * p[None, :] >= p[:, None]) & (p[None, :] > 0)
    # Of two classes that replace each other the first stays.
    first = np.arange(len(p))[:, None] <= np.arange(len(p))[None, :]
    replaced &= ~(replaced.T & first)
    kept = np.flatnonzero((p > 0) & ~replaced.any(axis=1))
    share = _shares(datacenter.request_units[kept], datacenter.capacity_units[j])
    cost = share @ _relaxed_prices(p[kept], share, 0, -1)
    order = np.argsort(-p[kept] / np.maximum(cost, 1e-200), kind="stable")
    return _classes(datacenter, j, p, kept[order])


def _shares(need: IntArray, capacity: IntArray) -> FloatArray:
    """Requests of jobs as shares of the capacity, shape (K, R); 0 where there is none."""
    return np.divide(need, capacity, out=np.zeros(need.shape), where=capacity > 0)


def _replacements(request: IntArray) -> IntArray:
    """Jobs of the second class that fit in place of one of the first, shape (K, K)."""
    needs = request[None, :, :] > 0
    each = request[:, None, :] // np.maximum(request[None, :, :], 1)
    times: IntArray = np.where(needs, each, np.iinfo(np.int64).max).min(axis=2)
    return times


_NONE: IntArray = np.zeros((0, 0), dtype=np.int64)
"""Bins that are not wanted."""


@counted
def _relaxed_prices(p: FloatArray, share: FloatArray, first: int, scarce: int) -> FloatArray:
    """Dual prices of max p x, share x <= 1, x >= 0 over the classes from `first` on (simplex).

    Of resource `scarce`, unless it is -1, there is less.
    """
    resources = share.shape[1]
    items = len(p) - first
    width = items + resources + 1
    table = np.zeros((resources + 1, width))
    for r in range(resources):
        for x in range(items):
            table[r, x] = share[first + x, r]
        table[r, items + r] = 1.0
        table[r, width - 1] = _SCARCE if r == scarce else 1.0
    zero = 0.0
    for x in range(items):
        table[resources, x] = -p[first + x]
        zero = max(zero, _ROUNDING * p[first + x])
    for _ in range(20 * resources):
        column, least = -1, -zero
        for x in range(width - 1):
            if table[resources, x] < least:
                column, least = x, table[resources, x]
        if column < 0:
            break
        row, ratio = -1, 1e300
        for r in range(resources):
            if table[r, column] > 1e-12 and table[r, width - 1] / table[r, column] < ratio:
                row, ratio = r, table[r, width - 1] / table[r, column]
        if row < 0:
            break
        pivot = table[row, column]
        for x in range(width):
            table[row, x] /= pivot
        for r in range(resources + 1):
            factor = table[r, column]
            if r != row and factor != 0.0:
                for x in range(width):
                    table[r, x] -= factor * table[row, x]
    price = np.zeros(resources)
    for r in range(resources):
        price[r] = max(0.0, table[resources, items + r])
    return price


@counted
def _dot(price: FloatArray, table: FloatArray, row: int) -> float:
    """The price of what is in a row of a table."""
    total = 0.0
    for r in range(len(price)):
        total += price[r] * table[row, r]
    return total


@counted
def _price_vectors(p: FloatArray, share: FloatArray) -> FloatArray:
    """Valid price vectors for the classes from x on, shape (classes + 1, vectors, resources).

    They are that of the relaxed knapsack, one that prices all resources alike, one for each
    resource alone, and those of the relaxed knapsack with little left of each resource. A vector
    that cannot price some class is too high to matter.

    Returns the prices of the whole capacity; those after the last class are 0.
    """
    classes, resources = share.shape
    kinds = 2 * resources + 2
    vectors = np.zeros((classes + 1, kinds, resources))
    price = np.zeros(resources)
    for first in range(classes):
        for v in range(kinds):
            for r in range(resources):
                price[r] = 1.0 if v == 1 or v == r + 2 else 0.0
            if v == 0 or v >= resources + 2:
                scarce = v - resources - 2 if v > 0 else -1
                price = _relaxed_prices(p, share, first, scarce)
            scale = 0.0
            for x in range(first, classes):
                cost = _dot(price, share, x)
                if p[x] > 0:
                    scale = max(scale, p[x] / cost if cost > 1e-200 else 1e200)
            for r in range(resources):
                # Scaled so that no class is worth more than it costs; 0 * 1e200 is still 0.
                vectors[first, v, r] = price[r] * scale if scale < 1e200 else 1e200
    return vectors


@counted
def _search(
    p: FloatArray,
    need: IntArray,
    share: FloatArray,
    vectors: FloatArray,
    whole: IntArray,
    capacity: IntArray,
    floor: float,
    tolerance: float,
    most_nodes: int,
    bins: IntArray,
) -> tuple[IntArray, float, float, int]:
    """Branch and bound over the counts of the classes that fill the room `whole`.

    `share` and `vectors` are relative to the capacity, of which the room is a part. Returns the
    best bin, none if no bin exceeds the floor, its value and a bound.

    If `bins` has rows, it is filled with all bins above the floor beside which no job fits; their
    number comes last, or that of the rows if they or the nodes do not suffice.
    """
    classes, resources = need.shape
    best = np.zeros(classes, dtype=np.int64)
    value, to_beat, number = floor, floor * (1 + tolerance), 0
    if classes == 0:
        return best, value, to_beat * (1 + _ROUNDING), number
    count = np.zeros(classes, dtype=np.int64)
    room = np.zeros((classes + 1, resources), dtype=np.int64)
    left = np.zeros((classes + 1, resources))  # room as shares of the capacity
    worth = np.zeros(classes + 1)
    for r in range(resources):
        room[0, r] = whole[r]
        left[0, r] = whole[r] / capacity[r] if capacity[r] > 0 else 0.0
    x, down, nodes = 0, True, 0
    while x >= 0:
        if down:
            nodes += 1
            count[x] = fitting(need, x, room, x)
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
        if worth[x + 1] > to_beat:
            if len(bins) == 0:
                value = worth[x + 1]
                to_beat = value * (1 + tolerance)
                for y in range(classes):
                    best[y] = count[y] if y <= x else 0
            elif x == classes - 1 and _is_full(need, room):
                if number >= len(bins) - 1:
                    return best, value, to_beat, len(bins)
                for y in range(classes):
                    bins[number, y] = count[y]
                number += 1
        if x == classes - 1:
            # Fewer of the last class would leave room for it.
            x, down = x - 1, False
            continue
        hopeful = True
        for v in range(vectors.shape[1]):
            if worth[x + 1] + _dot(vectors[x + 1, v], left, x + 1) <= to_beat:
                hopeful = False
                # Fewer jobs of class x are hopeless too if it is worth its price here.
                if _dot(vectors[x + 1, v], share, x) <= p[x]:
                    count[x] = 0
                break
        if hopeful and nodes >= most_nodes:
            most = _open_bound(p, share, vectors, count, worth, left, x, to_beat)
            return best, value, most * (1 + _ROUNDING), len(bins)
        down = hopeful
        if hopeful:
            x += 1
    return best, value, to_beat * (1 + _ROUNDING), number


@counted
def _is_full(need: IntArray, room: IntArray) -> bool:
    """Whether no job of any class fits what all leave."""
    full = True
    for x in range(len(need)):
        full = full and fitting(need, x, room, len(need)) == 0
    return full


@counted
def _open_bound(
    p: FloatArray,
    share: FloatArray,
    vectors: FloatArray,
    count: IntArray,
    worth: FloatArray,
    left: FloatArray,
    x: int,
    to_beat: float,
) -> float:
    """The greatest possible value of the branches not yet searched."""
    most = to_beat
    for y in range(x + 1):
        # Numbers of class y still to come, from count[y] - 1 (on the last level, count[y]) to 0.
        larger = count[y] if y == x else count[y] - 1
        if larger < 0:
            continue
        branch = 1e300
        for v in range(vectors.shape[1]):
            at_none = worth[y] + _dot(vectors[y + 1, v], left, y)
            each = p[y] - _dot(vectors[y + 1, v], share, y)
            branch = min(branch, at_none + larger * max(each, 0.0))
        most = max(most, branch)
    return most
