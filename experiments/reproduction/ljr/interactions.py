"""What Figures 4 and 5 of [LJR] have in common: the slot ratio, one more factor and the method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...statistics.means import honest_differences
from ..experiment import Comparison, Size
from .analysis import analysed, effect, means_figure, nothing, small_differences
from .design import RESPONSE, comparison, missing_note, with_errors

if TYPE_CHECKING:
    import pandas as pd


def with_ratio(
    frame: pd.DataFrame, size: Size, factor: str, claim: str, alone: tuple[str, ...], title: str
) -> Comparison:
    """What the runs say of the factor, the slot ratio and the method together.

    `alone`: the factors that must matter by themselves, beside the interactions.
    """
    runs = with_errors(frame)
    notes = missing_note(frame, comparison(size))
    if runs.empty:
        return nothing(claim, "ljr-34")
    analysis = analysed(runs)
    notes += analysis.notes
    hsd = honest_differences(runs, RESPONSE, ["ratio", factor, "method"], analysis.plain)
    sources = (*alone, f"ratio:{factor}", "method:ratio", f"method:{factor}")
    note = f"greatest p of {', '.join(sources)}"
    return Comparison(
        [
            effect(claim, analysis, sources, size, note=note),
            small_differences(runs, analysis.plain),
        ],
        tables={**analysis.tables, "hsd": hsd},
        figures={"figure": means_figure(runs, hsd, factor, title)},
        notes=notes,
    )
