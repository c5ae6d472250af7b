"""Bytes in: files, pipes and stdin, gzip recognised by its content, within a limit.

The length of an input is checked before it is handed out. A file is read only if its text fits the
limit. A pipe, whose length is unknown, is collected in memory under a lower limit.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import IO

from ..errors import InputError
from ..notices import step
from .examples import find, instead_of, is_example, open_example

STANDARD = "-"
"""The path that means stdin for an input and stdout for an output."""

MOST_BYTES = 2_000_000_000
"""Longest text of a file, after decompression."""

MOST_STREAMED = 200_000_000
"""Longest content of a pipe; it stays in memory until its end is known."""

MOST_EXPANSION = 200
"""Text longer than `UNSUSPECTED` may be at most this many times as long as its gzip."""
UNSUSPECTED = 64_000_000
"""Longer text that gzip has shrunk by more than `MOST_EXPANSION` was made to fill memory.

Files of the formats here shrink 3 to 80 times; deflate itself reaches 1 032."""

MOST_DEPTH = 100
"""Deepest nesting of YAML and XML; scheduler files have some ten levels."""

MOST_VALUES = 1_000_000
"""Most values of a YAML or elements of an XML file."""

LONGEST_LINE = 16_000_000

VARIABLE = "SLOTWISE_MAX_INPUT"

Readable = IO[bytes] | gzip.GzipFile

_CHUNK = 1 << 20
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kMGT]?)B?", re.IGNORECASE)
_FACTOR = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def read_bytes(path: str | Path) -> bytes:
    """Read a file, pipe or stdin (`-`), decompressed if it is gzip. Raises `InputError`."""
    with opened(path) as stream:
        content = io.BytesIO()
        while chunk := stream.read(_CHUNK):
            content.write(chunk)
        return content.getvalue()


def read_text(path: str | Path) -> str:
    """Read a file, pipe or stdin (`-`) as UTF-8 text. Raises `InputError`."""
    return decoded(read_bytes(path), path)


def decoded(content: bytes, path: str | Path) -> str:
    """Decode the content of a file as text, without a byte order mark.

    Raises `InputError` if it is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start})") from None


def text_lines(path: str | Path) -> Iterator[str]:
    """Lines of UTF-8 text with their ends, one by one. Raises `InputError`."""
    with opened(path) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        number = 0
        try:
            while line := text.readline(LONGEST_LINE):
                number += 1
                if len(line) == LONGEST_LINE and not line.endswith("\n"):
                    raise InputError(
                        f"{path}: line {number}: more than {LONGEST_LINE:,} characters"
                    )
                yield line
        except UnicodeDecodeError:
            raise InputError(f"{path}: not UTF-8 text (after line {number})") from None


@contextmanager
def opened(path: str | Path) -> Iterator[IO[bytes]]:
    """The decompressed bytes of an input that fits the limit.

    Raises `InputError` if it does not fit, and for errors while it is read.
    """
    with named_errors(path), raw_input(path) as raw:
        source = raw if _is_file(raw) else _gathered(raw, path)
        begin = source.tell()
        zipped = source.read(2) == b"\x1f\x8b"
        if zipped:
            source.seek(begin)
            with gzip.GzipFile(fileobj=source) as text:
                _require_fitting(text, source, path)
        else:
            _check_fitting(source.seek(0, os.SEEK_END) - begin, path)
        size = source.seek(0, os.SEEK_END) - begin
        source.seek(begin)
        with gzip.GzipFile(fileobj=source) if zipped else nullcontext(source) as text:
            told = partial(_tell, path, source, begin, size)
            yield _Counted(text, path, told)


@contextmanager
def named_errors(path: str | Path) -> Iterator[None]:
    """Errors of opening and reading a file as an `InputError` that names it."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: truncated or damaged gzip file ({error})") from None
    except FileNotFoundError as error:
        raise InputError(f"{path}: {error.strerror}{instead_of(path)}") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def file_name(path: str | Path) -> str:
    """The name of an input without its folder, for titles; of an example that of its file."""
    return find(path).file if is_example(path) else Path(path).name


def limit() -> int | None:
    """The limit (bytes) that the environment sets, None if it sets none. Raises `InputError`."""
    text = os.environ.get(VARIABLE)
    return parse_size(text, VARIABLE) if text else None


def parse_size(text: str, where: str) -> int:
    """Parse `500MB`, `8 GB` or a number of bytes.

    Raises `InputError` if it is no size.
    """
    match = _SIZE.fullmatch(text.strip())
    size = int(float(match[1]) * _FACTOR[match[2].lower()]) if match else 0
    if size < 1:
        raise InputError(f"{where}: need a size such as 500MB or 8GB, got {text!r}")
    return size


class _Counted(io.BufferedReader):
    """A stream that refuses to give more than the limit, in case its file grows meanwhile."""

    def __init__(self, source: Readable, path: str | Path, told: Callable[[], None]) -> None:
        super().__init__(_Counting(source, path, told), _CHUNK)


class _Counting(io.RawIOBase):
    def __init__(self, source: Readable, path: str | Path, told: Callable[[], None]) -> None:
        self._source, self._path, self._given, self._told = source, path, 0, told
        self._most = limit() or MOST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        chunk = self._source.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._given += len(chunk)
        self._told()
        if self._given > self._most:
            raise too_long(self._path, self._most)
        return len(chunk)


def _tell(path: str | Path, source: IO[bytes], begin: int, size: int) -> None:
    """Tell who watches how much of a file is read."""
    step(f"reading {file_name(path)}", (source.tell() - begin) / size if size else None)


@contextmanager
def raw_input(path: str | Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, an example or stdin (`-`) as they are."""
    if str(path) == STANDARD:
        if sys.stdin is None:
            raise InputError("-: stdin is closed")
        yield sys.stdin.buffer
        return
    if is_example(path):
        with open_example(path) as stream:
            yield stream
        return
    if "\0" in str(path):
        raise InputError(f"{str(path)!r}: a path holds no NUL")
    with open(path, "rb") as stream:
        yield stream


def _is_file(stream: IO[bytes]) -> bool:
    """Whether a stream is a regular file, which can be read twice."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # not a file of the system's
        return False


def _gathered(stream: IO[bytes], path: str | Path) -> IO[bytes]:
    """The whole content of a pipe or device."""
    most = limit() or MOST_STREAMED
    content = io.BytesIO()
    while chunk := stream.read(_CHUNK):
        content.write(chunk)
        if content.tell() > most:
            raise InputError(
                f"{path}: more than {_shown(most)} from a pipe: save it to a file, or set "
                f"{VARIABLE} (or slotwise --max-input) to a size"
            )
    content.seek(0)
    return content


def _require_fitting(text: gzip.GzipFile, source: Readable, path: str | Path) -> None:
    """Raise `InputError` unless the decompressed text fits, without ever holding it."""
    most, length = limit(), 0
    while chunk := text.read(_CHUNK):
        length += len(chunk)
        _check_fitting(length, path)
        if most is None and length > max(UNSUSPECTED, MOST_EXPANSION * source.tell()):
            raise InputError(
                f"{path}: {_shown(source.tell())} of gzip become more than {_shown(length)}: if "
                f"that is meant, set {VARIABLE} (or slotwise --max-input) to a size"
            )


def _check_fitting(length: int, path: str | Path) -> None:
    most = limit() or MOST_BYTES
    if length > most:
        raise too_long(path, most)


def too_long(path: str | Path, most: int) -> InputError:
    """The error of an input that is longer than the limit."""
    return InputError(
        f"{path}: more than {_shown(most)} of text: set {VARIABLE} (or slotwise --max-input) to a "
        "larger size"
    )


def _shown(size: int) -> str:
    for unit in ("GB", "MB", "kB"):
        factor = _FACTOR[unit[0].lower()]
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"
