"""Means with 95 % intervals, of many groups of runs at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...instances.arrays import FloatArray

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95


@dataclass(frozen=True)
class Mean:
    """A mean.

    Parameters
    ----------
    value
        The mean, NaN of nothing.
    half
        Half of its 95 % interval, NaN where there are fewer than two instances.
    count
        How many runs it is of.
    median, worst
        Median and largest value.
    """

    value: float = float("nan")
    half: float = float("nan")
    count: int = 0
    median: float = float("nan")
    worst: float = float("nan")


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
    found = by.agg(["mean", "count", "median", "max"])
    frame["rest"] = frame["value of run"] - by.transform("mean")
    sums = frame.groupby([*names, "problem of run"], sort=False)["rest"].sum()
    squares = (sums**2).groupby(level=list(range(len(names))), sort=False)
    found["instances"], found["square"] = squares.size(), squares.sum()
    g = found["instances"].to_numpy(dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(g / (g - 1) * found["square"].to_numpy()) / found["count"].to_numpy()
        half = np.where(g > 1, t.ppf((1 + LEVEL) / 2, g - 1) * spread, np.nan)
    keys = [key if isinstance(key, tuple) else (key,) for key in found.index]
    columns = zip(
        keys, found["mean"], half, found["count"], found["median"], found["max"], strict=True
    )
    return {
        key: Mean(float(mean), float(width), int(count), float(median), float(worst))
        for key, mean, width, count, median, worst in columns
    }
