"""Tables and the like as plain text."""

from __future__ import annotations

import re
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table

from ..core.errors import printable

_NUMBER = re.compile(r"^\D*\d+")


def rendered(view: RenderableType) -> str:
    """A table or the like as text, whatever characters its names have."""
    terminal = Console(emoji=False)
    with terminal.capture() as captured:
        terminal.print(_Printable(with_points_aligned(view)))
    return captured.get()


class _Printable:
    """A renderable whose text has no control characters."""

    def __init__(self, view: RenderableType) -> None:
        self.view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.view, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text, keep="\n"), segment.style)


def with_points_aligned(view: Any) -> Any:
    """The view, in whose tables the figures of a right-justified column stand at their points."""
    if isinstance(view, Group):
        return Group(*map(with_points_aligned, view.renderables))
    if isinstance(view, Table):
        for column in view.columns:
            if column.justify == "right":
                cells = column._cells
                behind = [_behind(cell) for cell in cells]
                most = max((n for n in behind if n is not None), default=0)
                cells[:] = [
                    cell if n is None or n == most else Padding(cell, (0, most - n, 0, 0))
                    for cell, n in zip(cells, behind, strict=True)
                ]
    return view


def _behind(cell: Any) -> int | None:
    """Characters after the whole digits of a figure; None of what is none."""
    if not isinstance(cell, str) or not cell:
        return None
    number = _NUMBER.match(cell)
    return len(cell) - number.end() if number else 0
