"""Intervals of means: textbook quantiles, and bars that overlap when they should."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multicomp import pairwise_tukeyhsd

from slotwise.experiments.statistics.anova import analysis_of_variance
from slotwise.experiments.statistics.means import (
    honest_differences,
    honest_pairs,
    means_of,
    studentized_range,
)


@pytest.mark.parametrize(
    ("groups", "df", "level", "printed"),
    [
        (3, 10, 0.95, 3.88),
        (5, 20, 0.95, 4.23),
        (10, 30, 0.95, 4.82),
        (2, 60, 0.95, 2.83),
        (4, 12, 0.99, 5.50),
        (3, 100_000, 0.95, 3.31),
    ],
)
def test_quantiles_of_the_textbooks(groups: int, df: int, level: float, printed: float) -> None:
    assert studentized_range(groups, df, level) == pytest.approx(printed, abs=0.006)


def test_intervals_of_means_by_hand() -> None:
    """1, 2, 3: mean 2, deviation 1, Student's 4.3027 on two degrees."""
    frame = pd.DataFrame({"by": ["a", "a", "a", "b"], "y": [1.0, 2.0, 3.0, 9.0]})
    first, second = means_of(frame, "y", ["by"]).to_dict("records")
    assert (first["n"], first["mean"], first["deviation"]) == (3, 2, 1)
    assert first["standard_error"] == pytest.approx(3**-0.5)
    assert first["high"] - 2 == pytest.approx(4.3027 * 3**-0.5, abs=1e-4)
    assert 2 - first["low"] == pytest.approx(first["high"] - 2)
    assert second["mean"] == 9
    assert np.isnan(second["standard_error"])


def normal(groups: int, each: int, seed: int) -> pd.DataFrame:
    """Groups with nearly the same mean."""
    draw = np.random.default_rng(seed)
    by = np.repeat(np.arange(groups), each)
    return pd.DataFrame({"by": by, "y": draw.normal(0.25 * by, 1)})


@pytest.mark.parametrize("seed", range(4))
def test_with_one_factor_the_pairs_are_those_of_statsmodels(seed: int) -> None:
    frame = normal(6, 20, seed)
    table = honest_differences(frame, "y", ["by"], analysis_of_variance(frame, "y", ["by"]))
    pairs = honest_pairs(table, ["by"])
    theirs = pairwise_tukeyhsd(frame["y"], frame["by"])
    assert pairs["significant"].tolist() == theirs.reject.tolist()
    assert pairs["difference"].to_numpy() == pytest.approx(theirs.meandiffs)


@pytest.mark.parametrize("seed", range(4))
def test_equal_bars_overlap_exactly_when_the_pair_is_not_significant(seed: int) -> None:
    frame = normal(8, 15, seed)
    table = honest_differences(frame, "y", ["by"], analysis_of_variance(frame, "y", ["by"]))
    low, high = table["low"].to_numpy(), table["high"].to_numpy()
    pairs = honest_pairs(table, ["by"])
    a, b = pairs["by"], pairs["by with"]
    overlap = (low[a] <= high[b]) & (low[b] <= high[a])
    assert overlap.tolist() == (~pairs["significant"]).tolist()
    assert 0 < overlap.sum() < len(pairs)


def test_another_factor_is_no_noise() -> None:
    """A factor of effect 1 000 is in the model: methods 1 apart are told apart all the same."""
    draw = np.random.default_rng(0)
    frame = pd.DataFrame([(m, n) for m in (0, 1) for n in range(5) for _ in range(20)])
    frame.columns = ["method", "nodes"]
    frame["y"] = frame["method"] + 1000 * frame["nodes"] + draw.normal(0, 0.1, len(frame))
    whole = analysis_of_variance(frame, "y", ["method", "nodes"])
    alone = analysis_of_variance(frame, "y", ["method"])
    pairs = [honest_pairs(honest_differences(frame, "y", ["method"], a), ["method"])
             for a in (whole, alone)]  # fmt: skip
    assert [pair["significant"].tolist() for pair in pairs] == [[True], [False]]


def test_nothing_to_compare_has_no_interval() -> None:
    assert np.isnan(studentized_range(1, 10))
    assert np.isnan(studentized_range(3, 0))
