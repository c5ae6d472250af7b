"""Machines by shape: those of one configuration with the same amounts free are alike.

Where demands are those of a few classes there are far fewer shapes than machines. A shape is found
by its configuration and free amounts, and a `Grid` has the shapes in the place of machines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....core.arrays import IntArray
from ....core.kernels.decorators import inlined, inner
from ..engine.columns import NO_MACHINE
from ..engine.state import System
from .free_capacity_grid import NO_CELL, Grid, leave, move
from .heaps import Heaps, empty_heaps, joined, left

NO_SHAPE = -1


class Shapes(NamedTuple):
    """The shapes of machines; S numbers for shapes, as many as there are machine numbers."""

    of_machine: IntArray
    """Shape (machine numbers,). The shape of each machine, `NO_SHAPE` if it is taken out."""
    configuration: IntArray
    """Shape (S,). Configuration of the shape's machines."""
    free: IntArray
    """Shape (S, R). What they have free, in units; less than nothing where the number is not in
    use."""
    size: IntArray
    """Shape (S,). Number of the machines."""
    lowest: IntArray
    """Shape (S,). The lowest machine."""
    lacking: IntArray
    """Shape (S, K). Machines whose bin has more jobs of the class than they run."""
    heaps: Heaps
    """The machines of each shape."""
    grid: Grid
    """The shapes by what is free."""
    bucket: IntArray
    """Hash table of shapes: open addressing with linear probing."""
    spare: IntArray
    """Shape (S,). Numbers not in use."""
    spares: IntArray
    """Shape (1,). How many there are."""


def empty_shapes(system: System, grid: Grid) -> Shapes:
    """`grid`: a grid for as many shapes as there are machine numbers. It is emptied."""
    numbers = len(system.free)
    grid.cell[:], grid.first[:], grid.occupied[:] = NO_CELL, NO_MACHINE, 0
    return Shapes(
        of_machine=np.full(numbers, NO_SHAPE, dtype=np.int64),
        configuration=np.zeros(numbers, dtype=np.int64),
        free=np.full_like(system.free, -1),
        size=np.zeros(numbers, dtype=np.int64),
        lowest=np.full(numbers, NO_MACHINE, dtype=np.int64),
        lacking=np.zeros((numbers, len(system.runs)), dtype=np.int64),
        heaps=empty_heaps(numbers),
        grid=grid,
        bucket=np.full(1 << (2 * numbers - 1).bit_length(), NO_SHAPE, dtype=np.int64),
        spare=np.arange(numbers, dtype=np.int64)[::-1].copy(),
        spares=np.array([numbers], dtype=np.int64),
    )


@inlined
def _bucket_of(bucket: IntArray, configuration: int, free: IntArray, row: int) -> int:
    """Where the search for a shape begins."""
    mixed = np.int64(configuration)
    for r in range(free.shape[1]):
        mixed = (mixed ^ free[row, r]) * np.int64(0x2545F4914F6CDD1D)
        mixed ^= mixed >> 29
    return int(mixed & (len(bucket) - 1))


@inner
def _found(shapes: Shapes, configuration: int, free: IntArray, m: int) -> int:
    """The bucket of a shape, or an empty one for it."""
    bucket = shapes.bucket
    at = _bucket_of(bucket, configuration, free, m)
    while bucket[at] != NO_SHAPE:
        s = bucket[at]
        same = shapes.configuration[s] == configuration
        for r in range(free.shape[1]):
            same &= shapes.free[s, r] == free[m, r]
        if same:
            break
        at = (at + 1) & (len(bucket) - 1)
    return at


@inner
def _empty_bucket(shapes: Shapes, at: int) -> None:
    """Empty a bucket, and move up those that only come after it because it was not empty."""
    bucket = shapes.bucket
    last = len(bucket) - 1
    hole = at
    while True:
        at = (at + 1) & last
        s = bucket[at]
        if s == NO_SHAPE:
            break
        wanted = _bucket_of(bucket, shapes.configuration[s], shapes.free, s)
        if (at - wanted) & last >= (at - hole) & last:
            bucket[hole] = s
            hole = at
    bucket[hole] = NO_SHAPE


@inner
def put_in(shapes: Shapes, free: IntArray, configuration: IntArray, score: IntArray, m: int) -> int:
    """Put a machine that is taken out into the shape that it has now, and return this shape.

    Of a new shape the size is 1 afterwards.
    `score` (machine numbers, K): jobs of each class in the machines' bins minus those that they
    run.
    """
    j = configuration[m]
    at = _found(shapes, j, free, m)
    s = shapes.bucket[at]
    if s == NO_SHAPE:
        shapes.spares[0] -= 1
        s = shapes.spare[shapes.spares[0]]
        shapes.bucket[at] = s
        shapes.configuration[s] = j
        shapes.lowest[s] = NO_MACHINE
        for r in range(free.shape[1]):
            shapes.free[s, r] = free[m, r]
        move(shapes.grid, shapes.free, s)
    shapes.size[s] += 1
    shapes.of_machine[m] = s
    shapes.lowest[s] = joined(shapes.heaps, shapes.lowest[s], m)
    for k in range(score.shape[1]):
        if score[m, k] > 0:
            shapes.lacking[s, k] += 1
    return int(s)


@inner
def take_out(shapes: Shapes, score: IntArray, m: int) -> None:
    """Take a machine out of its shape, before it changes; nothing happens if it is out already.

    `score` (machine numbers, K): as it was when the machine was put in.
    """
    s = shapes.of_machine[m]
    if s == NO_SHAPE:
        return
    shapes.of_machine[m] = NO_SHAPE
    shapes.size[s] -= 1
    shapes.lowest[s] = left(shapes.heaps, shapes.lowest[s], m)
    for k in range(score.shape[1]):
        if score[m, k] > 0:
            shapes.lacking[s, k] -= 1
    if shapes.size[s] == 0:
        _empty_bucket(shapes, _found(shapes, shapes.configuration[s], shapes.free, s))
        leave(shapes.grid, s)
        shapes.free[s, 0] = -1
        shapes.spare[shapes.spares[0]] = s
        shapes.spares[0] += 1
