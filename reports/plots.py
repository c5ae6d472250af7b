"""How lines of matplotlib plots look, and figures as files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.files.outputs import check_ending, write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import ErrorbarContainer
    from matplotlib.figure import Figure


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

STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)))

LineStyle = str | tuple[int, tuple[int, ...]]

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

_NO_DATES: dict[str, dict[str, None]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "ModDate": None},
}
"""What matplotlib would write that differs from one time or machine to the next."""


def line_styles() -> Iterator[tuple[str, LineStyle]]:
    """Colours and styles of lines, all pairs different as long as there are any."""
    for shift in range(len(STYLES)):
        for i, colour in enumerate(COLOURS):
            yield colour, STYLES[(i + shift) % len(STYLES)]


def policy_styles(policies: Iterable[str]) -> list[tuple[str, LineStyle]]:
    """Colours and styles of policies: each its own, a policy that is there again other styles.

    `policies`: names. Those that are none of slotwise's share black, in different styles.
    """
    taken: list[tuple[str, LineStyle]] = []
    for name in policies:
        colour, first = OF_POLICY.get(name, ("#000000", "-"))
        styles: list[LineStyle] = [first, *STYLES]
        free = [style for style in styles if (colour, style) not in taken]
        taken.append((colour, free[0] if free else first))
    return taken


def dodged(places: Sequence[float], line: int, lines: int) -> list[float]:
    """Where a line of several has its marks, a little beside the levels."""
    return [place + DODGE * (line - (lines - 1) / 2) for place in places]


def draw_means(
    axes: Axes,
    places: Sequence[float],
    means: Sequence[float],
    half_widths: Sequence[float] | float | None,
    **look: Any,
) -> ErrorbarContainer:
    """Draw a line of means with their intervals.

    `look`: what `Axes.errorbar` takes: colour, line style, marker, label.
    """
    return axes.errorbar(
        places, means, yerr=half_widths, markersize=5, linewidth=1.4, capsize=3, **look
    )


def write_figure(figure: Figure, path: str | Path, *, dpi: int) -> None:
    """Write a figure as the suffix of the path says. Raises `InputError` for an unknown one."""
    kind = check_ending(path, PLOT, "a plot")[1:]
    write_bytes(path, figure_bytes(figure, kind, dpi=dpi))


def figure_bytes(
    figure: Figure, kind: str, salt: str = "slotwise", dpi: int = 72, *, tight: bool = False
) -> bytes:
    """A figure as PNG, SVG or PDF, the same bytes each time.

    `salt`: what sets the ids of an SVG apart from those of others in one page.
    `tight`: whether to cut off, or add, what its artists do not, or do, take.
    """
    from matplotlib import rc_context

    stream = io.BytesIO()
    with rc_context({"svg.hashsalt": salt}):
        figure.savefig(
            stream,
            format=kind,
            dpi=dpi,
            metadata=_NO_DATES[kind],
            bbox_inches="tight" if tight else None,
        )
    return stream.getvalue()
