"""Ctrl-C and SIGTERM, which mean the same on the command line.

The first one ends the process at once, for libraries lose the `KeyboardInterrupt` that comes while
they are imported or run. A command that has something to keep says what the first one does instead;
a second one ends the process all the same.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn

from ..core.files.outputs import remove_temporary

INTERRUPTED = 130

LOOK = 0.25
"""Seconds after which Python looks for a signal that it has not seen, whatever the process waits
for: one that comes just before a read or a write begins does not interrupt it."""

AGAIN = 0.3
"""Seconds within which a second signal counts as the first: a key held down, or a signal to both a
process group and its member."""

_action: Callable[[], object] | None = None
"""What the first signal does; None: it ends the process."""

_first: float | None = None
"""When it came."""


def listen() -> None:
    """Answer both signals from now on; those that the caller ignores stay ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _answer)
    signal.signal(signal.SIGALRM, lambda _number, _frame: None)
    signal.setitimer(signal.ITIMER_REAL, LOOK, LOOK)
    sys.unraisablehook = _tell_unraisable


def hold(action: Callable[[], object] = lambda: None) -> None:
    """The first signal does this, by default nothing, and interrupts nothing."""
    global _action
    _action = action


def interrupt() -> None:
    """The first signal raises `KeyboardInterrupt`; whoever catches it has something to show."""
    hold(_interrupt)


def release() -> None:
    """Nothing is kept any more; if a signal came, what is kept is shown whatever comes."""
    global _action
    if _first is None:
        _action = None


def held() -> bool:
    """Whether the command has something to keep."""
    return _action is not None


def came() -> bool:
    """Whether the first signal has come, and has been told to the command."""
    return _first is not None


def leave(code: int) -> NoReturn:
    """End the process with this code, now.

    Abandoned work may still run, and freeing the memory of a large instance would take a second.
    """
    hold()
    atexit._run_exitfuncs()
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        remove_temporary()
        os._exit(code)


def _answer(_number: int, _frame: FrameType | None) -> None:
    global _first
    now = time.monotonic()
    if _action is None or (_first is not None and now - _first > AGAIN):
        _end()
    if _first is None:
        _first = now
        _action()


def _interrupt() -> NoReturn:
    raise KeyboardInterrupt


def _end() -> NoReturn:
    """End the process, whatever is being imported or run."""
    remove_temporary()
    # Not imported here: it may be half imported when the signal comes.
    asked = getattr(sys.modules.get("slotwise.commands.running"), "running", None)
    with suppress(OSError):
        if "--json" in sys.argv and not (asked and asked().has_shown_document):
            os.write(1, b'{"error": "interrupted", "exit_code": %d}\n' % INTERRUPTED)
    with suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\r\x1b[K\x1b[?25h")  # a live line may be there, without a cursor
        os.write(2, b"slotwise: interrupted\n")
    os._exit(INTERRUPTED)


def _tell_unraisable(what: Any) -> None:
    """Ignore an interruption within a finalizer, where nothing can catch it."""
    if not isinstance(what.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(what)
