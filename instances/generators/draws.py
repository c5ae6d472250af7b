"""Draws that the workloads of several papers share."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray, IntArray
from ..limits import MOST_TASKS
from .parameters import need, need_at_most


def task_counts(
    rng: np.random.Generator,
    name: str,
    jobs: int,
    mean: float,
    variance: float,
    bounds: tuple[int, int] | None,
) -> IntArray:
    """Tasks of each job: normal, rounded, at least 1; or uniform on `bounds`, both included."""
    if bounds is not None:
        low, high = bounds
        need(0 <= low <= high, f"{name}_range", "0 <= low <= high", bounds)
        need_at_most(MOST_TASKS, **{f"{name}_range": high})
        uniform = rng.integers(low, high, jobs, endpoint=True)
        need_few_tasks(name, uniform)
        return uniform
    # From a mean of 1 on, at least half of the draws are kept.
    need(1 <= mean < np.inf, f"{name}_mean", "at least 1", mean)
    counts = redrawn(rng, name, jobs, mean, variance, least=0.5)
    need_few_tasks(name, counts)
    return np.maximum(np.rint(counts), 1).astype(np.int64)


def need_few_tasks(name: str, counts: FloatArray | IntArray) -> None:
    """Raise `InputError` if jobs with these numbers of tasks have too many together."""
    total = float(counts.sum(dtype=float))
    need(total <= MOST_TASKS, name, f"at most {MOST_TASKS} tasks of all jobs", total)


def redrawn(
    rng: np.random.Generator, name: str, size: int, mean: float, variance: float, least: float
) -> FloatArray:
    """Normal draws; those not above `least` are drawn again."""
    need(0 <= variance < np.inf, f"{name}_variance", "at least 0", variance)
    deviation = np.sqrt(variance)
    draws = rng.normal(mean, deviation, size)
    while (again := np.flatnonzero(draws <= least)).size:
        draws[again] = rng.normal(mean, deviation, again.size)
    return draws
