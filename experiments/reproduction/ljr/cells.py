"""Means of relative errors, ours and printed, in the same form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from .. import verdicts
from ..experiment import Claim
from ..printed import table
from ..verdicts import Mean
from .design import FACTORS, METHODS, RESPONSE

if TYPE_CHECKING:
    import pandas as pd

PRINTED_RUNS = 30
"""Instances behind each printed cell."""

ROUNDING = 0.005
"""Half of the last printed digit."""

Cases = list[bool]


def means(
    runs: pd.DataFrame, by: Sequence[str], factors: Sequence[str] = FACTORS
) -> dict[tuple[object, ...], Mean]:
    """Means of cells, with errors that respect that all clusters and methods meet the same jobs.

    Each cell of the design counts alike, also if runs are missing. The runs of one seed are taken
    as one result: what varies is the mean over them.
    """
    cells = runs.groupby(list(factors))[RESPONSE]
    value = cells.mean().groupby(level=list(by)).mean()
    away = (runs[RESPONSE] - cells.transform("mean")).rename("away")
    draws = list(dict.fromkeys([*by, "jobs"]))  # seeds of other numbers of jobs are other draws
    of_seed = runs.assign(away=away).groupby([*draws, "seed"])["away"].mean().groupby(level=draws)
    squared = (of_seed.var(ddof=1) / of_seed.size()).groupby(level=list(by))
    error = np.sqrt(squared.mean() / squared.size())
    seeds = of_seed.size().groupby(level=list(by)).min()
    by_key = {}
    for key, mean, spread, count in zip(value.index, value, error, seeds, strict=True):
        half_width = float(spread) if count > 1 else float("inf")
        by_key[key if isinstance(key, tuple) else (key,)] = Mean(
            float(mean), half_width, int(count)
        )
    return by_key


def wide(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean errors of the cells that all methods have, a row each, a column a method."""
    cells = runs.groupby(list(FACTORS))[RESPONSE].mean().unstack("method")
    return cells.reindex(columns=list(METHODS)).dropna()


@cache
def printed_cells() -> pd.DataFrame:
    cells = table("ljr_table2").rename(columns={"slot_ratio": "ratio", "re_percent": RESPONSE})
    return wide(cells)


def printed_like(ours: pd.DataFrame) -> pd.DataFrame:
    """The printed cells whose ratio, nodes and jobs are in a table of ours or in its index."""
    table, levels = printed_cells(), ours.reset_index()
    for name in table.index.names:
        table = table[table.index.isin(levels[name], level=name)]
    return table


def judged(
    identifier: str,
    cases: Callable[[pd.DataFrame], Iterable[bool]],
    ours: pd.DataFrame,
    *,
    holds: float = verdicts.HOLDS_FROM,
    note: str = "",
) -> Claim:
    """A claim that is true or not in each of several cases, ours and printed.

    `holds`: from which share of the cases on it holds.
    Returns the row; its note tells in how many cases of the same printed cells the claim is true.
    """
    in_print = list(cases(printed_like(ours)))
    of_print = f"in print {sum(in_print)} of {len(in_print)}"
    own = list(cases(ours)) if len(ours) else []
    return verdicts.ordering(
        identifier, own, holds=holds, note="; ".join(filter(None, [of_print, note]))
    )
