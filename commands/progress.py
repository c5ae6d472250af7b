"""A line on a terminal that says what a command is doing, while it does it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from ..core.notices import watched
from ..core.wording import percent
from ..solvers.progress import Progress, ProgressCallback
from .running import running


@contextmanager
def live_progress() -> Iterator[ProgressCallback | None]:
    """A line on a terminal's stderr: what is being done; a search's incumbent, bound and gap.

    None where nobody sees it.
    """
    if running().hidden or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from ..solvers.mapreduce.result import relative_gap

    began, said = perf_counter(), ""

    def read(what: str, share: float | None) -> None:
        nonlocal said
        said = what if share is None else f"{what}   {share:.0%}"

    def searched(step: Progress) -> None:
        nonlocal said
        parts = [step.doing] if step.doing else []
        if step.incumbent is not None:
            parts.append(f"incumbent {step.incumbent:.6g} s")
            if step.bound is not None:
                gap = percent(relative_gap(step.incumbent, step.bound))
                parts += [f"bound {step.bound:.6g} s", f"gap {gap}", "(Ctrl-C keeps the best)"]
        said = "   ".join(parts)

    def shown() -> Text:
        return Text(f"{perf_counter() - began:7.1f} s   {said}" if said else "")

    console = Console(stderr=True)
    with watched(read), Live(console=console, transient=True, get_renderable=shown):
        yield searched
