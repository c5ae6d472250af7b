"""Random numbers for compiled loops.

Searches draw from a stream, xorshift64* [Vigna2016], whose state is an array of one number, so that
searches in several threads do not share one. Dispatchers draw by a job's number, so that a job's
draw is the same under every policy, whatever was drawn before.
"""

from __future__ import annotations

import numpy as np

from .arrays import IntArray
from .kernels.decorators import counted, inlined, kernel


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


@kernel
def uniform_of_job(seed: int, number: int) -> float:
    """Draw a number for a job: SplitMix64 ([SplitMix2014]) at its position.

    `seed`: at least 0.
    """
    z = _mixed(np.uint64(seed) * np.uint64(0xD1342543DE82EF95), number)
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def draw_of_job(seed: int, number: int, draw: int) -> float:
    """Draw one of several numbers for a job, none of which is that of `uniform_of_job`.

    `seed`: at least 0.
    `draw`: which of the numbers, from 0 on.
    """
    own = _mixed(np.uint64(seed) * np.uint64(0xD1342543DE82EF95), number)
    z = _mixed(own, draw)
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inlined
def _mixed(state: np.uint64, step: int) -> np.uint64:
    """SplitMix64 after so many steps from a state."""
    z = state + (np.uint64(step) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.uint64(z ^ (z >> np.uint64(31)))
