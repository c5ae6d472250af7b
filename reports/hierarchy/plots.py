"""Plots of fair shares: of a moment, and over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...core.wording import percent
from ...heuristics.hierarchy.timeline import Timeline
from ...instances.hierarchy.allocation import Allocation
from ...instances.hierarchy.hierarchy import Hierarchy
from ..plots import COLOURS, MOST_BARS, ORANGE, axes_for, bars, write_beside
from .fair_shares import MOST_LINES, verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..plots import Where

_DASHES = ("-", (0, (5, 2)))


def draw_hierarchy(tree: Hierarchy, ax: Where) -> Axes:
    shown = np.sort(np.argsort(-tree.guarantee, kind="stable")[:MOST_BARS])
    shares = {"": tree.guarantee[shown].tolist()}
    return bars(ax, [tree.paths[i] for i in shown], shares, "guaranteed share", tree.name)


def draw_allocation(allocation: Allocation, ax: Where) -> Axes:
    tree = allocation.hierarchy
    shown = np.sort(np.argsort(-allocation.share, kind="stable")[:MOST_BARS]).tolist()
    shares, guarantee = allocation.share[shown].tolist(), allocation.guarantee[shown]
    title = f"Fair shares by {allocation.method}: {verdict(allocation)}"
    ax = bars(ax, [tree.paths[i] for i in shown], {"": shares}, "dominant share", title)
    rows = range(len(shown))
    ax.scatter(guarantee, rows, label="guarantee", marker="|", s=120, color=ORANGE, zorder=3)
    ax.legend(frameon=False)
    limits = [f", limited by {limit}" if (limit := allocation.limited_by(i)) else "" for i in shown]
    words = [f"{percent(share)}{limit}" for share, limit in zip(shares, limits, strict=True)]
    write_beside(ax, np.maximum(shares, guarantee).tolist(), words, 0.35)
    return ax


def draw_timeline(timeline: Timeline, ax: Where) -> Axes:
    """Dominant shares over time ([MCH], Figure 4) of the leaves with the largest ones, as steps."""
    ax = axes_for(ax, 10)
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
