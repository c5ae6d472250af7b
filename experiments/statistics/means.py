"""Means with their intervals: confidence intervals of each, and Tukey's for comparing them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from .anova import Anova

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
"""Of the intervals; of Tukey's that none of all pairs is called different by chance."""


def means_of(frame: pd.DataFrame, response: str, by: Sequence[str]) -> pd.DataFrame:
    """Means of groups with confidence intervals by Student's distribution.

    `frame`: one row a result; rows without a response are left out.
    Returns one row a group: the columns `by`, `n`, `mean`, `deviation` (standard deviation),
    `standard_error`, `low`, `high`. The last four are missing for a single result.
    """
    from scipy.stats import t as student

    table = _groups(frame, response, by, ["size", "mean", "std"])
    table = table.rename(columns={"size": "n", "std": "deviation"})
    table["standard_error"] = table["deviation"] / np.sqrt(table["n"])
    half = student.ppf((1 + LEVEL) / 2, table["n"] - 1) * table["standard_error"]
    return table.assign(low=table["mean"] - half, high=table["mean"] + half)


def honest_differences(
    frame: pd.DataFrame, response: str, by: Sequence[str], anova: Anova
) -> pd.DataFrame:
    """Means of groups with Tukey's intervals of honest significant differences.

    The mean square is that of an analysis with all factors of the experiment: without them their
    effects would count as noise. With as many results in each group, the intervals of two groups
    overlap exactly if their means do not differ significantly.

    `frame`: one row a result; rows without a response are left out.
    Returns one row a group: the columns `by`, `n`, `mean`, `half_width`, `low`, `high`.
    """
    table = _groups(frame, response, by, ["size", "mean"]).rename(columns={"size": "n"})
    q = studentized_range(len(table), anova.df)
    table["half_width"] = q / 2 * np.sqrt(anova.mean_square / table["n"])
    return table.assign(
        low=table["mean"] - table["half_width"], high=table["mean"] + table["half_width"]
    )


def honest_pairs(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """All pairs of groups, and which of them differ significantly.

    Returns one row a pair: each column of `by` twice, as `NAME` and `NAME with`, then `difference`
    (of the second mean from the first), `greater` (of both means), `least` (the least difference
    that is significant; by Tukey and Kramer where the groups are of different sizes),
    `significant`.
    """
    import pandas as pd

    first, second = np.triu_indices(len(table), 1)
    mean, half = table["mean"].to_numpy(float), table["half_width"].to_numpy(float)
    least = np.sqrt(2 * (half[first] ** 2 + half[second] ** 2))
    difference = mean[second] - mean[first]
    pairs = {name: table[name].to_numpy()[first] for name in by}
    pairs |= {f"{name} with": table[name].to_numpy()[second] for name in by}
    return pd.DataFrame(pairs).assign(
        difference=difference,
        greater=np.maximum(mean[first], mean[second]),
        least=least,
        significant=np.abs(difference) > least,
    )


@cache
def studentized_range(groups: int, df: int, level: float = LEVEL) -> float:
    """Quantile of the studentized range.

    Returns the quantile; not a number if there is nothing to compare or no freedom.
    """
    from scipy.stats import studentized_range as distribution

    if groups < 2 or df < 1:
        return float("nan")
    return float(distribution.ppf(level, groups, df))


def _groups(frame: pd.DataFrame, response: str, by: Sequence[str], what: list[str]) -> pd.DataFrame:
    kept = frame.dropna(subset=[response])
    return kept.groupby(list(by), observed=True)[response].agg(what).reset_index()
