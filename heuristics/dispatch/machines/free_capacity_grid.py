"""Machines by what they have free, in cells of a grid: for the best of all by some measure.

A cell is a range of free amounts of every resource. Its machines are a linked list; which cells
have any is a row of bits, in an order of the caller's, so that a search goes through cells from
the best on, passes over those too small for the job by whole words, and stops where no later cell
can be better than what it has found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....instances.arrays import FloatArray, IntArray
from ....instances.kernels.decorators import inlined, kernel
from .free_capacity_levels import UNLIMITED, amounts

NOWHERE = -1


class Grid(NamedTuple):
    """`line` (R, lines) ascending, the lower ends of the ranges in units; `stride` (R,); `top`
    (cells, R), the most that machines of a cell can have free.

    `cell` (machine numbers,), `first` (cells,), `after` and `before` (machine numbers,): the lists.
    `place` (orders, cells) is where a cell comes in each order, `cell_at` the inverse; `occupied`
    (orders, words) has bit `place` for a cell with machines, `reaches` (orders, R, lines,
    words) for those that have at least a line's range of a resource; `at` (R,) is scratch.
    """

    line: IntArray
    stride: IntArray
    top: IntArray
    cell: IntArray
    first: IntArray
    after: IntArray
    before: IntArray
    place: IntArray
    cell_at: IntArray
    occupied: IntArray
    reaches: IntArray
    at: IntArray


def grid_of(
    free: IntArray,
    capacity: IntArray,
    demand: IntArray,
    directions: FloatArray,
    *,
    largest_first: bool,
) -> Grid:
    """A grid for machines with this much free (machines, R; -1: no machine), now.

    Cells come in the order of `directions` (orders, R) · what a cell has at least, or, with
    `largest_first`, at most, from the largest on. `capacity` (M, R) is that of the configurations.
    """
    numbers, resources = free.shape
    most = capacity.max(axis=0)
    lines = _lines(free[free[:, 0] >= 0], most, demand)
    count = lines.shape[1]
    stride = count ** np.arange(resources, dtype=np.int64)
    cells = count**resources
    number = np.arange(cells)
    level = (number[:, None] // stride) % count
    low = np.stack([lines[r][level[:, r]] for r in range(resources)], axis=1)
    ends = np.minimum(np.concatenate([lines[:, 1:] - 1, most[:, None]], axis=1), most[:, None])
    top = np.stack([ends[r][level[:, r]] for r in range(resources)], axis=1)
    words = -(-cells // 64)
    orders = len(directions)
    place = np.zeros((orders, cells), dtype=np.int64)
    cell_at = np.zeros((orders, cells), dtype=np.int64)
    reaches = np.zeros((orders, resources, count, words), dtype=np.int64)
    for o, direction in enumerate(directions):
        bound = -(top * direction).sum(axis=1) if largest_first else (low * direction).sum(axis=1)
        order = np.argsort(bound, kind="stable")
        cell_at[o] = order
        place[o, order] = number
        for r in range(resources):
            for line in range(count):
                reaches[o, r, line] = _as_words(level[order, r] >= line, words)
    made = Grid(
        line=lines,
        stride=stride,
        top=np.ascontiguousarray(top),
        cell=np.full(numbers, NOWHERE, dtype=np.int64),
        first=np.full(cells, NOWHERE, dtype=np.int64),
        after=np.full(numbers, NOWHERE, dtype=np.int64),
        before=np.full(numbers, NOWHERE, dtype=np.int64),
        place=place,
        cell_at=cell_at,
        occupied=np.zeros((orders, words), dtype=np.int64),
        reaches=reaches,
        at=np.zeros(resources, dtype=np.int64),
    )
    for m in np.flatnonzero(free[:, 0] >= 0)[::-1]:
        move(made, free, m)
    return made


def _lines(free: IntArray, most: IntArray, demand: IntArray) -> IntArray:
    """Lower ends of the ranges: demands that occur, amounts that are free now, the rest evenly.

    As many cells as there are a third of the machines, 1024 to 16 384; with machines spread well, a
    few in each.
    """
    machines, resources = free.shape
    cells = min(max(machines // 3, 1024), 16384)
    count = max(2, int(cells ** (1 / resources)))
    lines = np.full((resources, count), UNLIMITED, dtype=np.int64)
    demands = amounts(demand, max(2, count // 4))
    for r in range(resources):
        points = np.linspace(0.0, 1.0, max(2, count - len(demands[r])))
        found = np.quantile(free[:, r], points, method="lower")
        found = np.unique(np.concatenate([demands[r][demands[r] < UNLIMITED], found]))[:count]
        rest = np.linspace(0, most[r], count - len(found) + 2).astype(np.int64)[1:-1]
        found = np.unique(np.concatenate([found, rest]))
        lines[r, : len(found)] = found
    return lines


def _as_words(bits: np.ndarray, words: int) -> IntArray:
    padded = np.zeros(64 * words, dtype=np.uint8)
    padded[: len(bits)] = bits
    packed: IntArray = np.packbits(padded, bitorder="little").view(np.int64)
    return packed


@inlined
def range_of(line: IntArray, r: int, amount: int) -> int:
    """The last range of resource r whose lower end is not above `amount`."""
    low, high = 0, line.shape[1]
    while high - low > 1:
        middle = (low + high) >> 1
        if line[r, middle] <= amount:
            low = middle
        else:
            high = middle
    return low


@kernel
def move(grid: Grid, free: IntArray, m: int) -> None:
    """Machine m has another amount free."""
    new = 0
    for r in range(free.shape[1]):
        new += range_of(grid.line, r, free[m, r]) * grid.stride[r]
    old = grid.cell[m]
    if new == old:
        return
    orders = len(grid.place)
    if old != NOWHERE:
        before, after = grid.before[m], grid.after[m]
        if after != NOWHERE:
            grid.before[after] = before
        if before != NOWHERE:
            grid.after[before] = after
        else:
            grid.first[old] = after
            if after == NOWHERE:
                for o in range(orders):
                    at = grid.place[o, old]
                    grid.occupied[o, at >> 6] &= ~(1 << (at & 63))
    grid.cell[m] = new
    next_one = grid.first[new]
    grid.after[m], grid.before[m] = next_one, NOWHERE
    grid.first[new] = m
    if next_one != NOWHERE:
        grid.before[next_one] = m
    else:
        for o in range(orders):
            at = grid.place[o, new]
            grid.occupied[o, at >> 6] |= 1 << (at & 63)


@inlined
def choose_ranges(grid: Grid, info: IntArray, slot: int) -> None:
    """Choose the ranges that the demand of a job is in, for `large_enough`."""
    for r in range(len(grid.line)):
        grid.at[r] = range_of(grid.line, r, info[slot, 3 + r])


@inlined
def large_enough(grid: Grid, order: int, w: int) -> int:
    """Of word w of an order, the cells with machines that may have room for the job."""
    word = int(grid.occupied[order, w])
    for r in range(len(grid.line)):
        word &= grid.reaches[order, r, grid.at[r], w]
    return word
