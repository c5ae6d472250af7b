"""Sums of squares worked out by hand, against statsmodels, with blocks and with missing results."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from statsmodels.stats.anova import anova_lm

from slotwise.core.errors import InputError
from slotwise.experiments.statistics.anova import Anova, analysis_of_variance


def crossed(seed: int = 0, **levels: int) -> pd.DataFrame:
    """All combinations of levels with a random `y` that depends on the first two factors."""
    cells = product(*(range(number) for number in levels.values()))
    frame = pd.DataFrame(list(cells), columns=list(levels))
    first, second, *_ = levels
    noise = np.random.default_rng(seed).normal(size=len(frame))
    return frame.assign(y=noise + frame[first] * (1 + frame[second]))


def of_statsmodels(frame: pd.DataFrame, formula: str) -> pd.DataFrame:
    """Its table of type 2."""
    return anova_lm(smf.ols(f"y ~ {formula}", frame).fit(), typ=2)


def assert_same(ours: Anova, theirs: pd.DataFrame) -> None:
    """Source by source."""
    body = ours.table[ours.table["source"] != "total"]
    assert body["sum_of_squares"].to_numpy() == pytest.approx(theirs["sum_sq"].to_numpy())
    assert body["df"].to_numpy() == pytest.approx(theirs["df"].to_numpy())
    tested = slice(0, len(body) - 1)
    assert body["F"].to_numpy()[tested] == pytest.approx(theirs["F"].to_numpy()[tested])
    assert body["p"].to_numpy()[tested] == pytest.approx(theirs["PR(>F)"].to_numpy()[tested])


def test_a_table_by_hand() -> None:
    """Cells 1 to 25 in five rows.

    Row means 3, 8, 13, 18, 23 are -10, -5, 0, 5, 10 from 13: five times 250. Column means 11 to 15
    are -2 to 2 from 13: five times 10. Rows and columns add up, so nothing is left.
    """
    table = pd.DataFrame(
        [(k // 5, k % 5, k + 1) for k in range(25)], columns=["row", "column", "y"]
    )
    seen = analysis_of_variance(table, "y", ["row", "column"])
    assert seen.table["source"].tolist() == ["row", "column", "row:column", "residual", "total"]
    assert seen.table["sum_of_squares"].tolist() == pytest.approx([1250, 50, 0, 0, 1300])
    assert seen.table["df"].tolist() == [4, 4, 16, 0, 24]
    assert seen.row("column")["share"] == pytest.approx(50 / 1300)


def test_f_and_p_by_hand() -> None:
    """Groups 1, 3 and 5, 7: between 16 on one degree, within 4 on two, F = 8, p = 0.1056."""
    frame = pd.DataFrame({"group": ["a", "a", "b", "b"], "y": [1.0, 3.0, 5.0, 7.0]})
    seen = analysis_of_variance(frame, "y", ["group"])
    row = seen.row("group")
    assert (row["sum_of_squares"], row["df"], row["F"]) == pytest.approx((16, 1, 8))
    assert row["p"] == pytest.approx(1 - np.sqrt(8 / 10))  # of F with 1 and 2 degrees
    assert (seen.mean_square, seen.df) == (pytest.approx(2), 2)
    assert seen.residuals.tolist() == pytest.approx([-1, 1, -1, 1])
    assert seen.skewness == pytest.approx(0)
    assert seen.excess_kurtosis == pytest.approx(-2)


@pytest.mark.parametrize("interactions", [1, 2, 3])
def test_balanced_designs_agree_with_statsmodels(interactions: int) -> None:
    frame = crossed(a=3, b=4, c=2, seed_=5)
    plus = " + ".join(f"C({name})" for name in "abc")
    seen = analysis_of_variance(frame, "y", ["a", "b", "c"], interactions=interactions)
    assert_same(seen, of_statsmodels(frame, f"({plus}) ** {interactions}"))


def test_designs_with_missing_results_agree_with_statsmodels() -> None:
    frame = crossed(a=3, b=4, c=2, seed_=5)
    frame.loc[np.random.default_rng(1).random(len(frame)) < 0.2, "y"] = np.nan
    seen = analysis_of_variance(frame, "y", ["a", "b", "c"])
    model = smf.ols("y ~ (C(a) + C(b) + C(c)) ** 2", frame).fit()
    assert seen.left_out == frame["y"].isna().sum() > 0
    assert_same(seen, anova_lm(model, typ=2))
    assert seen.residuals.to_numpy() == pytest.approx(model.resid.to_numpy())


def test_names_that_no_formula_takes() -> None:
    plain = crossed(a=3, b=4, seed_=20)
    frame = plain.rename(columns={"a": "slot ratio", "b": "instance.b"})
    frame["slot ratio"] = frame["slot ratio"].map({0: "EFSS-L", 1: "TBS", 2: "a + b"})
    named = analysis_of_variance(frame, "y", ["slot ratio", "instance.b"])
    assert_same(named, of_statsmodels(plain, "C(a) * C(b)"))


def test_cells_without_any_result_have_no_degrees_of_freedom() -> None:
    """Of a table of 2 x 3 one cell is empty: the interaction keeps one degree of its two."""
    frame = crossed(a=2, b=3, seed_=10)
    frame.loc[(frame["a"] == 1) & (frame["b"] == 2), "y"] = np.nan
    seen = analysis_of_variance(frame, "y", ["a", "b"])
    assert seen.table["df"].tolist() == [1, 2, 1, 45, 49]
    within = frame.groupby(["a", "b"])["y"].var() * 9
    assert seen.row("residual")["sum_of_squares"] == pytest.approx(within.sum())


def test_blocks_take_their_part_of_the_residual() -> None:
    """Two methods on four instances, two of each size; by hand.

    Instance means 2, 4, 7, 11, sizes 3 and 9: within sizes 2 (1 + 1 + 4 + 4) = 20 on two degrees,
    between sizes 8 (3 ** 2) = 72, tested against 20 / 2: F = 7.2.
    """
    rows = [("i1", 1, 1, 3), ("i2", 1, 2, 6), ("i3", 2, 6, 8), ("i4", 2, 9, 13)]
    frame = pd.DataFrame(
        [(i, size, method, y) for i, size, *ys in rows for method, y in zip("ab", ys, strict=True)],
        columns=["instance", "size", "method", "y"],
    )
    plain = analysis_of_variance(frame, "y", ["size", "method"])
    seen = analysis_of_variance(frame, "y", ["size", "method"], block="instance")
    assert (seen.row("instance")["sum_of_squares"], seen.row("instance")["df"]) == (20, 2)
    assert seen.row("size")["against"] == "instance"
    assert seen.row("size")["F"] == pytest.approx(72 / 10)
    assert seen.row("method")["against"] == "residual"
    left = plain.row("residual")
    assert seen.row("residual")["sum_of_squares"] == pytest.approx(left["sum_of_squares"] - 20)
    assert seen.df == left["df"] - 2
    assert seen.table["sum_of_squares"].iloc[:-1].sum() == pytest.approx(
        seen.row("total")["sum_of_squares"]
    )


def test_incomplete_blocks_are_left_out_and_the_rest_is_balanced() -> None:
    frame = crossed(jobs=2, method=3, seed_=4)
    frame["instance"] = frame["jobs"] * 100 + frame["seed_"]
    whole = analysis_of_variance(frame, "y", ["jobs", "method"], block="instance")
    frame.loc[5, "y"] = np.nan  # one method on an instance with jobs = 0
    seen = analysis_of_variance(frame, "y", ["jobs", "method"], block="instance")
    assert (whole.left_out, seen.left_out) == (0, 6)  # three of each number of jobs
    assert (whole.row("instance")["df"], seen.row("instance")["df"]) == (6, 4)


def test_factors_with_one_level_are_no_source() -> None:
    frame = crossed(a=2, b=1, c=3, seed_=3)
    assert "b" not in set(analysis_of_variance(frame, "y", ["a", "b", "c"]).table["source"])


def test_a_model_that_is_too_large_is_refused() -> None:
    frame = crossed(a=3, b=5, c=4, d=5, e=5)
    factors = list("abcde")
    with pytest.raises(InputError, match="1500 effects of a, b, c, d, e are too many"):
        analysis_of_variance(frame, "y", factors, interactions=5)
    assert len(analysis_of_variance(frame, "y", factors).table) == 5 + 10 + 2


@pytest.mark.parametrize("values", [[], [np.nan, np.nan], [1.0, 2.0]])
def test_nothing_to_compare_is_one_line(values: list[float]) -> None:
    frame = pd.DataFrame({"a": [1] * len(values), "y": pd.Series(values, dtype=float)})
    with pytest.raises(InputError, match=r"^no y to compare by a$"):
        analysis_of_variance(frame, "y", ["a"])
