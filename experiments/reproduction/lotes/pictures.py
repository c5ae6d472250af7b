"""The look of Figures 6 and 8 of [LoTES]: a panel for each condition, a line for each policy."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from ....reports.plots import policy_styles
from ..pictures import Line, Panel, Words, caption, curves_plot
from .runs import NAMES, POLICIES, SHOWN_LOAD, SHOWN_WITH_BATCH, told
from .scale import scale_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MOST_MARKS, WIDTH = 60, 42
"""Points of a line with marks, and characters in a line above a panel."""

CEILING = 1e-3
"""Up to here (s) the scale of waits is linear, so that none at all has a place."""


def picture(
    figure: int,
    frame: pd.DataFrame,
    series: dict[tuple[Any, ...], dict[str, Any]],
    y: str,
    step: float,
) -> Figure:
    """Draw a series of each policy.

    `step`: time between two of its values (h).
    """
    keys = [key for key in series if key[0] == (SHOWN_WITH_BATCH if key[2] else SHOWN_LOAD)]
    panels = []
    for key in keys:
        lines = {name: series[key][name] for name in POLICIES if name in series[key]}
        length = min(map(len, lines.values()))
        levels = [step * i for i in range(length)]
        drawn = [
            Line(NAMES[name], values[:length].tolist(), look=look)
            for (name, values), look in zip(lines.items(), policy_styles(lines), strict=True)
        ]
        panels.append(Panel(levels, drawn, fill(told(key), WIDTH)))
    per_line = frame["seed"].nunique()
    words = Words(
        f"LoTES, Figure {figure}: dispatching policies on {scale_of(frame)}",
        "time, h",
        y,
        caption(
            len(panels) * len(POLICIES) * per_line,
            frame["seed"].tolist(),
            "Lines are means over the seeds",
        ),
    )
    drawn_figure = curves_plot(panels, words)
    for axis in drawn_figure.axes:
        for line in axis.get_lines():
            line.set_markersize(2.5)
            if np.size(line.get_xdata()) > MOST_MARKS:
                line.set_marker("")
        axis.set_yscale("symlog", linthresh=1.0 if y.startswith("jobs") else CEILING)
        axis.set_ylim(bottom=0)
    return drawn_figure
