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
    """The runs at a size."""
    return study_of("smso-figure-1", size)


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    """What the runs say of the claims about gamma."""
    if frame.empty:
        return nothing("smso-01", "smso-02", "smso-03", "smso-04", "smso-12")
    found = deviations_of(frame, "gamma")
    claims = [
        *size_of(found, size),
        of_readings({reading: _grows(one) for reading, one in found.items()}),
        of_readings({reading: _apart(one) for reading, one in found.items()}),
        of_readings({reading: _hypotheses(one) for reading, one in found.items()}),
    ]
    words = ("SMSO, Figure 1: deviation from the best makespan", "probability of an outage, gamma")
    return comparison_of(found, "gamma", words, claims)


def _grows(one: Deviations) -> Claim:
    grows, told = trend(one, "gamma")
    return ordering("smso-03", grows, holds=1, note=told)


def _apart(one: Deviations) -> Claim:
    """Not always apart: of the neighbouring gammas above 0 some pair does not differ."""
    gammas = sorted(gamma for gamma in one.means["gamma"] if gamma > 0)
    pairs = one.pairs.set_index(["gamma", "gamma with"])["significant"]
    apart = [(low, high) for low, high in pairwise(gammas) if pairs[low, high]]
    told = ", ".join(f"{low:g} and {high:g}" for low, high in apart) or "none"
    return ordering(
        "smso-04", [len(apart) < len(gammas) - 1], note=f"neighbours above 0 apart: {told}"
    )


def _hypotheses(one: Deviations) -> Claim:
    return slightly_non_normal("smso-12", one.anova, one.runs["gamma"])


EXPERIMENT = Experiment(
    "smso-figure-1", "SMSO", "mean RPD by probability of an outage", _study, _compare
)
