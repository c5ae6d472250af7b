"""Ctrl-C and SIGTERM, which mean the same on the command line.

As long as a command has nothing to keep, the handler itself ends the process: libraries lose the
`KeyboardInterrupt` that comes while they are imported or run. A command that has something to keep
says so by `held`.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

from ...core.files.outputs import remove_temporary

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130

LOOK = 0.25
"""Seconds after which Python looks for a signal that it has not seen, whatever the process waits
for: one that comes just before a read or a write begins does not interrupt it."""

AGAIN = 0.3
"""Seconds within which a second signal counts as the first: a key held down, or a signal to both a
process group and its member."""


def listen() -> None:
    """Answer both signals from now on; only for the process of a command line."""
    _handle(_end)
    signal.signal(signal.SIGALRM, lambda _number, _frame: None)
    signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
    sys.unraisablehook = _tell_unraisable


class Signals:
    """What the signals do; at first they interrupt, as usual.

    The second one, if it comes later than `AGAIN`, ends the process.
    """

    def __init__(self) -> None:
        self.came = False
        self._first = 0.0
        self._before: dict[signal.Signals, Any] = {}

    def hold(self, action: Callable[[], None] = lambda: None) -> None:
        """The first signal calls `action` and interrupts nothing."""

        def answer(number: int, frame: FrameType | None) -> None:
            now = time.monotonic()
            if not self.came:
                self.came, self._first = True, now
            elif now - self._first > AGAIN:
                _end(number, frame)
            action()

        if threading.current_thread() is threading.main_thread():
            for number, before in _handle(answer).items():
                self._before.setdefault(number, before)

    def hold_if_came(self) -> None:
        """After a signal what is kept is shown whatever comes; without one nothing is kept."""
        if self.came:
            self.hold()
        else:
            self.release()

    def interrupt(self) -> None:
        """The first signal raises `KeyboardInterrupt`; whoever catches it has something to show."""
        self.hold(_interrupt)

    def release(self) -> None:
        """There is nothing to keep again."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()


@contextmanager
def held() -> Iterator[Signals]:
    """For a command that shows what it has when a signal comes, and has shown it at the end."""
    signals = Signals()
    try:
        yield signals
    finally:
        signals.release()
    answered()


def answered() -> None:
    """Mark that the command has ended or failed; only its report is left."""
    if any(signal.getsignal(number) is _end for number in SIGNALS):
        Signals().hold()


def leave(code: int) -> NoReturn:
    """End the process with this code, now.

    Abandoned work may still run, and freeing the memory of a large instance would take a second.
    """
    answered()
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        remove_temporary()
        os._exit(code)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    """End the process, whatever is being imported or run."""
    remove_temporary()
    with suppress(OSError):
        if "--json" in sys.argv and not _has_shown_document():
            os.write(1, b'{"error": "interrupted", "exit_code": %d}\n' % INTERRUPTED)
    with suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\r\x1b[K\x1b[?25h")  # a live line may be there, without a cursor
        os.write(2, b"slotwise: interrupted\n")
    os._exit(INTERRUPTED)


def _interrupt() -> NoReturn:
    raise KeyboardInterrupt


def _has_shown_document() -> bool:
    # Not imported here: it may be half imported when the signal comes.
    asked = getattr(sys.modules.get("slotwise.commands.running"), "running", None)
    return asked is not None and asked().has_shown_document


def _handle(handler: Callable[[int, FrameType | None], None]) -> dict[signal.Signals, Any]:
    """Install a handler and return the previous ones.

    Signals that the parent process ignored stay ignored.
    """
    heard = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    return {number: signal.signal(number, handler) for number in heard}


def _tell_unraisable(what: Any) -> None:
    """Ignore an interruption within a finalizer, where nothing can catch it."""
    if not isinstance(what.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(what)
