"""Pictures of simulations, like [LoTES], Figures 6 to 8."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...heuristics.datacenter.engine.columns import (
    FIRST_IN_USE,
    FRAGMENTATION,
    JOBS_WAITING,
    SAMPLE_TIME,
    STARTS,
    WAIT_OF_STARTS,
)
from ...heuristics.datacenter.engine.state import wait_of_bucket
from ...heuristics.datacenter.result import Simulation
from ..plots import LineStyle, axes_for, policy_styles, write_figure
from .simulation import heading, time_unit, wait_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..plots import Where

POINTS = 60
"""Points of a line of mean waits: more would show chance."""

WARM_UP_GREY = "0.9"


def write_plot(
    simulations: Sequence[Simulation], path: str | Path, whole: int | None = None
) -> None:
    """Draw four pictures of policies on one workload.

    They are the waits over time, the distribution of waits, the queue, and the utilisation with
    fragmentation.

    `whole`: number of machines of the datacenter of which these are a part, or None.
    Raises `InputError` for an unknown suffix.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    figure = Figure(figsize=(8.5, 7.5), layout="constrained")
    ((waits, tail), (queue, use)) = figure.subplots(2, 2)
    draw_waits(simulations, waits)
    draw_tail(simulations, tail)
    draw_queue(simulations, queue)
    draw_use(simulations, use)
    lines = use.get_lines()[::2]
    figure.legend(
        [*lines, Patch(color=WARM_UP_GREY)],
        [*(simulation.policy for simulation in simulations), "warm-up, not measured"],
        loc="outside lower center",
        ncols=4,
    )
    title = heading(simulations[0], whole)
    figure.suptitle(title, fontsize=10, wrap=True, parse_math=False)
    write_figure(figure, path)


def draw_simulation(simulation: Simulation, ax: Where) -> Axes:
    ax = axes_for(ax, 8)
    draw_queue([simulation], ax)
    ax.set_title(f"{simulation.policy} on {simulation.datacenter.name}", loc="left")
    return ax


def _lines(
    simulations: Sequence[Simulation],
) -> Iterator[tuple[Simulation, str, LineStyle]]:
    looks = policy_styles(simulation.policy for simulation in simulations)
    for simulation, (colour, style) in zip(simulations, looks, strict=True):
        yield simulation, colour, style


def draw_waits(simulations: Sequence[Simulation], ax: Axes) -> None:
    """Draw the mean wait of the jobs that start in each interval ([LoTES], Figure 6)."""
    unit, factor = wait_unit(simulations[0])
    for simulation, colour, style in _lines(simulations):
        # The last interval is that after the last arrival, while the queue empties.
        series = simulation.series[:-1]
        begins = np.arange(0, len(series), max(1, len(series) // POINTS))
        if not len(begins):
            continue
        started = np.add.reduceat(series[:, STARTS], begins)
        wait = np.add.reduceat(series[:, WAIT_OF_STARTS], begins)
        mean = np.divide(wait, started, out=np.zeros_like(wait), where=started > 0)
        time = series[begins, SAMPLE_TIME] * _time(simulations)[1]
        ax.plot(time, mean * factor, color=colour, ls=style)
    _finish(simulations, ax, f"mean wait of the jobs that start, {unit}", least=1e-3)


def draw_tail(simulations: Sequence[Simulation], ax: Axes) -> None:
    """Draw the share of the jobs that wait longer than a time ([LoTES], Figure 7's complement)."""
    unit, factor = wait_unit(simulations[0])
    for simulation, colour, style in _lines(simulations):
        counts = simulation.waits.sum(axis=0)
        some = np.flatnonzero(counts)
        longer = counts.sum() - np.cumsum(counts[some]) + counts[some]
        if len(some):
            part = longer / max(1, simulation.measured)
            ax.plot(wait_of_bucket()[some] * factor, part, color=colour, ls=style)
    ax.set_xlabel(f"wait, {unit}")
    ax.set_ylabel("part of the jobs that wait longer")
    ax.grid(alpha=0.3)
    if ax.get_lines():
        ax.set_xscale("log")
        ax.set_yscale("log")
    else:
        _say_that_nobody_waited(ax, "nobody waited after the warm-up")
        ax.set_xticks([])


def draw_queue(simulations: Sequence[Simulation], ax: Axes) -> None:
    """Draw the number of waiting jobs over time ([LoTES], Figure 8)."""
    for simulation, colour, style in _lines(simulations):
        time, waiting = simulation.series[:, SAMPLE_TIME], simulation.series[:, JOBS_WAITING]
        ax.plot(time * _time(simulations)[1], waiting, color=colour, ls=style, lw=1.2)
    _finish(simulations, ax, "jobs waiting", least=1)


def draw_use(simulations: Sequence[Simulation], ax: Axes) -> None:
    """Draw the use of the most used resource, and fragmentation (thin lines)."""
    data = simulations[0].datacenter
    capacity = (data.capacity_units * data.count[:, None]).sum(axis=0)
    r = int(simulations[0].utilisation.argmax())
    for simulation, colour, style in _lines(simulations):
        series, time = simulation.series, simulation.series[:, SAMPLE_TIME] * _time(simulations)[1]
        ax.plot(time, series[:, FIRST_IN_USE + r] / capacity[r], color=colour, ls=style)
        ax.plot(time, series[:, FRAGMENTATION], color=colour, ls=style, lw=0.7, alpha=0.7)
    ax.set_ylim(0, 1.02)
    _finish(simulations, ax, f"{data.resources[r]} in use; thin lines: fragmented")


def _finish(
    simulations: Sequence[Simulation], ax: Axes, what: str, *, least: float | None = None
) -> None:
    """Time on the abscissa, from the beginning to the last arrival; the warm-up grey.

    `least`: of waits, below which their scale is linear.
    """
    unit, factor = _time(simulations)
    ax.set_xlabel(f"time, {unit}")
    ax.set_xlim(0, float(simulations[0].workload.horizon) * factor)
    ax.axvspan(0, simulations[0].measured_from * factor, color=WARM_UP_GREY, zorder=0)
    ax.grid(alpha=0.3)
    ax.set_ylabel(what, parse_math=False)
    if least is None:
        return
    if any(np.any(line.get_ydata()) for line in ax.get_lines()):
        ax.set_yscale("symlog", linthresh=least)
        ax.set_ylim(bottom=0)
        return
    for line in list(ax.get_lines()):
        line.remove()
    _say_that_nobody_waited(ax, "nobody waited")


def _say_that_nobody_waited(ax: Axes, what: str) -> None:
    ax.text(0.5, 0.5, what, transform=ax.transAxes, ha="center", va="center", color="0.3")
    ax.set_yticks([])


def _time(simulations: Sequence[Simulation]) -> tuple[str, float]:
    return time_unit(simulations[0], float(simulations[0].workload.horizon))
