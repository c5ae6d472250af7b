"""Values of options that other processes must not read from this one's command line."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from pathlib import Path


def hide(*options: str) -> None:
    """Overwrite the values of these options where the system shows them, as in `ps`.

    Parameters
    ----------
    *options
        Names of options, as they are typed.
    """
    with suppress(OSError, ValueError, IndexError):  # no Linux: nothing to hide them in
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[45]), int(fields[46])
        words = ctypes.string_at(start, end - start).split(b"\0") if start else []
        names = [option.encode() for option in options]
        before = b""
        for word in words:
            name, equals, value = word.partition(b"=")
            if before in names:
                _overwrite(start, len(word))
            elif equals and name in names:
                _overwrite(start + len(word) - len(value), len(value))
            start += len(word) + 1
            before = word


def _overwrite(start: int, length: int) -> None:
    ctypes.memset(start, ord("*"), length)
