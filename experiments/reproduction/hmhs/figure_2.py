"""[HMHS], Figure 2: HMHS and FIFO on the clusters of Table 1, which differ in slow machines."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ....core.wording import percent
from ....instances.mapreduce.generators.hmhs import SLOW_SHARES
from ...study.instance_sources import drawn
from ...study.study import Block, Study
from ..experiment import Comparison, Experiment, Size
from ..pictures import Words, caption, means_plot
from ..verdicts import ordering
from .gains import METHODS, SETUP, WORKLOADS, gains_of, mean_gains, nothing, panels_of, tables_of

if TYPE_CHECKING:
    import pandas as pd

JOBS = 100
CLUSTERS = {"quick": (1, 3, 6), "full": (1, 2, 3, 4, 5, 6)}
SEEDS = {"quick": 3, "full": 10}

CLOSE = 0.2
"""HMHS is close to FIFO if its gain is less than this share of its gain without slow machines."""


def _study(size: Size) -> Study:
    sweep = {"workload": WORKLOADS, "cluster": CLUSTERS[size]}
    instances = drawn("hmhs", range(SEEDS[size]), sweep=sweep, jobs=JOBS)
    return Study("hmhs-figure-2", [Block(instances, METHODS)])


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of the claims of section 4.2 B."""
    del size
    if frame.empty:
        return nothing("hmhs-09", "hmhs-10")
    gains = gains_of(frame, "cluster")
    clusters = sorted(gains["cluster"].unique())
    words = Words(
        "HMHS, Figure 2: makespan of HMHS below that of other heuristics by share of slow machines",
        "slow machines (clusters of Table 1)",
        "% of the other's makespan",
        caption(
            len(frame),
            frame["seed"].tolist(),
            f"{JOBS} jobs, {SETUP}",
            "Bars: 95 % confidence intervals of the mean",
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
        claims=[
            ordering("hmhs-09", close, holds=1, note=note),
            ordering("hmhs-10", fewer, holds=1, note=note),
        ],
        tables=tables_of(gains, "cluster"),
        figures={"figure": means_plot(panels_of(gains, "cluster", labels), words)},
    )


EXPERIMENT = Experiment(
    "hmhs-figure-2",
    "HMHS",
    "makespan of HMHS below FIFO by share of slow machines",
    _study,
    _compare,
)
