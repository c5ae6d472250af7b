"""Standard streams that work wherever the command runs.

A stream may be closed, unable to encode a dash, or a pipe whose reader has gone away. None of that
is a reason to fail, and none changes the exit code.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import Any, TextIO

from ..core.errors import InputError

_PLAIN = {"–": "-", "—": "-", "…": "...", "≤": "<=", "≥": ">=", "·": "*", "×": "x", "−": "-"}

_closed: set[int] = set()


def open_streams() -> None:
    """Open streams that were closed at the start, and make output fit their encoding."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is taken: otherwise the next file opened would be "stdout".
            os.open(os.devnull, os.O_RDWR)
            _closed.add(number)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    codecs.register_error("slotwise", _in_plain_characters)
    sys.stdout = _patient(sys.stdout, 1, needed=True)
    sys.stderr = _patient(sys.stderr, 2, needed=False)


def _patient(stream: TextIO | None, number: int, *, needed: bool) -> TextIO:
    """The same stream, made patient if it is the process's own."""
    encoding, terminal = "utf-8", False
    if stream is not None:
        if all(stream is not own for own in (sys.__stdout__, sys.__stderr__)):
            return stream
        encoding, terminal = stream.encoding, stream.isatty()
        stream.flush()
    raw = io.BufferedWriter(_Patient(number, needed=needed))
    at_once = terminal or not needed
    return io.TextIOWrapper(raw, encoding, errors="slotwise", line_buffering=at_once)


class _Patient(io.FileIO):
    """A standard stream that fails only once, and never if it is not needed."""

    def __init__(self, number: int, *, needed: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self._needed = needed
        self._lost = False
        self.reader_has_gone = False

    def write(self, content: Any, /) -> int:
        if not self._lost:
            try:
                return super().write(content) or 0
            except OSError as error:
                self._lost = True
                self.reader_has_gone = isinstance(error, BrokenPipeError)
                if self._needed:
                    raise
        return memoryview(content).nbytes


def _in_plain_characters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    wrong = error.object[error.start : error.end]
    plain = (_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in wrong)
    return "".join(plain), error.end


def is_closed() -> bool:
    """Whether stdout was closed when the command began."""
    return 1 in _closed


def reader_has_gone() -> bool:
    """Whether stdout is a pipe without a reader."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return isinstance(raw, _Patient) and raw.reader_has_gone


def put(text: str) -> None:
    """Write to stdout, which may have no reader. Raises `InputError` if it is full."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        raise InputError(f"standard output: {error.strerror or error}") from None


def put_aside(line: str) -> None:
    """Write a line to stderr."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()
