"""When and why a search ends: how long is left, who said stop, and what is good enough."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from enum import StrEnum
from threading import Event

from .errors import InputError
from .kernels.decorators import compiling_seconds


class StopReason(StrEnum):
    """Why a method or a solver ended, in words. What it found is told by schedule and bound."""

    GAP_CLOSED = "gap closed"
    COMPLETED = "completed"
    PROGRAMS_SOLVED = "linear programs solved"
    INFEASIBLE = "no solution exists"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"
    NOT_APPLICABLE = "not applicable"
    GAVE_UP = "solver gave up"
    STILL_RUNNING = "still running"


class Clock:
    """Says when a search has to end: at a limit, at a stop, or when a makespan is good enough.

    `seconds`: the limit (s), counted from when the clock is made.
    `stop`: ends it at once when it is set.
    `target`: a makespan (s) that is good enough, such as a lower bound; 0 if none is.
    `iterations`: number of iterations, which the search counts itself, in compiled code.
    `asked`: ends it when it returns true.
    """

    def __init__(
        self,
        seconds: float = math.inf,
        stop: Event | None = None,
        *,
        target: float = 0.0,
        iterations: int | None = None,
        asked: Callable[[], bool] = lambda: False,
    ) -> None:
        self.began, self.seconds = time.perf_counter(), seconds
        self._compiled = compiling_seconds()
        self.stop = Event() if stop is None else stop
        self.target, self.iterations, self.asked = target, iterations, asked

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self.began

    @property
    def left(self) -> float:
        """Seconds until the limit, 0 from then on."""
        return max(0.0, self.seconds - self.elapsed)

    @property
    def compiling(self) -> float:
        """Seconds of the elapsed time in which kernels were compiled or loaded."""
        return compiling_seconds() - self._compiled

    @property
    def over(self) -> bool:
        """Whether the time is up or the clock was stopped."""
        return self.stop.is_set() or self.left <= 0

    def __call__(self, best: float = math.inf) -> bool:
        """Whether to end now; `best` is the shortest makespan (s) so far, infinite if unknown."""
        return self.over or best <= self.target or self.asked()

    def until(
        self, seconds: float, *, target: float = 0.0, asked: Callable[[], bool] = lambda: False
    ) -> Clock:
        """A clock with the same beginning and stop, and another limit (s)."""
        other = Clock(seconds, self.stop, target=target, asked=asked)
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
