"""Means with 95 % intervals, of many groups of runs at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrays import FloatArray

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95


@dataclass(frozen=True)
class Mean:
    """A mean."""

    value: float = float("nan")
    """The mean, NaN of nothing."""
    half: float = float("nan")
    """Half of its 95 % interval, NaN where there are fewer than two instances."""
    count: int = 0
    """How many runs it is of."""
    median: float = float("nan")
    worst: float = float("nan")
    """`median`, `worst`: median and largest value."""


def means(
    values: FloatArray, groups: Mapping[str, Any], problem: pd.Series
) -> dict[tuple[Any, ...], Mean]:
    """The mean of the values in each group.

    Runs on one instance are not independent, so the interval counts instances, not runs: with the
    deviations of a group's runs from its mean added up over each of its g instances, and n runs,

        half = t(0.975; g - 1) * sqrt(g / (g - 1) * sum of the squared sums) / n,

    which is the usual t interval where each instance has one run.

    `values`: a number for each run, NaN for none.
    `groups`: what the groups are made of: a column of labels for each name.
    Returns the means by the labels of their groups; groups without any number are not there.
    """
    import pandas as pd
    from scipy.stats import t

    names = list(groups)
    frame = pd.DataFrame({**groups, "value of run": values, "problem of run": problem})
    frame = frame[np.isfinite(frame["value of run"])]
    if frame.empty:
        return {}
    by = frame.groupby(names, sort=False)["value of run"]
    table = by.agg(["mean", "count", "median", "max"])
    frame["rest"] = frame["value of run"] - by.transform("mean")
    sums = frame.groupby([*names, "problem of run"], sort=False)["rest"].sum()
    squares = (sums**2).groupby(level=list(range(len(names))), sort=False)
    table["instances"], table["square"] = squares.size(), squares.sum()
    g = table["instances"].to_numpy(dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(g / (g - 1) * table["square"].to_numpy()) / table["count"].to_numpy()
        half = np.where(g > 1, t.ppf((1 + LEVEL) / 2, g - 1) * spread, np.nan)
    keys = [key if isinstance(key, tuple) else (key,) for key in table.index]
    columns = zip(
        keys, table["mean"], half, table["count"], table["median"], table["max"], strict=True
    )
    return {
        key: Mean(float(mean), float(width), int(count), float(median), float(worst))
        for key, mean, width, count, median, worst in columns
    }
