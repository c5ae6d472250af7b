"""What is read: files, pipes, stdin and examples, gzip known by its content; text; CSV."""

from __future__ import annotations

import csv
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ..advice import kind_hint
from ..errors import InputError
from ..limits import LEAST, MOST, bounds_of
from ..notices import step
from .examples import find, instead_of, is_example

STANDARD = "-"
"""The path that means stdin for an input and stdout for an output."""

MOST_BYTES = 2_000_000_000
"""Longest input, before decompression and after it."""

_CHUNK = 1 << 20


def read_bytes(path: str | Path) -> bytes:
    """Read a file, pipe, example or stdin (`-`), decompressed if need be. Raises `InputError`."""
    try:
        if str(path) == STANDARD:
            if sys.stdin is None:
                raise InputError("-: stdin is closed")
            content = _whole(sys.stdin.buffer, path)
        else:
            if "\0" in str(path):
                raise InputError(f"{str(path)!r}: a path holds no NUL")
            with open(find(path).path if is_example(path) else path, "rb") as stream:
                content = _whole(stream, path)
        if content.startswith(b"\x1f\x8b"):
            content = _whole(gzip.GzipFile(fileobj=io.BytesIO(content)), path)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: truncated or damaged gzip file ({error})") from None
    except FileNotFoundError as error:
        raise InputError(f"{path}: {error.strerror}{instead_of(path)}") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    return content


def _whole(stream: IO[bytes] | gzip.GzipFile, path: str | Path) -> bytes:
    content = io.BytesIO()
    while chunk := stream.read(_CHUNK):
        step(f"reading {file_name(path)}")
        content.write(chunk)
        if content.tell() > MOST_BYTES:
            raise InputError(f"{path}: more than {MOST_BYTES / 1e9:g} GB of text")
    return content.getvalue()


def read_text(path: str | Path) -> str:
    """Read UTF-8 text. Raises `InputError`."""
    return decoded(read_bytes(path), path)


def decoded(content: bytes, path: object) -> str:
    """Content as text, without a byte order mark. Raises `InputError` if it is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start})") from None


def file_name(path: str | Path) -> str:
    """The name of an input without its folder, for titles; of an example that of its file."""
    return find(path).file if is_example(path) else Path(path).name


def csv_rows(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of every row of a CSV file that is not empty. Raises `InputError`."""
    text = io.TextIOWrapper(io.BytesIO(read_bytes(path)), encoding="utf-8-sig", newline="")
    number = 0
    try:
        for number, row in enumerate(csv.reader(text), 1):
            if row:
                yield number, row
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text (after line {number})") from None
    except csv.Error as error:
        raise InputError(f"{path}: not CSV: {error}") from None


def named_rows(path: str | Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Number and fields, by the names in the first row, of every other row.

    `columns`: names that the first row must have.
    Raises `InputError`.
    """
    rows = csv_rows(path)
    _, header = next(rows, (1, []))
    for column in columns:
        if column not in header:
            raise InputError(f"{path}: column {column!r} is missing{other_kind(path)}")
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(f"{path}: line {number}: {len(row)} fields, need {len(header)}")
        yield number, dict(zip(header, row, strict=True))


def other_kind(path: str | Path, reader: str = "") -> str:
    """What else a file is, from its beginning; nothing of a pipe, which is read only once.

    `reader`: the importer that the user called.
    """
    again = is_example(path) or Path(path).is_file()
    return kind_hint(read_bytes(path), reader) if again else ""


def number_in(text: str, path: str | Path, line: int, column: str) -> float:
    """A field as a number >= 0 of plausible size. Raises `InputError` if it is none."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value != 0 and not LEAST <= value <= MOST:
        size = bounds_of(value)
        raise InputError(f"{path}: line {line}, {column}: need a number >= 0{size}, got {text!r}")
    return value
