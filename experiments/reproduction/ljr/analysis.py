"""Analyses of variance and means plots that the items of [LJR] share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ....core.wording import percent
from ...statistics.anova import Anova, analysis_of_variance
from ...statistics.means import honest_differences, honest_pairs
from .. import verdicts
from ..experiment import Claim, Comparison, Size, Verdict
from ..pictures import Line, Panel, Words, caption, means_plot
from .cells import printed_like
from .design import FACTORS, METHODS, RATIOS, RESPONSE, WORKLOAD

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

SMALL = 0.1
"""Part of the greater of two means below which their difference is called small."""

DROPPED = "no run ended with a schedule"

HSD_NOTE = "Two means whose bars do not overlap differ significantly (Tukey's HSD, 95 %)"


@dataclass(frozen=True)
class Analysis:
    """The paper's analysis of variance, and the one with the jobs as block."""

    plain: Anova
    """All factors and their two-way interactions."""
    blocked: Anova
    """The same with the jobs that all clusters and methods meet as block."""

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        return {"anova": self.plain.table, "anova-blocks": self.blocked.table}

    @property
    def notes(self) -> list[str]:
        """What to say if the blocks are not complete."""
        out, every = self.blocked.left_out, len(self.plain.residuals)
        if not out:
            return []
        rule = "only complete blocks are compared"
        return [f"anova-blocks leaves {out} of {every} results out: {rule}."]

    def greatest_p(self, *sources: str) -> float:
        """The greatest chance of some sources; NaN if the plain analysis lacks one.

        Where runs failed the analysis with blocks may have too few of them to tell.
        """
        plain, blocked = (dict(zip(analysis.table["source"], analysis.table["p"], strict=True))
                          for analysis in (self.plain, self.blocked))  # fmt: skip
        if not all(np.isfinite(plain.get(source, np.nan)) for source in sources):
            return float("nan")
        values = [p for own in (plain, blocked) for source in sources
                if np.isfinite(p := own.get(source, np.nan))]  # fmt: skip
        return float(max(values))


def analysed(runs: pd.DataFrame, factors: Sequence[str] = FACTORS) -> Analysis:
    return Analysis(
        analysis_of_variance(runs, RESPONSE, factors),
        analysis_of_variance(runs, RESPONSE, factors, block=WORKLOAD),
    )


def effect(
    identifier: str, analysis: Analysis, sources: Sequence[str], size: Size, *, note: str = ""
) -> Claim:
    """The verdict on a claim that some sources matter.

    `size`: of the study. The few runs of `quick` may be too few to show an effect that is there.
    """
    p = analysis.greatest_p(*sources)
    if not np.isfinite(p):
        return verdicts.not_testable(identifier, "too few levels or runs to analyse")
    if size == "quick" and p >= verdicts.LEVEL:
        return verdicts.not_testable(identifier, f"too few runs to tell; {note}", p)
    return verdicts.significant(identifier, p, note=note)


def fact(identifier: str, ours: float, size: Size) -> Claim:
    """How large an experiment is. Fewer runs than planned say nothing about the paper."""
    claim = verdicts.within(identifier, ours)
    if claim.verdict is Verdict.HOLDS:
        return claim
    reason = "a part of the design" if size == "quick" else "runs are missing"
    return verdicts.not_testable(identifier, reason, ours)


def nothing(*identifiers: str) -> Comparison:
    """What runs say that all failed."""
    return Comparison([verdicts.not_testable(identifier, DROPPED) for identifier in identifiers])


def small_differences(runs: pd.DataFrame, anova: Anova) -> Claim:
    """Whether pairs of methods that are close in Figures 4 and 5 do not differ significantly.

    Returns the row; the cases are pairs at the same slot ratio and number of jobs or nodes.
    """
    cases: list[bool] = []
    least = []
    for factor in ("jobs", "nodes"):
        by = ["ratio", factor, "method"]
        pairs = honest_pairs(honest_differences(runs, RESPONSE, by, anova), by)
        same = (pairs["ratio"] == pairs["ratio with"]) & (pairs[factor] == pairs[f"{factor} with"])
        small = pairs[same & (pairs["difference"].abs() < SMALL * pairs["greater"])]
        cases += (~small["significant"]).tolist()
        least.append(float(pairs["least"].median()))
    note = (
        f"pairs of methods apart by less than {percent(SMALL)} of the greater mean; the least "
        f"significant difference is {least[0]:.2f} points in Figure 4, {least[1]:.2f} in Figure 5"
    )
    return verdicts.ordering("ljr-34", cases, note=note)


def means_figure(runs: pd.DataFrame, hsd: pd.DataFrame, factor: str, title: str) -> Figure:
    """A panel for each ratio: a factor on the horizontal axis, a line a method, HSD bars.

    Returns the figure. Printed are the means of the same cells of Table 2, where it has them.
    """
    levels = sorted(runs[factor].unique().tolist())
    ours = hsd.set_index(["ratio", factor, "method"])
    printed = printed_like(runs).groupby(level=["ratio", factor]).mean()
    panels = []
    for slots, ratio in RATIOS.items():
        lines = []
        for method in METHODS:
            rows = ours.reindex([(ratio, level, method) for level in levels])
            hollow = printed[method].reindex([(ratio, level) for level in levels]).tolist()
            lines.append(Line(method, rows["mean"].tolist(), rows["half_width"].tolist(), hollow))
        panels.append(Panel(levels, lines, f"{ratio} = {slots} : 2"))
    words = caption(len(runs), runs["seed"].tolist(), HSD_NOTE)
    return means_plot(panels, Words(title, factor, "mean relative error, %", words), shared=False)
