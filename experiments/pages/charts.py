"""Charts as SVG: their colours follow the page, light or dark, and they need no script to be read.

Series differ in colour, dash and mark, so that they can be told apart without colours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ...instances.wording import percent
from .axes import Axis, number
from .markup import Markup, cut, joined, safe

MOST_SERIES = 8
"""Series of a chart; a reader cannot tell more apart."""

WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 468, 30, 252
DODGE = 8.0
"""Pixels between marks of neighbouring series on one level."""

DASHES = ("", "6 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 3", "9 2 2 2 2 2")
FEW = 200
"""Up to this many dots of a series are larger."""
LETTER = 10.0
"""Pixels that a letter takes, at the largest size of a chart's text."""


@dataclass(frozen=True)
class Point:
    """A point of a series.

    Parameters
    ----------
    x, y
        Where it is.
    half
        Half of the interval about y, NaN for none.
    said
        What a pointer over it shows.
    """

    x: float
    y: float
    half: float = float("nan")
    said: str = ""


@dataclass(frozen=True)
class Series:
    """A line or a cloud of a chart.

    Parameters
    ----------
    label
        In the legend.
    points
        Its points; those that are not finite leave a hole in a line.
    colour
        Its number among the methods, so that it looks the same in all charts.
    """

    label: str
    points: Sequence[Point]
    colour: int


@dataclass(frozen=True)
class Words:
    """What is written on a chart.

    Parameters
    ----------
    title
        Above it.
    x, y
        Its axes, with units.
    below
        Under it.
    """

    title: str
    x: str
    y: str
    below: str = ""


def means_chart(
    series: Sequence[Series], levels: Sequence[str], words: Words, y: Axis, *, share: bool
) -> Markup:
    """Means over the levels of a factor, with their intervals."""
    step = (RIGHT - LEFT) / max(len(levels), 1)
    drawn = []
    apart = min(DODGE, 0.6 * step / max(len(series), 1))
    for k, one in enumerate(series):
        first = LEFT + step / 2 + (k - (len(series) - 1) / 2) * apart
        drawn.append(_group(one, _line_of_means(one, first, step, y)))
    ticks = _levels_below(levels, step)
    return _figure(series, [_frame(words, y, share), ticks, *drawn], words, turned=_turned(levels))


def steps_chart(series: Sequence[Series], words: Words, x: Axis) -> Markup:
    """Step functions from 0 to 1, such as performance profiles."""
    y = Axis(0.0, 1.04, BOTTOM, TOP)
    drawn = []
    for one in series:
        path = [f"M{LEFT:g} {BOTTOM:g}"]
        last = -math.inf
        for point in one.points:
            if point.x > x.high:
                break
            at = x(point.x)
            # Steps closer than the eye can tell are one.
            if at - last >= 0.5 or not last >= 0:
                path.append(f"H{at:.1f}")
                last = at
            path.append(f"V{y(point.y):.1f}")
        path.append(f"H{RIGHT:g}")
        drawn.append(_group(one, [f'<path class="line" d="{"".join(path)}"/>']))
    parts = [_frame(words, y, True), _below(x, number), *drawn]
    return _figure(series, parts, words)


def cloud_chart(
    series: Sequence[Series], words: Words, x: Axis, y: Axis, *, best: Sequence[Series] = ()
) -> Markup:
    """Points, many of which may fall together, with a few that stand out."""
    drawn = []
    for one in series:
        # A path with dots is a tenth as long as circles; points on one half pixel are one dot.
        dots = dict.fromkeys((round(2 * x(p.x)) / 2, round(2 * y(p.y)) / 2) for p in one.points)
        path = "".join(f"M{a:g} {b:g}h0" for a, b in dots)
        marks = [_mark(x(p.x), y(p.y), p, one.colour) for s in best if s.colour == one.colour
                 for p in s.points]  # fmt: skip
        kind = "dots" if len(dots) > FEW else "dots few"
        drawn.append(_group(one, [f'<path class="{kind}" d="{path}"/>', *marks]))
    return _figure(series, [_frame(words, y, True), _below(x, number), *drawn], words)


def whisker(value: float, half: float, axis: Axis, said: str) -> Markup:
    """A mean with its interval, as a cell of a table.

    `half`: half of its interval, NaN for none.
    `axis`: from 0 to its right end, in pixels.
    """
    if not math.isfinite(value):
        return Markup("")
    at = axis(value)
    bar = ""
    if math.isfinite(half):
        left, right = axis(value - half), axis(value + half)
        bar = f'<path class="bar" d="M{left:.1f} 8H{right:.1f}M{left:.1f} 4v8M{right:.1f} 4v8"/>'
    wide = axis.last + 6
    return Markup(
        f'<svg class="whisker s0" viewBox="0 0 {wide:g} 16" width="{wide:g}" height="16" '
        f'role="img" aria-label="{safe(said)}"><title>{safe(said)}</title>'
        f'<path class="axis" d="M{axis.first:g} 15.5H{axis.last:g}M{axis.first:g} 0v16"/>{bar}'
        f'<circle class="mark" cx="{at:.1f}" cy="8" r="3.5"/></svg>'
    )


def _figure(
    series: Sequence[Series], parts: Iterable[str], words: Words, *, turned: bool = False
) -> Markup:
    height = HEIGHT + (60 if turned else 0)
    keys = [
        f'<button type="button" class="key s{one.colour}" data-series="{one.colour}" '
        f'aria-pressed="true"><svg viewBox="0 0 30 12" width="30" height="12" aria-hidden="true">'
        f'<path class="line" d="M1 6H29"{_dash(one.colour)}/>{_shape(15, 6, one.colour)}</svg>'
        f"{safe(cut(one.label))}</button>"
        for one in series
    ]
    below = f"<p>{safe(words.below)}</p>" if words.below else ""
    return Markup(
        f"<figure><figcaption>{safe(words.title)}</figcaption>"
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{safe(words.title)}">{joined(parts)}'
        f'<text class="name" x="{(LEFT + RIGHT) / 2:g}" y="{height - 6}" text-anchor="middle">'
        f"{safe(words.x)}</text></svg>"
        f'<div class="keys">{"".join(keys)}</div>{below}</figure>'
    )


def _frame(words: Words, y: Axis, share: bool) -> str:
    """The vertical axis with its grid and name."""
    parts = [f'<text class="name" x="4" y="16">{safe(words.y)}</text>']
    for tick in y.ticks(6):
        at = y(tick)
        label = percent(tick) if share else number(tick)
        parts.append(
            f'<path class="grid" d="M{LEFT} {at:.1f}H{RIGHT}"/>'
            f'<text x="{LEFT - 5}" y="{at + 4:.1f}" text-anchor="end">{label}</text>'
        )
    parts.append(f'<path class="axis" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>')
    return "".join(parts)


def _below(x: Axis, text: Callable[[float], str]) -> str:
    """The ticks of a horizontal axis; those that would run into another are left out."""
    parts: list[str] = []
    free = -math.inf
    for tick in x.ticks():
        at, label = x(tick), text(tick)
        wide = LETTER * len(label) / 2
        parts.append(f'<path class="axis" d="M{at:.1f} {BOTTOM}v4"/>')
        if at - wide > free and at + wide < WIDTH:
            parts.append(
                f'<text x="{at:.1f}" y="{BOTTOM + 22}" text-anchor="middle">{label}</text>'
            )
            free = at + wide + 2
    return "".join(parts)


def _turned(levels: Sequence[str]) -> bool:
    """Whether the levels have no room beside each other."""
    step = (RIGHT - LEFT) / max(len(levels), 1)
    return max(map(len, levels), default=0) * LETTER > step


def _levels_below(levels: Sequence[str], step: float) -> str:
    parts = []
    turned = _turned(levels)
    every = math.ceil(14 / step) if turned else 1
    for k, level in enumerate(levels):
        at = LEFT + (k + 0.5) * step
        parts.append(f'<path class="axis" d="M{at:.1f} {BOTTOM}v4"/>')
        if k % every:
            continue
        where = (
            f'transform="translate({at + 4:.1f} {BOTTOM + 14}) rotate(-50)" text-anchor="end"'
            if turned
            else f'x="{at:.1f}" y="{BOTTOM + 22}" text-anchor="middle"'
        )
        # The end of a name tells it apart as often as its beginning.
        text = level if len(level) <= 10 or not turned else f"{level[:4]}…{level[-5:]}"
        parts.append(f"<text {where}>{safe(text)}</text>")
    return "".join(parts)


def _group(one: Series, parts: Iterable[str]) -> str:
    dash = _dash(one.colour)
    return f'<g class="s{one.colour}" data-series="{one.colour}"{dash}>{"".join(parts)}</g>'


def _line_of_means(one: Series, first: float, step: float, y: Axis) -> list[str]:
    path, bars, marks = [], [], []
    pen = "M"
    for point in one.points:
        if not math.isfinite(point.y):
            pen = "M"
            continue
        at, high = first + step * point.x, y(point.y)
        path.append(f"{pen}{at:.1f} {high:.1f}")
        pen = "L"
        if math.isfinite(point.half):
            top, bottom = y(point.y + point.half), y(point.y - point.half)
            bars.append(f"M{at:.1f} {top:.1f}V{bottom:.1f}m-3 0h6M{at - 3:.1f} {top:.1f}h6")
        marks.append(_mark(at, high, point, one.colour))
    return [
        f'<path class="line" d="{"".join(path)}"/>',
        f'<path class="bar" d="{"".join(bars)}"/>',
        *marks,
    ]


def _mark(x: float, y: float, point: Point, colour: int) -> str:
    return f"<g>{_shape(x, y, colour)}<title>{safe(point.said)}</title></g>"


def _dash(colour: int) -> str:
    dash = DASHES[colour % MOST_SERIES]
    return f' stroke-dasharray="{dash}"' if dash else ""


def _shape(x: float, y: float, colour: int) -> str:
    """The mark of a series: eight forms."""
    at = f"M{x:.1f} {y:.1f}"
    forms = (
        f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="3.8"/>',
        f'<path class="mark" d="{at}m-3.4-3.4h6.8v6.8h-6.8z"/>',
        f'<path class="mark" d="{at}m0-4.6l4.4 7.8h-8.8z"/>',
        f'<path class="mark" d="{at}m0-4.8l4.4 4.8l-4.4 4.8l-4.4-4.8z"/>',
        f'<path class="mark" d="{at}m0 4.6l4.4-7.8h-8.8z"/>',
        f'<path class="mark" d="{at}m-1.5-4.4h3v2.9h2.9v3h-2.9v2.9h-3v-2.9h-2.9v-3h2.9z"/>',
        f'<path class="mark" d="{at}m-4.6-1.8h9.2v3.6h-9.2z"/>',
        f'<path class="mark" d="{at}m-1.8-4.6h3.6v9.2h-3.6z"/>',
    )
    return forms[colour % MOST_SERIES]
