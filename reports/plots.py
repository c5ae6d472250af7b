"""`slotwise.plot`, how plots look, and figures as files."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.calls import checked
from ..core.files.outputs import check_ending, write_bytes
from ..instances.views import view
from .kinds import of_kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Where = Axes | Figure | None
    """Axes, an empty figure that becomes as high as need be, or None for a new one."""

GANTT = (".html", ".png", ".svg", ".pdf")
PLOT = (".png", ".svg", ".pdf")
TABLE = (".csv", ".tex", ".parquet")
"""Suffixes of pictures and tables in files; the first one is the default."""

BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"
COLOURS = (BLUE, ORANGE, GREEN, "#cc79a7", "#e69f00", "#56b4e9")
"""Of lines in plots: told apart by the colour-blind as well."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DODGE = 0.06
"""Levels by which neighbouring lines are set apart, so that their bars do not hide each other."""
MEANS: dict[str, Any] = {"markersize": 5.0, "linewidth": 1.4, "capsize": 3.0}
"""How `Axes.errorbar` draws means with their intervals."""

LineStyle = str | tuple[int, tuple[int, ...]]
STYLES: tuple[LineStyle, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))
LOOKS = [
    (colour, STYLES[(i + shift) % len(STYLES)])
    for shift in range(len(STYLES))
    for i, colour in enumerate(COLOURS)
]
"""Colours and styles of lines, all pairs different."""

OF_POLICY: dict[str, tuple[str, LineStyle]] = {
    "lotes": (BLUE, "-"),
    "lotes-unrestricted": ("#56b4e9", "--"),
    "bid-price": (ORANGE, "-"),
    "greedy": ("#8c8c8c", "-"),
    "tetris": (GREEN, "-"),
    "first-fit": ("#cc79a7", "--"),
    "best-fit": ("#e69f00", "-"),
    "bf-js": ("#7a4a1e", "--"),
    "fgd": ("#5e3c99", "-."),
}
"""Colour and style of each dispatching policy, the same in all pictures."""

MOST_BARS = 40
"""Bars of one plot; of more, the largest."""

DRAWN_BY = {
    "Result": "reports.mapreduce.plots:draw_result",
    "Comparison": "reports.mapreduce.plots:draw_comparison",
    "Instance": "reports.mapreduce.plots:draw_instance",
    "Allocation": "reports.hierarchy.plots:draw_allocation",
    "Hierarchy": "reports.hierarchy.plots:draw_hierarchy",
    "Timeline": "reports.hierarchy.plots:draw_timeline",
    "Guidance": "reports.datacenter.guidance:draw_guidance",
    "Simulation": "reports.datacenter.simulation_plots:draw_simulation",
}
"""The functions of a thing of each class and of `Where` to draw it."""


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
    axes: Axes = view(of_kind("plot", thing, DRAWN_BY))(thing, ax)
    return axes


def axes_for(ax: Where, rows: int) -> Axes:
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


def bars(
    ax: Where, names: Sequence[str], series: Mapping[str, Sequence[float]], what: str, title: str
) -> Axes:
    """Draw horizontal bars, the first at the top, those of several series end to end."""
    ax = axes_for(ax, len(names))
    ends = [0.0] * len(names)
    for (label, values), colour in zip(series.items(), cycle(COLOURS), strict=False):
        ax.barh(range(len(names)), values, left=ends, color=colour, label=label or None)
        ends = [end + value for end, value in zip(ends, values, strict=True)]
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xlabel(what, loc="left")
    ax.set_title(title, loc="left", parse_math=False)
    return ax


def write_beside(ax: Axes, ends: Sequence[float], words: Sequence[str], room: float) -> None:
    """Write words right of the ends of bars, for which the axis becomes longer by a part `room`."""
    for row, end in enumerate(ends):
        ax.annotate(
            words[row],
            (end, row),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
            parse_math=False,
        )
    left, right = ax.get_xlim()
    ax.set_xlim(left, right + room * (right - left))


def policy_styles(policies: Iterable[str]) -> list[tuple[str, LineStyle]]:
    """Colours and styles of policies: each its own, a policy that is there again other styles.

    Those that are none of slotwise's share black.
    """
    taken: list[tuple[str, LineStyle]] = []
    for name in policies:
        colour, first = OF_POLICY.get(name, ("#000000", "-"))
        looks = [(colour, style) for style in (first, *STYLES)]
        taken.append(next((look for look in looks if look not in taken), looks[0]))
    return taken


def dodged(places: Sequence[float], line: int, lines: int) -> list[float]:
    """Where a line of several has its marks, a little beside the levels."""
    return [place + DODGE * (line - (lines - 1) / 2) for place in places]


def drawn(draw: Callable[..., object], *what: Any) -> Figure:
    """The figure of a function of `what` and of `Where` to draw it."""
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    draw(*what, figure)
    return figure


def write_plot(path: str | Path, draw: Callable[..., object], *what: Any) -> None:
    """Write what `draw` draws of `what`, see `write_figure`."""
    write_figure(drawn(draw, *what), path)


def write_figure(figure: Figure, path: str | Path, *, dpi: int = 130) -> None:
    """Write a figure as the suffix of the path says. Raises `InputError` for an unknown one."""
    kind = check_ending(path, PLOT, "a plot")[1:]
    write_bytes(path, figure_bytes(figure, kind, dpi=dpi))


def figure_bytes(
    figure: Figure, kind: str, salt: str = "slotwise", dpi: int = 72, *, tight: bool = False
) -> bytes:
    """A figure as PNG, SVG or PDF, the same bytes at any time and on any machine.

    `salt`: what sets the ids of an SVG apart from those of others in one page.
    `tight`: whether to cut off, or add, what its artists do not, or do, take.
    """
    from matplotlib import rc_context

    dates = {"png": ["Software"], "svg": ["Date"], "pdf": ["CreationDate", "ModDate"]}
    metadata: dict[str, Any] = dict.fromkeys(dates[kind])
    stream = io.BytesIO()
    with rc_context({"svg.hashsalt": salt}):
        box = "tight" if tight else None
        figure.savefig(stream, format=kind, dpi=dpi, metadata=metadata, bbox_inches=box)
    return stream.getvalue()
