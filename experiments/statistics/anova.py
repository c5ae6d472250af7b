"""Analysis of variance of results by factors, their interactions and blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ...core.arrays import FloatArray, offsets
from ...core.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

MOST_EFFECTS = 1000
"""A model with more takes more time and memory than it is worth."""

RESIDUAL, TOTAL = "residual", "total"
"""Sources of the last two rows of the table."""

_NOISE = 1e-12
"""Less than this share of the total sum of squares is rounding."""

Term = tuple[str, ...]
"""The factors of a main effect or of an interaction."""


@dataclass(frozen=True)
class Anova:
    """An analysis of variance."""

    table: pd.DataFrame
    """One row a source, the residual and the total last: `source` (`method`, `method:omega`),
    `sum_of_squares`, `df`, `mean_square`, `F`, `p`, `share` (of the total sum of squares),
    `against` (the source whose mean square is the denominator of `F`)."""
    residuals: pd.Series
    """What the model leaves of each result, by the index of the frame."""
    left_out: int
    """Results that were not used, for want of a value or of a complete block."""

    @property
    def mean_square(self) -> float:
        return float(self.row(RESIDUAL)["mean_square"])

    @property
    def df(self) -> int:
        return int(self.row(RESIDUAL)["df"])

    @property
    def skewness(self) -> float:
        """Skewness of the residuals: 0 for a normal distribution."""
        from scipy.stats import skew

        return float(skew(self.residuals))

    @property
    def excess_kurtosis(self) -> float:
        """Excess kurtosis of the residuals: 0 for a normal distribution."""
        from scipy.stats import kurtosis

        return float(kurtosis(self.residuals))

    def row(self, source: str) -> pd.Series:
        """The row of a source, whatever the order of the factors in its name.

        Raises `KeyError` if the model has no such source.
        """
        wanted = set(source.split(":"))
        for _, row in self.table.iterrows():
            if set(row["source"].split(":")) == wanted:
                return row
        raise KeyError(source)


def analysis_of_variance(
    frame: pd.DataFrame,
    response: str,
    factors: Sequence[str],
    *,
    interactions: int = 2,
    block: str | None = None,
) -> Anova:
    """Split the variance of a column by factors and their interactions.

    The sums of squares are of type 2: each source is what it adds to all sources that do not
    contain it. In a balanced design they are those of the cell means.

    With a block, such as the instance that all methods met, what blocks explain is no longer in
    the residual. What is constant in each block, such as the number of jobs, is tested against the
    blocks, all else against the residual. Only complete blocks are used, and as many of them for
    each combination of the factors that are constant in a block.

    `frame`: one row a result; rows without a response are left out.
    `factors`: columns of the factors, at least one; each value is a level.
    `interactions`: most factors in an interaction: 1 for main effects only.
    Raises `InputError` if nothing is left to analyse, or if the model has more than `MOST_EFFECTS`
    effects.
    """
    data = frame.dropna(subset=[response])
    if block is not None:
        data = _complete_blocks(data, factors, block)
    levels = {name: data[name].nunique() for name in factors}
    vary = [name for name in factors if levels[name] > 1]
    if not vary:
        raise InputError(f"no {response} to compare by {', '.join(factors)}")
    terms = [t for k in range(1, interactions + 1) for t in combinations(vary, k)]
    effects = 1 + sum(prod(levels[name] - 1 for name in term) for term in terms)
    if effects > MOST_EFFECTS:
        raise InputError(
            f"{effects} effects of {', '.join(vary)} are too many to analyse, "
            f"more than {MOST_EFFECTS}: take interactions of fewer factors"
        )
    squares, df, fitted = _split(data, response, terms)
    factors_of = {":".join(term): set(term) for term in terms}
    rows = [(source, squares[source], df[source], RESIDUAL) for source in factors_of]
    model_df = sum(df.values())
    if block is not None:
        per_block = data.groupby(block, observed=True)
        constant = {name for name in vary if (per_block[name].nunique() == 1).all()}
        rows = [
            (source, square, own_df, block if factors_of[source] <= constant else RESIDUAL)
            for source, square, own_df, _ in rows
        ]
        own = (data[response] - fitted).groupby(data[block], observed=True).transform("mean")
        block_df = per_block.ngroups - 1 - sum(df for _, _, df, by in rows if by == block)
        rows.append((block, float((own**2).sum()), block_df, RESIDUAL))
        fitted, model_df = fitted + own, model_df + block_df
    residuals = data[response] - fitted
    total = float(((data[response] - data[response].mean()) ** 2).sum())
    rows.append((RESIDUAL, float((residuals**2).sum()), len(data) - 1 - model_df, ""))
    rows.append((TOTAL, total, len(data) - 1, ""))
    return Anova(_tested(rows, total), residuals, len(frame) - len(data))


def _split(
    data: pd.DataFrame, response: str, terms: Sequence[Term]
) -> tuple[dict[str, float], dict[str, int], pd.Series]:
    """Sum of squares and degrees of freedom of each source, and the fitted values.

    All results of a cell have the same effects, so the means of the cells, weighted by their
    numbers of results, are fitted instead of the results themselves, which are far more. The
    triangle of a QR decomposition has the same sums of squares as all cells, for any of the terms.
    Ranks are counted, so cells without any result do no harm.
    """
    by_cell = data.groupby([name for name, *more in terms if not more], observed=True)[response]
    cells = by_cell.agg(["mean", "size"])
    levels = cells.index.to_frame(index=False)
    columns = [np.ones((len(cells), 1)), *(_contrasts(levels, term) for term in terms)]
    ends = offsets(part.shape[1] for part in columns)
    place = {term: np.arange(*ends[k : k + 2]) for k, term in enumerate(terms, 1)}
    design, weights = np.hstack(columns), np.sqrt(cells["size"].to_numpy(float))
    means = cells["mean"].to_numpy(float)
    whole = weights[:, None] * np.column_stack([design, means])
    triangle = np.asarray(np.linalg.qr(whole).R, dtype=np.float64)

    def fit(kept: Iterable[Term]) -> tuple[float, int, FloatArray]:
        """Sum of squares of what is left, rank, and the effects."""
        own = np.concatenate([[0], *(place[term] for term in kept)])
        effects, _, rank, _ = np.linalg.lstsq(triangle[:, own], triangle[:, -1])
        left = triangle[:, -1] - triangle[:, own] @ effects
        return float(left @ left), int(rank), np.asarray(effects, dtype=np.float64)

    squares, df = {}, {}
    for term in terms:
        others = [other for other in terms if not set(term) <= set(other)]
        (before, less, _), (after, more, _) = fit(others), fit([*others, term])
        squares[":".join(term)], df[":".join(term)] = before - after, more - less
    fitted = (design @ fit(terms)[2])[by_cell.ngroup().to_numpy()]
    return squares, df, data[response] * 0 + fitted


def _contrasts(cells: pd.DataFrame, term: Term) -> FloatArray:
    """Columns of a term: each level but the first against the first; products for interactions."""
    columns = np.ones((len(cells), 1))
    for name in term:
        values = cells[name].to_numpy()
        first, *others = sorted(set(values.tolist()))
        own = np.stack([values == other for other in others], 1) - (values == first)[:, None] * 1.0
        columns = (columns[:, :, None] * own[:, None, :]).reshape(len(cells), -1)
    return columns


def _tested(rows: list[tuple[str, float, int, str]], total: float) -> pd.DataFrame:
    """The table with mean squares, F, p and shares."""
    import pandas as pd
    from scipy.stats import f as f_distribution

    table = pd.DataFrame(rows, columns=["source", "sum_of_squares", "df", "against"])
    table.loc[table["sum_of_squares"] < _NOISE * total, "sum_of_squares"] = 0.0
    df = table["df"].where(table["df"] > 0)
    table["mean_square"] = table["sum_of_squares"] / df
    by = table.set_index("source")
    against = by["mean_square"].reindex(table["against"]).to_numpy(float)
    below = by["df"].reindex(table["against"]).to_numpy(float)
    with np.errstate(divide="ignore", invalid="ignore"):
        table["F"] = table["mean_square"].to_numpy(float) / against
    table["p"] = f_distribution.sf(table["F"], df, below)
    table["share"] = table["sum_of_squares"] / total if total else 0.0
    table.loc[table["source"] == TOTAL, "mean_square"] = np.nan
    columns = ["source", "sum_of_squares", "df", "mean_square", "F", "p", "share", "against"]
    return table[columns]


def _complete_blocks(data: pd.DataFrame, factors: Sequence[str], block: str) -> pd.DataFrame:
    """The blocks with all results, as many for each combination of what is constant in a block."""
    if data.empty:
        return data
    sizes = data.groupby(block, observed=True).size()
    data = data[data[block].isin(sizes[sizes == sizes.max()].index)]
    per_block = data.groupby(block, observed=True)
    constant = [name for name in factors if (per_block[name].nunique() == 1).all()]
    if not constant:
        return data
    blocks = data.drop_duplicates(block).groupby(constant, observed=True)[block]
    kept = blocks.head(int(blocks.size().min()))
    return data[data[block].isin(kept)]
