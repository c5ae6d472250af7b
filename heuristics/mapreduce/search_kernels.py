"""What compiled searches share: random numbers, and moves within arrays.

The numbers are a stream, xorshift64* [Vigna2016]. Its state is an array of one number, so that
searches in several threads do not share one.
"""

from __future__ import annotations

import numpy as np

from ...core.arrays import IntArray
from ...core.kernels.decorators import counted, inner


def seeded(seed: int, stream: int = 0) -> IntArray:
    words = np.random.SeedSequence([seed, stream]).generate_state(1, np.uint64)
    return words.view(np.int64) | 1


@counted
def uniform(state: IntArray) -> float:
    """Draw a number in [0, 1)."""
    x = np.uint64(state[0])
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = np.int64(x)
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) / 9007199254740992.0


@counted
def below(state: IntArray, count: int) -> int:
    """Draw an integer from 0 to `count` - 1."""
    return int(uniform(state) * count)


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
