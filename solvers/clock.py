"""The clock of a search: how long is left, who said stop, and what becomes of work that looks at
none, such as compiled heuristics and the building of models: it is left behind."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Generic, TypeVar

from ..instances.errors import InputError
from ..instances.kernels.decorators import compiling_seconds
from .stop_reason import StopReason

Value = TypeVar("Value")

LOOK = 0.05
"""Seconds at most between two looks at the clock."""


class OutOfTime(BaseException):
    """The clock ran out, or somebody said stop. No `Exception`: only whoever set the clock may
    catch it."""


class Clock:
    """Runs from when it is made, for `seconds` s; `stop`, when it is set, ends it at once."""

    def __init__(self, seconds: float = math.inf, stop: Event | None = None) -> None:
        self.began = time.perf_counter()
        self._compiled = compiling_seconds()
        self.seconds = seconds
        self.stop = Event() if stop is None else stop

    @property
    def elapsed(self) -> float:
        """Seconds so far."""
        return time.perf_counter() - self.began

    @property
    def compiling(self) -> float:
        """Seconds of these that kernels were compiled or loaded."""
        return compiling_seconds() - self._compiled

    @property
    def left(self) -> float:
        """Seconds until the limit, 0 from then on; a stop does not change it."""
        return max(0.0, self.seconds - self.elapsed)

    @property
    def over(self) -> bool:
        """Whether it is time to end."""
        return self.stop.is_set() or self.elapsed >= self.seconds

    def until(self, seconds: float) -> Clock:
        """A clock with the same beginning and stop that runs until another limit."""
        other = Clock(seconds, self.stop)
        other.began, other._compiled = self.began, self._compiled
        return other

    @property
    def reason(self) -> StopReason:
        """Why it is over, or will be."""
        return StopReason.INTERRUPTED if self.stop.is_set() else StopReason.TIME_LIMIT


def check_time_limit(seconds: float) -> None:
    """Raise `InputError` unless this can be a limit; none at all is infinite."""
    if not seconds >= 0:
        raise InputError(f"time limit: must be >= 0 seconds, got {seconds}")


class BackgroundWork(Generic[Value]):
    """Work in a daemon thread of its own, begun when it is made."""

    def __init__(self, work: Callable[[], Value]) -> None:
        self._work = work
        self._values: list[Value] = []
        self._failures: list[BaseException] = []
        self._done = Event()
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._values.append(self._work())
        except BaseException as failure:
            self._failures.append(failure)
        finally:
            self._done.set()

    @property
    def done(self) -> bool:
        """Whether it has come to its end."""
        return self._done.is_set()

    def wait(self, seconds: float = LOOK) -> bool:
        """Wait so long at most; whether it is done."""
        # Not `join`: Ctrl-C within it can make a living thread look dead.
        return self._done.wait(min(seconds, LOOK))

    def value(self) -> Value:
        """What the work, which is done, returned; raises what it raised."""
        if self._failures:
            raise self._failures[0]
        return self._values[0]


def attempt(work: Callable[[], Value], clock: Clock) -> Value:
    """What `work` returns or raises, from a thread of its own.

    Raises `OutOfTime` when the clock is over first: then the work goes on unseen, to its end or the
    end of the process. Ctrl-C is answered meanwhile, if `work` lets other threads run.
    """
    begun = BackgroundWork(work)
    while not begun.wait(clock.left):
        if clock.over and not begun.done:
            raise OutOfTime
    return begun.value()
