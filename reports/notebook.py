"""Instances and solutions in notebooks: what they are, a picture where one helps, first rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ..core.wording import percent
from ..instances.mapreduce.instance import Instance
from ..instances.mapreduce.schedule import Schedule
from .dataframes import columns_of
from .kinds import kind_of
from .mapreduce.gantt.colours import part_colour
from .mapreduce.gantt.layout import BAR_HEIGHT, REDUCE_TINT, chart, shortened

if TYPE_CHECKING:
    from ..instances.datacenter.guidance import Guidance
    from ..instances.hierarchy.allocation import Allocation
    from ..solvers.mapreduce.comparison import Comparison
    from ..solvers.mapreduce.result import Result

WIDTH = 720.0
LABELS = 150.0
"""Width of a picture and of the names at its left, in pixels."""

MOST_HEIGHT = 420.0
ROW = 18.0
"""Greatest height of a Gantt chart, and height of a row where there is room, in pixels."""

TEXT = 'font-family="system-ui, sans-serif" font-size="11"'

MOST_ROWS = 12
"""Rows that a notebook shows."""

MOST_BARS = 40
MOST_TASKS = 1500
"""A Gantt chart of more tasks is no help in a notebook's cell, and slow."""


def html(thing: object) -> str:
    """What a notebook shows of an instance or a solution."""
    text = repr(thing)
    kind = kind_of(thing, _PICTURES)
    parts = [f"<p><b>{escape(text)}</b></p>"]
    if kind:
        parts.append(_PICTURES[kind](thing))
    parts.append(_table(columns_of(thing)))
    return f'<div style="overflow-x: auto">{"".join(parts)}</div>'


def _result(result: Result) -> str:
    facts = {
        "instance": result.instance.name,
        "method": result.method,
        "status": result.status.value,
        "makespan": "–" if result.makespan is None else f"{result.makespan:.6g} s",
        "lower bound": f"{result.lower_bound:.6g} s ({result.bound_name})",
        "gap": percent(result.gap),
        "time": f"{result.seconds:.2f} s",
    }
    lines = [f"<tr>{_cell(name, 'th')}{_cell(value)}</tr>" for name, value in facts.items()]
    table = f"<table>{''.join(lines)}</table>"
    schedule = result.schedule
    if schedule is None or len(schedule.map.slot) + len(schedule.reduce.slot) > MOST_TASKS:
        return table
    return table + gantt(result.instance, schedule, result.lower_bound)


def _comparison(comparison: Comparison) -> str:
    best, results = comparison.best, [r for r in comparison.heuristics if r.makespan is not None]
    rows = [(r.method, r.makespan or 0.0) for r in results[:MOST_BARS]]
    if best.makespan is not None:
        rows.insert(0, (f"best: {best.found_by}", best.makespan))
    marks = [best.lower_bound] * len(rows)
    return bars(rows, marks, "makespan in s; the mark is the best proven lower bound")


def _allocation(allocation: Allocation) -> str:
    rows = list(zip(allocation.hierarchy.paths, allocation.share.tolist(), strict=True))
    marks = allocation.guarantee.tolist()[:MOST_BARS]
    return bars(rows[:MOST_BARS], marks, "dominant shares; the marks are guarantees")


def _guidance(guidance: Guidance) -> str:
    from .datacenter.guidance import explanation

    return "".join(f"<p>{escape(line)}</p>" for line in explanation(guidance))


def _table(columns: dict[str, Sequence[Any]]) -> str:
    """The first rows, and how many more there are."""
    rows = list(zip(*columns.values(), strict=True))
    head = "".join(_cell(name, "th") for name in columns)
    body = "".join(
        f"<tr>{''.join(_cell(_shown(value)) for value in row)}</tr>" for row in rows[:MOST_ROWS]
    )
    more = len(rows) - MOST_ROWS
    below = f"<p>… and {more} more rows: to_dataframe() has all</p>" if more > 0 else ""
    return f"<table><tr>{head}</tr>{body}</table>{below}" if rows else ""


def _cell(text: str, kind: str = "td") -> str:
    return f'<{kind} style="text-align:left">{escape(text)}</{kind}>'


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


_PICTURES: dict[str, Callable[[Any], str]] = {
    "Result": _result,
    "Comparison": _comparison,
    "Allocation": _allocation,
    "Guidance": _guidance,
}


def gantt(instance: Instance, schedule: Schedule, lower_bound: float | None = None) -> str:
    """A Gantt chart: slots downwards, time to the right, setups in a lighter shade.

    `schedule`: with or without all of its tasks.
    Raises `InputError` if the schedule cannot be one of the instance.
    """
    plan = chart(instance, schedule, lower_bound)
    scale = (WIDTH - LABELS) / plan.horizon
    row = min(ROW, MOST_HEIGHT / max(1.0, plan.rows.bottom))
    height = row * plan.rows.bottom
    parts = [
        _box(LABELS, top * row, WIDTH - LABELS, (bottom - top) * row, REDUCE_TINT)
        for top, bottom, is_reduce in plan.rows.bands()
        if is_reduce
    ]
    bars = plan.bars
    for name, begin, end in bars.parts():
        for b in (end > begin).nonzero()[0].tolist():
            left, wide = LABELS + begin[b] * scale, (end[b] - begin[b]) * scale
            top = (plan.rows.y[bars.row[b]] - BAR_HEIGHT / 2) * row
            colour = part_colour(name, plan.colours[bars.job[b]])
            label = f"{plan.job_names[bars.job[b]]} {bars.task[b]}, {name} to {end[b]:.6g} s"
            parts.append(_box(left, top, wide, BAR_HEIGHT * row, colour, label))
    for mark in plan.marks:
        at, dash = LABELS + mark.time * scale, ' stroke-dasharray="4 3"' if mark.dashed else ""
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height:.1f}" stroke="#888"{dash}/>'
        )
    places, names = plan.rows.ticks(row, 12.0)
    parts += [
        _text(LABELS - 6, y * row, name, "end") for y, name in zip(places, names, strict=True)
    ]
    parts.append(_text(LABELS, height + 12, shortened(plan.summary, 110)))
    return _svg(height + 22, parts)


def bars(rows: Sequence[tuple[str, float]], marks: Sequence[float], caption: str) -> str:
    """Horizontal bars from 0, each with a mark, and a caption below, as SVG."""
    most = max([*(value for _, value in rows), *marks, 0.0]) or 1.0
    scale = (WIDTH - LABELS - 70) / most
    parts = []
    for k, ((name, value), mark) in enumerate(zip(rows, marks, strict=True)):
        middle = (k + 0.5) * ROW
        parts += [
            _text(LABELS - 6, middle, shortened(name, 22), "end"),
            _box(LABELS, middle - 0.35 * ROW, value * scale, 0.7 * ROW, "#0072b2", name),
            _text(LABELS + max(value, mark) * scale + 5, middle, f"{value:.4g}"),
            _box(LABELS + mark * scale - 1, middle - 0.45 * ROW, 2, 0.9 * ROW, "#d55e00"),
        ]
    parts.append(_text(LABELS, len(rows) * ROW + 12, caption))
    return _svg(len(rows) * ROW + 22, parts)


def _svg(height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="img">{"".join(parts)}</svg>'
    )


def _box(left: float, top: float, wide: float, high: float, colour: str, label: str = "") -> str:
    place = f'x="{left:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{high:.1f}"'
    title = f"<title>{escape(label)}</title>" if label else ""
    return f'<rect {place} fill="{colour}">{title}</rect>'


def _text(left: float, middle: float, text: str, anchor: str = "start") -> str:
    return (
        f'<text x="{left:.1f}" y="{middle:.1f}" dominant-baseline="middle" fill="currentColor" '
        f'text-anchor="{anchor}" {TEXT}>{escape(text)}</text>'
    )
