"""Bytes in: files, pipes and stdin, gzip recognised by its content, up to a limit."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO

from ..errors import InputError
from ..notices import step
from .examples import find, instead_of, is_example, open_example

STANDARD = "-"
"""The path that means stdin for an input and stdout for an output."""

MOST_BYTES = 2_000_000_000
"""Longest text of an input, after decompression."""

MOST_DEPTH = 100
"""Deepest nesting of YAML and XML; scheduler files have some ten levels."""

MOST_VALUES = 1_000_000
"""Most values of a YAML or elements of an XML file."""

LONGEST_LINE = 16_000_000

_CHUNK = 1 << 20


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
    """The decompressed bytes of an input.

    Raises `InputError` for errors while it is read, one of them that it is longer than the limit.
    """
    with _named_errors(path), _raw_input(path) as raw:
        source = raw if raw.seekable() else _gathered(raw)
        begin = source.tell()
        zipped = source.read(2) == b"\x1f\x8b"
        source.seek(begin)
        with gzip.GzipFile(fileobj=source) if zipped else nullcontext(source) as text:
            yield io.BufferedReader(_Counting(text, path, source), _CHUNK)


def _gathered(pipe: IO[bytes]) -> IO[bytes]:
    """The content of a pipe, which cannot be read twice, as far as it may be read."""
    content = io.BytesIO()
    while content.tell() <= MOST_BYTES and (chunk := pipe.read(_CHUNK)):
        content.write(chunk)
    content.seek(0)
    return content


@contextmanager
def _named_errors(path: str | Path) -> Iterator[None]:
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


class _Counting(io.RawIOBase):
    """A stream that gives no more than the limit, and tells who watches how much of it is read."""

    def __init__(
        self, text: IO[bytes] | gzip.GzipFile, path: str | Path, source: IO[bytes]
    ) -> None:
        self._text, self._path, self._source, self._given = text, path, source, 0
        self._begin, self._size = _extent(source)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        chunk = self._text.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._given += len(chunk)
        share = (self._source.tell() - self._begin) / self._size if self._size else None
        step(f"reading {file_name(self._path)}", share)
        if self._given > MOST_BYTES:
            raise InputError(f"{self._path}: more than {MOST_BYTES / 1e9:g} GB of text")
        return len(chunk)


def _extent(stream: IO[bytes]) -> tuple[int, int]:
    """Where a stream stands, and the bytes that follow; 0 and 0 if it is no regular file."""
    try:
        status = os.fstat(stream.fileno())
        if stat.S_ISREG(status.st_mode):
            return stream.tell(), status.st_size - stream.tell()
    except OSError:  # not a file of the system's
        pass
    return 0, 0


@contextmanager
def _raw_input(path: str | Path) -> Iterator[IO[bytes]]:
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
