"""The clock of a search: how long is left, and who said stop."""

from __future__ import annotations

import math
from threading import Event

from .errors import InputError
from .kernels.decorators import compiling_seconds
from .stop_reason import StopReason
from .stopping_rules import TimeLimit


class Clock(TimeLimit):
    """A time limit that can be stopped.

    Parameters
    ----------
    seconds
        The limit (s), counted from when the clock is made.
    stop
        Ends it at once when it is set.
    """

    def __init__(self, seconds: float = math.inf, stop: Event | None = None) -> None:
        super().__init__(seconds)
        self._compiled = compiling_seconds()
        self.stop = Event() if stop is None else stop

    @property
    def compiling(self) -> float:
        """Seconds of the elapsed time in which kernels were compiled or loaded."""
        return compiling_seconds() - self._compiled

    def __call__(self, best: float = math.inf) -> bool:
        return self.over

    @property
    def over(self) -> bool:
        """Whether the time is up or the clock was stopped."""
        return self.stop.is_set() or self.left <= 0

    def until(self, seconds: float) -> Clock:
        """A clock with the same beginning and stop, and another limit (s)."""
        other = Clock(seconds, self.stop)
        other.began, other._compiled = self.began, self._compiled
        return other

    @property
    def reason(self) -> StopReason:
        """Why it ended, or will end."""
        return StopReason.INTERRUPTED if self.stop.is_set() else StopReason.TIME_LIMIT


def check_time_limit(seconds: float) -> None:
    """Raise `InputError` unless this can be a limit (s); infinity means none."""
    if not seconds >= 0:
        raise InputError(f"time limit: must be >= 0 seconds, got {seconds}")
