"""Fair shares for people: tables, of a moment and over time."""

from __future__ import annotations

import numpy as np
from rich.console import Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ...core.wording import NONE, percent, plural
from ...heuristics.hierarchy.timeline import Timeline
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.events import time_text
from ...instances.hierarchy.hierarchy import Hierarchy
from ...instances.hierarchy.nodes import shown

MOST_ROWS = 60
"""Most leaves that a table shows; it tells how many more there are."""

MOST_LIMITS = 10
"""Most limits of imported queues that a verdict names one by one."""

MOST_LINES = 12
"""Most leaves that are shown over time."""


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
    table.add_column("leaf", overflow="fold")
    for name in ("tasks", "dominant share", "guarantee"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("met")
    table.add_column("limited by", overflow="fold")
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
    """Dominant shares before the first event, and after every event those that are others.

    A dash stands for a leaf that is away.
    """
    table = Table(title=f"Dominant shares by {timeline.method}", title_justify="left")
    table.add_column("from time", no_wrap=True)
    table.add_column("leaf", overflow="fold")
    table.add_column("dominant share", justify="right", no_wrap=True)
    paths, before = timeline.hierarchy.paths[:MOST_LINES], [""] * MOST_LINES
    for time, allocation in zip(timeline.times, timeline.allocations, strict=True):
        now = [
            percent(float(share)) if tasks > 0 else NONE
            for share, tasks in zip(allocation.share, allocation.hierarchy.tasks, strict=True)
        ][:MOST_LINES]
        dated = f"before {time_text(timeline.times[1])}" if time == -np.inf else time_text(time)
        others = [row for row in zip(paths, now, before, strict=False) if row[1] != row[2]]
        for path, share, _ in others or [("no change", "", "")]:
            table.add_row(dated, escape(path), share)
            dated = ""
        table.add_section()
        before = now
    more = timeline.hierarchy.leaves - MOST_LINES
    below = [f"… and {more} more leaves"] if more > 0 else []
    return with_lines(table, [*below, *dropped(timeline.hierarchy)])
