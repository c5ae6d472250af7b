"""The table of `gap` in files: a row for every method, or for papers one for every instance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from ...core.wording import plural
from ...solvers.mapreduce.comparison import Comparison, gaps_of
from ...solvers.mapreduce.result import Status
from ..dataframes import Columns, columns_of
from ..table_files import booktabs, write_table

OPEN = "*"
"""Marks an instance whose best makespan is not proven optimal."""


def write_gap_table(comparisons: Sequence[Comparison], path: Path) -> None:
    """Write the table as CSV or Parquet, a row for each method; or LaTeX, one for each instance."""
    latex = gap_latex(comparisons) if path.suffix == ".tex" else None
    write_table(gap_columns(comparisons), path, latex)


def gap_columns(comparisons: Sequence[Comparison]) -> Columns:
    """The tables of all comparisons, one below the other."""
    tables = [columns_of(comparison) for comparison in comparisons]
    return {name: [value for table in tables for value in table[name]] for name in tables[0]}


def gap_latex(comparisons: Sequence[Comparison]) -> str:
    """Gaps in % by instance and heuristic, with mean and worst; of one instance by heuristic.

    Where a heuristic has no gap on some, the last row says of how many instances the means are.
    """
    if len(comparisons) == 1:
        return _of_one(comparisons[0])
    gaps = gaps_of(comparisons)
    proven = [c.best.status is Status.OPTIMAL for c in comparisons]
    there = [[gap for gap in values if gap is not None] for values in gaps.values()]
    below = ["instances"] if any(len(known) < len(comparisons) for known in there) else []
    columns: dict[str, list[Any]] = {
        "instance": [
            *(
                c.instance.name + ("" if sure else OPEN)
                for c, sure in zip(comparisons, proven, strict=True)
            ),
            "mean gap, %",
            "worst gap, %",
            *below,
        ],
        "optimum, s": [*(c.best.makespan for c in comparisons), "", "", *[""] * len(below)],
    }
    for (name, values), known in zip(gaps.items(), there, strict=True):
        both = [fmean(known), max(known)] if known else [None, None]
        count = [str(len(known))] * len(below)
        columns[name] = [*map(_percent, [*values, *both]), *count]
    text = booktabs(columns, below=2 + len(below))
    if all(proven):
        return text
    n = plural(proven.count(False), "instance")
    return f"% {OPEN} best known, {n} not proven optimal: gaps to the best lower bound\n{text}"


def _of_one(comparison: Comparison) -> str:
    found = comparison.heuristics
    best = comparison.best
    label = "optimum" if best.status is Status.OPTIMAL else "best found"
    return booktabs(
        {
            "method": [*(result.method for result in found), label],
            "makespan, s": [*(result.makespan for result in found), best.makespan],
            "gap, %": [*map(_percent, [*map(comparison.gap_of, found), best.gap])],
        },
        below=1,
    )


def _percent(gap: float | None) -> str | None:
    return None if gap is None else f"{100 * gap:.2f}"
