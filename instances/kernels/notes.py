"""What a person should know about compiling, from places that know no command."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None]) -> None:
    """From now on notes go there, and nowhere else."""
    _listeners[:] = [listener]


def progress(message: str) -> None:
    """Tell how far compiling is, if somebody listens."""
    for listener in _listeners:
        listener(message)


@cache
def warning(message: str) -> None:
    """Tell once what costs time in every run; without a listener by the logger `slotwise`."""
    if _listeners:
        progress(message)
    else:
        from logging import getLogger

        getLogger("slotwise").warning("note: %s", message)
