"""`slotwise.plot`: instances, solutions and comparisons as matplotlib plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.calls import checked
from ..core.errors import InputError
from ..core.wording import percent, plural
from ..formulations.mapreduce.bounds import BOUNDS
from ..solvers.mapreduce.comparison import Comparison, gaps_of
from ..solvers.mapreduce.result import Result, Status
from .kinds import check_kind
from .plots import BLUE, COLOURS, GREEN, ORANGE, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ..heuristics.datacenter.result import Simulation
    from ..heuristics.hierarchy.timeline import Timeline
    from ..instances.datacenter.guidance import Guidance
    from ..instances.hierarchy.allocation import Allocation
    from ..instances.hierarchy.hierarchy import Hierarchy
    from ..instances.mapreduce.instance import Instance

    Where = Axes | Figure | None
    """Axes, an empty figure that becomes as high as need be, or None for a new one."""

GREY = "#999999"

MOST_BARS = 40
"""Bars of one plot; of more, the largest."""

MOST_NAMED = 20
"""Classes that a legend names."""


@checked
def plot(thing: object, ax: Axes | None = None) -> Axes:
    """Draw an instance or a solution.

    A result is drawn as a Gantt chart, a comparison as the makespans of its heuristics, an instance
    as the work of its jobs, an allocation and a hierarchy as shares of their leaves, a timeline as
    shares over time, guidance as the jobs on each configuration, a simulation as its queue.

    Parameters
    ----------
    thing : Result, Comparison, Instance, Allocation, Hierarchy, Timeline, Guidance or Simulation
        What to draw; its method `plot` does the same.
    ax : matplotlib.axes.Axes, optional
        Where to; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; their `figure` can be saved.

    Raises
    ------
    InputError
        If there is nothing to draw.
    """
    return check_kind("plot", thing, _PLOTS)(thing, ax)


def write_plot(path: str | Path, draw: Callable[..., object], *what: Any) -> None:
    """Write what `draw(*what, figure)` draws; the suffix of the path decides its kind.

    Raises `InputError` for an unknown suffix.
    """
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    draw(*what, figure)
    write_figure(figure, path, dpi=130)


def _result(result: Result, ax: Axes | None) -> Axes:
    from .mapreduce.gantt.static import draw_gantt

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


def _instance(instance: Instance, ax: Where) -> Axes:
    """Slot seconds of each job, without setups and speed factors."""
    jobs = instance.jobs
    maps = np.bincount(instance.map_job, instance.map_processing, jobs)
    reduces = np.bincount(instance.reduce_job, instance.reduce_processing, jobs)
    shown = np.sort(np.argsort(-(maps + reduces), kind="stable")[:MOST_BARS])
    names = [instance.job_names[i] for i in shown]
    ax = bars(list(zip(names, maps[shown], strict=True)), ax, "processing, slot seconds", "map")
    ax.barh(range(len(names)), reduces[shown], left=maps[shown], color=ORANGE, label="reduce")
    ax.legend(frameon=False)
    ax.set_title(instance.name, loc="left")
    return ax


def _allocation(allocation: Allocation, ax: Where) -> Axes:
    from .hierarchy.fair_shares import verdict

    tree = allocation.hierarchy
    shown = np.sort(np.argsort(-allocation.share, kind="stable")[:MOST_BARS])
    shares = allocation.share[shown].tolist()
    ax = bars([(tree.paths[i], share) for i, share in zip(shown, shares, strict=True)], ax, "")
    guarantee = allocation.guarantee[shown]
    look: Any = {"marker": "|", "s": 120, "color": ORANGE, "zorder": 3}
    ax.scatter(guarantee, range(len(shown)), label="guarantee", **look)
    ax.legend(frameon=False)
    beyond = np.maximum(allocation.share[shown], guarantee).tolist()
    for row, (leaf, share) in enumerate(zip(shown.tolist(), shares, strict=True)):
        limit = allocation.limited_by(leaf)
        text = f"{percent(share)}{f', limited by {limit}' if limit else ''}"
        write_beside(ax, beyond[row], row, text)
    make_room_right(ax, 0.35)
    ax.set_xlabel("dominant share")
    ax.set_title(f"Fair shares by {allocation.method}: {verdict(allocation)}", loc="left")
    return ax


def _hierarchy(tree: Hierarchy, ax: Where) -> Axes:
    shown = np.sort(np.argsort(-tree.guarantee, kind="stable")[:MOST_BARS])
    ax = bars([(tree.paths[i], float(tree.guarantee[i])) for i in shown], ax, "guaranteed share")
    ax.set_title(tree.name, loc="left")
    return ax


def _timeline(timeline: Timeline, ax: Where) -> Axes:
    from .hierarchy.fair_shares import plot_timeline

    return plot_timeline(timeline, fresh_axes(ax, 8))


def _guidance(guidance: Guidance, ax: Where) -> Axes:
    """Running jobs of each class on one machine of each configuration, on average."""
    from .datacenter.guidance import rate_in_words

    datacenter = guidance.datacenter
    per_machine = guidance.running / np.maximum(datacenter.count, 1)
    ax = fresh_axes(ax, len(datacenter.configurations))
    left = np.zeros(len(datacenter.configurations))
    for k, (name, colour) in enumerate(zip(datacenter.classes, cycle(COLOURS), strict=False)):
        ax.barh(range(len(left)), per_machine[k], left=left, label=name, color=colour)
        left += per_machine[k]
    counts = zip(datacenter.configurations, datacenter.count.tolist(), strict=True)
    name_rows(ax, [f"{name} × {count}" for name, count in counts])
    ax.set_xlabel("running jobs per machine")
    if len(datacenter.classes) <= MOST_NAMED:
        ax.legend(frameon=False, title="class", loc="center left", bbox_to_anchor=(1, 0.5))
    ax.set_title(f"{datacenter.name}: {rate_in_words(guidance)}", loc="left", parse_math=False)
    return ax


def _simulation(simulation: Simulation, ax: Where) -> Axes:
    from .datacenter.simulation_plots import draw_queue

    ax = fresh_axes(ax, 8)
    draw_queue([simulation], ax)
    ax.set_title(f"{simulation.policy} on {simulation.datacenter.name}", loc="left")
    return ax


def draw_comparison(comparison: Comparison, ax: Where = None) -> Axes:
    """Draw the makespans of heuristics, the least first, with their gaps."""
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


def draw_comparisons(comparisons: Sequence[Comparison], ax: Where = None) -> Axes:
    """Draw the gaps of heuristics over several instances: a dot for each, a bar for the mean."""
    every = {
        name: [100 * gap for gap in values if gap is not None]
        for name, values in gaps_of(comparisons).items()
    }
    gaps = {name: values for name, values in every.items() if values}
    names = sorted(gaps, key=lambda name: fmean(gaps[name]))
    ax = fresh_axes(ax, len(names) + 1)
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


def draw_gaps(comparisons: Sequence[Comparison], ax: Where = None) -> Axes:
    """Draw heuristics beside the optimum, or their gaps on several instances."""
    if len(comparisons) == 1:
        return draw_comparison(comparisons[0], ax)
    return draw_comparisons(comparisons, ax)


def draw_bounds(name: str, values: Mapping[str, float], best: str, ax: Where = None) -> Axes:
    """Draw closed-form lower bounds; those that are known not to be valid are hatched.

    `values`: the bounds (s) by name.
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


_PLOTS: dict[str, Callable[[Any, Any], Axes]] = {
    "Result": _result,
    "Comparison": draw_comparison,
    "Instance": _instance,
    "Allocation": _allocation,
    "Hierarchy": _hierarchy,
    "Timeline": _timeline,
    "Guidance": _guidance,
    "Simulation": _simulation,
}


def fresh_axes(ax: Where, rows: int) -> Axes:
    """The axes that are given, or new ones with room for so many rows."""
    from matplotlib.figure import Figure

    size = (8.0, 1.4 + 0.28 * max(3, rows))  # inches
    if ax is None:
        from matplotlib import pyplot

        return pyplot.figure(figsize=size, layout="constrained").add_subplot()
    if isinstance(ax, Figure):
        ax.set_size_inches(size)
        return ax.add_subplot()
    return ax


def bars(rows: Sequence[tuple[str, Any]], ax: Where, what: str, label: str = "") -> Axes:
    """Draw horizontal bars, the first at the top."""
    ax = fresh_axes(ax, len(rows))
    ax.barh(range(len(rows)), [value for _, value in rows], color=BLUE, label=label or None)
    name_rows(ax, [name for name, _ in rows])
    ax.set_xlabel(what)
    return ax


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), list(names), parse_math=False)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    ax.spines[["top", "right"]].set_visible(False)


def write_beside(ax: Axes, x: float, row: int, text: str) -> None:
    """Write words right of the end of a bar, which is at `x`."""
    ax.annotate(
        text,
        (x, row),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize="small",
        parse_math=False,
    )


def make_room_right(ax: Axes, part: float) -> None:
    """Make the horizontal axis longer, for words."""
    left, right = ax.get_xlim()
    ax.set_xlim(left, right + part * (right - left))
