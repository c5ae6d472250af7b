"""Figures 1 and 2 of [HMHS]: by how much HMHS's makespans are below those of other heuristics, by
number of jobs, and on the clusters of Table 1, which differ in slow machines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from ...core.wording import percent
from ...instances.mapreduce.generators.hmhs import SLOW_SHARES
from ..statistics.anova import analysis_of_variance
from ..statistics.means import honest_differences, means_of
from ..study.instance_sources import called, drawn
from ..study.study import Block, Study
from .claims import (
    LEVEL,
    Claim,
    Comparison,
    Experiment,
    Size,
    inside,
    mean_of,
    numbered,
    ordering,
    within,
)
from .pictures import Panel, Words, caption, lines_of, means_plot

if TYPE_CHECKING:
    import pandas as pd

WORKLOADS = ("single", "hybrid")
RIVALS = ("FIFO", "FIFO-Pri", "R-HMHS")
BESIDE = "Min-Min"
"""HMHS without sequencing, which the paper does not compare."""

BESIDE_LABEL = f"{BESIDE} (not in the paper)"

METHODS = [called("heuristic", name) for name in ("HMHS", *RIVALS, BESIDE)]

JOBS = {"quick": (20, 100, 200), "full": tuple(range(20, 201, 20))}
CLUSTERS = {"quick": (1, 3, 6), "full": (1, 2, 3, 4, 5, 6)}
SEEDS = {"quick": 3, "full": 10}
JOBS_OF_CLUSTERS = 100

ROUNDING = 0.5
"""Half of the last printed digit (%)."""

STRONG = 0.5
"""Least correlation that is called strong."""

CLOSE = 0.2
"""HMHS is close to FIFO if its gain is less than this share of its gain without slow machines."""

SETUP = "100 + 100 machines, factors by job and machine"
BARS = "Bars: 95 % confidence intervals of the mean"


def _study_1(size: Size) -> Study:
    sweep = {"workload": WORKLOADS, "jobs": JOBS[size]}
    return Study("hmhs-figure-1", [Block(drawn("hmhs", range(SEEDS[size]), sweep=sweep), METHODS)])


def _study_2(size: Size) -> Study:
    sweep = {"workload": WORKLOADS, "cluster": CLUSTERS[size]}
    instances = drawn("hmhs", range(SEEDS[size]), sweep=sweep, jobs=JOBS_OF_CLUSTERS)
    return Study("hmhs-figure-2", [Block(instances, METHODS)])


def _figure_1(frame: pd.DataFrame, _size: Size) -> Comparison:
    """What the runs say of the claims of section 4.2 A."""
    gains = gains_of(frame, "jobs")
    words = Words(
        "HMHS, Figure 1: makespan of HMHS below that of other heuristics",
        "number of jobs",
        "% of the other's makespan",
        caption(
            len(frame),
            frame["seed"].tolist(),
            SETUP,
            BARS,
            "Printed, as ranges only: FIFO 51 to 77; FIFO-Pri up to 72 (single) and 55 (hybrid); "
            "R-HMHS 10 to 30",
        ),
    )
    jobs = sorted(gains["jobs"].unique())
    levels = [str(level) if k % 2 or len(jobs) < 7 else "" for k, level in enumerate(jobs)]
    every = gains[gains["against"] == "FIFO"]["gain"]
    wide = frame.pivot(index=["workload", "jobs", "seed"], columns="method", values="makespan")
    wide = wide.dropna()
    slopes, grows = _trends(gains)
    reverse = gains[gains["against"] == "R-HMHS"]
    links = {
        workload: float(rows["jobs"].astype(float).corr(rows["gain"]))
        for workload, rows in reverse.groupby("workload")
    }
    correlations = ", ".join(f"{link:.2f} ({name})" for name, link in links.items())
    beside = mean_gains(gains, "jobs", BESIDE)
    ranges = ", ".join(f"{name} {extent(beside[name])} %" for name in WORKLOADS)
    return Comparison(
        [
            inside("hmhs-01", mean_gains(gains, "jobs", "FIFO"), slack=ROUNDING,
                   note=f"single runs {extent(every)}"),
            ordering("hmhs-02", wide["HMHS"] < wide[list(RIVALS)].min(axis=1), holds=1,
                     note=f"{BESIDE} is not among them"),
            ordering("hmhs-03", grows, holds=1, note=slopes),
            _greatest("hmhs-04", gains, "single"),
            _greatest("hmhs-05", gains, "hybrid"),
            inside("hmhs-06", mean_gains(gains, "jobs", "R-HMHS"), slack=ROUNDING),
            ordering("hmhs-07", [abs(link) < STRONG for link in links.values()], holds=1,
                     note=f"correlation with the number of jobs {correlations}"),
            _workloads_apart(reverse),
        ],
        tables=tables_of(gains, "jobs"),
        figures={"figure": means_plot(panels_of(gains, "jobs", levels), words)},
        notes=[
            "R-HMHS runs the jobs in the worst order, not in an uninformed one. Against Min-Min, "
            f"which orders nothing and which the paper does not compare, the gains are {ranges}.",
            "The paper does not say which numbers of jobs its figure has; here 20 to 200.",
        ],
    )  # fmt: skip


def _figure_2(frame: pd.DataFrame, _size: Size) -> Comparison:
    """What the runs say of the claims of section 4.2 B."""
    gains = gains_of(frame, "cluster")
    clusters = sorted(gains["cluster"].unique())
    words = Words(
        "HMHS, Figure 2: makespan of HMHS below that of other heuristics by share of slow machines",
        "slow machines (clusters of Table 1)",
        "% of the other's makespan",
        caption(
            len(frame),
            frame["seed"].tolist(),
            f"{JOBS_OF_CLUSTERS} jobs, {SETUP}",
            BARS,
            "The paper prints no numbers",
        ),
    )
    labels = [percent(SLOW_SHARES[cluster - 1]) for cluster in clusters]
    means = mean_gains(gains, "cluster", "FIFO")
    close, fewer, ranges = [], [], []
    for workload in WORKLOADS:
        own = means[workload].sort_index().tolist()
        close.append(own[-1] < CLOSE * own[0])
        fewer += [after < before for before, after in pairwise(own)]
        ranges.append(
            f"{percent(own[0] / 100)} to {percent(own[-1] / 100)} below FIFO ({workload})"
        )
    note = ", ".join(ranges)
    return Comparison(
        [
            ordering("hmhs-09", close, holds=1, note=note),
            ordering("hmhs-10", fewer, holds=1, note=note),
        ],
        tables=tables_of(gains, "cluster"),
        figures={"figure": means_plot(panels_of(gains, "cluster", labels), words)},
    )


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
    levels = sorted(means[factor].unique())
    means["against"] = means["against"].replace(BESIDE, BESIDE_LABEL)
    names = [*RIVALS, BESIDE_LABEL]
    return [
        Panel(
            labels,
            lines_of(means[means["workload"] == name], "against", names, factor, levels),
            f"{name} workload",
        )
        for name in WORKLOADS
    ]


def mean_gains(gains: pd.DataFrame, factor: str, against: str) -> pd.Series:
    """Mean gain (%) against a rival by workload and level, in the order of `WORKLOADS`."""
    own = gains[gains["against"] == against]
    means = own.groupby(["workload", factor])["gain"].mean()
    return means.reindex(WORKLOADS, level="workload")


def extent(values: pd.Series) -> str:
    """The least and the greatest value in words, as `57.8 to 70.3`."""
    return f"{values.min():.1f} to {values.max():.1f}"


def _trends(gains: pd.DataFrame) -> tuple[str, list[bool]]:
    """How the gain over FIFO grows with the number of jobs, and whether it does, by workload."""
    from scipy.stats import linregress

    slopes, grows = [], []
    for workload in WORKLOADS:
        own = gains[(gains["against"] == "FIFO") & (gains["workload"] == workload)]
        line = linregress(own["jobs"], own["gain"])
        slopes.append(f"{100 * line.slope:+.1f} points per 100 jobs ({workload})")
        grows.append(bool(line.slope > 0 and line.pvalue < LEVEL))
    return ", ".join(slopes), grows


def _greatest(identifier: str, gains: pd.DataFrame, workload: str) -> Claim:
    """The greatest mean gain over FIFO-Pri, which the paper has as `up to`."""
    own = gains[(gains["against"] == "FIFO-Pri") & (gains["workload"] == workload)]
    means = own.groupby("jobs")["gain"].mean()
    best = mean_of(own.loc[own["jobs"] == means.idxmax(), "gain"])
    note = f"with {means.idxmax()} jobs; means {extent(means)}, single runs {extent(own['gain'])}"
    return within(identifier, best, slack=ROUNDING, note=note)


def _workloads_apart(reverse: pd.DataFrame) -> Claim:
    """The gain over R-HMHS on the single workload less that on the hybrid one."""
    wide = reverse.pivot(index=["jobs", "seed"], columns="workload", values="gain").dropna()
    apart = mean_of(wide["single"] - wide["hybrid"])
    means = ", ".join(f"{name} {wide[name].mean():.1f}" for name in WORKLOADS)
    other = "; the reverse: hybrid gains more" if apart.value < 0 else ""
    return within("hmhs-08", apart, slack=ROUNDING, note=f"{means} %, in points{other}")


EXPERIMENTS = [
    Experiment("hmhs-figure-1", "HMHS",
               "makespan of HMHS below FIFO, FIFO-Pri and R-HMHS by number of jobs",
               _study_1, numbered("hmhs", *range(1, 9)), _figure_1),
    Experiment("hmhs-figure-2", "HMHS", "makespan of HMHS below FIFO by share of slow machines",
               _study_2, numbered("hmhs", 9, 10), _figure_2),
]  # fmt: skip
