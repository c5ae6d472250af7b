"""Gantt charts as static pictures, drawn with matplotlib."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from ....core.arrays import FloatArray
from ....core.calls import checked
from ....core.parameters import described, documented
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule
from ...plots import figure_bytes
from .colours import MOST_NAMED, ink_on, part_colour
from .layout import (
    BAR_HEIGHT,
    LOST_TINT,
    MAP_TINT,
    REDUCE_TINT,
    BoundName,
    Chart,
    LowerBound,
    Title,
    chart,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

Where = Annotated[
    Any, described("Matplotlib axes, by default those of a figure as high as the slots need.")
]
WIDTH, DPI = 12.0, 150
"""Size of a written picture: inches, pixels per inch."""
PIXEL = 1.05 * 72 / DPI
"""Slightly more than a pixel, in points: less may cover no pixel's middle."""
LABEL_SIZE = 8.0
"""Font size of labels in points."""
HATCHES, MOST_HATCHED = {"setup": "//////", "encryption": "xxxxxx"}, 1_000
"""Hatching takes a millisecond per setup and is of no use on narrow bars."""
LOST_HATCH, LOST_INK = "\\\\\\", "#868b93"
LINE = "#222222"
Box = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
"""Left and right (s), top and bottom (rows) of rectangles."""
GROUNDS = {"map": MAP_TINT, "reduce": REDUCE_TINT, "lost": LOST_TINT}
LEGEND_LINE = 0.2
"""Height of a line of the legend in inches."""
MOST_DRAWN = 5_000
"""More tasks than this are pixels within an SVG, which would have tens of megabytes else."""
MOST_LABELLED = 150
"""With more tasks than this no bar carries its task's name."""


@checked
@documented
def draw_gantt(
    instance: Instance,
    schedule: Schedule,
    ax: Where = None,
    *,
    lower_bound: LowerBound = None,
    bound_name: BoundName = "",
    title: Title = "",
) -> Axes:
    """Draw a Gantt chart with matplotlib.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; their `figure` can be saved.

    Raises
    ------
    InputError
        If the schedule cannot belong to the instance.
    """
    plan = chart(instance, schedule, lower_bound, bound_name, title)
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.figure(figsize=_size(plan), layout="constrained").add_subplot()
    return _draw(plan, ax)


def picture(plan: Chart, kind: str) -> bytes:
    """The content of a picture file: PNG, SVG or PDF."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_size(plan), dpi=DPI, layout="constrained")
    _draw(plan, figure.add_subplot())
    return figure_bytes(figure, kind, dpi=DPI, tight=True)


def _size(plan: Chart) -> tuple[float, float]:
    """Width and height in inches: room for the rows within bounds, and for the legend."""
    rows = plan.rows.bottom
    entries = len(plan.jobs_shown) + len(plan.marks) + len(_kinds(plan, False))
    lines = 0 if len(plan.colours) > MOST_NAMED else entries if entries <= 12 else entries / 2 + 1
    axes = max(1.2, LEGEND_LINE * lines, min(0.25 * rows, 6.5 + rows / 130, 14.0))
    return WIDTH, 1.5 + axes


def _draw(plan: Chart, ax: Axes) -> Axes:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    horizon = plan.horizon
    ax.set_xlim(-0.004 * horizon, 1.012 * horizon)
    ax.set_ylim(plan.rows.bottom + 0.15, -0.15)
    # Points per row and per second decide what is readable. Labels and legend are not laid out
    # yet, so the estimate leaves some room for them.
    box = ax.get_window_extent()
    to_points = 72 / ax.figure.dpi
    row_points = box.height * to_points / (plan.rows.bottom + 0.3)
    second_points = 0.9 * box.width * to_points / (1.016 * horizon)

    _bands(plan, ax)
    hatched = _bars(plan, ax, row_points, second_points)
    lines = []
    for mark in plan.marks:
        name, dashes = ("bound", (0, (5, 3))) if mark.dashed else ("makespan", "-")
        lines.append(ax.axvline(mark.time, color=LINE, linewidth=1.4, zorder=3, linestyle=dashes))
        lines[-1].set(gid=name, label=f"lower {name}" if mark.dashed else name)
    _key(plan, ax, [*_kinds(plan, hatched), *lines])
    ax.set_title(plan.title, loc="left", pad=22, fontsize=13, fontweight="bold", parse_math=False)
    ax.annotate(
        plan.summary, (0, 1), xycoords="axes fraction", xytext=(0, 6),
        textcoords="offset points", parse_math=False,
    )  # fmt: skip

    places, labels = plan.rows.ticks(row_points, LABEL_SIZE + 3)
    ax.set_yticks(places, labels, fontsize=LABEL_SIZE, parse_math=False)
    ax.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 2.5, 5, 10]))
    ax.xaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:,.10g}".replace(",", "\u202f"))
    )
    ax.tick_params(axis="x", labelsize=LABEL_SIZE + 1)
    ax.tick_params(axis="y", length=0)
    # Where jobs have a colour scale, the key stands below at the right.
    ax.set_xlabel("time (s)", loc="center" if len(plan.colours) <= MOST_NAMED else "left")
    ax.grid(axis="x", color="#c8ccd2", linewidth=0.6)
    ax.set_axisbelow(True)
    for side in ("top", "left", "right"):
        ax.spines[side].set_visible(False)
    if len(plan.bars) <= MOST_LABELLED and row_points * BAR_HEIGHT >= LABEL_SIZE + 1:
        _task_labels(plan, ax)
    return ax


def _bands(plan: Chart, ax: Axes) -> None:
    """The grounds of the rows, over the whole width."""
    bands = [*plan.rows.bands(), *((*band, 2) for band in plan.rows.lost_bands())]
    for kind, (name, tint) in enumerate(GROUNDS.items()):
        spans = [(top, bottom) for top, bottom, ground in bands if ground == kind]
        top, bottom = np.array(spans, dtype=float).reshape(-1, 2).T
        left, right = (np.full(len(top), edge) for edge in ax.get_xlim())
        box = left, right, top, bottom
        rows = _rectangles(ax, f"{name}-rows", box, [tint] * len(top), 0.0)
        rows.set_zorder(0)
        if name == "lost":
            rows.set(hatch=LOST_HATCH, edgecolor=LOST_INK)


def _bars(plan: Chart, ax: Axes, row_points: float, second_points: float) -> bool:
    """Draw setups and processing; tells whether setups are hatched besides being lighter."""
    bars = plan.bars
    setups = bars.setup[bars.setup > 0]
    hatched = row_points >= 5 and 0 < len(setups) <= MOST_HATCHED
    hatched = hatched and bool(np.median(setups) * second_points > 2)
    y = plan.rows.y[bars.row]
    height = max(BAR_HEIGHT, PIXEL / row_points)
    for name, left, right in bars.parts():
        colours = [part_colour(name, colour) for colour in plan.colours]
        # Every task has processing, be it of no length; a setup of no length is none.
        shown = np.flatnonzero((right > left) | (name == "processing"))
        width = (right - left)[shown] * second_points
        # A task too short to see is still there: above its neighbours, without a border.
        order = np.argsort(width <= 2, kind="stable")
        shown, width = shown[order], width[order]
        smooth = (width > 2) & (row_points >= 4)
        far = left[shown] + np.maximum(width, PIXEL) / second_points
        box = left[shown], far, y[shown] - height / 2, y[shown] + height / 2
        border = np.where(smooth, min(0.5, row_points / 16), 0.0)
        collection = _rectangles(ax, name, box, [colours[j] for j in bars.job[shown]], border)
        if hatched and name in HATCHES:
            collection.set_hatch(HATCHES[name])
        # What is thinner than a pixel takes a whole one: mixed with its neighbours it would have a
        # colour that is no job's. Nor may it be rounded, or rows vanish in a regular pattern.
        collection.set_antialiased(smooth.tolist())
        if row_points < 4:
            collection.set_snap(False)
        collection.set_rasterized(len(bars) > MOST_DRAWN)
    return hatched


def _rectangles(
    ax: Axes, name: str, box: Box, colours: list[str], border: FloatArray | float
) -> PolyCollection:
    from matplotlib.collections import PolyCollection

    left, right, top, bottom = box
    corners = np.stack(
        [np.stack([left, right, right, left], 1), np.stack([top, top, bottom, bottom], 1)], 2
    )
    # Hatching takes the colour of the edges.
    collection = PolyCollection(
        list(corners), facecolors=colours or "none", edgecolors="white", linewidths=border, gid=name
    )
    collection.set_zorder(2)
    ax.add_collection(collection, autolim=False)
    return collection


def _task_labels(plan: Chart, ax: Axes) -> None:
    """Each task's name, or its number, in its bar where there is room beside the marks."""
    ax.figure.canvas.figure.draw_without_rendering()  # only then is the width of the axes known
    left, right = ax.get_xlim()
    second_points = ax.get_window_extent().width * 72 / ax.figure.dpi / (right - left)
    bars = plan.bars
    for k in range(len(bars)):
        begin, end = float(bars.start[k] + bars.setup[k]), float(bars.end[k])
        edges = [begin, *sorted(m.time for m in plan.marks if begin < m.time < end), end]
        room, place = max((b - a, (a + b) / 2) for a, b in pairwise(edges))
        for text in (plan.task_label(k), str(bars.task[k])):
            if len(text) * 0.62 * LABEL_SIZE + 4 <= room * second_points:
                ax.text(
                    place, float(plan.rows.y[bars.row[k]]), text,
                    ha="center", va="center_baseline", fontsize=LABEL_SIZE, parse_math=False,
                    color=ink_on(plan.colours[bars.job[k]]), clip_on=True,
                )  # fmt: skip
                break


def _key(plan: Chart, ax: Axes, entries: list[Artist]) -> None:
    """What colours mean: a legend for a few jobs, a colour scale for many."""
    from matplotlib.patches import Patch

    columns = len(entries)
    where: dict[str, Any] = {"loc": "upper right", "bbox_to_anchor": (1, 0), "borderaxespad": 1.8}
    if len(plan.colours) <= MOST_NAMED:
        entries += [
            Patch(facecolor=plan.colours[j], label=shortened(plan.job_names[j], 16))
            for j in plan.jobs_shown
        ]
        height = ax.get_window_extent().height / ax.figure.dpi
        columns = -(-len(entries) // max(6, int(height / LEGEND_LINE)))
        where = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0}
    else:
        _colour_scale(plan, ax)
    size = LABEL_SIZE + 1
    legend = ax.legend(handles=entries, frameon=False, fontsize=size, ncols=columns, **where)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _kinds(plan: Chart, hatched: bool) -> list[Patch]:
    """What shades, patterns and grounds mean, whatever the job."""
    from matplotlib.patches import Patch

    looks: dict[str, dict[str, Any]] = {
        part: {
            "facecolor": part_colour(part, "#666666"),
            "edgecolor": None if part == "processing" else "white",
            "hatch": HATCHES.get(part) if hatched else None,
        }
        for part in plan.bars.kinds()
    }
    if plan.rows.lost.any():
        lost = {"facecolor": LOST_TINT, "edgecolor": LOST_INK, "hatch": LOST_HATCH, "linewidth": 0}
        looks["lost slot"] = lost
    ground = {"edgecolor": "#c8ccd2", "linewidth": 0.6}
    if not plan.rows.is_reduce.all():
        looks["map slots"] = {"facecolor": MAP_TINT, **ground}
    if plan.rows.is_reduce.any():
        looks["reduce slots"] = {"facecolor": REDUCE_TINT, **ground}
    return [Patch(label=name, **look) for name, look in looks.items()]


def _colour_scale(plan: Chart, ax: Axes) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    last = len(plan.colours) - 1
    scale = ScalarMappable(Normalize(0, last), ListedColormap(plan.colours))
    bar = ax.figure.colorbar(scale, ax=ax, fraction=0.02, pad=0.015, aspect=40)
    places = np.linspace(0, last, 6).round().astype(int)
    bar.set_ticks(places.tolist(), labels=[shortened(plan.job_names[j], 20) for j in places])
    bar.ax.tick_params(labelsize=LABEL_SIZE, length=2)
    for text in bar.ax.get_yticklabels():
        text.set_parse_math(False)
    bar.ax.invert_yaxis()
    bar.outline.set_visible(False)
    bar.set_label("job, in the instance's order", fontsize=LABEL_SIZE)
