"""Moves within arrays that compiled searches share."""

from __future__ import annotations

from ...core.arrays import IntArray
from ...core.kernels.decorators import inner


@inner
def copy(source: IntArray, target: IntArray) -> None:
    """Fill `target` with the first entries of `source`.

    `target`: the target, changed in place.
    """
    for k in range(len(target)):
        target[k] = source[k]


@inner
def shift(order: IntArray, source: int, target: int) -> None:
    """Move the job at place `source` of the order to place `target`.

    `order`: the jobs in order, changed in place.
    """
    job = order[source]
    step = 1 if target > source else -1
    for k in range(source, target, step):
        order[k] = order[k + step]
    order[target] = job
