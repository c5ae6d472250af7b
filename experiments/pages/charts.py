"""Charts of a page: drawn by matplotlib as SVG whose colours follow the page, light or dark.

Series differ in colour, dash and mark, so that they can be told apart without colours.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from ...core.errors import printable
from ...core.wording import SPACE, percent
from ...reports.page import LIGHT
from ...reports.plots import MARKERS, MEANS, dodged, figure_bytes
from .kept import kept
from .markup import Markup, cut, safe

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

MOST_SERIES = 8
"""Series of a chart; a reader cannot tell more apart."""

WIDTH, AXES_HEIGHT = 420, 200
LEFT, RIGHT, ABOVE, BELOW, TURNED = 62, 12, 28, 42, 98
"""Pixels of a chart, of its axes and around them, the last where names of levels are turned."""
WHISKER = 158
"""Pixels of the chart of a mean in a table."""
LETTER, TURNED_LETTER = 8.0, 16.0
"""Pixels that a letter takes, at the most; and a turned one, height and slant."""

DASHES = ((), (6, 3), (2, 3), (9, 3, 2, 3), (12, 4), (4, 2), (1, 3), (9, 2, 2, 2, 2, 2))
FEW = 200
"""Up to this many dots of a series are larger."""

SVG, LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
SERIES = "series-"
"""Begin of the ids of what belongs to a series, before its number."""

COLOURS = {light: f"var(--{name})" for name, light in LIGHT.items()}
LOOK: dict[Any, Any] = {
    "font.size": 12, "axes.labelcolor": LIGHT["ink"], "text.color": LIGHT["ink"],
    "axes.edgecolor": LIGHT["soft"], "xtick.color": LIGHT["soft"], "ytick.color": LIGHT["soft"],
    "grid.color": LIGHT["line"], "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": "none",
    "axes.facecolor": "none", "savefig.facecolor": "none", "lines.scale_dashes": False,
    "path.simplify": False, "svg.fonttype": "none",
    "text.parse_math": False,
}  # fmt: skip


@dataclass(frozen=True)
class Point:
    """A point of a series: half of the interval about y, and what a pointer over it shows."""

    x: float
    y: float
    half: float = float("nan")
    said: str = ""


@dataclass(frozen=True)
class Series:
    """A line or a cloud of a chart.

    `colour` is its number among the methods, so that it looks the same in all charts.
    """

    label: str
    points: Sequence[Point]
    colour: int


@dataclass(frozen=True)
class Words:
    """What is written on a chart: above it, at its axes with units, and under it."""

    title: str
    x: str
    y: str
    below: str = ""


def means_chart(
    series: Sequence[Series], levels: Sequence[str], words: Words, *, share: bool
) -> Markup:
    step = (WIDTH - LEFT - RIGHT) / len(levels)
    turned = max(map(len, levels)) * LETTER > step

    def draw(axes: Axes) -> None:
        for k, each in enumerate(series):
            points = _finite(each)
            bars = axes.errorbar(
                dodged([point.x for point in points], k, len(series)),
                [point.y for point in points],
                [point.half for point in points],
                **_look(each),
                **MEANS,
            )
            for part in bars.get_children():
                part.set_gid(f"{SERIES}{each.colour}-bars")
            bars[0].set_gid(f"{SERIES}{each.colour}")
        # A gap below 0 is none, however wide the interval.
        axes.set_ylim(bottom=0 if share else min(0.0, axes.dataLim.y0))
        # The end of a name tells it apart as often as its beginning.
        short = [f"{n[:4]}…{n[-5:]}" if turned and len(n) > 10 else n for n in levels]
        names = [_printed(name) for name in short]
        way: dict[str, Any] = (
            {"rotation": 50, "ha": "right", "rotation_mode": "anchor"} if turned else {}
        )
        every = math.ceil(TURNED_LETTER / step) if turned else 1
        axes.set_xticks(range(0, len(levels), every), names[::every], **way)
        axes.set_xlim(-0.5, len(levels) - 0.5)
        _ticks(axes.yaxis, percent if share else number)

    return _figure(series, words, draw, told=series, below=TURNED if turned else BELOW)


def steps_chart(series: Sequence[Series], words: Words, end: float) -> Markup:
    """Step functions of factors from 1 to an end, up to 1, such as performance profiles."""

    def draw(axes: Axes) -> None:
        axes.set_ylim(0, 1.04)
        _log_axis(axes, 1.0, end)
        for each in series:
            shown = [(point.x, point.y) for point in each.points if point.x <= end]
            steps = [(1.0, 0.0), *_apart(axes, shown, 1.0)]
            (line,) = axes.plot(
                [*(x for x, _ in steps), end],
                [*(y for _, y in steps), steps[-1][1]],
                drawstyle="steps-post",
                **{**_look(each), "marker": ""},
            )
            line.set_gid(f"{SERIES}{each.colour}")
        _ticks(axes.yaxis, percent)

    return _figure(series, words, draw)


def cloud_chart(
    series: Sequence[Series], words: Words, top: float, *, best: Sequence[Series] = ()
) -> Markup:
    """Shares against times, many of which may fall together, with a few that stand out.

    `top`: where the vertical axis ends; what is above is drawn there.
    """
    times = [point.x for each in series for point in each.points]

    def draw(axes: Axes) -> None:
        axes.set_ylim(0, top)
        _log_axis(axes, min(times) / 1.15, max(times) * 1.15)
        for each in series:
            # Lines of no length with round ends are dots, a tenth as long as marks.
            dots = _apart(axes, [(p.x, min(p.y, top)) for p in each.points], 0.5)
            (line,) = axes.plot(
                [x for at, _ in dots for x in (at, at, math.nan)],
                [y for _, at in dots for y in (at, at, math.nan)],
                color=LIGHT[f"c{each.colour}"],
                solid_capstyle="round",
                linewidth=3.4 if len(dots) > FEW else 5,
                alpha=0.5 if len(dots) > FEW else 0.65,
            )
            line.set_gid(f"{SERIES}{each.colour}-dots")
        for each in best:
            ends = [min(point.y, top) for point in each.points]
            edge: dict[str, Any] = {
                "markersize": 9,
                "markeredgecolor": LIGHT["paper"],
                "clip_on": False,
            }
            (line,) = axes.plot([p.x for p in each.points], ends, **_look(each), **edge)
            line.set_gid(f"{SERIES}{each.colour}")
        _ticks(axes.yaxis, percent)

    return _figure(series, words, draw, told=best)


def whisker(value: float, half: float, end: float, said: str) -> Markup:
    """A mean with its interval, as a cell of a table.

    `half`: half of its interval, NaN for none.
    `end`: the right end of the axis, which begins at 0.
    """
    if not math.isfinite(value):
        return Markup("")
    wide = WHISKER - 8

    def at(number: float) -> float:
        return 2 + wide * min(max(number / end, 0.0), 1.0)

    bar = ""
    if math.isfinite(half):
        left, right = at(value - half), at(value + half)
        bar = f'<path class="bar" d="M{left:.1f} 8H{right:.1f}M{left:.1f} 4v8M{right:.1f} 4v8"/>'
    return Markup(
        f'<svg class="whisker" viewBox="0 0 {WHISKER} 16" width="{WHISKER}" height="16" '
        f'role="img" aria-label="{safe(said)}"><title>{safe(said)}</title>'
        f'<path class="axis" d="M2 15.5h{wide}M2 0v16"/>{bar}'
        f'<circle class="mark" cx="{at(value):.1f}" cy="8" r="3.5"/></svg>'
    )


def number(value: float) -> str:
    if value and not 1e-4 <= abs(value) < 1e6:
        mantissa, _, power = f"{value:.2e}".partition("e")
        return f"{float(mantissa):g}e{int(power)}"
    return f"{value:.6g}"


def _look(series: Series) -> dict[str, Any]:
    return {
        "color": LIGHT[f"c{series.colour}"],
        "dashes": DASHES[series.colour] or (None, None),
        "marker": MARKERS[series.colour],
    }


def _finite(series: Series) -> list[Point]:
    return [point for point in series.points if math.isfinite(point.y)]


def _apart(
    axes: Axes, places: list[tuple[float, float]], pixels: float
) -> list[tuple[float, float]]:
    """Places, of those closer to each other than some pixels one."""
    cells = np.round(axes.transData.transform(np.reshape(places, (-1, 2))) / pixels)
    return list(dict(zip(map(tuple, cells.tolist()), places, strict=True)).values())


def _log_axis(axes: Axes, low: float, high: float) -> None:
    from matplotlib.ticker import LogLocator, MaxNLocator

    axes.set_xscale("log")
    axes.set_xlim(low, high)
    few = high < 10 * low
    axes.xaxis.set_major_locator(MaxNLocator(4) if few else LogLocator(numticks=6))
    axes.minorticks_off()
    _ticks(axes.xaxis, number)


def _ticks(axis: Axis, text: Callable[[float], str]) -> None:
    axis.set_major_formatter(lambda value, _: text(value))


def _figure(
    series: Sequence[Series],
    words: Words,
    draw: Callable[[Axes], None],
    *,
    told: Sequence[Series] = (),
    below: float = BELOW,
) -> Markup:
    """The chart with its title, a key that hides a series on a click, and words below.

    `told`: series whose marks say something.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    high = ABOVE + AXES_HEIGHT + below
    with rc_context(LOOK), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # the browser has other fonts
        figure = Figure(figsize=(WIDTH / 72, high / 72))
        place = (LEFT / WIDTH, below / high, 1 - (LEFT + RIGHT) / WIDTH, AXES_HEIGHT / high)
        axes = figure.add_axes(place)
        axes.grid(axis="y")
        axes.set_xlabel(_printed(words.x))
        figure.text(4 / WIDTH, 1 - 16 / high, _printed(words.y))
        draw(axes)
        drawn = figure_bytes(figure, "svg", words.title)
        keep = kept()
        if keep is not None:
            keep.figure(words.title, _with_legend(figure, series))
    keys = "".join(
        f'<button type="button" class="key s{each.colour}" data-series="{each.colour}" '
        f'aria-pressed="true">{_sample(each)}{safe(cut(each.label))}</button>'
        for each in series
    )
    under = f"<p>{safe(words.below)}</p>" if words.below else ""
    return Markup(
        f"<figure><figcaption>{safe(words.title)}</figcaption>{_inline(drawn, words, told)}"
        f'<div class="keys">{keys}</div>{under}</figure>'
    )


def _with_legend(figure: Figure, series: Sequence[Series]) -> Figure:
    """The figure with what the page's key says."""
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], label=_printed(cut(one.label)), **_look(one)) for one in series]
    columns = 3 if max((len(one.label) for one in series), default=0) < 12 else 2
    figure.legend(
        handles=lines,
        loc="upper center",
        bbox_to_anchor=(0.5, 0.02),
        ncols=columns,
        frameon=False,
        fontsize=10,
    )
    return figure


def _inline(drawn: bytes, words: Words, told: Sequence[Series]) -> str:
    """An SVG of matplotlib as an element of the page, in the page's colours."""
    ElementTree.register_namespace("", SVG)
    root = ElementTree.fromstring(drawn)
    for part in root.findall(f"{{{SVG}}}metadata"):
        root.remove(part)
    said = {f"{SERIES}{each.colour}": [point.said for point in _finite(each)] for each in told}
    for group in root.iter(f"{{{SVG}}}g"):
        name = group.attrib.pop("id", "")
        if name.startswith(SERIES):
            group.set("data-series", name.split("-")[1])
        for mark, text in zip(group.iter(f"{{{SVG}}}use"), said.get(name, ()), strict=False):
            ElementTree.SubElement(mark, f"{{{SVG}}}title").text = _printed(text)
    for path in root.iter(f"{{{SVG}}}path"):
        rounded = re.sub(r"(\.\d)\d+", r"\1", " ".join(path.get("d", "").split()))
        path.set("d", re.sub(r"M (\S+ \S+) L \1", r"M\1h0", rounded))
    for mark in root.iter(f"{{{SVG}}}use"):
        mark.set("href", mark.attrib.pop(LINK))  # the name that HTML knows
    for name in ("width", "height", "version"):
        del root.attrib[name]
    for name, value in {"class": "chart", "role": "img", "aria-label": words.title}.items():
        root.set(name, _printed(value))
    text = ElementTree.tostring(root, "unicode")
    return re.sub("#[0-9a-f]{6}", lambda match: COLOURS.get(match[0], match[0]), text)


def _sample(series: Series) -> str:
    from matplotlib.markers import MarkerStyle

    style = MarkerStyle(MARKERS[series.colour]).scaled(7)
    (outline,) = style.get_path().transformed(style.get_transform()).to_polygons()
    points = " ".join(f"{15 + x:.1f},{6 - y:.1f}" for x, y in np.array(outline).tolist())
    dashes = " ".join(map(str, DASHES[series.colour]))
    return (
        '<svg viewBox="0 0 30 12" width="30" height="12" aria-hidden="true">'
        f'<path class="line" d="M1 6H29" stroke-dasharray="{dashes}"/>'
        f'<polygon class="mark" points="{points}"/></svg>'
    )


def _printed(text: str) -> str:
    return printable(text, keep=SPACE)
