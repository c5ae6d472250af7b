"""Gantt charts as plotly figures, for notebooks."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import Schedule
from .colours import ink_on, part_colour
from .layout import BAR_HEIGHT, LOST_TINT, MAP_TINT, REDUCE_TINT, Chart, chart, shortened

MOST_FIXED_ROWS = 80
"""With more rows than this a chart can be zoomed and moved in both directions."""
MOST_LABELLED = 200
"""With more tasks than this plotly bars carry no label."""
ROW_PIXELS = 34
"""Height of a row where there are few; many share the height of the window."""
BOTTOM, HEADING = 58, 46
"""Pixels below the axes, and for the title."""


def gantt_figure(
    instance: Instance,
    schedule: Schedule,
    *,
    lower_bound: float | None = None,
    bound: str = "",
    title: str = "",
) -> Any:
    """Make a plotly `Figure` of a schedule, for notebooks: one bar per setup and per processing.

    Clicking a job in the legend hides it, a double click shows it alone.

    `lower_bound`: lower bound (s), marked by a dashed line.
    `title`: title, by default the instance's name.
    Raises `InputError` if the schedule cannot belong to the instance.
    """
    plan = chart(instance, schedule, lower_bound, bound, title)
    figure = _frame(plan)
    figure.add_traces(_bars(plan))
    squeeze = min(1.0, max(0.2, 1000 / (ROW_PIXELS * plan.rows.bottom + 1)))
    places, labels = plan.rows.ticks(ROW_PIXELS * squeeze, 14)
    figure.update_layout(
        title={
            "text": f"<b>{_safe(plan.title)}</b>",
            "subtitle": {"text": _safe(plan.summary), "font": {"size": 13}},
            "x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "container",
            "yanchor": "top", "pad": {"t": 16},
        },
        margin_t=figure.layout.margin.t + HEADING,
        height=_height(plan, squeeze) + HEADING,
        yaxis={"tickvals": places, "ticktext": [_safe(label) for label in labels]},
    )  # fmt: skip
    return figure


def _height(plan: Chart, squeeze: float) -> int:
    """Height in pixels with rows of `squeeze` times their usual height."""
    return round(ROW_PIXELS * plan.rows.bottom * squeeze) + _top(plan) + BOTTOM


def _top(plan: Chart) -> int:
    """Pixels above the axes: plotly's buttons, then a line for every mark."""
    return 34 + 16 * len(plan.marks)


def _frame(plan: Chart) -> Any:
    """Axes, bands and marks without bars."""
    import plotly.graph_objects as go

    horizon, bottom = plan.horizon, plan.rows.bottom
    left, right = -0.004 * horizon, 1.015 * horizon
    axis = {"showgrid": True, "gridcolor": "rgba(120,130,140,0.25)", "zeroline": False}
    fixed = len(plan.rows.y) <= MOST_FIXED_ROWS
    return go.Figure(
        layout={
            "template": "none",
            "barmode": "overlay",
            "dragmode": "pan",
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "#99a", "activecolor": "#333"},
            "paper_bgcolor": "white",
            "plot_bgcolor": "white",
            "hovermode": "closest",
            "shapes": [*_bands(plan), *_mark_lines(plan)],
            "annotations": _mark_labels(plan),
            "margin": {"l": 20, "r": 20, "t": _top(plan), "b": BOTTOM},
            "font": {"family": "system-ui, sans-serif", "size": 12},
            "uniformtext": {"mode": "hide", "minsize": 9},
            "xaxis": {
                **axis, "title": {"text": "time (s)"}, "range": [left, right], "minallowed": left,
                "maxallowed": right, "tickformat": ",", "exponentformat": "none",
            },
            "yaxis": {
                **axis, "range": [bottom + 0.15, -0.15], "minallowed": -0.15,
                "maxallowed": bottom + 0.15, "showgrid": False, "automargin": True,
                "fixedrange": fixed, "tickvals": [], "ticktext": [],
            },
            "separators": ".\N{NARROW NO-BREAK SPACE}",
            "showlegend": True,
            "legend": {
                "title": {"text": _key(plan), "font": {"size": 12}},
                "itemsizing": "constant", "groupclick": "togglegroup", "tracegroupgap": 0,
            },
        }
    )  # fmt: skip


def _bands(plan: Chart) -> list[dict[str, Any]]:
    """Rows of map slots, reduce slots and lost slots as coloured bands."""
    tints = [
        ("", top, end, REDUCE_TINT if reduce else MAP_TINT)
        for top, end, reduce in plan.rows.bands()
    ]
    tints += [("lost", top, end, LOST_TINT) for top, end in plan.rows.lost_bands()]
    return [
        {
            "type": "rect", "layer": "below", "line": {"width": 0}, "name": name or None,
            "xref": "paper", "x0": 0, "x1": 1, "y0": top, "y1": end, "fillcolor": tint,
        }
        for name, top, end, tint in tints
    ]  # fmt: skip


def _mark_lines(plan: Chart) -> list[dict[str, Any]]:
    """A line for each mark, and one from the axes up to its label."""
    shapes: list[dict[str, Any]] = []
    for tier, mark in enumerate(plan.marks):
        line = {"type": "line", "xref": "x", "x0": mark.time, "x1": mark.time, "yref": "paper"}
        look = {"color": "#222", "width": 2}
        shapes.append(
            {
                **line, "y0": 0, "y1": 1, "name": "bound" if mark.dashed else "makespan",
                "line": {**look, "dash": "dash" if mark.dashed else "solid"},
            }
        )  # fmt: skip
        if tier:
            shapes.append(
                {
                    **line, "ysizemode": "pixel", "yanchor": 1, "y0": 0, "y1": 16 * tier,
                    "line": look,
                }
            )  # fmt: skip
    return shapes


def _mark_labels(plan: Chart) -> list[dict[str, Any]]:
    """The words above each mark, one tier for each."""
    return [
        {
            "text": f"<i>{_safe(mark.label)}</i>" if mark.dashed else _safe(mark.label),
            "x": mark.time, "xref": "x", "y": 1, "yref": "paper", "yanchor": "bottom",
            "xanchor": mark.side(plan.horizon),
            "yshift": 16 * tier, "showarrow": False, "font": {"color": "#222"},
        }
        for tier, mark in enumerate(plan.marks)
    ]  # fmt: skip


def _key(plan: Chart) -> str:
    """What grounds and patterns mean, above the legend of the jobs."""
    patterns = {"processing": "solid", "setup": "hatched", "encryption": "crossed"}
    lines = [f"{patterns[part]}: {part}" for part in plan.bars.kinds()]
    if plan.rows.lost.any():
        lines.append("grey row: lost slot")
    if plan.rows.is_reduce.any():
        lines.append("blue ground: reduce slots")
    return "<br>".join([*lines, " "])


def _bars(plan: Chart) -> list[dict[str, Any]]:
    """A trace per job for each part of its bars, switched together."""
    bars = plan.bars
    y = plan.rows.y[bars.row]
    hover = np.array([_hover(plan, k) for k in range(len(bars))], dtype=object)
    label = np.array([_safe(plan.task_label(k)) for k in range(len(bars))], dtype=object)
    traces = []
    for job in plan.jobs_shown:
        for kind, left, right in bars.parts():
            of_job = bars.job == job
            setup = kind != "processing"
            shown = of_job & ((right > left) if setup else True)
            if not shown.any():
                continue
            colour = part_colour(kind, plan.colours[job])
            # White borders set bars apart, but would hide one that is as thin as they are.
            thin = ((right - left)[shown] < plan.horizon / 400).tolist()
            border = {
                "color": [colour if k else "white" for k in thin],
                "width": [1.0 if k else 0.5 for k in thin],
            }
            marker: dict[str, Any] = {"color": colour, "line": border}
            if setup:
                marker["pattern"] = {
                    "shape": "x" if kind == "encryption" else "/",
                    "bgcolor": colour, "fgcolor": "white", "size": 6, "solidity": 0.3,
                }  # fmt: skip
            labelled = len(bars) <= MOST_LABELLED and not setup
            traces.append(
                {
                    "type": "bar", "orientation": "h", "y": y[shown], "base": left[shown],
                    "x": (right - left)[shown], "width": BAR_HEIGHT, "marker": marker,
                    "name": _safe(shortened(plan.job_names[job], 24)), "meta": kind,
                    "legendgroup": str(job), "showlegend": not setup,
                    "hoverinfo": "text", "hovertext": hover[shown].tolist(),
                    "text": label[shown].tolist() if labelled else None, "textangle": 0,
                    "textposition": "inside" if labelled else "none",
                    "insidetextanchor": "middle", "insidetextfont": {"color": ink_on(colour)},
                }
            )  # fmt: skip
    return traces


def _hover(plan: Chart, bar: int) -> str:
    bars, rows = plan.bars, plan.rows
    row = bars.row[bar]
    phase = "reduce" if rows.is_reduce[row] else "map"
    start, setup, end = bars.start[bar], bars.setup[bar], bars.end[bar]
    job = shortened(plan.job_names[bars.job[bar]], 40)
    encryption, processing = bars.encryption[bar], end - start - setup
    waits = f"setup {setup:.6g} s"
    if encryption:
        waits += f" (encryption {encryption:.6g} s, transfer {setup - encryption:.6g} s)"
    works = f"processing {processing:.6g} s"
    if bars.factor is not None:
        factor = bars.factor[bar]
        works += f" = {processing / factor:.6g} s × speed factor {factor:.6g}"
    return (
        f"<b>{_safe(job)}</b> {phase} task {bars.task[bar]}"
        f"<br>node {_safe(shortened(rows.node_names[rows.node[row]], 40))}, "
        f"{phase} slot {rows.slot[row]}"
        f"<br>start {start:.6g} s<br>{waits}<br>{works}<br>end {end:.6g} s"
    )


def _safe(text: str) -> str:
    """`text` as plotly shows it unchanged: plotly reads a subset of HTML, and TeX between `$`."""
    return html.escape(text, quote=False).replace("$", "&#36;")
