"""`slotwise.plot`: instances and solutions as matplotlib plots."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.calls import checked
from ..kinds import check_kind
from ..plots import COLOURS, ORANGE
from .comparisons import draw_comparison
from .rows import bars, fresh_axes, make_room_right, name_rows, write_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...heuristics.datacenter.result import Simulation
    from ...heuristics.hierarchy.timeline import Timeline
    from ...instances.datacenter.guidance import Guidance
    from ...instances.hierarchy.allocation import Allocation
    from ...instances.hierarchy.hierarchy import Hierarchy
    from ...instances.mapreduce.instance import Instance
    from ...solvers.mapreduce.comparison import Comparison
    from ...solvers.mapreduce.result import Result

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


def _result(result: Result, ax: Axes | None) -> Axes:
    from ...core.errors import InputError
    from ..mapreduce.gantt.static import draw_gantt

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


def _comparison(comparison: Comparison, ax: Axes | None) -> Axes:
    return draw_comparison(comparison, ax)


def _instance(instance: Instance, ax: Axes | None) -> Axes:
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


def _allocation(allocation: Allocation, ax: Axes | None) -> Axes:
    from ...core.wording import percent
    from ..hierarchy.fair_shares import verdict

    tree = allocation.hierarchy
    shown = np.sort(np.argsort(-allocation.share, kind="stable")[:MOST_BARS])
    shares = allocation.share[shown].tolist()
    ax = bars([(tree.paths[i], share) for i, share in zip(shown, shares, strict=True)], ax, "")
    _marks(ax, allocation.guarantee[shown], "guarantee")
    beyond = np.maximum(allocation.share, allocation.guarantee)[shown].tolist()
    for row, (leaf, share) in enumerate(zip(shown.tolist(), shares, strict=True)):
        limit = allocation.limited_by(leaf)
        text = f"{percent(share)}{f', limited by {limit}' if limit else ''}"
        write_beside(ax, beyond[row], row, text)
    make_room_right(ax, 0.35)
    ax.set_xlabel("dominant share")
    ax.set_title(f"Fair shares by {allocation.method}: {verdict(allocation)}", loc="left")
    return ax


def _hierarchy(tree: Hierarchy, ax: Axes | None) -> Axes:
    shown = np.sort(np.argsort(-tree.guarantee, kind="stable")[:MOST_BARS])
    ax = bars([(tree.paths[i], float(tree.guarantee[i])) for i in shown], ax, "guaranteed share")
    ax.set_title(tree.name, loc="left")
    return ax


def _timeline(timeline: Timeline, ax: Axes | None) -> Axes:
    from ..hierarchy.fair_shares import plot_timeline

    return plot_timeline(timeline, fresh_axes(ax, 8))


def _guidance(guidance: Guidance, ax: Axes | None) -> Axes:
    """Running jobs of each class on one machine of each configuration, on average."""
    from ..datacenter.guidance import rate_in_words

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


def _simulation(simulation: Simulation, ax: Axes | None) -> Axes:
    from ..datacenter.simulation_plots import draw_queue

    ax = fresh_axes(ax, 8)
    draw_queue([simulation], ax)
    ax.set_title(f"{simulation.policy} on {simulation.datacenter.name}", loc="left")
    return ax


def _marks(ax: Axes, values: Any, label: str) -> None:
    ax.scatter(values, range(len(values)), marker="|", s=120, color=ORANGE, label=label, zorder=3)
    ax.legend(frameon=False)


_PLOTS: dict[str, Callable[[Any, Any], Axes]] = {
    "Result": _result,
    "Comparison": _comparison,
    "Instance": _instance,
    "Allocation": _allocation,
    "Hierarchy": _hierarchy,
    "Timeline": _timeline,
    "Guidance": _guidance,
    "Simulation": _simulation,
}
