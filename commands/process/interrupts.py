"""Ctrl-C and SIGTERM, which mean the same on the command line and are answered at any moment.

As long as a command has nothing to keep, a signal ends the process at once, from a thread: Python
answers signals only between two of its own steps, and libraries lose the `KeyboardInterrupt` that
comes while they are imported or run. A command that has something to keep says so by `held`.
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

from ...core.files import temporaries

SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130

AGAIN = 0.3
"""Seconds within which a second signal counts as the first: a key held down, or a signal to both a
process group and its member."""

_keeping = threading.Event()
_codes: list[int] = []

Handler = Callable[[int, FrameType | None], None]


def listen() -> None:
    """Answer both signals from now on; only for the process of a command line."""
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        return
    _handle(_do_nothing)
    sys.unraisablehook = _tell_unraisable
    here, there = _pipe()
    os.set_blocking(there, False)
    signal.set_wakeup_fd(there, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(here,), daemon=True).start()


class Signals:
    """What the signals do; at first they interrupt, as usual."""

    def __init__(self) -> None:
        self.came = False
        self._before: dict[signal.Signals, Any] = {}

    def hold(self, action: Callable[[], None] = lambda: None) -> None:
        """The first signal calls `action` and interrupts nothing; the second ends the process."""

        def remember(_number: int, _frame: FrameType | None) -> None:
            self.came = True
            action()

        self._answer(remember)

    def hold_if_came(self) -> None:
        """After a signal what is kept is shown whatever comes; without one nothing is kept."""
        if self.came:
            self.hold()
        else:
            self.release()

    def interrupt(self) -> None:
        """The first signal raises `KeyboardInterrupt`; the second ends the process.

        Whoever catches the exception has something to show.
        """

        def remember(_number: int, _frame: FrameType | None) -> None:
            self.came = True
            raise KeyboardInterrupt

        self._answer(remember)

    def release(self) -> None:
        """There is nothing to keep again."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
        _keeping.clear()

    def _answer(self, handler: Handler) -> None:
        if threading.current_thread() is threading.main_thread():
            _keeping.set()
            for number, before in _handle(handler).items():
                self._before.setdefault(number, before)


@contextmanager
def held() -> Iterator[Signals]:
    """For a command that shows what it has when a signal comes, and has shown it at the end."""
    signals = Signals()
    try:
        yield signals
    except BaseException:
        signals.release()
        raise
    signals.release()
    _keeping.set()


def answered() -> None:
    """Mark that the command has ended or failed; only its report is left."""
    if threading.current_thread() is threading.main_thread() and _is_listening():
        _handle(_do_nothing)
        _keeping.set()


def leave(code: int) -> NoReturn:
    """End the process with this code, now.

    Abandoned work may still run, and freeing the memory of a large instance would take a second.
    """
    _codes.append(code)
    answered()
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        temporaries.remove_all()
        os._exit(code)


def end() -> NoReturn:
    """End the process from any thread, whatever the main thread is doing."""
    temporaries.remove_all()
    if _codes:
        os._exit(_codes[0])
    with suppress(OSError):
        if "--json" in sys.argv and not _has_shown_document():
            os.write(1, b'{"error": "interrupted", "exit_code": %d}\n' % INTERRUPTED)
    with suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\r\x1b[K\x1b[?25h")  # a live line may be there, without a cursor
        os.write(2, b"slotwise: interrupted\n")
    os._exit(INTERRUPTED)


def _pipe() -> list[int]:
    """Both ends of a pipe, with numbers that no standard stream has, even a closed one."""
    import fcntl

    ends = os.pipe()
    moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends]
    for end in ends:
        os.close(end)
    return moved


def _has_shown_document() -> bool:
    # Not imported here: this thread must not wait for what the main thread imports.
    asked = getattr(sys.modules.get("slotwise.commands.console"), "has_shown_document", None)
    return asked is not None and asked()


def _handle(handler: Handler) -> dict[signal.Signals, Any]:
    """Install a handler and return the previous ones.

    Signals that the parent process ignored stay ignored.
    """
    heard = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    return {number: signal.signal(number, handler) for number in heard}


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """The thread that watches does the work."""


def _is_listening() -> bool:
    return any(signal.getsignal(number) == _do_nothing for number in SIGNALS)


def _watch(pipe: int) -> None:
    first = None
    while True:
        numbers = os.read(pipe, 1)
        if numbers and numbers[0] in SIGNALS:
            now = time.monotonic()
            if not _keeping.is_set() or (first is not None and now - first > AGAIN):
                end()
            first = now if first is None else first


def _tell_unraisable(what: Any) -> None:
    """Ignore an interruption within a finalizer, where nothing can catch it."""
    if not isinstance(what.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(what)
