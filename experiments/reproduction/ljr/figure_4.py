"""Figure 4 of [LJR]: slot ratio, jobs and method together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..experiment import Comparison, Experiment, Size
from . import orderings
from .analysis import nothing
from .cells import judged, wide
from .design import comparison, with_errors
from .interactions import with_ratio

if TYPE_CHECKING:
    import pandas as pd

TITLE = "LJR, Figure 4: relative error by slot ratio and jobs"


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    comparison = with_ratio(frame, size, "jobs", "ljr-32", ("ratio", "jobs"), TITLE)
    runs = with_errors(frame)
    if runs.empty:
        comparison.claims += nothing("ljr-35").claims
    else:
        comparison.claims.append(judged("ljr-35", orderings.falls_with_jobs_everywhere, wide(runs)))
    return comparison


EXPERIMENT = Experiment(
    "ljr-figure-4",
    "LJR",
    "mean errors of five methods by slot ratio and jobs",
    comparison,
    _compare,
)
