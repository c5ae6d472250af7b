"""Random numbers for compiled loops: 64-bit xorshift with a multiplier (Vigna 2016, xorshift64*).

The state is an array of one number, so that searches in several threads do not share one.
"""

from __future__ import annotations

import numpy as np

from ..instances.arrays import IntArray
from ..instances.kernels.decorators import counted


def seeded(seed: int, stream: int = 0) -> IntArray:
    """The state for a seed >= 0; streams of one seed are independent of one another."""
    words = np.random.SeedSequence([seed, stream]).generate_state(1, np.uint64)
    return words.view(np.int64) | 1


@counted
def uniform(state: IntArray) -> float:
    """A number from 0 up to, not including, 1."""
    x = np.uint64(state[0])
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = np.int64(x)
    return float((x * np.uint64(2685821657736338717)) >> np.uint64(11)) / 9007199254740992.0


@counted
def below(state: IntArray, count: int) -> int:
    """A number from 0 to `count` - 1."""
    return int(uniform(state) * count)
