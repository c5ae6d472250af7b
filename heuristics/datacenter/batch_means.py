"""Whether a series has settled, by means of batches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import FloatArray

BATCHES = 10
SIGNIFICANT = 3.0
"""Standard errors by which the halves of a series must differ."""


class Halves(NamedTuple):
    first: float
    second: float
    """`first`, `second`: their means."""
    error: float
    """Standard error of the difference, from the means of `BATCHES` batches."""

    @property
    def differ(self) -> bool:
        """Whether the means differ by more than chance would have it."""
        return abs(self.second - self.first) > SIGNIFICANT * self.error


def halves(values: FloatArray) -> Halves | None:
    """Means of the halves of a series, and how far chance drives them apart.

    `values`: at regular times, shape (samples,). What is left over when they are cut into batches
    of the same length is dropped at the beginning. None if there are fewer values than batches.
    """
    means = batch_means(values)
    if len(means) < BATCHES:
        return None
    half = means.reshape(2, -1)
    variance = half.var(axis=1, ddof=1).mean()
    first, second = half.mean(axis=1).tolist()
    return Halves(first, second, float(np.sqrt(variance * 2 / half.shape[1])))


def batch_means(values: FloatArray) -> FloatArray:
    """Means of `BATCHES` successive batches of a series; none if it has too few values."""
    length = len(values) // BATCHES
    if length == 0:
        return np.zeros(0)
    means: FloatArray = values[-BATCHES * length :].reshape(BATCHES, length).mean(axis=1)
    return means
