"""What code that knows no command tells the user: progress, compiling, plug-ins that fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

_listeners: list[Callable[[str], None]] = []

Watcher = Callable[[str, float | None], None]
"""Takes what is being done and how much of it is done, from 0 to 1, None where nobody knows."""

_watchers: list[Watcher] = []


def listen(listener: Callable[[str], None]) -> None:
    _listeners[:] = [listener]


def progress(message: str) -> None:
    """Tell the listener, if there is one, how far something is."""
    for listener in _listeners:
        listener(message)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Within it, the steps of readers and importers are told to a watcher."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def step(what: str, share: float | None = None) -> None:
    """Tell who watches what is being done, and how much of it is done."""
    for watcher in _watchers:
        watcher(what, share)


@cache
def warning(message: str) -> None:
    """Warn once; without a listener the logger `slotwise` does."""
    if _listeners:
        progress(message)
    else:
        from logging import getLogger

        getLogger("slotwise").warning("note: %s", message)
