"""Verdicts on claims, computed from what was measured.

A module of a paper names the claim and gives numbers; text and printed limits come from
`claims.csv`. docs/papers/reproduction.md tells what the verdicts mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from .experiment import Claim, Verdict
from .printed import printed

HOLDS_FROM = 0.8
"""Share of the cases from which on a claim holds that has no word such as `always`."""

PARTLY_FROM = 0.5
"""Share of the cases from which on it holds partly."""

LEVEL = 0.05
"""Of significance: below it an effect is there."""

LIKELY, POSSIBLE = 0.95, 0.997
"""Chance that a difference from the printed mean stays within the margin if both are samples of
one population: within the first margin a number holds, within the second partly."""


@dataclass(frozen=True)
class Mean:
    """A mean of independent results."""

    value: float
    """The mean."""
    standard_error: float = 0.0
    """Of the mean, 0 for a number without chance."""
    runs: int = 1
    """How many results it is the mean of."""


def mean_of(values: ArrayLike) -> Mean:
    """The mean of independent results with its standard error.

    Returns the mean. That of a single result has the standard error infinity: nothing tells it.
    """
    sample = np.asarray(values, dtype=float)
    count = len(sample)
    error = float(sample.std(ddof=1)) / sqrt(count) if count > 1 else float("inf")
    return Mean(float(sample.mean()), error, count)


def said(
    identifier: str,
    verdict: Verdict,
    ours: float | None = None,
    standard_error: float | None = None,
    note: str = "",
) -> Claim:
    """A row of `comparison.csv` for a printed claim.

    `ours`, `standard_error`: what was measured, in the unit of the claim, and its standard error.
    """
    paper = printed(identifier)
    return Claim(
        identifier, paper.claim, verdict, paper.low, paper.high, ours, standard_error, note
    )


def of_share(share: float, holds: float = HOLDS_FROM, partly: float = PARTLY_FROM) -> Verdict:
    """The verdict for a share of cases in which a claim is true.

    `share`: from 0 to 1.
    `holds`, `partly`: from which share on it holds, and holds partly.
    """
    slack = 1e-9
    if share >= holds - slack:
        return Verdict.HOLDS
    return Verdict.PARTLY if share >= partly - slack else Verdict.DOES_NOT


def ordering(
    identifier: str,
    cases: Iterable[object],
    *,
    holds: float = HOLDS_FROM,
    partly: float = PARTLY_FROM,
    note: str = "",
) -> Claim:
    """Verdict on a claim that is true or not in each of several cases.

    `cases`: whether it is true, for each case; without any case it is not testable.
    `holds`, `partly`: from which share of the cases on it holds, and holds partly. A claim that
    says `always` needs `holds=1`.
    Returns the row; `ours` is the share if the paper prints no number.
    """
    true = [bool(case) for case in cases]
    if not true:
        return not_testable(identifier, note or "no run of this size tells")
    share = sum(true) / len(true)
    words = _joined(f"{sum(true)} of {len(true)} cases", note)
    return said(identifier, of_share(share, holds, partly), share, None, words)


def inside(
    identifier: str,
    values: ArrayLike,
    *,
    slack: float = 0.0,
    holds: float = 1.0,
    note: str = "",
) -> Claim:
    """Verdict on several numbers that the paper says are within its limits.

    `identifier`: name of the claim; it must print a limit.
    `values`: the numbers, in the unit of the claim.
    `slack`: how far outside still counts as inside, such as half of the last printed digit.
    `holds`: from which share inside on it holds.
    """
    sample = np.asarray(values, dtype=float)
    if not len(sample):
        return not_testable(identifier, note or "no run of this size tells")
    low, high = _limits(identifier)
    good = (sample >= low - slack) & (sample <= high + slack)
    words = _joined(
        f"{int(good.sum())} of {len(good)} within the limits, "
        f"from {sample.min():.4g} to {sample.max():.4g}",
        note,
    )
    verdict = of_share(float(good.mean()), holds)
    return said(identifier, verdict, float(sample.mean()), None, words)


def within(identifier: str, ours: Mean | float, *, slack: float = 0.0, note: str = "") -> Claim:
    """Verdict on a number that the paper prints, or prints limits of.

    `identifier`: name of the claim; it must print a limit.
    `ours`: the number, in the unit of the claim.
    `slack`: how far outside still counts as inside, such as half of the last printed digit.
    Returns the row. Within the limits, or outside by no more than chance explains, it holds; the
    margin is that of `near`.
    """
    mean = ours if isinstance(ours, Mean) else Mean(ours)
    low, high = _limits(identifier)
    outside = max(low - mean.value, mean.value - high, 0.0)
    verdict = _by_margin(outside - slack, mean.standard_error, mean.runs)
    return said(identifier, verdict, mean.value, _shown(mean), note)


def near(
    identifier: str,
    claim: str,
    value: float,
    ours: Mean | float,
    *,
    printed_runs: int | None = None,
    rounding: float = 0.0,
    note: str = "",
) -> Claim:
    """Verdict on one cell of a printed table: its mean against ours.

    The print has no standard errors. Its results are taken to spread as ours do: the difference of
    the means then has the standard error `s sqrt(1 / runs + 1 / printed_runs)`.

    `printed_runs`: how many results the print is the mean of; None for as many as ours.
    Returns the row. It holds within the 95 % margin of the difference, partly within that of 99.7
    %.
    """
    mean = ours if isinstance(ours, Mean) else Mean(ours)
    error = mean.standard_error * sqrt(1 + mean.runs / (printed_runs or mean.runs))
    verdict = _by_margin(abs(mean.value - value) - rounding, error, mean.runs)
    return Claim(identifier, claim, verdict, value, value, mean.value, _shown(mean), note)


def significant(identifier: str, p: float, *, note: str = "") -> Claim:
    """Verdict on a claim that an effect is there.

    `p`: chance of such an effect if there were none; of several effects the greatest.
    """
    verdict = Verdict.HOLDS if p < LEVEL else Verdict.DOES_NOT
    return said(identifier, verdict, p, None, note)


def not_testable(identifier: str, reason: str, ours: float | None = None) -> Claim:
    """The row of a claim on which these runs say nothing."""
    return said(identifier, Verdict.NOT_TESTABLE, ours, None, reason)


def _limits(identifier: str) -> tuple[float, float]:
    paper = printed(identifier)
    assert paper.low is not None or paper.high is not None, f"{identifier} prints no limit"
    low = -np.inf if paper.low is None else paper.low
    return low, np.inf if paper.high is None else paper.high


def _by_margin(distance: float, error: float, runs: int) -> Verdict:
    """Whether chance explains a distance of a mean of that many results."""
    if distance <= 1e-9:
        return Verdict.HOLDS
    if error == 0:
        return Verdict.DOES_NOT
    if runs < 2:
        return Verdict.NOT_TESTABLE
    from scipy.stats import t

    if distance <= error * t.ppf((1 + LIKELY) / 2, runs - 1):
        return Verdict.HOLDS
    return (
        Verdict.PARTLY
        if distance <= error * t.ppf((1 + POSSIBLE) / 2, runs - 1)
        else Verdict.DOES_NOT
    )


def _shown(mean: Mean) -> float | None:
    return mean.standard_error if 0 < mean.standard_error < np.inf else None


def _joined(*words: str) -> str:
    return "; ".join(word for word in words if word)
