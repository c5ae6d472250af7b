"""The common look of the papers' figures: means plots, box plots, and plots of values on a scale.

Lines differ in colour, style and marker, so that they can be told apart without colours. What the
paper prints is a hollow mark of the line's own form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any

from ...reports.plots import LOOKS, MARKERS, MEANS, LineStyle, dodged
from ..study.listing import spans

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CAPTION_WIDTH = 110
"""Characters of a line of the caption, on a figure of the usual width."""


@dataclass(frozen=True)
class Line:
    """A line of a plot."""

    label: str
    """In the legend."""
    values: Sequence[float]
    """One for each level, NaN for none."""
    half_widths: Sequence[float] | float | None = None
    """Half of the interval about each value: one for all, or one for each."""
    printed: Sequence[float] | None = None
    """What the paper prints for each level, NaN for nothing."""
    look: tuple[str, LineStyle] | None = None
    """Colour and style; None for those of its place."""


@dataclass(frozen=True)
class Panel:
    """One of the plots of a figure."""

    levels: Sequence[object]
    """Of the factor on the horizontal axis."""
    lines: Sequence[Line]
    """The lines, in the same order in all panels of a figure."""
    title: str = ""
    """Above the panel; empty for none."""


@dataclass(frozen=True)
class Words:
    """What is written on a figure."""

    title: str
    """What it shows."""
    x: str
    y: str
    """`x`, `y`: the axes, with their units."""
    caption: str
    """Below it: number of runs, seeds, what the bars are."""


def means_plot(
    panels: Sequence[Panel], words: Words, *, columns: int = 2, shared: bool = True
) -> Figure:
    """A plot of means: a factor on the horizontal axis, a line for each method."""
    figure, axes = _figure(len(panels), words, columns, shared=shared)
    for axis, panel in zip(axes, panels, strict=True):
        places = range(len(panel.levels))
        for k, (line, look) in enumerate(_with_looks(panel)):
            _draw_line(axis, line, dodged(places, k, len(panel.lines)), look)
        axis.set_xticks(list(places), [str(level) for level in panel.levels])
        axis.set_title(panel.title, fontsize=10)
    _legend(figure, axes[0], _any_printed(panels))
    return figure


def curves_plot(panels: Sequence[Panel], words: Words, *, scales: str = "linear linear") -> Figure:
    """A plot of lines over numbers, such as times."""
    figure, axes = _figure(len(panels), words, 2, shared=True)
    across, up = scales.split()
    for axis, panel in zip(axes, panels, strict=True):
        for line, look in _with_looks(panel):
            _draw_line(axis, line, [float(str(level)) for level in panel.levels], look)
        axis.set_xscale(across)
        axis.set_yscale(up)
        axis.set_title(panel.title, fontsize=10)
    _legend(figure, axes[0], _any_printed(panels))
    return figure


def lines_of(
    table: pd.DataFrame, by: str, names: Sequence[str], level: str, levels: Sequence[Any],
    printed: Any = None,
) -> list[Line]:  # fmt: skip
    """A line for each name in a column of a table of means, with their intervals; what is printed
    by `printed(name, level)`."""
    lines = []
    for name in names:
        rows = table[table[by] == name].set_index(level).reindex(levels)
        half = (rows["high"] - rows["mean"]).tolist()
        marks = None if printed is None else [printed(name, each) for each in levels]
        lines.append(Line(name, rows["mean"].tolist(), half, marks))
    return lines


def caption(runs: int, seeds: Sequence[int], *more: str) -> str:
    """The words below a figure.

    `*more`: further sentences, without their full stops.
    """
    which = sorted(set(seeds))
    seeds_shown = f"seed{'s' * (len(which) != 1)} {spans(which)}"
    return ". ".join([f"{runs} runs, {seeds_shown}", *more]) + "."


Look = tuple[str, LineStyle, str]


def _with_looks(panel: Panel) -> Iterator[tuple[Line, Look]]:
    for k, (line, own) in enumerate(zip(panel.lines, LOOKS, strict=False)):
        yield line, (*(line.look or own), MARKERS[k % len(MARKERS)])


def _figure(panels: int, words: Words, columns: int, *, shared: bool) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    columns = min(columns, panels)
    rows = -(-panels // columns)
    size = (max(6.5, 4.3 * columns), 1.6 + 3.2 * rows)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, sharey=shared, squeeze=False)
    axes = list(grid.flat)
    for unused in axes[panels:]:
        unused.set_axis_off()
    for k, axis in enumerate(axes[:panels]):
        axis.grid(alpha=0.3)
        if k + columns >= panels:
            axis.set_xlabel(words.x)
        if k % columns == 0:
            axis.set_ylabel(words.y)
    width = round(CAPTION_WIDTH * size[0] / 8.6)
    figure.suptitle(fill(words.title, width), fontsize=12, parse_math=False)
    figure.supxlabel(
        fill(words.caption, width), fontsize=8, color="0.25", x=0.01, ha="left", parse_math=False
    )
    return figure, axes[:panels]


def _draw_line(axis: Axes, line: Line, places: Sequence[float], look: Look) -> None:
    colour, style, marker = look
    axis.errorbar(
        places,
        line.values,
        line.half_widths,
        color=colour,
        linestyle=style,
        marker=marker,
        label=line.label,
        **MEANS,
    )
    if line.printed is not None:
        axis.plot(
            places,
            line.printed,
            linestyle="none",
            marker=marker,
            markersize=10,
            markerfacecolor="none",
            markeredgecolor=colour,
            markeredgewidth=1.2,
        )


def _any_printed(panels: Sequence[Panel]) -> bool:
    return any(line.printed is not None for panel in panels for line in panel.lines)


def _legend(figure: Figure, axis: Axes, printed: bool) -> None:
    """One legend for all panels; the hollow mark has an entry of its own."""
    from matplotlib.lines import Line2D

    handles, labels = axis.get_legend_handles_labels()
    if printed:
        hollow = Line2D(
            [], [], linestyle="none", marker="o", markersize=10,
            markerfacecolor="none", markeredgecolor="0.2",
        )  # fmt: skip
        handles, labels = [*handles, hollow], [*labels, "printed (hollow)"]
    if len(labels) > 1:
        figure.legend(handles, labels, loc="outside right center", fontsize=9)
