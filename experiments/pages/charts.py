"""Charts of a page. Series differ in colour, dash and mark, so that they can be told apart without
colours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...core.errors import printable
from ...core.wording import percent
from ...reports.page import LIGHT
from ...reports.plots import MARKERS, MEANS, dodged
from .parts import chart, cut, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from ..statistics.runs import Runs

MOST_SERIES = 8
"""Series of a chart; a reader cannot tell more apart."""

DASHES = ((), (6, 3), (2, 3), (9, 3, 2, 3), (12, 4), (4, 2), (1, 3), (9, 2, 2, 2, 2, 2))
LOOK: dict[Any, Any] = {
    "font.size": 9, "svg.fonttype": "none", "text.parse_math": False, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "savefig.facecolor": "none",
    "axes.facecolor": "none", "lines.scale_dashes": False,
}  # fmt: skip
SIZE = (5.6, 3.4)

LONGEST = 12
"""Letters of a level's name on the axis; of a longer one beginning and end."""


@dataclass(frozen=True)
class Shown:
    """The methods that the charts show, with the numbers of their colours; those left out are in
    the tables only."""

    colour: dict[str, int]
    left_out: tuple[str, ...]

    @property
    def note(self) -> str:
        """What is to be said under a chart; empty if all are shown."""
        if not self.left_out:
            return ""
        return f"Only in the tables, for want of colours: {names(self.left_out, 4)}."


def shown_methods(runs: Runs, ranked: list[str]) -> Shown:
    """The methods of the charts: all, or the first of a ranking."""
    chosen = set(list(dict.fromkeys([*ranked, *runs.variants]))[:MOST_SERIES])
    kept = [name for name in runs.variants if name in chosen]
    left_out = tuple(name for name in runs.variants if name not in chosen)
    return Shown({name: k for k, name in enumerate(kept)}, left_out)


@dataclass(frozen=True)
class Series:
    """A line or a cloud: x, y, and for means half of the interval about y, NaN for none."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    colour: int
    half: Sequence[float] = ()

    @property
    def look(self) -> dict[str, Any]:
        return {
            "color": LIGHT[f"c{self.colour}"],
            "dashes": DASHES[self.colour] or (None, None),
            "marker": MARKERS[self.colour],
            "label": printable(cut(self.label)),
        }


def means_chart(
    series: Sequence[Series], levels: Sequence[str], title: str, axes: tuple[str, str],
    *, share: bool, below: str,
) -> Markup:  # fmt: skip
    """Means by level with their intervals; shares are in percent and never below 0."""
    with _axes(*axes) as ax:
        for k, each in enumerate(series):
            good = [i for i, y in enumerate(each.y) if math.isfinite(y)]
            places = dodged([each.x[i] for i in good], k, len(series))
            bars = [each.half[i] for i in good]
            ax.errorbar(places, [each.y[i] for i in good], bars, **each.look, **MEANS)
        ax.set_ylim(bottom=0 if share else min(0.0, ax.dataLim.y0))
        short = [n if len(n) <= LONGEST else f"{n[:5]}…{n[-5:]}" for n in levels]
        turned = sum(map(len, short)) > 60
        way: dict[str, Any] = {"rotation": 50, "ha": "right"} if turned else {}
        ax.set_xticks(range(len(levels)), [printable(name) for name in short], **way)
        ax.set_xlim(-0.5, len(levels) - 0.5)
        _ticks(ax.yaxis, percent if share else number)
        return _with_legend(ax, title, below)


def steps_chart(
    series: Sequence[Series], title: str, axes: tuple[str, str], end: float, below: str
) -> Markup:
    """Step functions of factors from 1 to an end, up to 1, such as performance profiles."""
    with _axes(*axes) as ax:
        for each in series:
            shown = [(x, y) for x, y in zip(each.x, each.y, strict=True) if x <= end]
            steps = [(1.0, 0.0), *shown]
            ax.plot(
                [*(x for x, _ in steps), end],
                [*(y for _, y in steps), steps[-1][1]],
                drawstyle="steps-post",
                **{**each.look, "marker": ""},
            )
        ax.set_ylim(0, 1.04)
        _log(ax, 1.0, end)
        _ticks(ax.yaxis, percent)
        return _with_legend(ax, title, below)


def cloud_chart(
    series: Sequence[Series], title: str, axes: tuple[str, str], top: float, *,
    best: Sequence[Series], below: str,
) -> Markup:  # fmt: skip
    """Shares against times, with a few marks that stand out; what is above `top` is drawn there."""
    times = [x for each in series for x in each.x]
    with _axes(*axes) as ax:
        for each in series:
            heights = [min(y, top) for y in each.y]
            # As a picture within the SVG: they may be thousands.
            dots: dict[str, Any] = {"s": 5, "alpha": 0.5, "linewidths": 0, "rasterized": True}
            ax.scatter(each.x, heights, color=LIGHT[f"c{each.colour}"], **dots)
        for each in best:
            edge: dict[str, Any] = {"markersize": 8, "markeredgecolor": "white", "clip_on": False}
            ax.plot(each.x, [min(y, top) for y in each.y], **each.look, **edge)
        ax.set_ylim(0, top)
        _log(ax, min(times) / 1.15, max(times) * 1.15)
        _ticks(ax.yaxis, percent)
        return _with_legend(ax, title, below)


def number(value: float) -> str:
    if value and not 1e-4 <= abs(value) < 1e6:
        mantissa, _, power = f"{value:.2e}".partition("e")
        return f"{float(mantissa):g}e{int(power)}"
    return f"{value:.6g}"


@contextmanager
def _axes(x: str, y: str) -> Iterator[Axes]:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(LOOK):
        axes = Figure(figsize=SIZE).add_subplot()
        axes.grid(axis="y")
        axes.set_xlabel(printable(x))
        axes.set_ylabel(printable(y))
        yield axes


def _with_legend(axes: Axes, title: str, below: str) -> Markup:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    figure: Any = axes.figure
    return chart(figure, title, below)


def _log(axes: Axes, low: float, high: float) -> None:
    from matplotlib.ticker import LogLocator, MaxNLocator

    axes.set_xscale("log")
    axes.set_xlim(low, high)
    few = high < 10 * low
    axes.xaxis.set_major_locator(MaxNLocator(4) if few else LogLocator(numticks=6))
    axes.minorticks_off()
    _ticks(axes.xaxis, number)


def _ticks(axis: Axis, text: Callable[[float], str]) -> None:
    axis.set_major_formatter(lambda value, _: text(value))
