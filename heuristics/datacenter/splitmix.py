"""Random numbers by position in plain Python: SplitMix64 [SplitMix2014].

The compiled numbers of jobs are the same (`core/random_numbers.py`).
"""

SEEDS = 0xD1342543DE82EF95
"""The sequences of two seeds begin so far apart."""


def uniform(seed: int, number: int) -> float:
    """A number in [0, 1)."""
    return (_mixed(seed * SEEDS, number) >> 11) * (1.0 / 9007199254740992.0)


def inner_uniform(seed: int, number: int) -> float:
    """A number in (0, 1)."""
    return ((_mixed(seed * SEEDS, number) >> 12) + 0.5) / 2.0**52


def draw_of_job(seed: int, number: int, draw: int) -> float:
    """One of several numbers in [0, 1) for a job, none of which is its `uniform`."""
    own = _mixed(seed * SEEDS, number)
    return (_mixed(own, draw) >> 11) * (1.0 / 9007199254740992.0)


def _mixed(state: int, step: int) -> int:
    """64 random bits."""
    mask = (1 << 64) - 1
    z = (state + (step + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)
