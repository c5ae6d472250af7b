"""[SMSO], Figure 1: mean RPD by probability of an outage."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ...study.study import Study
from ..assumptions import slightly_non_normal
from ..experiment import Claim, Comparison, Experiment, Size
from ..verdicts import ordering
from .deviations import Deviations, comparison_of, deviations_of, size_of, study_of, trend
from .readings import nothing, of_readings

if TYPE_CHECKING:
    import pandas as pd


def _study(size: Size) -> Study:
    return study_of("smso-figure-1", size)


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of the claims about gamma."""
    if frame.empty:
        return nothing("smso-01", "smso-02", "smso-03", "smso-04", "smso-12")
    by_reading = deviations_of(frame, "gamma")
    claims = [
        *size_of(by_reading, size),
        of_readings({reading: _grows(deviations) for reading, deviations in by_reading.items()}),
        of_readings({reading: _apart(deviations) for reading, deviations in by_reading.items()}),
        of_readings(
            {reading: _hypotheses(deviations) for reading, deviations in by_reading.items()}
        ),
    ]
    words = ("SMSO, Figure 1: deviation from the best makespan", "probability of an outage, gamma")
    return comparison_of(by_reading, "gamma", words, claims)


def _grows(deviations: Deviations) -> Claim:
    grows, note = trend(deviations, "gamma")
    return ordering("smso-03", grows, holds=1, note=note)


def _apart(deviations: Deviations) -> Claim:
    """Not always apart: of the neighbouring gammas above 0 some pair does not differ."""
    gammas = sorted(gamma for gamma in deviations.means["gamma"] if gamma > 0)
    pairs = deviations.pairs.set_index(["gamma", "gamma with"])["significant"]
    apart = [(low, high) for low, high in pairwise(gammas) if pairs[low, high]]
    neighbours = ", ".join(f"{low:g} and {high:g}" for low, high in apart) or "none"
    return ordering(
        "smso-04", [len(apart) < len(gammas) - 1], note=f"neighbours above 0 apart: {neighbours}"
    )


def _hypotheses(deviations: Deviations) -> Claim:
    return slightly_non_normal("smso-12", deviations.anova, deviations.runs["gamma"])


EXPERIMENT = Experiment(
    "smso-figure-1", "SMSO", "mean RPD by probability of an outage", _study, _compare
)
