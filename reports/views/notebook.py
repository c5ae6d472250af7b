"""Instances and solutions in notebooks: what they are, a picture where one helps, first rows."""

from __future__ import annotations

import html as escaping
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...core.wording import percent
from ..dataframes import columns_of
from ..kinds import kind_of
from .pictures import bars, gantt

if TYPE_CHECKING:
    from ...instances.datacenter.guidance import Guidance
    from ...instances.hierarchy.allocation import Allocation
    from ...solvers.mapreduce.comparison import Comparison
    from ...solvers.mapreduce.result import Result

MOST_ROWS = 12
"""Rows that a notebook shows."""

MOST_BARS = 40
MOST_TASKS = 1500
"""A Gantt chart of more tasks is no help in a notebook's cell, and slow."""


def html(thing: object) -> str:
    """What a notebook shows of an instance or a solution."""
    text = repr(thing)
    kind = kind_of(thing, _PICTURES)
    parts = [f"<p><b>{escaping.escape(text)}</b></p>"]
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
    from ..datacenter.guidance import explanation

    return "".join(f"<p>{escaping.escape(line)}</p>" for line in explanation(guidance))


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
    return f'<{kind} style="text-align:left">{escaping.escape(text)}</{kind}>'


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
