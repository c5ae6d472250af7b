"""A number by method and level of a factor: a chart and a table for each factor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrays import FloatArray
from ...core.wording import NONE, percent
from ..statistics.runs import Factor, Runs
from .charts import MOST_SERIES, Point, Series, Words, means_chart
from .colours import Shown
from .markup import Markup, count, folded, heading, joined, names, paragraph, plain, table
from .means import Mean, means

if TYPE_CHECKING:
    import pandas as pd

MOST_LEVELS = 30
"""Factors with more levels are no factors to look at one by one."""
MOST_COLUMNS = 24
"""Methods side by side in a table."""
EVERY = "all"


def factor_parts(
    runs: Runs, values: FloatArray, methods: Sequence[str], shown: Shown, *, name: str
) -> list[Markup]:
    """A chart and a table for each factor.

    `values`: a number for each run, NaN for none.
    """
    charts, tables, skipped = [], [], []
    for factor in runs.factors:
        if not np.isfinite(values).any():
            break
        if len(factor.levels) > MOST_LEVELS:
            skipped.append(f"{factor.column} ({len(factor.levels)} values)")
            continue
        labels = runs.frame["method"].astype(str) if factor.of_method else runs.variant
        ways = list(dict.fromkeys(labels)) if factor.of_method else list(methods)
        by_level = _means(runs, values, factor, labels)
        present = [way for way in ways if any(key[0] == way for key in by_level)]
        if not present:
            continue
        charts.append(_chart(runs, factor, by_level, present, shown, name))
        tables.append(_table(factor, by_level, present, name))
    parts = []
    if charts:
        parts += [
            heading(f"{name} by factor"),
            Markup(f'<div class="charts">{joined(charts)}</div>'),
            folded(f"The same as tables: {name} by factor", tables),
        ]
    if skipped:
        parts.append(
            paragraph(f"Not shown, for more than {MOST_LEVELS} values: {names(skipped)}.", "note")
        )
    return parts


def _means(
    runs: Runs, values: FloatArray, factor: Factor, labels: pd.Series
) -> dict[tuple[str, Any], Mean]:
    level = runs.frame[factor.column].to_numpy(dtype=object)
    by_level = means(values, {"way": labels.to_numpy(), "level": level}, runs.problem)
    every = means(values, {"level": level}, runs.problem)
    return {
        **{(str(way), of): mean for (way, of), mean in by_level.items()},
        **{(EVERY, key[0]): mean for key, mean in every.items()},
    }


def _chart(
    runs: Runs,
    factor: Factor,
    by_level: dict[tuple[str, Any], Mean],
    present: Sequence[str],
    shown: Shown,
    name: str,
) -> Markup:
    in_percent = name == "gap"
    text = percent if in_percent else plain
    if factor.of_method:
        drawn, note = list(present)[:MOST_SERIES], ""
        if len(present) > MOST_SERIES:
            note = f"Only in the table: {names(list(present)[MOST_SERIES:], 4)}."
        # A method whatever its parameters has the colour of the first one in the other charts.
        method = dict(zip(runs.variant, runs.frame["method"].astype(str), strict=True))
        colour_of: dict[str, int] = {}
        for variant, colour in shown.colour.items():
            if method[variant] in drawn:
                colour_of.setdefault(method[variant], colour)
        free = (k for k in range(MOST_SERIES) if k not in colour_of.values())
        colours = {way: colour_of[way] if way in colour_of else next(free) for way in drawn}
    else:
        drawn = [way for way in present if way in shown.colour]
        colours, note = shown.colour, shown.note
    series = []
    for way in drawn:
        points = []
        for k, level in enumerate(factor.levels):
            mean = by_level.get((way, level), Mean())
            said = f"{way}, {factor.column} {factor.labels[k]}: {text(mean.value)}"
            if math.isfinite(mean.half):
                said += f" ± {text(mean.half)}"
            points.append(Point(k, mean.value, mean.half, f"{said}, {count(mean.count)} runs"))
        series.append(Series(way, points, colours[way]))
    words = Words(
        f"{_mean_of(name)} by {factor.column}, with 95 % intervals",
        factor.column,
        f"mean {name}" if in_percent else f"mean of {name}",
        note,
    )
    return means_chart(series, factor.labels, words, share=in_percent)


def _mean_of(name: str) -> str:
    return "Mean gap" if name == "gap" else f"Mean of {name}"


def _table(
    factor: Factor, by_level: dict[tuple[str, Any], Mean], present: Sequence[str], name: str
) -> Markup:
    text = percent if name == "gap" else plain
    columns = [*present[:MOST_COLUMNS], EVERY] if len(present) > 1 else list(present)
    rows = []
    for level, label in zip(factor.levels, factor.labels, strict=True):
        cells = [label]
        for way in columns:
            mean = by_level.get((way, level), Mean())
            half = f" ± {text(mean.half).removesuffix(' %')}" if math.isfinite(mean.half) else ""
            cells.append(f"{text(mean.value)}{half} ({count(mean.count)})" if mean.count else NONE)
        rows.append(cells)
    left = len(present) - MOST_COLUMNS
    parts = [
        heading(f"{name} by {factor.column}"),
        table([factor.column, *columns], rows, title=f"{_mean_of(name)} by {factor.column}"),
    ]
    if left > 0:
        parts.append(paragraph(f"{left} more methods have no column here.", "note"))
    return joined(parts)
