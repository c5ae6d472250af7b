"""Random numbers for compiled loops: xorshift64* [Vigna2016].

The state is an array of one number, so that searches in several threads do not share one.
"""

from __future__ import annotations

import numpy as np

from ..instances.arrays import IntArray
from ..instances.kernels.decorators import counted


def seeded(seed: int, stream: int = 0) -> IntArray:
    """Make a state.

    Parameters
    ----------
    seed
        A seed >= 0.
    stream
        Streams of one seed are independent of one another.

    Returns
    -------
    IntArray
        The state, shape (1,).
    """
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
    """Draw an integer from 0 to `count` - 1.

    Parameters
    ----------
    state
        The state, shape (1,).
    count
        Number of possible values.

    Returns
    -------
    int
        The number.
    """
    return int(uniform(state) * count)
