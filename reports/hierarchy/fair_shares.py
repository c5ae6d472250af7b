"""Fair shares for people: a table, and dominant shares over time ([MCH], Figure 4)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...core.wording import NONE, percent, plural
from ...heuristics.hierarchy.timeline import Timeline
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.dropped_limits import shown
from ...instances.hierarchy.events import time_text
from ...instances.hierarchy.hierarchy import Hierarchy
from ..plots import COLOURS, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 60
"""Most leaves that a table shows; it tells how many more there are."""

MOST_LIMITS = 10
"""Most limits of imported queues that a verdict names one by one."""

MOST_LINES = 12
"""Most leaves that a plot shows, those with the largest shares."""

_DASHES = ("-", (0, (5, 2)))


def allocation_table(allocation: Allocation) -> Group:
    """Tasks, dominant share and guarantee of every leaf, and what stops it."""
    tree = allocation.hierarchy
    used = ", ".join(
        f"{name} {percent(part)}"
        for name, part in zip(tree.resources, allocation.used.tolist(), strict=True)
    )
    more = tree.leaves - MOST_ROWS
    below = [f"… and {more} more leaves"] if more > 0 else []
    below += [f"used: {used}; {verdict(allocation)}", *dropped(tree)]
    table = Table(
        title=f"Fair shares by {allocation.method}",
        title_justify="left",
    )
    table.add_column("leaf")
    for name in ("tasks", "dominant share", "guarantee"):
        table.add_column(name, justify="right")
    table.add_column("met")
    table.add_column("limited by")
    for i, path in enumerate(tree.paths[:MOST_ROWS]):
        met = bool(allocation.met[i])
        table.add_row(
            escape(path),
            f"{allocation.tasks[i]:.6g}",
            percent(float(allocation.share[i])),
            percent(float(allocation.guarantee[i])),
            "yes" if met else "NO",
            escape(allocation.limited_by(i) or ""),
            style=None if met else "bold red",
        )
    return with_lines(table, below)


def verdict(allocation: Allocation) -> str:
    """Whether guarantees are met; where limits were dropped, only the guarantees by weights are."""
    tree = allocation.hierarchy
    missed = int((~allocation.met).sum())
    by = " by weight" if tree.dropped_limits else ""
    if not tree.active[0]:
        return "nothing to divide: no leaf has tasks"
    return f"{missed} guarantees{by} are NOT met" if missed else f"every guarantee{by} is met"


def dropped(tree: Hierarchy) -> list[str]:
    """The limits that the shares of `tree` ignore, below a line that says so."""
    if not tree.dropped_limits:
        return []
    number = plural(len(tree.dropped_limits), "limit")
    return [
        f"NOT in these shares: {number} of the imported queues",
        *(f"  {line}" for line in shown(tree.dropped_limits, MOST_LIMITS)),
    ]


def with_lines(table: Table, lines: list[str]) -> Group:
    """The table, and lines below it as wide as the console."""
    return Group(table, *(Text(line, style="table.caption") for line in lines if line))


def timeline_table(timeline: Timeline) -> Group:
    """Dominant share of every leaf before the first and after every event; a dash while away."""
    table = Table(title=f"Dominant shares by {timeline.method}", title_justify="left")
    table.add_column("from time")
    for path in timeline.hierarchy.paths[:MOST_LINES]:
        table.add_column(escape(path), justify="right")
    for time, allocation in zip(timeline.times, timeline.allocations, strict=True):
        there = allocation.hierarchy.tasks > 0
        table.add_row(
            f"before {time_text(timeline.times[1])}" if time == -np.inf else time_text(time),
            *(
                percent(float(share)) if is_there else NONE
                for share, is_there in zip(
                    allocation.share[:MOST_LINES], there[:MOST_LINES], strict=True
                )
            ),
        )
    more = timeline.hierarchy.leaves - MOST_LINES
    below = [f"… and {more} more leaves"] if more > 0 else []
    return with_lines(table, [*below, *dropped(timeline.hierarchy)])


def plot_timeline(timeline: Timeline, ax: Axes | None = None) -> Axes:
    """Draw the dominant shares over time as steps, one line per leaf; `ax` defaults to new axes."""
    from matplotlib.figure import Figure

    if ax is None:
        ax = Figure(figsize=(8, 4.2), layout="constrained").add_subplot()
    shares, times = timeline.shares, np.array(timeline.times)
    if times[0] == -np.inf:
        times[0] = times[1] - ((times[-1] - times[1]) or 1.0) / 20
    end = times[-1] + (times[-1] - times[0]) / 10
    there = np.stack([a.hierarchy.tasks > 0 for a in timeline.allocations])
    shown = np.sort(np.argsort(-shares.max(axis=0), kind="stable")[:MOST_LINES])
    for k, i in enumerate(shown):
        line = np.where(there[:, i], shares[:, i], np.nan)
        ax.step(
            np.append(times, end),
            np.append(line, line[-1]),
            where="post",
            label=timeline.hierarchy.paths[i],
            color=COLOURS[k % len(COLOURS)],
            linestyle=_DASHES[k // len(COLOURS) % len(_DASHES)],
            linewidth=4.5 - 3.3 * k / max(1, len(shown) - 1),  # lines that coincide stay visible
        )
    ax.set(xlabel="time", ylabel="dominant share", ylim=(0, 1.05), xlim=(times[0], end))
    ax.set_title(f"Dominant shares by {timeline.method}", loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", alpha=0.3)
    hidden = len(timeline.hierarchy.paths) - len(shown)
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        title=f"{hidden} smaller leaves not shown" if hidden > 0 else None,
    )
    return ax


def write_timeline(timeline: Timeline, path: str | Path) -> None:
    """Write a .png, .svg or .pdf file. Raises `InputError` for another suffix."""
    figure: Any = plot_timeline(timeline).figure
    write_figure(figure, path, dpi=150)
