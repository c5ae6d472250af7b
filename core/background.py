"""Work in a background thread, so that Ctrl-C and the clock are answered meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Thread
from typing import Generic, TypeVar

from .arrays import IntArray
from .clock import Clock

Value = TypeVar("Value")

LOOK = 0.05
"""Most seconds between two looks at the clock."""


class OutOfTime(BaseException):
    """The time is up, or the search was stopped.

    It is no `Exception`: only the code that set the limit may catch it.
    """


class BackgroundWork(Generic[Value]):
    """Work in a daemon thread of its own, begun when it is made."""

    def __init__(self, work: Callable[[], Value]) -> None:
        self._future: Future[Value] = Future()
        Thread(target=self._run, args=(work,), name="slotwise work", daemon=True).start()

    def _run(self, work: Callable[[], Value]) -> None:
        try:
            self._future.set_result(work())
        except BaseException as failure:
            self._future.set_exception(failure)

    @property
    def done(self) -> bool:
        return self._future.done()

    @property
    def failed(self) -> bool:
        return self.done and self._future.exception() is not None

    def wait(self, seconds: float = math.inf) -> bool:
        """Wait at most so many seconds, and at most `LOOK` s; return whether the work has ended."""
        # Not `join`: Ctrl-C within it can make a living thread look dead.
        wait([self._future], min(seconds, LOOK))
        return self.done

    def value(self) -> Value:
        """What the work returned; raises what it raised. The work must have ended."""
        return self._future.result()


def attempt(work: Callable[[], Value], stop: Clock) -> Value:
    """Do work in a background thread and return its value.

    Raises `OutOfTime` when `stop` says so; the work then goes on in the background.
    """
    begun = BackgroundWork(work)
    while not begun.wait(stop.left):
        if stop() and not begun.done:
            raise OutOfTime
    return begun.value()


def interruptible(
    kernel: Callable[[], object],
    flag: IntArray,
    stop: Clock | None = None,
    watch: Callable[[], None] | None = None,
) -> bool:
    """Run a compiled kernel that releases the GIL (Python's global lock) until it returns.

    `flag`: `flag[0]` becomes 1 at the stop or on Ctrl-C; then the kernel has to return soon.
    `stop`: when to end.
    `watch`: called about twenty times a second meanwhile.
    Returns false if Ctrl-C ended it.
    """
    rule = Clock() if stop is None else stop
    work: BackgroundWork[object] | None = None
    finished = True
    try:
        work = BackgroundWork(kernel)
        while not work.done and not rule():
            work.wait(rule.left)
            if watch is not None:
                watch()
    except KeyboardInterrupt:
        finished = False
    flag[0] = 1
    if work is not None:
        while not work.wait():
            pass
        work.value()
    return finished
