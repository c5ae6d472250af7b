"""How far a campaign is: a bar on a terminal, elsewhere a line a minute."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LINE = 60.0
"""Seconds between two lines where there is no terminal."""


@dataclass(frozen=True)
class State:
    """How far a campaign is."""

    runs: int
    ended: int
    failed: int
    """`runs`, `ended`, `failed`: runs of the study, those that have ended, in this session or
    before, and those of them that failed."""
    fresh: int
    """Runs that ended in this session."""
    elapsed: float
    """Seconds since the session began."""
    left: float | None
    """Seconds until all have ended, None as long as nobody knows."""


@contextmanager
def shown(*, hidden: bool = False) -> Iterator[Callable[[State], None] | None]:
    """What `Options.on_progress` takes, on standard error."""
    if hidden or sys.stderr is None:
        yield None
        return
    if not sys.stderr.isatty():
        last = time.monotonic()

        def show_line(state: State) -> None:
            nonlocal last
            if time.monotonic() - last >= LINE:
                last = time.monotonic()
                print(told(state), file=sys.stderr, flush=True)

        yield show_line
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    # The clock goes on while no run ends.
    columns = (TimeElapsedColumn(), BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting the workers", total=None)

        def show(state: State) -> None:
            words = told(state, clock=False)
            bar.update(task, description=words, total=state.runs, completed=state.ended)

        yield show


def told(state: State, *, clock: bool = True) -> str:
    """A state in one line: runs, failed, runs a second, elapsed, left.

    `clock`: whether the time that has elapsed is part of it.
    """
    rate = state.fresh / state.elapsed if state.elapsed > 0 else 0.0
    left = "" if state.left is None else f", {_clock(state.left)} left"
    elapsed = f", {_clock(state.elapsed)} elapsed" if clock else ""
    runs = f"{state.ended} of {state.runs} runs, {state.failed} failed, {rate:.1f} runs/s"
    return runs + elapsed + left


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds, as 1:02:03 or 2:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
