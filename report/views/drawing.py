"""`slotwise.plot`: instances and solutions as matplotlib plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .kinds import need_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ...heuristics.dispatch.result import Simulation
    from ...heuristics.fairness.timeline import Timeline
    from ...instances.datacenter.guidance import Guidance
    from ...instances.hierarchy.allocation import Allocation
    from ...instances.hierarchy.hierarchy import Hierarchy
    from ...instances.mapreduce.instance import Instance
    from ...solvers.compare import Comparison
    from ...solvers.result import Result

MOST_BARS = 40
"""Bars of one plot; of more, the largest."""

BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"


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
    return need_kind("plot", thing, _PLOTS)(thing, ax)


def _result(result: Result, ax: Axes | None) -> Axes:
    from ...instances.errors import InputError
    from ..gantt.static import draw_gantt

    if result.schedule is None:
        raise InputError(f"plot: the result of {result.instance.name!r} has no schedule")
    return draw_gantt(
        result.instance,
        result.schedule,
        ax,
        lower_bound=result.lower_bound,
        bound=result.bound,
        title=f"{result.instance.name}: {result.found_by}",
    )


def _comparison(comparison: Comparison, ax: Axes | None) -> Axes:
    best = comparison.best
    found = [(r.method, r.makespan) for r in comparison.heuristics if r.makespan is not None]
    if best.makespan is not None:
        found.insert(0, (f"best: {best.found_by}", best.makespan))
    ax = _bars(found, ax, "makespan, s")
    ax.axvline(best.lower_bound, color=ORANGE, ls="--", label="lower bound")
    ax.legend(frameon=False)
    ax.set_title(best.instance.name, loc="left")
    return ax


def _instance(instance: Instance, ax: Axes | None) -> Axes:
    """Slot seconds of each job, without setups and speed factors."""
    jobs = instance.jobs
    maps = np.bincount(instance.map_job, instance.map_processing, jobs)
    reduces = np.bincount(instance.reduce_job, instance.reduce_processing, jobs)
    shown = np.sort(np.argsort(-(maps + reduces), kind="stable")[:MOST_BARS])
    names = [instance.job_names[i] for i in shown]
    ax = _bars(list(zip(names, maps[shown], strict=True)), ax, "processing, slot seconds", "map")
    ax.barh(range(len(names)), reduces[shown], left=maps[shown], color=ORANGE, label="reduce")
    ax.legend(frameon=False)
    ax.set_title(instance.name, loc="left")
    return ax


def _allocation(allocation: Allocation, ax: Axes | None) -> Axes:
    tree = allocation.hierarchy
    shown = np.sort(np.argsort(-allocation.share, kind="stable")[:MOST_BARS])
    rows = [(tree.paths[i], float(allocation.share[i])) for i in shown]
    ax = _bars(rows, ax, "dominant share", "share")
    _marks(ax, allocation.guarantee[shown], "guarantee")
    ax.set_title(f"Fair shares by {allocation.method}", loc="left")
    return ax


def _hierarchy(tree: Hierarchy, ax: Axes | None) -> Axes:
    shown = np.sort(np.argsort(-tree.guarantee, kind="stable")[:MOST_BARS])
    ax = _bars([(tree.paths[i], float(tree.guarantee[i])) for i in shown], ax, "guaranteed share")
    ax.set_title(tree.name, loc="left")
    return ax


def _timeline(timeline: Timeline, ax: Axes | None) -> Axes:
    from ..fair_shares import plot_timeline

    return plot_timeline(timeline, _axes(ax, 8))


def _guidance(guidance: Guidance, ax: Axes | None) -> Axes:
    """Running jobs of each class on one machine of each configuration, on average."""
    datacenter = guidance.datacenter
    per_machine = guidance.running / np.maximum(datacenter.count, 1)
    ax = _axes(ax, len(datacenter.configurations))
    left = np.zeros(len(datacenter.configurations))
    for k, name in enumerate(datacenter.classes):
        ax.barh(range(len(left)), per_machine[k], left=left, label=name)
        left += per_machine[k]
    _name_rows(ax, datacenter.configurations)
    ax.set_xlabel("running jobs per machine")
    ax.legend(frameon=False, title="class")
    ax.set_title(datacenter.name, loc="left")
    return ax


def _simulation(simulation: Simulation, ax: Axes | None) -> Axes:
    from ..simulation_plots import draw_queue

    ax = _axes(ax, 8)
    draw_queue([simulation], ax)
    ax.set_title(f"{simulation.policy} on {simulation.datacenter.name}", loc="left")
    return ax


def _axes(ax: Axes | None, rows: int) -> Axes:
    """Axes with room for so many rows."""
    if ax is not None:
        return ax
    from matplotlib import pyplot

    size = (8.0, 1.4 + 0.28 * max(3, rows))
    return pyplot.figure(figsize=size, layout="constrained").add_subplot()


def _bars(rows: Sequence[tuple[str, Any]], ax: Axes | None, what: str, label: str = "") -> Axes:
    ax = _axes(ax, len(rows))
    ax.barh(range(len(rows)), [value for _, value in rows], color=BLUE, label=label or None)
    _name_rows(ax, [name for name, _ in rows])
    ax.set_xlabel(what)
    return ax


def _name_rows(ax: Axes, names: Sequence[str]) -> None:
    """Names at the bars, the first at the top."""
    ax.set_yticks(range(len(names)), list(names), parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.spines[["top", "right"]].set_visible(False)


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
