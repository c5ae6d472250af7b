"""How far a campaign is: a bar on a terminal, elsewhere a line a minute."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .campaign import State

LINE = 60.0
"""Seconds between two lines where there is no terminal."""

Show = Callable[[State], None]


@contextmanager
def shown(*, hidden: bool = False) -> Iterator[Show | None]:
    """What `Options.on_progress` takes, on standard error.

    Yields called with each state.
    """
    if hidden or sys.stderr is None:
        yield None
    elif sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _Lines()


def told(state: State, *, clock: bool = True) -> str:
    """A state in one line: runs, failed, runs a second, elapsed, left.

    `clock`: whether the time that has elapsed is part of it.
    """
    rate = state.fresh / state.elapsed if state.elapsed > 0 else 0.0
    left = "" if state.left is None else f", {_clock(state.left)} left"
    elapsed = f", {_clock(state.elapsed)} elapsed" if clock else ""
    runs = f"{state.ended} of {state.runs} runs, {state.failed} failed, {rate:.1f} runs/s"
    return runs + elapsed + left


class _Lines:
    """A line a minute."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, state: State) -> None:
        if time.monotonic() - self._last >= LINE:
            self._last = time.monotonic()
            print(told(state), file=sys.stderr, flush=True)


@contextmanager
def _bar() -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    # The clock goes on while no run ends.
    columns = (TimeElapsedColumn(), BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting the workers", total=None)

        def show(state: State) -> None:
            bar.update(
                task, description=told(state, clock=False), total=state.runs, completed=state.ended
            )

        yield show


def _clock(seconds: float) -> str:
    """Hours, minutes and seconds, as 1:02:03 or 2:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
