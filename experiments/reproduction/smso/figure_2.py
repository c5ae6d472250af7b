"""[SMSO], Figure 2: mean RPD by number of nodes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...study.study import Study
from ..experiment import Claim, Comparison, Experiment, Size
from ..printed import table
from ..verdicts import ordering
from .deviations import Deviations, comparison_of, deviations_of, study_of, trend
from .readings import nothing, of_readings

if TYPE_CHECKING:
    import pandas as pd

BORDER = 50
"""Fewer nodes are one group of the paper, as many and more the other."""


def _study(size: Size) -> Study:
    return study_of("smso-figure-2", size)


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of the claims about the number of nodes."""
    del size
    if frame.empty:
        return nothing("smso-05", "smso-06")
    by_reading = deviations_of(frame, "nodes")
    claims = [
        of_readings({reading: _grows(deviations) for reading, deviations in by_reading.items()}),
        of_readings({reading: _grouped(deviations) for reading, deviations in by_reading.items()}),
    ]
    words = ("SMSO, Figure 2: deviation from the best makespan", "number of nodes, q")
    comparison = comparison_of(by_reading, "nodes", words, claims)
    means = table("smso_table1_rpd").groupby("nodes")["rpd_percent"].mean()
    printed_means = " ".join(f"{mean:.1f}" for mean in means)
    comparison.notes.append(
        f"The RPD that Table I prints do not grow with q either: {printed_means} %."
    )
    return comparison


def _grows(deviations: Deviations) -> Claim:
    grows, note = trend(deviations, "nodes")
    return ordering("smso-05", grows, holds=1, note=note)


def _grouped(deviations: Deviations) -> Claim:
    """Neighbouring numbers of nodes differ significantly across the border and not within."""
    nodes = sorted(deviations.means["nodes"])
    pairs = deviations.pairs.set_index(["nodes", "nodes with"])["significant"]
    neighbours = list(pairwise(nodes))
    apart = [(low, high) for low, high in neighbours if pairs[low, high]]
    pairs_apart = ", ".join(f"{low} and {high}" for low, high in apart) or "none"
    as_printed = [((low, high) in apart) == (low < BORDER <= high) for low, high in neighbours]
    return ordering("smso-06", as_printed, holds=1, note=f"neighbours apart: {pairs_apart}")


EXPERIMENT = Experiment("smso-figure-2", "SMSO", "mean RPD by number of nodes", _study, _compare)
