"""Numbers of tasks of jobs, drawn as the workloads of several papers have them."""

from __future__ import annotations

import math

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ...generator_options import check_at_most, require
from ...limits import MOST_TASKS


def check_task_numbers(
    name: str, mean: float, variance: float, bounds: tuple[int, int] | None
) -> None:
    """Check that `task_numbers` can draw with these parameters.

    `name`: what the numbers are called in an error: `maps` or `reduces`.
    `bounds`: least and greatest number of a uniform distribution, or None.
    Raises `InputError` if it cannot.
    """
    if bounds is not None:
        low, high = bounds
        require(0 <= low <= high, f"{name}_range", "0 <= low <= high", bounds)
        check_at_most(MOST_TASKS, **{f"{name}_range": high})
        return
    # From a mean of 1 on, at least half of the draws are kept.
    require(1 <= mean < math.inf, f"{name}_mean", "at least 1", mean)
    require(0 <= variance < math.inf, f"{name}_variance", "at least 0", variance)


def task_numbers(
    rng: np.random.Generator,
    name: str,
    jobs: int,
    mean: float,
    variance: float,
    bounds: tuple[int, int] | None,
) -> IntArray:
    """Number of tasks of each job.

    `name`: what the numbers are called in an error: `maps` or `reduces`.
    `mean`, `variance`: of a normal distribution; draws are rounded, and those below 1 are drawn
    again.
    `bounds`: least and greatest number of a uniform distribution, which then replaces the normal
    one.
    Raises `InputError` if all jobs together have too many tasks.
    """
    if bounds is not None:
        uniform = rng.integers(*bounds, jobs, endpoint=True)
        check_few_tasks(name, uniform)
        return uniform
    numbers = positive_normal(rng, jobs, mean, variance, least=0.5)
    check_few_tasks(name, numbers)
    return np.maximum(np.rint(numbers), 1).astype(np.int64)


def check_few_tasks(name: str, numbers: FloatArray | IntArray) -> None:
    """Check that jobs do not have too many tasks together.

    `name`: what the numbers are called in an error.
    Raises `InputError` if they have.
    """
    total = float(numbers.sum(dtype=float))
    require(total <= MOST_TASKS, name, f"at most {MOST_TASKS} tasks of all jobs", total)


def positive_normal(
    rng: np.random.Generator, size: int, mean: float, variance: float, least: float = 0.0
) -> FloatArray:
    """Draw from a normal distribution; values that are too small are drawn again.

    `least`: values not above this are drawn again.
    """
    deviation = abs(np.sqrt(variance))  # NumPy takes no -0.0
    draws = rng.normal(mean, deviation, size)
    while (again := np.flatnonzero(draws <= least)).size:
        draws[again] = rng.normal(mean, deviation, again.size)
    return draws
