"""What a person should know, from places that know no command: compiling, plug-ins that fail."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None]) -> None:
    """From now on notes go there, and nowhere else."""
    _listeners[:] = [listener]


def progress(message: str) -> None:
    """Tell how far something is, if somebody listens."""
    for listener in _listeners:
        listener(message)


@cache
def warning(message: str) -> None:
    """Tell once; without a listener by the logger `slotwise`."""
    if _listeners:
        progress(message)
    else:
        from logging import getLogger

        getLogger("slotwise").warning("note: %s", message)
