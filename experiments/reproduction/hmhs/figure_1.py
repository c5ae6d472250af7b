"""[HMHS], Figure 1: makespans of HMHS and of its controls by number of jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...study.instance_sources import drawn
from ...study.study import Block, Study
from ..experiment import Claim, Comparison, Experiment, Size
from ..pictures import Words, caption, means_plot
from ..verdicts import LEVEL, inside, mean_of, ordering, within
from .gains import (
    BESIDE,
    METHODS,
    RIVALS,
    ROUNDING,
    SETUP,
    WORKLOADS,
    extent,
    gains_of,
    mean_gains,
    nothing,
    panels_of,
    tables_of,
)

if TYPE_CHECKING:
    import pandas as pd

JOBS = {"quick": (20, 100, 200), "full": tuple(range(20, 201, 20))}
SEEDS = {"quick": 3, "full": 10}

STRONG = 0.5
"""Least correlation that is called strong."""


def _study(size: Size) -> Study:
    sweep = {"workload": WORKLOADS, "jobs": JOBS[size]}
    return Study("hmhs-figure-1", [Block(drawn("hmhs", range(SEEDS[size]), sweep=sweep), METHODS)])


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of the claims of section 4.2 A."""
    del size
    if frame.empty:
        return nothing(*(f"hmhs-{number:02d}" for number in range(1, 9)))
    gains = gains_of(frame, "jobs")
    words = Words(
        "HMHS, Figure 1: makespan of HMHS below that of other heuristics",
        "number of jobs",
        "% of the other's makespan",
        caption(
            len(frame),
            frame["seed"].tolist(),
            SETUP,
            "Bars: 95 % confidence intervals of the mean",
            "Printed, as ranges only: FIFO 51 to 77; FIFO-Pri up to 72 (single) and 55 (hybrid); "
            "R-HMHS 10 to 30",
        ),
    )
    jobs = sorted(gains["jobs"].unique())
    levels = [str(level) if k % 2 or len(jobs) < 7 else "" for k, level in enumerate(jobs)]
    figure = means_plot(panels_of(gains, "jobs", levels), words)
    fifo = mean_gains(gains, "jobs", "FIFO")
    every = gains[gains["against"] == "FIFO"]["gain"]
    reverse = mean_gains(gains, "jobs", "R-HMHS")
    keys = ["workload", "jobs", "seed"]
    wide = frame.pivot(index=keys, columns="method", values="makespan").dropna()
    slopes, grows = _trends(gains)
    links = _links(gains)
    return Comparison(
        claims=[
            inside("hmhs-01", fifo, slack=ROUNDING, note=f"single runs {extent(every)}"),
            ordering(
                "hmhs-02",
                wide["HMHS"] < wide[list(RIVALS)].min(axis=1),
                holds=1,
                note=f"{BESIDE} is not among them",
            ),
            ordering("hmhs-03", grows, holds=1, note=slopes),
            _greatest("hmhs-04", gains, "single"),
            _greatest("hmhs-05", gains, "hybrid"),
            inside("hmhs-06", reverse, slack=ROUNDING),
            ordering(
                "hmhs-07",
                [abs(link) < STRONG for link in links.values()],
                holds=1,
                note="correlation with the number of jobs "
                + ", ".join(f"{link:.2f} ({name})" for name, link in links.items()),
            ),
            _workloads_apart(gains),
        ],
        tables=tables_of(gains, "jobs"),
        figures={"figure": figure},
        notes=_notes(gains),
    )


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


def _links(gains: pd.DataFrame) -> dict[str, float]:
    """Correlation of the gain over R-HMHS with the number of jobs, by workload."""
    own = gains[gains["against"] == "R-HMHS"]
    return {
        workload: float(rows["jobs"].astype(float).corr(rows["gain"]))
        for workload, rows in own.groupby("workload")
    }


def _greatest(identifier: str, gains: pd.DataFrame, workload: str) -> Claim:
    """The greatest mean gain over FIFO-Pri, which the paper has as `up to`."""
    own = gains[(gains["against"] == "FIFO-Pri") & (gains["workload"] == workload)]
    means = own.groupby("jobs")["gain"].mean()
    best = mean_of(own.loc[own["jobs"] == means.idxmax(), "gain"])
    note = f"with {means.idxmax()} jobs; means {extent(means)}, single runs {extent(own['gain'])}"
    return within(identifier, best, slack=ROUNDING, note=note)


def _workloads_apart(gains: pd.DataFrame) -> Claim:
    """The gain over R-HMHS on the single workload less that on the hybrid one."""
    own = gains[gains["against"] == "R-HMHS"]
    wide = own.pivot(index=["jobs", "seed"], columns="workload", values="gain").dropna()
    apart = mean_of(wide["single"] - wide["hybrid"])
    means = ", ".join(f"{name} {wide[name].mean():.1f}" for name in WORKLOADS)
    reverse = "; the reverse: hybrid gains more" if apart.value < 0 else ""
    return within("hmhs-08", apart, slack=ROUNDING, note=f"{means} %, in points{reverse}")


def _notes(gains: pd.DataFrame) -> list[str]:
    beside = mean_gains(gains, "jobs", BESIDE)
    ranges = ", ".join(f"{name} {extent(beside[name])} %" for name in WORKLOADS)
    return [
        "R-HMHS runs the jobs in the worst order, not in an uninformed one. Against Min-Min, which "
        f"orders nothing and which the paper does not compare, the gains are {ranges}.",
        "The paper does not say which numbers of jobs its figure has; here 20 to 200.",
    ]


EXPERIMENT = Experiment(
    "hmhs-figure-1",
    "HMHS",
    "makespan of HMHS below FIFO, FIFO-Pri and R-HMHS by number of jobs",
    _study,
    _compare,
)
