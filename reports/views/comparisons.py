"""Heuristics beside the optimum, and bounds beside one another, as plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from ...core.wording import percent, plural
from ...formulations.mapreduce.bounds import BOUNDS
from ...solvers.mapreduce.comparison import Comparison, gaps_of
from ...solvers.mapreduce.result import Status
from ..plots import BLUE, GREEN, ORANGE
from .rows import bars, fresh_axes, make_room_right, name_rows, write_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "#999999"


def draw_comparison(comparison: Comparison, ax: Axes | None = None) -> Axes:
    """Draw the makespans of heuristics, the least first, with their gaps.

    `ax`: where to; by default a new figure.
    """
    best = comparison.best
    bars_of = [(r.makespan, r.method, comparison.gap_of(r)) for r in comparison.heuristics]
    rows = sorted((row for row in bars_of if row[0] is not None), key=lambda row: row[0] or 0.0)
    if best.makespan is not None:
        word = "optimum" if best.status is Status.OPTIMAL else "best found"
        rows.insert(0, (best.makespan, f"{word} ({best.found_by})", best.gap))
    ax = bars([(name, makespan) for makespan, name, _ in rows], ax, "makespan, s")
    if best.makespan is not None:
        ax.patches[0].set_color(GREEN)
    ax.axvline(best.lower_bound, color=ORANGE, ls="--", label=f"lower bound ({best.bound_name})")
    for row, (makespan, _, gap) in enumerate(rows):
        write_beside(ax, makespan or 0.0, row, f"{makespan:.9g} s, gap {percent(gap)}")
    make_room_right(ax, 0.3)
    ax.legend(frameon=False, loc="upper right", bbox_to_anchor=(1, -0.1))
    ax.set_title(_title(comparison), loc="left", parse_math=False)
    return ax


def _title(comparison: Comparison) -> str:
    """The instance, and what a reader should take away."""
    best, name = comparison.best, comparison.instance.name
    if best.makespan is None:
        return f"{name}: {best.status.value}"
    ranked = [(comparison.gap_of(r) or 0.0, r.method) for r in comparison.heuristics if r.makespan]
    if not ranked:
        return name
    gap, method = min(ranked)
    bound = "the optimum" if best.status is Status.OPTIMAL else "the best bound"
    return f"{name}: {method} is nearest, {percent(gap)} above {bound}"


def draw_comparisons(comparisons: Sequence[Comparison], ax: Axes | None = None) -> Axes:
    """Draw the gaps of heuristics over several instances: a dot for each, a bar for the mean.

    `ax`: where to; by default a new figure.
    """
    every = {
        name: [100 * gap for gap in values if gap is not None]
        for name, values in gaps_of(comparisons).items()
    }
    gaps = {name: values for name, values in every.items() if values}
    names = sorted(gaps, key=lambda name: fmean(gaps[name]))
    ax = fresh_axes(ax, len(names))
    ax.barh(range(len(names)), [fmean(gaps[name]) for name in names], color=BLUE, alpha=0.45)
    for row, name in enumerate(names):
        ax.scatter(gaps[name], [row] * len(gaps[name]), color=BLUE, s=14, zorder=3)
        n = len(gaps[name])
        of = f" of {plural(n, 'instance')}" if n < len(comparisons) else ""
        write_beside(ax, max(gaps[name]), row, f"mean {percent(fmean(gaps[name]) / 100)}{of}")
    name_rows(ax, names)
    make_room_right(ax, 0.15)
    ax.set_xlabel("gap to the best lower bound, %; dots are instances, bars means")
    solved = sum(c.best.status is Status.OPTIMAL for c in comparisons)
    ax.set_title(f"{len(comparisons)} instances, {solved} solved to optimality", loc="left")
    return ax


def draw_bounds(name: str, values: Mapping[str, float], best: str, ax: Axes | None = None) -> Axes:
    """Draw closed-form lower bounds; those that are known not to be valid are hatched.

    `values`: the bounds (s) by name.
    `ax`: where to; by default a new figure.
    """
    wrong = {entry.name for entry in BOUNDS if not entry.valid}
    rows = sorted(values.items(), key=lambda row: -row[1])
    ax = bars(rows, ax, "lower bound of the makespan, s")
    for row, ((bound, value), patch) in enumerate(zip(rows, ax.patches, strict=True)):
        words = f"{value:.6g} s"
        if bound in wrong:
            patch.set(facecolor="none", edgecolor=GREY, hatch="///")
            words += ", as printed: need not hold"
        elif bound == best:
            patch.set_color(GREEN)
            words += ", the best"
        write_beside(ax, value, row, words)
    make_room_right(ax, 0.4)
    title = f"{name}: no schedule ends before {values[best]:.6g} s ({best})"
    ax.set_title(title, loc="left", parse_math=False)
    return ax
