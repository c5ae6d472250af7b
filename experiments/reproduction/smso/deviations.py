"""Relative percentage deviations by probability of an outage and number of nodes, [SMSO] V-A."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ....core.wording import percent
from ...statistics.anova import Anova, analysis_of_variance
from ...statistics.means import honest_differences, honest_pairs
from ...study.study import Block, Study
from ..experiment import Claim, Comparison, Size
from ..pictures import Line, Panel, Words, caption, means_plot
from ..verdicts import not_testable, within
from .readings import BOTH, GAMMAS, LABELS, METHODS, NODES, READINGS, SETUP, instances

if TYPE_CHECKING:
    import pandas as pd

JOBS = {"quick": (20, 50), "full": (20, 50, 200, 500)}
GAMMAS_AT = {"quick": (0.0, 0.01, 0.02, 0.03), "full": GAMMAS}
SEEDS = {"quick": 3, "full": 10}

FACTORS = ["gamma", "nodes", "jobs"]


@dataclass(frozen=True)
class Deviations:
    """One reading."""

    runs: pd.DataFrame
    """The runs with their `rpd` (%) and their `block`, the number of jobs and the seed."""
    anova: Anova
    blocked: Anova
    """`anova`, `blocked`: analyses of the deviations: as in the paper, and with the instances as
    blocks."""
    means: pd.DataFrame
    """Means by level of the factor with Tukey's intervals."""
    pairs: pd.DataFrame
    """Pairs of levels, and whether they differ significantly."""


def study_of(name: str, size: Size) -> Study:
    """The runs of both figures."""
    drawn = instances(SEEDS[size], JOBS[size], NODES, GAMMAS_AT[size])
    return Study(name, [Block(drawn, METHODS)])


def deviations_of(frame: pd.DataFrame, factor: str) -> dict[str, Deviations]:
    """The deviations by reading.

    The best makespan is that of an instance and number of nodes over all probabilities.
    """
    by_reading = {}
    for reading in READINGS:
        runs = frame[frame["reduces"] == reading].dropna(subset=["makespan"]).copy()
        best = runs.groupby(["jobs", "seed", "nodes"])["makespan"].transform("min")
        runs["rpd"] = 100 * (runs["makespan"] / best - 1)
        runs["block"] = runs["jobs"].astype(str) + "/" + runs["seed"].astype(str)
        anova = analysis_of_variance(runs, "rpd", FACTORS)
        blocked = analysis_of_variance(runs, "rpd", FACTORS, block="block")
        means = honest_differences(runs, "rpd", [factor], anova)
        by_reading[reading] = Deviations(runs, anova, blocked, means, honest_pairs(means, [factor]))
    return by_reading


def comparison_of(
    by_reading: dict[str, Deviations], factor: str, words: tuple[str, str], claims: list[Claim]
) -> Comparison:
    import pandas as pd

    every = pd.concat([each.runs for each in by_reading.values()])
    tables = {
        name: pd.concat(
            [table.assign(reduces=reading) for reading, table in parts.items()], ignore_index=True
        )
        for name, parts in {
            "anova": {reading: each.anova.table for reading, each in by_reading.items()},
            "anova-blocks": {reading: each.blocked.table for reading, each in by_reading.items()},
            "hsd": {reading: each.means for reading, each in by_reading.items()},
            "pairs": {reading: each.pairs for reading, each in by_reading.items()},
        }.items()
    }
    lines = [
        Line(LABELS[reading], each.means["mean"].tolist(), each.means["half_width"].tolist())
        for reading, each in by_reading.items()
    ]
    levels = [f"{level:g}" for level in next(iter(by_reading.values())).means[factor]]
    below = caption(
        len(every),
        every["seed"].tolist(),
        SETUP,
        "Bars: Tukey's 95 % intervals with the mean square of the whole design",
        "A greater gamma loses the same nodes and more: gamma = 0 is nearly always the best",
        "The paper prints no numbers",
    )
    figure = means_plot([Panel(levels, lines)], Words(words[0], words[1], "mean RPD, %", below))
    return Comparison(claims, [], tables, {"figure": figure}, [nested(by_reading), BOTH])


def nested(by_reading: dict[str, Deviations]) -> str:
    """What nested outages do to the deviations, in words."""
    share = []
    for deviations in by_reading.values():
        at_zero = deviations.runs[deviations.runs["gamma"] == 0]
        share.append(100 * float((at_zero["rpd"] == 0).mean()))
    return (
        "A greater gamma loses the same nodes and more. So gamma = 0 is nearly always the best of "
        f"an instance and number of nodes (here in {percent(min(share) / 100)} of them), and its "
        "mean RPD is nearly 0 by construction."
    )


def trend(deviations: Deviations, factor: str) -> tuple[list[bool], str]:
    """How the mean goes from level to level.

    Returns whether the mean grows, for each step, and the means in words.
    """
    means = deviations.means.sort_values(factor)["mean"].tolist()
    grows = [after > before for before, after in pairwise(means)]
    return grows, "mean RPD " + " ".join(f"{mean:.1f}" for mean in means) + " %"


def size_of(by_reading: dict[str, Deviations], size: Size) -> list[Claim]:
    """The size of the experiment, which only a full one shares with the paper."""
    runs = next(iter(by_reading.values())).runs
    counts = {"smso-01": float(runs["block"].nunique()), "smso-02": float(len(runs))}
    if size == "quick":
        return [not_testable(name, "not the paper's size", n) for name, n in counts.items()]
    note = "for each of two readings"
    return [within(name, n, note=note if name == "smso-02" else "") for name, n in counts.items()]
