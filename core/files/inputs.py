"""What is read: files, pipes, stdin and examples, gzip known by its content; text; CSV."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from pathlib import Path
from typing import IO

from ..errors import InputError
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
