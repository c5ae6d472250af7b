"""The table of `gap` in files: a row for every method, or for papers one for every instance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from ...core.wording import plural
from ...solvers.mapreduce.compare import Comparison
from ...solvers.mapreduce.result import Status
from ..latex import booktabs
from ..table_files import write_table
from ..views.dataframes import Columns, columns_of

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
    """Gaps in % by instance and heuristic, with mean and worst; of one instance by heuristic."""
    if len(comparisons) == 1:
        return _of_one(comparisons[0])
    names = list(dict.fromkeys(r.method for c in comparisons for r in c.heuristics))
    gaps = [[_percent(c, name) for c in comparisons] for name in names]
    proven = [c.best.status is Status.OPTIMAL for c in comparisons]
    columns: dict[str, list[Any]] = {
        "instance": [
            *(
                c.instance.name + ("" if sure else OPEN)
                for c, sure in zip(comparisons, proven, strict=True)
            ),
            "mean gap, %",
            "worst gap, %",
        ],
        "optimum, s": [*(c.best.makespan for c in comparisons), "", ""],
    }
    for name, values in zip(names, gaps, strict=True):
        known = [value for value in values if value is not None]
        both = [fmean(known), max(known)] if known else [None, None]
        columns[name] = [None if gap is None else f"{gap:.2f}" for gap in (*values, *both)]
    text = booktabs(columns, below=2)
    if all(proven):
        return text
    n = plural(proven.count(False), "instance")
    return f"% {OPEN} best known, {n} not proven optimal: gaps to the best lower bound\n{text}"


def _of_one(comparison: Comparison) -> str:
    found = comparison.heuristics
    best = comparison.best
    label = "optimum" if best.status is Status.OPTIMAL else "best found"
    gap = best.gap
    return booktabs(
        {
            "method": [*(result.method for result in found), label],
            "makespan, s": [*(result.makespan for result in found), best.makespan],
            "gap, %": [
                None if gap is None else f"{gap:.2f}"
                for gap in (
                    *(_percent(comparison, result.method) for result in found),
                    None if gap is None else 100 * gap,
                )
            ],
        },
        below=1,
    )


def _percent(comparison: Comparison, name: str) -> float | None:
    result = next((r for r in comparison.heuristics if r.method == name), None)
    gap = None if result is None or result.makespan is None else comparison.gap_of(result)
    return None if gap is None else 100 * gap
