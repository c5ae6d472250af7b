"""Rows of a plot: bars with names at their left and words at their right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..plots import BLUE

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def fresh_axes(ax: Axes | None, rows: int) -> Axes:
    """The axes that are given, or new ones with room for so many rows.

    `ax`: axes, or None.
    """
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.figure(figsize=size_of(rows), layout="constrained").add_subplot()


def size_of(rows: int) -> tuple[float, float]:
    """Width and height, in inches, of a figure with so many rows."""
    return 8.0, 1.4 + 0.28 * max(3, rows)


def bars(rows: Sequence[tuple[str, Any]], ax: Axes | None, what: str, label: str = "") -> Axes:
    """Draw horizontal bars, the first at the top.

    `ax`: where to; by default a new figure.
    """
    ax = fresh_axes(ax, len(rows))
    ax.barh(range(len(rows)), [value for _, value in rows], color=BLUE, label=label or None)
    name_rows(ax, [name for name, _ in rows])
    ax.set_xlabel(what)
    return ax


def name_rows(ax: Axes, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), list(names), parse_math=False)
    ax.set_ylim(max(len(names), 1) - 0.5, -0.5)
    ax.spines[["top", "right"]].set_visible(False)


def write_beside(ax: Axes, x: float, row: int, text: str) -> None:
    """Write words right of the end of a bar.

    `x`: where the bar ends.
    """
    ax.annotate(
        text,
        (x, row),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize="small",
        parse_math=False,
    )


def make_room_right(ax: Axes, part: float) -> None:
    """Make the horizontal axis longer, for words."""
    left, right = ax.get_xlim()
    ax.set_xlim(left, right + part * (right - left))
