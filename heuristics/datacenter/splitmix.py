"""Random numbers of jobs by position: SplitMix64 [SplitMix2014], compiled and in plain Python.

A job's draw is the same under every policy, whatever was drawn before.
"""

from __future__ import annotations

import numpy as np

from ...core.kernels.decorators import inlined, kernel

SEEDS = 0xD1342543DE82EF95
"""The sequences of two seeds begin so far apart."""


@kernel
def uniform_of_job(seed: int, number: int) -> float:
    """A number in [0, 1) for a job; the seed is at least 0."""
    z = _mixed_words(np.uint64(seed) * np.uint64(SEEDS), number)
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def draw_of_job(seed: int, number: int, draw: int) -> float:
    """One of several numbers for a job, none of which is that of `uniform_of_job`."""
    own = _mixed_words(np.uint64(seed) * np.uint64(SEEDS), number)
    z = _mixed_words(own, draw)
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inlined
def _mixed_words(state: np.uint64, step: int) -> np.uint64:
    """SplitMix64 after so many steps from a state."""
    z = state + (np.uint64(step) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.uint64(z ^ (z >> np.uint64(31)))


def inner_uniform(seed: int, number: int) -> float:
    """A number in (0, 1)."""
    return ((_mixed(seed * SEEDS, number) >> 12) + 0.5) / 2.0**52


def _mixed(state: int, step: int) -> int:
    """64 random bits."""
    mask = (1 << 64) - 1
    z = (state + (step + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)
