"""Ctrl-C and SIGTERM, which mean the same on the command line: answered at any moment.

Python raises `KeyboardInterrupt` in the main thread, but only between two steps of its own: not
while a library's code runs, and some libraries lose it. So a thread watches, and ends a process
that has not ended by itself soon.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130

GRACE = 1.0
"""Seconds in which a command that has nothing to keep may end by itself."""

AGAIN = 0.3
"""Seconds within which a second signal is the same one: a key held down, a group and its member."""

_keeping = threading.Event()
_told = threading.Event()


def listen() -> None:
    """Answer both signals from now on; for the process of a command line only."""
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    here, there = os.pipe()
    os.set_blocking(there, False)
    signal.set_wakeup_fd(there, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(here,), daemon=True).start()


class Signals:
    """What the signals do: at first they interrupt, as usual."""

    def __init__(self) -> None:
        self.came = False
        self._before: dict[signal.Signals, Any] = {}

    def hold(self, action: Callable[[], None] = lambda: None) -> None:
        """From now on the first one calls `action` and interrupts nothing; the second ends all."""

        def remember(_number: int, _frame: FrameType | None) -> None:
            self.came = True
            action()

        if threading.current_thread() is threading.main_thread():
            _keeping.set()
            for number in SIGNALS:
                handler = signal.signal(number, remember)
                self._before.setdefault(number, handler)

    def release(self) -> None:
        """From now on they interrupt again."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
        _keeping.clear()


@contextmanager
def held() -> Iterator[Signals]:
    """For a command that shows what it has when a signal comes."""
    signals = Signals()
    try:
        yield signals
    finally:
        signals.release()


def answered() -> None:
    """The command has ended: whatever comes now has been told already."""
    _told.set()


def leave(code: int) -> NoReturn:
    """End the process with this code, now, even if work that was left behind still runs."""
    from ..solvers.clock import left_behind

    answered()
    if left_behind():
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
    sys.exit(code)


def _watch(pipe: int) -> None:
    first = None
    while True:
        numbers = os.read(pipe, 1)
        if numbers and numbers[0] in SIGNALS:
            now = time.monotonic()
            if first is not None and now - first > AGAIN:
                _end()
            if first is None:
                first = now
                threading.Thread(target=_end_soon, daemon=True).start()


def _end_soon() -> None:
    if not _keeping.is_set():
        time.sleep(GRACE)
        if not _keeping.is_set():
            _end()


def _end() -> NoReturn:
    """End the process from a thread, whatever the main thread is doing."""
    if not _told.is_set():
        if "--json" in sys.argv:
            os.write(1, json.dumps({"error": "interrupted", "exit_code": INTERRUPTED}).encode())
            os.write(1, b"\n")
        if os.isatty(2):
            os.write(2, b"\r\x1b[K\x1b[?25h")  # a live line may be there, without a cursor
        os.write(2, b"slotwise: interrupted\n")
    os._exit(INTERRUPTED)
