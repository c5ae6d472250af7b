"""Figure 5 of [LJR]: slot ratio, nodes and method together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..experiment import Comparison, Experiment, Size
from .design import comparison
from .interactions import with_ratio

if TYPE_CHECKING:
    import pandas as pd

TITLE = "LJR, Figure 5: relative error by slot ratio and nodes"


def _compare(frame: pd.DataFrame, size: Size) -> Comparison:
    return with_ratio(frame, size, "nodes", "ljr-33", ("nodes",), TITLE)


EXPERIMENT = Experiment(
    "ljr-figure-5",
    "LJR",
    "mean errors of five methods by slot ratio and nodes",
    comparison,
    _compare,
)
