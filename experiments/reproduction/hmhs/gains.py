"""By how much HMHS's makespans are below those of other heuristics, for the figures of [HMHS]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...statistics.anova import analysis_of_variance
from ...statistics.means import honest_differences, means_of
from ...study.instance_sources import called
from ..experiment import Comparison
from ..pictures import Line, Panel
from ..verdicts import not_testable

if TYPE_CHECKING:
    import pandas as pd

WORKLOADS = ("single", "hybrid")
RIVALS = ("FIFO", "FIFO-Pri", "R-HMHS")
BESIDE = "Min-Min"
"""HMHS without sequencing, which the paper does not compare."""

METHODS = [called("heuristic", name) for name in ("HMHS", *RIVALS, BESIDE)]

ROUNDING = 0.5
"""Half of the last printed digit (%)."""

SETUP = "100 + 100 machines, factors by job and machine"


def nothing(*identifiers: str) -> Comparison:
    """What runs say that all failed."""
    return Comparison([not_testable(identifier, "every run failed") for identifier in identifiers])


def gains_of(frame: pd.DataFrame, factor: str) -> pd.DataFrame:
    """The gains of HMHS, run by run.

    Returns one row an instance and rival: `workload`, `factor`, `seed`, `instance` (its number),
    `against`, `gain` (% of the rival's makespan).
    """
    keys = ["workload", factor, "seed"]
    wide = frame.pivot(index=keys, columns="method", values="makespan").dropna()
    rivals = [name for name in (*RIVALS, BESIDE) if name in wide]
    share = wide[rivals].rdiv(wide["HMHS"], axis=0)
    gain = (100 * (1 - share)).reset_index()
    gain["instance"] = range(len(gain))
    return gain.melt([*keys, "instance"], rivals, "against", "gain")


def tables_of(gains: pd.DataFrame, factor: str) -> dict[str, pd.DataFrame]:
    """The means, and the analysis of variance with the instances as blocks."""
    factors = ["against", "workload", factor]
    anova = analysis_of_variance(gains, "gain", factors, block="instance")
    return {
        "means": means_of(gains, "gain", factors),
        "anova": anova.table,
        "hsd": honest_differences(gains, "gain", factors, anova),
    }


def panels_of(gains: pd.DataFrame, factor: str, labels: Sequence[str]) -> list[Panel]:
    """A panel for each workload, a line for each rival."""
    means = means_of(gains, "gain", ["workload", "against", factor])
    panels = []
    for workload in WORKLOADS:
        lines = []
        for rival in (*RIVALS, BESIDE):
            own = means[(means["workload"] == workload) & (means["against"] == rival)]
            half = (own["high"] - own["mean"]).tolist()
            name = rival if rival in RIVALS else f"{rival} (not in the paper)"
            lines.append(Line(name, own["mean"].tolist(), half))
        panels.append(Panel(labels, lines, f"{workload} workload"))
    return panels


def mean_gains(gains: pd.DataFrame, factor: str, against: str) -> pd.Series:
    """Mean gain against a rival by workload and level, in the order of `WORKLOADS`.

    Returns the means (%).
    """
    own = gains[gains["against"] == against]
    means = own.groupby(["workload", factor])["gain"].mean()
    return means.reindex(WORKLOADS, level="workload")


def extent(values: pd.Series) -> str:
    """The least and the greatest value in words, as `57.8 to 70.3`."""
    return f"{values.min():.1f} to {values.max():.1f}"
