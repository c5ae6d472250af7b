"""The critical-difference diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...core.arrays import FloatArray
from ...reports.plots import BLUE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_ranks(
    methods: Sequence[str],
    mean_rank: FloatArray,
    nemenyi: FloatArray,
    level: float,
    title: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw mean ranks; a bar joins methods that Nemenyi's test does not tell apart.

    `nemenyi`: p-value of each pair.
    """
    import pandas as pd
    from matplotlib.figure import Figure
    from scikit_posthocs import critical_difference_diagram

    names = list(methods)
    if ax is None:
        high = 1.1 + 0.22 * len(names)
        ax = Figure(figsize=(6.4, high), layout="constrained").add_subplot()
    critical_difference_diagram(
        pd.Series(mean_rank, index=names),
        pd.DataFrame(nemenyi, index=names, columns=names),
        ax=ax,
        alpha=level,
        label_fmt_left="{label} ({rank:.2f})  ",
        label_fmt_right="  ({rank:.2f}) {label}",
        color_palette=dict.fromkeys(names, BLUE),
        text_h_margin=0.02,
    )
    ax.set_title(title, fontsize=9)
    return ax
