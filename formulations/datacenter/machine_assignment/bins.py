"""Bins: sets of jobs that together fit one machine ([LoTES], section 4.2).

A bin is a row of counts, one per class. It is non-dominated if no further job fits beside it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....core.arrays import IntArray
from ....core.errors import InputError
from ....core.kernels.decorators import counted
from ....instances.datacenter.datacenter import Datacenter

MOST_BINS = 5_000_000
"""Enumeration stops with an error beyond this many bins of one configuration."""


def non_dominated(
    datacenter: Datacenter,
    configuration: int,
    classes: Sequence[int] | None = None,
    *,
    most: int = MOST_BINS,
) -> IntArray:
    """Enumerate the non-dominated bins of a machine configuration, each once.

    If no class can run there, the empty bin is the only one.

    `classes`: classes to use, by default all; those that cannot run there are ignored.
    Raises `InputError` if there are more than `most`.
    """
    kept = _runnable(datacenter, configuration, classes)
    # Large classes first: the last class, which fills what is left, should be small.
    capacity = datacenter.capacity_units[configuration]
    size = datacenter.request_units[kept] / np.maximum(capacity, 1)
    order = kept[np.argsort(-size.max(axis=1), kind="stable")]
    request = np.ascontiguousarray(datacenter.request_units[order])
    number = _enumerate(request, capacity, np.zeros((0, len(order)), dtype=np.int64), most)
    if number > most:
        raise InputError(
            f"configuration {datacenter.configurations[configuration]!r}: more than {most} "
            "non-dominated bins; use column generation, which needs none of them"
        )
    bins = np.zeros((number, len(order)), dtype=np.int64)
    _enumerate(request, capacity, bins, most)
    table = np.zeros((number, len(datacenter.classes)), dtype=np.int64)
    table[:, order] = bins
    return table


def all_non_dominated(datacenter: Datacenter, *, most: int = MOST_BINS) -> tuple[IntArray, ...]:
    """Enumerate the non-dominated bins of every configuration.

    Raises `InputError` if a configuration has more than `most`.
    """
    configurations = range(len(datacenter.configurations))
    return tuple(non_dominated(datacenter, j, most=most) for j in configurations)


def algorithm_1(
    datacenter: Datacenter,
    configuration: int,
    classes: Sequence[int] | None = None,
    *,
    reset: bool = False,
    most: int = MOST_BINS,
) -> IntArray:
    """Run [LoTES], Algorithm 1, and return its bins in the order in which it makes them.

    As printed, the algorithm never sets `nextBin` back to false and so keeps every bin that it
    passes, most of them dominated.

    `classes`: classes to use in this order, by default all.
    `reset`: whether to set `nextBin` to false at the top of the loop. Then bins are dominated only
    if the last class is not the smallest in every resource.
    Raises `InputError` if there are more than `most`.
    """
    kept = _runnable(datacenter, configuration, classes)
    request = datacenter.request_units[kept]
    room = datacenter.capacity_units[configuration].copy()
    current = np.zeros(len(kept), dtype=np.int64)
    bins: list[IntArray] = []
    next_bin = False
    x = start = 0
    while x < len(kept):
        if reset:
            next_bin = False
        for i in range(start, len(kept)):
            while (request[i] <= room).all():
                current[i] += 1
                room -= request[i]
                next_bin = True
        # Classes are added in their order, so that the last one there is the most recent.
        start = int(np.flatnonzero(current)[-1])
        if next_bin:
            bins.append(current.copy())
            if len(bins) > most:
                raise InputError(f"Algorithm 1: more than {most} bins")
        current[start] -= 1
        room += request[start]
        if current.any():
            start += 1
        else:
            x += 1
            start = x
    table = np.zeros((len(bins), len(datacenter.classes)), dtype=np.int64)
    table[:, kept] = np.array(bins, dtype=np.int64).reshape(len(bins), len(kept))
    return table


def dominated(datacenter: Datacenter, configuration: int, bins: IntArray) -> IntArray:
    """Find the bins beside which a job of some class still fits."""
    kept = np.flatnonzero(datacenter.fits[:, configuration])
    room = datacenter.capacity_units[configuration] - bins @ datacenter.request_units
    fits = (datacenter.request_units[kept][None] <= room[:, None, :]).all(axis=2)
    return np.flatnonzero(fits.any(axis=1))


def _runnable(
    datacenter: Datacenter, configuration: int, classes: Sequence[int] | None
) -> IntArray:
    chosen = range(len(datacenter.classes)) if classes is None else classes
    return np.array([k for k in chosen if datacenter.fits[k, configuration]], dtype=np.int64)


@counted
def _enumerate(request: IntArray, capacity: IntArray, bins: IntArray, most: int) -> int:
    """Depth first over the counts of all classes but the last, which takes what is left.

    Fills `bins` as far as it has rows and returns the number of all bins, at most `most` + 1.
    """
    classes, resources = request.shape
    if classes == 0:
        return 1
    number = 0
    count = np.zeros(classes, dtype=np.int64)
    room = np.zeros((classes + 1, resources), dtype=np.int64)
    for r in range(resources):
        room[0, r] = capacity[r]
    depth, down = 0, True
    while depth >= 0:
        if down:
            count[depth] = fitting(request, depth, room, depth)
        elif count[depth] == 0:
            depth -= 1
            continue
        else:
            count[depth] -= 1
        for r in range(resources):
            room[depth + 1, r] = room[depth, r] - count[depth] * request[depth, r]
        if depth < classes - 1:
            depth, down = depth + 1, True
            continue
        full = True
        for k in range(classes):
            full = full and fitting(request, k, room, classes) == 0
        if full:
            if number == most:
                return most + 1
            if number < len(bins):
                for k in range(classes):
                    bins[number, k] = count[k]
            number += 1
        # Fewer of the last class would leave room for it.
        count[depth] = 0
        depth, down = depth - 1, False
    return number


@counted
def fitting(request: IntArray, k: int, room: IntArray, row: int) -> int:
    """How many jobs of class k fit into row `row` of `room`."""
    fitting = 2**62
    for r in range(request.shape[1]):
        if request[k, r] > 0:
            fitting = min(fitting, room[row, r] // request[k, r])
    return fitting
