"""Notices for the user from code that knows no command: compiling, plug-ins that fail."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None]) -> None:
    """Send all further notices to a listener."""
    _listeners[:] = [listener]


def progress(message: str) -> None:
    """Tell the listener, if there is one, how far something is."""
    for listener in _listeners:
        listener(message)


@cache
def warning(message: str) -> None:
    """Warn once; without a listener the logger `slotwise` does."""
    if _listeners:
        progress(message)
    else:
        from logging import getLogger

        getLogger("slotwise").warning("note: %s", message)
