"""Work in a thread of its own, so that Ctrl-C and the clock are answered meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import Event, Thread
from typing import Generic, TypeVar

from ..instances.arrays import IntArray
from .stopping_rules import StoppingRule

Value = TypeVar("Value")

LOOK = 0.05
"""Seconds at most between two looks at the clock."""


class OutOfTime(BaseException):
    """The time is up, or somebody said stop. No `Exception`: only whoever set the limit may catch
    it."""


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

    @property
    def failed(self) -> bool:
        """Whether it ended by raising something."""
        return bool(self._failures)

    def wait(self, seconds: float = math.inf) -> bool:
        """Wait so long, `LOOK` s at most; whether it is done."""
        # Not `join`: Ctrl-C within it can make a living thread look dead.
        return self._done.wait(min(seconds, LOOK))

    def value(self) -> Value:
        """What the work, which is done, returned; raises what it raised."""
        if self._failures:
            raise self._failures[0]
        return self._values[0]


def attempt(work: Callable[[], Value], stop: StoppingRule) -> Value:
    """What `work` returns or raises, from a thread of its own.

    Raises `OutOfTime` when the rule says stop first: then the work goes on unseen, to its end or
    the end of the process. Ctrl-C is answered meanwhile, if `work` lets other threads run.
    """
    begun = BackgroundWork(work)
    while not begun.wait(stop.left):
        if stop() and not begun.done:
            raise OutOfTime
    return begun.value()


def interruptible(
    kernel: Callable[[], object],
    flag: IntArray,
    stop: StoppingRule | None = None,
    watch: Callable[[], None] | None = None,
) -> bool:
    """Run a compiled kernel that releases the GIL until it returns; False if Ctrl-C ended it.

    When `stop` says so, or on Ctrl-C, `flag[0]` becomes 1, at which the kernel has to return soon.
    `watch` is called some twenty times a second meanwhile. What the kernel raises is raised here.
    """
    rule = StoppingRule() if stop is None else stop
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
