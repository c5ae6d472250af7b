"""Performance profiles [DolanMore2002]: how often a method is within a factor of the best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...core.arrays import FloatArray

TIE = 1e-9
"""Ratios of at most 1 + TIE are 1: sums of the same times in another order are a tie."""


@dataclass(frozen=True)
class Profile:
    """The profile of one method: a step function of the factor."""

    ratios: FloatArray
    """The method's finite ratios to the best, ascending, one for each problem it solved."""
    problems: int
    """How many problems there are; those that it did not solve count here only."""

    def share(self, factor: float) -> float:
        """Share of all problems on which the method costs at most `factor` times the best.

        0 where there is no problem.
        """
        within = int(np.searchsorted(self.ratios, factor, side="right"))
        return within / self.problems if self.problems else 0.0

    @property
    def solved(self) -> float:
        """Share of all problems that the method solved: the end of its curve."""
        return len(self.ratios) / self.problems if self.problems else 0.0

    def steps(self) -> tuple[FloatArray, FloatArray]:
        """The factors at which the curve rises, and the shares that it rises to."""
        factors, counts = np.unique(self.ratios, return_counts=True)
        return factors, np.cumsum(counts) / max(self.problems, 1)


def performance_profiles(
    costs: Mapping[str, FloatArray], best: FloatArray | None = None
) -> dict[str, Profile]:
    """The profiles of several methods on the same problems.

    With t(p, s) the cost of method s on problem p, its ratio is r(p, s) = t(p, s) / min t(p, ·) and
    its profile rho(s, tau) the share of the problems with r(p, s) <= tau ([DolanMore2002],
    section 2). Methods that tie for the best all have ratio 1, so that the shares at 1 may add
    up to more than 1. A problem that a method did not solve has no finite ratio at any factor, and
    one that no method solved stays among the problems.

    `costs`: the costs of each method, at least 0, the problems in one order; NaN or infinite where
    the method did not solve the problem.
    `best`: the least cost known of each problem, where others than these methods have found a
    better one; NaN where none is known.
    Returns the profiles by method. Where the least cost is 0, a cost of 0 has ratio 1, and all
    others are beyond any factor.
    Raises `ValueError` if costs are below 0, or not given for the same problems.
    """
    if not costs:
        return {}
    table = np.array(
        [np.asarray(costs_of_method, dtype=float) for costs_of_method in costs.values()]
    )
    if table.ndim != 2:
        raise ValueError("costs: need one number for each problem")
    table[~np.isfinite(table)] = np.inf
    if (table < 0).any():
        raise ValueError("costs: need numbers that are at least 0")
    least = table.min(axis=0)
    if best is not None:
        least = np.fmin(least, best)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(table == least, 1.0, table / least)
    ratios[ratios <= 1 + TIE] = 1.0
    ratios[np.isinf(table)] = np.inf
    problems = table.shape[1]
    return {
        name: Profile(np.sort(row[np.isfinite(row)]), problems)
        for name, row in zip(costs, ratios, strict=True)
    }
