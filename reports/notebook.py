"""Instances and solutions in notebooks: what they are, a picture where one helps, first rows."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Iterable
from html import escape
from typing import Any

from ..core.wording import NONE, percent
from .dataframes import columns_of
from .kinds import kind_of
from .plots import drawn, figure_bytes, plot

MOST_ROWS = 12
"""Rows that a notebook shows."""

MOST_TASKS = 1500
"""A Gantt chart of more tasks is no help in a notebook's cell, and slow."""


def html(thing: Any) -> str:
    """What a notebook shows of an instance or a solution."""
    parts = [f"<p><b>{escape(repr(thing))}</b></p>"]
    match kind_of(thing, ("Result", "Comparison", "Allocation", "Guidance")):
        case "Result":
            facts = {
                "instance": thing.instance.name,
                "method": thing.method,
                "status": thing.status.value,
                "makespan": NONE if thing.makespan is None else f"{thing.makespan:.6g} s",
                "lower bound": f"{thing.lower_bound:.6g} s ({thing.bound_name})",
                "gap": percent(thing.gap),
                "time": f"{thing.seconds:.2f} s",
            }
            parts.append(f"<table>{''.join(map(_row, facts.items()))}</table>")
            if thing.schedule is not None and len(columns_of(thing)["job"]) <= MOST_TASKS:
                from .mapreduce.gantt.layout import chart
                from .mapreduce.gantt.static import picture

                plan = chart(thing.instance, thing.schedule, thing.lower_bound)
                parts.append(_image(picture(plan, "svg"), "Gantt chart"))
        case "Comparison" | "Allocation":
            parts.append(_image(figure_bytes(drawn(plot, thing), "svg"), "bars"))
        case "Guidance":
            from .datacenter.guidance import explanation

            parts += [f"<p>{escape(line)}</p>" for line in explanation(thing)]
    columns = columns_of(thing)
    if rows := list(zip(*columns.values(), strict=True)):
        shown = "".join(_row(map(_shown, row)) for row in rows[:MOST_ROWS])
        parts.append(f"<table>{_row(columns, 'th')}{shown}</table>")
        if (more := len(rows) - MOST_ROWS) > 0:
            parts.append(f"<p>… and {more} more rows: to_dataframe() has all</p>")
    return f'<div style="overflow-x: auto">{"".join(parts)}</div>'


def _image(svg: bytes, what: str) -> str:
    source = f"data:image/svg+xml;base64,{b64encode(svg).decode()}"
    return f'<img alt="{what}" style="max-width: 100%" src="{source}"/>'


def _row(cells: Iterable[str], kind: str = "td") -> str:
    written = (f'<{kind} style="text-align:left">{escape(cell)}</{kind}>' for cell in cells)
    return f"<tr>{''.join(written)}</tr>"


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NONE
    return f"{value:.6g}" if isinstance(value, float) else str(value)
