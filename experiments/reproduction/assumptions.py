"""What papers say of the residuals of an analysis of variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..statistics.anova import Anova
from .experiment import Claim
from .verdicts import ordering

if TYPE_CHECKING:
    import pandas as pd

SLIGHT_SKEWNESS, SLIGHT_KURTOSIS, SAME_SPREAD = 1.0, 1.0, 2.0
"""Residuals within these are slightly non-normal, and levels within this ratio of standard
deviations spread alike."""

NO_SPREAD = 1e-12
"""A standard deviation counts as at least this part of the greatest."""


def slightly_non_normal(identifier: str, anova: Anova, levels: pd.Series) -> Claim:
    """Whether residuals are nearly normal, and spread alike at all levels of a factor.

    Returns the row: three cases, of which all have to be true.
    """
    skewness, kurtosis = anova.skewness, anova.excess_kurtosis
    spread = anova.residuals.groupby(levels).std()
    widest = spread.max()
    ratio = float(widest / max(spread.min(), NO_SPREAD * widest)) if widest > 0 else 1.0
    note = (
        f"skewness {skewness:.2f}, excess kurtosis {kurtosis:.1f}; standard deviation at "
        f"{spread.idxmax()} {ratio:.3g} times that at {spread.idxmin()}"
    )
    cases = [
        abs(skewness) <= SLIGHT_SKEWNESS,
        abs(kurtosis) <= SLIGHT_KURTOSIS,
        ratio <= SAME_SPREAD,
    ]
    return ordering(identifier, cases, holds=1, note=note)
