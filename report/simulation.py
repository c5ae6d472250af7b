"""Simulations for people: a table, and pictures like [LoTES], Figures 6 to 8."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Group
from rich.markup import escape
from rich.table import Table

from ..heuristics.dispatch.engine.columns import (
    FIRST_IN_USE,
    FRAGMENTATION,
    JOBS_WAITING,
    SAMPLE_TIME,
    STARTS,
    WAIT_OF_STARTS,
)
from ..heuristics.dispatch.engine.state import wait_of_bucket
from ..heuristics.dispatch.result import Simulation
from ..instances.arrays import FloatArray
from ..instances.datacenter.job_file import SECONDS
from .plots import COLOURS, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))


def simulation_view(simulations: Sequence[Simulation], bound: float | None = None) -> Group:
    """A table of the policies, and of the classes of the first one.

    Parameters
    ----------
    simulations
        Simulations of one workload.
    bound
        Lower bound on the mean wait, or None.

    Returns
    -------
    Group
        The tables.
    """
    return Group(policies_table(simulations, bound), classes_table(simulations[0]))


def policies_table(simulations: Sequence[Simulation], bound: float | None = None) -> Table:
    """A table with one row per policy.

    Parameters
    ----------
    simulations
        Simulations of one workload.
    bound
        Lower bound on the mean wait, see `waiting_bound`, or None.

    Returns
    -------
    Table
        The table.
    """
    first = simulations[0]
    unit = _unit(first)
    used = first.datacenter.resources[int(first.utilisation.argmax())]
    caption = (
        f"waits in {unit[0]} of {first.measured} jobs after the warm-up; in use: {used}; "
        "frag.: part of what is free, and would do for jobs, but is spread; Mev/s: million events/s"
    )
    if bound is not None:
        caption += f"; no policy has a mean wait of all jobs below {_number(bound * unit[1])}"
    table = Table(
        title=escape(f"{first.datacenter.name}: {first.workload.source}"),
        title_justify="left",
        caption=escape(caption),
        caption_justify="left",
    )
    table.add_column("policy", no_wrap=True)
    for name in ("mean", "99 %", "longest", "waited", "in use", "frag.", "Mev/s"):
        table.add_column(name, justify="right", no_wrap=True)
    for simulation in simulations:
        waited = 1 - simulation.at_once.sum() / max(1, simulation.measured)
        table.add_row(
            simulation.policy,
            _number(simulation.mean_wait * unit[1]),
            _number(simulation.quantile(0.99) * unit[1]),
            _number(simulation.max_wait * unit[1]),
            f"{waited:.1%}",
            f"{simulation.utilisation.max():.1%}",
            f"{simulation.fragmentation:.1%}",
            _rate(simulation.events_per_second / 1e6),
        )
    return table


def classes_table(simulation: Simulation) -> Table:
    """Waits by class."""
    unit = _unit(simulation)
    table = Table(title=f"{simulation.policy}, by class", title_justify="left")
    table.add_column("class")
    for name in ("jobs", "mean wait", "99 %", "longest"):
        table.add_column(name, justify="right")
    for k, name in enumerate(simulation.datacenter.classes):
        jobs = int(simulation.jobs[k])
        table.add_row(
            escape(name),
            str(jobs),
            _number(float(simulation.wait_sum[k]) / max(1, jobs) * unit[1]),
            _number(simulation.quantile(0.99, k) * unit[1]),
            _number(float(simulation.wait_max[k]) * unit[1]),
        )
    return table


def write_plot(simulations: Sequence[Simulation], path: str | Path) -> None:
    """Draw four pictures of policies on one workload.

    They are the waits over time, the distribution of waits, the queue, and the utilisation with
    fragmentation.

    Parameters
    ----------
    simulations
        Simulations of one workload.
    path
        Path of the file, or `-` for stdout.

    Raises
    ------
    InputError
        For an unknown suffix.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7.5), layout="constrained")
    ((waits, tail), (queue, use)) = figure.subplots(2, 2)
    draw_waits(simulations, waits)
    draw_tail(simulations, tail)
    draw_queue(simulations, queue)
    draw_use(simulations, use)
    figure.legend(*waits.get_legend_handles_labels(), loc="outside lower center", ncols=6)
    first = simulations[0]
    figure.suptitle(f"{first.datacenter.name}: {first.workload.source}", fontsize=10)
    write_figure(figure, path, dpi=130)


def draw_waits(simulations: Sequence[Simulation], ax: Axes) -> None:
    """Draw the mean wait of the jobs that start in each interval ([LoTES], Figure 6).

    Parameters
    ----------
    simulations
        Simulations of one workload.
    ax
        Axes to draw into.
    """
    unit, factor = _unit(simulations[0])
    for simulation, colour, style in zip(simulations, COLOURS, STYLES, strict=False):
        # The last interval is that after the last arrival, while the queue empties.
        started, wait = simulation.series[:-1, STARTS], simulation.series[:-1, WAIT_OF_STARTS]
        mean = np.divide(wait, started, out=np.zeros_like(wait), where=started > 0)
        ax.plot(
            simulation.series[:-1, SAMPLE_TIME],
            mean * factor,
            color=colour,
            ls=style,
            label=simulation.policy,
        )
    ax.set_yscale("symlog", linthresh=1e-3)
    ax.set_ylim(bottom=0)
    ax.set_ylabel(f"mean wait, {unit}")
    _finish(simulations, ax)


def draw_tail(simulations: Sequence[Simulation], ax: Axes) -> None:
    """Draw the share of the jobs that wait longer than a time.

    This is the complement of [LoTES], Figure 7.

    Parameters
    ----------
    simulations
        Simulations of one workload.
    ax
        Axes to draw into.
    """
    unit, factor = _unit(simulations[0])
    for simulation, colour, style in zip(simulations, COLOURS, STYLES, strict=False):
        times, share = longer_than(simulation)
        if len(times):
            ax.plot(times * factor, share, color=colour, ls=style, label=simulation.policy)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(f"wait, {unit}")
    ax.set_ylabel("part of the jobs that wait longer")
    ax.grid(alpha=0.3)


def longer_than(simulation: Simulation) -> tuple[FloatArray, FloatArray]:
    """Waits that occur, and the share of the jobs that wait longer than each."""
    counts = simulation.waits.sum(axis=0)
    some = np.flatnonzero(counts)
    more = counts.sum() - np.cumsum(counts[some]) + counts[some]
    return wait_of_bucket()[some], more / max(1, simulation.measured)


def draw_queue(simulations: Sequence[Simulation], ax: Axes) -> None:
    """Draw the number of waiting jobs over time ([LoTES], Figure 8).

    Parameters
    ----------
    simulations
        Simulations of one workload.
    ax
        Axes to draw into.
    """
    for simulation, colour, style in zip(simulations, COLOURS, STYLES, strict=False):
        time, waiting = simulation.series[:, SAMPLE_TIME], simulation.series[:, JOBS_WAITING]
        ax.plot(time, waiting, color=colour, ls=style)
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(bottom=0)
    ax.set_ylabel("jobs waiting")
    _finish(simulations, ax)


def draw_use(simulations: Sequence[Simulation], ax: Axes) -> None:
    """Draw the use of the most used resource, and fragmentation (thin lines).

    Parameters
    ----------
    simulations
        Simulations of one workload.
    ax
        Axes to draw into.
    """
    data = simulations[0].datacenter
    capacity = (data.capacity_units * data.count[:, None]).sum(axis=0)
    r = int(simulations[0].utilisation.argmax())
    for simulation, colour, style in zip(simulations, COLOURS, STYLES, strict=False):
        time = simulation.series[:, SAMPLE_TIME]
        ax.plot(time, simulation.series[:, FIRST_IN_USE + r] / capacity[r], color=colour, ls=style)
        ax.plot(
            time, simulation.series[:, FRAGMENTATION], color=colour, ls=style, lw=0.7, alpha=0.7
        )
    ax.set_ylim(0, 1.02)
    ax.set_ylabel(f"{data.resources[r]} in use; thin: fragmentation")
    _finish(simulations, ax)


def _finish(simulations: Sequence[Simulation], ax: Axes) -> None:
    ax.set_xlabel(f"time, {simulations[0].datacenter.time_unit}")
    ax.set_xlim(0, float(simulations[0].workload.horizon))
    ax.grid(alpha=0.3)


def _unit(simulation: Simulation) -> tuple[str, float]:
    """Waits are shown in seconds if the datacenter's unit is known."""
    unit = simulation.datacenter.time_unit
    return ("s", SECONDS[unit]) if unit in SECONDS else (unit, 1.0)


def _rate(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def _number(value: float) -> str:
    return "0" if value == 0 else f"{value:.3g}" if value < 1000 else f"{value:.0f}"
