"""Tables and the like as plain text."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from ..core.errors import printable
from ..reports.decimals import with_points_aligned


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
