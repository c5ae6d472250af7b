"""Plots of batches: work of jobs, heuristics beside the optimum, bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from ...core.errors import InputError
from ...core.wording import percent, plural
from ...formulations.mapreduce.bounds import BOUNDS
from ...instances.mapreduce.instance import Instance
from ...solvers.mapreduce.comparison import Comparison, gaps_of
from ...solvers.mapreduce.result import Result, Status
from ..plots import BLUE, GREEN, MOST_BARS, ORANGE, bars, write_beside
from .gantt.static import draw_gantt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..plots import Where

GREY = "#999999"


def draw_result(result: Result, ax: Axes | None) -> Axes:
    if result.schedule is None:
        raise InputError(f"plot: the result of {result.instance.name!r} has no schedule")
    return draw_gantt(
        result.instance,
        result.schedule,
        ax,
        lower_bound=result.lower_bound,
        bound_name=result.bound_name,
        title=f"{result.instance.name}: {result.found_by}",
    )


def draw_instance(instance: Instance, ax: Where) -> Axes:
    """Slot seconds of each job, without setups and speed factors."""
    jobs = instance.jobs
    maps = np.bincount(instance.map_job, instance.map_processing, jobs)
    reduces = np.bincount(instance.reduce_job, instance.reduce_processing, jobs)
    shown = np.sort(np.argsort(-(maps + reduces), kind="stable")[:MOST_BARS])
    series = {"map": maps[shown].tolist(), "reduce": reduces[shown].tolist()}
    names = [instance.job_names[i] for i in shown]
    ax = bars(ax, names, series, "processing, slot seconds", instance.name)
    ax.legend(frameon=False)
    return ax


def draw_comparison(comparison: Comparison, ax: Where) -> Axes:
    """The makespans of heuristics, the least first, with their gaps."""
    best, title = comparison.best, comparison.instance.name
    optimal = best.status is Status.OPTIMAL
    rows = sorted(
        (result.makespan, result.method, percent(comparison.gap_of(result)))
        for result in comparison.heuristics
        if result.makespan is not None
    )
    if best.makespan is None:
        title += f": {best.status.value}"
    else:
        if rows:
            bound = "the optimum" if optimal else "the best bound"
            title += f": {rows[0][1]} is nearest, {rows[0][2]} above {bound}"
        word = "optimum" if optimal else "best found"
        rows.insert(0, (best.makespan, f"{word} ({best.found_by})", percent(best.gap)))
    makespans = [makespan for makespan, _, _ in rows]
    ax = bars(ax, [name for _, name, _ in rows], {"": makespans}, "makespan, s", title)
    if best.makespan is not None:
        ax.patches[0].set_color(GREEN)
    ax.axvline(best.lower_bound, color=ORANGE, ls="--", label=f"lower bound ({best.bound_name})")
    write_beside(ax, makespans, [f"{m:.9g} s, gap {gap}" for m, _, gap in rows], 0.3)
    ax.legend(frameon=False, loc="upper right", bbox_to_anchor=(1, -0.1))
    return ax


def draw_gaps(comparisons: Sequence[Comparison], ax: Where = None) -> Axes:
    """One comparison, or the gaps of heuristics on several instances: dots, a bar for the mean."""
    if len(comparisons) == 1:
        return draw_comparison(comparisons[0], ax)
    every = {
        name: [100 * gap for gap in values if gap is not None]
        for name, values in gaps_of(comparisons).items()
    }
    means = sorted((fmean(gaps), name) for name, gaps in every.items() if gaps)
    names = [name for _, name in means]
    solved = sum(c.best.status is Status.OPTIMAL for c in comparisons)
    title = f"{len(comparisons)} instances, {solved} solved to optimality"
    what = "gap to the best lower bound, %; dots are instances, bars means"
    ax = bars(ax, names, {"": [mean for mean, _ in means]}, what, title)
    words = []
    for row, ((mean, name), bar) in enumerate(zip(means, ax.patches, strict=True)):
        n = len(every[name])
        bar.set_alpha(0.45)
        ax.scatter(every[name], [row] * n, color=BLUE, s=14, zorder=3)
        of = f" of {plural(n, 'instance')}" if n < len(comparisons) else ""
        words.append(f"mean {percent(mean / 100)}{of}")
    write_beside(ax, [max(every[name]) for name in names], words, 0.15)
    return ax


def draw_bounds(name: str, values: Mapping[str, float], best: str, ax: Where = None) -> Axes:
    """Closed-form lower bounds (s) by name; those that are known not to be valid are hatched."""
    wrong = {entry.name for entry in BOUNDS if not entry.valid}
    rows = dict(sorted(values.items(), key=lambda row: -row[1]))
    title = f"{name}: no schedule ends before {values[best]:.6g} s ({best})"
    ends = list(rows.values())
    ax = bars(ax, list(rows), {"": ends}, "lower bound of the makespan, s", title)
    words = []
    for (bound, value), patch in zip(rows.items(), ax.patches, strict=True):
        said = ""
        if bound in wrong:
            patch.set(facecolor="none", edgecolor=GREY, hatch="///")
            said = ", as printed: need not hold"
        elif bound == best:
            patch.set_color(GREEN)
            said = ", the best"
        words.append(f"{value:.6g} s{said}")
    write_beside(ax, ends, words, 0.4)
    return ax
