"""Gantt charts as pages: one file without network, for a few tasks or a hundred thousand."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ...page import data_element, page, web_file
from .colours import MOST_NAMED, ink_on
from .layout import Chart, shortened

ROW_PIXELS = 34
"""Height of a row where there are few; many share the height of the window."""
AROUND = 90
"""Pixels above and below the rows."""

KEY = {
    "map": "map slots",
    "reduce": "reduce slots",
    "processing": "processing",
    "setup": "setup (hatched)",
    "encryption": "encryption (crossed)",
    "lost": "lost slot",
}
"""What grounds and patterns mean."""


def chart_page(plan: Chart) -> str:
    name, summary = html.escape(plan.title), html.escape(plan.summary)
    body = f"""<header>
<h1>{name}</h1>
<p>{summary}</p>
<div class="key">{_key(plan)}</div>
</header>
{data_element("gantt-data", _data(plan))}
<div id="hover" hidden></div>
<main style="max-height: {height(plan)}px">
<canvas id="chart" tabindex="0" role="img" aria-describedby="told"
 aria-label="Gantt chart of {name}. {summary}"></canvas>
</main>
<footer>
<p id="told" role="status" aria-live="polite"></p>
<div id="jobs"></div>
<div class="tools">
<button type="button" id="all" hidden>All jobs</button>
<button type="button" id="whole">Whole chart</button>
<button type="button" id="save">Save as PNG</button>
<span class="help">Wheel or + and −: zoom (over an axis: that axis alone). Drag or arrows: move.
Double click or 0: whole chart. n, p: next and previous task. A job: hide it; double click: show it
alone.</span>
</div>
</footer>
<noscript><p>The chart is drawn by a script in this file; please allow it.</p></noscript>"""
    style, *scripts = (
        web_file(__package__, f"web/{name}") for name in ("gantt.css", "gantt.js", "controls.js")
    )
    return page(plan.title, body, styles=style, scripts=scripts)


def _key(plan: Chart) -> str:
    """What grounds and patterns mean, those that occur."""
    occur = {"map": not plan.rows.is_reduce.all(), "reduce": plan.rows.is_reduce.any()}
    occur |= dict.fromkeys(plan.bars.kinds(), True) | {"lost": plan.rows.lost.any()}
    return "".join(
        f'<span><i class="{kind}"></i>{words}</span>'
        for kind, words in KEY.items()
        if occur.get(kind, False)
    )


def height(plan: Chart) -> int:
    """Most pixels that the chart takes."""
    return round(ROW_PIXELS * plan.rows.bottom) + AROUND


def _data(plan: Chart) -> dict[str, Any]:
    """What the script draws: rows and bars, column by column."""
    rows, bars = plan.rows, plan.bars
    data: dict[str, Any] = {
        "horizon": plan.horizon,
        "bottom": rows.bottom,
        "marks": [
            {"time": mark.time, "label": mark.label, "dashed": mark.dashed} for mark in plan.marks
        ],
        "y": rows.y.tolist(),
        "labels": rows.row_labels(),
        "nodes": [
            [float(rows.y[first] + rows.y[last]) / 2, rows.block_label(first, last)]
            for first, last in rows.blocks
        ],
        "node": [shortened(rows.node_names[node], 40) for node in rows.node],
        "is_reduce": rows.is_reduce.tolist(),
        "slot": rows.slot.tolist(),
        "bands": [*rows.bands(), *((*band, 2) for band in rows.lost_bands())],
        "jobs": [shortened(name, 40) for name in plan.job_names],
        "named": len(plan.colours) <= MOST_NAMED,
        "colours": plan.colours,
        "inks": [ink_on(colour) for colour in plan.colours],
        # Bars of row r are first[r] up to first[r + 1].
        "first": np.searchsorted(bars.row, np.arange(len(rows.y) + 1)).tolist(),
        "job": bars.job.tolist(),
        "task": bars.task.tolist(),
        "start": np.round(bars.start, 5).tolist(),
        "setup": np.round(bars.setup, 5).tolist(),
        "end": np.round(bars.end, 5).tolist(),
    }
    if bars.encryption.any():
        data["encryption"] = np.round(bars.encryption, 5).tolist()
    if bars.factor is not None:
        data["factor"] = bars.factor.tolist()
    return data
