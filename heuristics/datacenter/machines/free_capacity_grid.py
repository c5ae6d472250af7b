"""Machines by what they have free, in cells of a grid: for the best of all by some measure.

A cell is a range of free amounts of every resource. Its machines are a linked list; which cells
have any is a row of bits, in an order of the caller's, so that a search goes through cells from
the best on, passes over those too small for the job by whole words, and stops where no later cell
can be better than what it has found.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.kernels.decorators import by_reference, inlined, inner
from ..engine.columns import FIRST_DEMAND, NO_MACHINE, is_machine, machine_numbers
from .free_capacity_levels import UNLIMITED, amounts

NO_CELL = -1


class Grid(NamedTuple):
    """Machines in the cells of a grid."""

    line: IntArray
    """Shape (R, lines). Lower ends of the ranges, in units, ascending."""
    stride: IntArray
    """Shape (R,). The number of a cell is the sum of its ranges' numbers times these."""
    top: IntArray
    """Shape (cells, R). The most that machines of a cell can have free, in units."""
    cell: IntArray
    """Shape (machine numbers,). The cell of each machine."""
    first: IntArray
    """Shape (cells,). First machine in the list of each cell."""
    after: IntArray
    before: IntArray
    """`after`, `before`: shape (machine numbers,). Neighbours of each machine in its list."""
    place: IntArray
    cell_at: IntArray
    """`place`, `cell_at`: shape (orders, cells). Where a cell comes in each order, and the cell at
    each place."""
    occupied: IntArray
    """Shape (orders, words). Bit `place` is set for cells that have machines."""
    reaches: IntArray
    """Shape (orders, R, lines, words). Bit `place` is set for cells whose range of the resource is
    this one or above it."""
    at: IntArray
    """Shape (R,). The ranges that a search begins at."""


def grid_of(
    free: IntArray,
    capacity: IntArray,
    demand: IntArray,
    directions: FloatArray,
    *,
    largest_first: bool,
) -> Grid:
    """Return a grid that fits what machines have free now.

    `free` (machine numbers, R): what they have free, in units; less than nothing for a number
    without a machine.
    `capacity` (M, R): of the configurations, in units.
    `demand` (jobs, R): a sample of what jobs need, in units.
    `directions` (orders, R): cells come in the order of a direction times the least that they have
    free.
    `largest_first`: times the most that they have free instead, from the largest on.
    """
    numbers, resources = free.shape
    most = capacity.max(axis=0)
    lines = _lines(free[machine_numbers(free)], most, demand)
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
        cell=np.full(numbers, NO_CELL, dtype=np.int64),
        first=np.full(cells, NO_MACHINE, dtype=np.int64),
        after=np.full(numbers, NO_MACHINE, dtype=np.int64),
        before=np.full(numbers, NO_MACHINE, dtype=np.int64),
        place=place,
        cell_at=cell_at,
        occupied=np.zeros((orders, words), dtype=np.int64),
        reaches=reaches,
        at=np.zeros(resources, dtype=np.int64),
    )
    _fill(made, free)
    return made


@by_reference
def _fill(grid: Grid, free: IntArray) -> None:
    for m in range(len(free) - 1, -1, -1):
        if is_machine(free, m):
            move(grid, free, m)


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
        values = np.quantile(free[:, r], points, method="lower")
        values = np.unique(np.concatenate([demands[r][demands[r] < UNLIMITED], values]))[:count]
        rest = np.linspace(0, most[r], count - len(values) + 2).astype(np.int64)[1:-1]
        values = np.unique(np.concatenate([values, rest]))
        lines[r, : len(values)] = values
    return lines


def _as_words(bits: np.ndarray, words: int) -> IntArray:
    padded = np.zeros(64 * words, dtype=np.uint8)
    padded[: len(bits)] = bits
    packed: IntArray = np.packbits(padded, bitorder="little").view(np.int64)
    return packed


@inlined
def range_of(line: IntArray, r: int, amount: int) -> int:
    """The last range of resource r whose lower end, in `line` (R, lines), is not above `amount`."""
    low, high = 0, line.shape[1]
    while high - low > 1:
        middle = (low + high) >> 1
        if line[r, middle] <= amount:
            low = middle
        else:
            high = middle
    return low


@inlined
def leave(grid: Grid, m: int) -> None:
    """Take machine m out of the grid, if it is there."""
    old = grid.cell[m]
    if old == NO_CELL:
        return
    grid.cell[m] = NO_CELL
    before, after = grid.before[m], grid.after[m]
    if after != NO_MACHINE:
        grid.before[after] = before
    if before != NO_MACHINE:
        grid.after[before] = after
        return
    grid.first[old] = after
    if after == NO_MACHINE:
        for o in range(len(grid.place)):
            at = grid.place[o, old]
            grid.occupied[o, at >> 6] &= ~(1 << (at & 63))


@inner
def move(grid: Grid, free: IntArray, m: int) -> None:
    """Take note that machine m has another amount free."""
    new = 0
    for r in range(free.shape[1]):
        new += range_of(grid.line, r, free[m, r]) * grid.stride[r]
    old = grid.cell[m]
    if new == old:
        return
    leave(grid, m)
    grid.cell[m] = new
    next_one = grid.first[new]
    grid.after[m], grid.before[m] = next_one, NO_MACHINE
    grid.first[new] = m
    if next_one != NO_MACHINE:
        grid.before[next_one] = m
    else:
        for o in range(len(grid.place)):
            at = grid.place[o, new]
            grid.occupied[o, at >> 6] |= 1 << (at & 63)


@inlined
def choose_ranges(grid: Grid, info: IntArray, slot: int) -> None:
    """Choose the ranges that the demand of the job is in, for `large_enough`."""
    for r in range(len(grid.line)):
        grid.at[r] = range_of(grid.line, r, info[slot, FIRST_DEMAND + r])


@inlined
def large_enough(grid: Grid, order: int, w: int) -> int:
    """Cells with machines that may have room for the job of `choose_ranges`."""
    word = int(grid.occupied[order, w])
    if word != 0:
        for r in range(len(grid.line)):
            word &= grid.reaches[order, r, grid.at[r], w]
    return word
