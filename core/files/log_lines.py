"""Long logs line by line: plain, gzip, Zstandard or Spark's LZ4 blocks, never held whole."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from ..advice import BEGINNING
from ..errors import InputError
from ..notices import step
from .inputs import LONGEST_LINE, STANDARD, file_name, limit, named_errors, raw_input, too_long
from .lz4_blocks import MAGIC as LZ4
from .lz4_blocks import DamagedBlocks, Lz4Blocks

DAMAGED = "rest of a compressed file that is damaged or cut"
OVERLONG = f"line longer than {LONGEST_LINE // 10**6} MB"

_GZIP = b"\x1f\x8b"
_ZSTANDARD = b"\x28\xb5\x2f\xfd"
_OTHERS = {b"\x82SNAPPY": "Snappy", b"ZV\x00": "LZF", b"ZV\x01": "LZF", b"\x04\x22\x4d\x18": "LZ4"}
_CHUNK = 1 << 20
_BETWEEN_STEPS = 1 << 22  # bytes of text


def log_lines(path: str | Path, dropped: Counter[str]) -> Iterator[bytes]:
    """Lines with their ends, one by one; the last may be cut.

    `dropped`: what cannot be read is counted here by reason.
    Raises `InputError` for a file that cannot be opened or is compressed in another way.
    """
    with named_errors(path), raw_input(path) as raw:
        source: Any = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw, _CHUNK)
        size = _size(source)
        text: IO[bytes] = _decompressed(source, path)
        most, given, next_step = limit(), 0, 0
        rest_of_line = False
        lines = _until_damage(text, dropped)
        for line in lines:
            given += len(line)
            if given > next_step:
                next_step = given + _BETWEEN_STEPS
                step(f"reading {file_name(path)}", source.tell() / size if size else None)
            if most is not None and given > most:
                raise too_long(path, most)
            whole = len(line) < LONGEST_LINE or line.endswith(b"\n")
            if whole and not rest_of_line:
                yield line
            elif not rest_of_line:
                dropped[OVERLONG] += 1
            rest_of_line = not whole


def beginning(path: str | Path) -> bytes:
    """The first bytes of a log's text, which stdin gives again when it is read.

    Raises `InputError` as `log_lines` does.
    """
    with named_errors(path), raw_input(path) as raw:
        source: Any = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw, _CHUNK)
        if str(path) == STANDARD:
            source = io.BufferedReader(io.BytesIO(source.peek(BEGINNING)))
        text = _decompressed(source, path)
        first = b""
        while len(first) < BEGINNING and (more := next(_until_damage(text, Counter()), b"")):
            first += more
        return first[:BEGINNING]


def _until_damage(text: IO[bytes], dropped: Counter[str]) -> Iterator[bytes]:
    """Lines of at most `LONGEST_LINE`, as far as they can be decompressed."""
    read = iter(partial(text.readline, LONGEST_LINE), b"")
    errors: tuple[type[Exception], ...] = (EOFError, zlib.error, gzip.BadGzipFile, DamagedBlocks)
    zstandard = sys.modules.get("zstandard")
    if zstandard is not None:
        errors = (*errors, zstandard.ZstdError)
    while True:
        try:
            line = next(read, None)
        except errors:
            dropped[DAMAGED] += 1
            return
        if line is None:
            return
        yield line


def _decompressed(source: Any, path: str | Path) -> Any:
    begin = source.peek(16)[:16]
    if begin.startswith(_GZIP):
        return gzip.GzipFile(fileobj=source)
    if begin.startswith(_ZSTANDARD):
        return io.BufferedReader(_zstandard_text(source, path), _CHUNK)
    if begin.startswith(LZ4):
        try:
            return io.BufferedReader(Lz4Blocks(source), _CHUNK)
        except ImportError:
            raise _missing(path, "LZ4") from None
    for magic, name in _OTHERS.items():
        if begin.startswith(magic):
            raise InputError(
                f"{path}: compressed with {name}: decompress it first; what is read is plain text, "
                "gzip, Zstandard and the LZ4 blocks that Spark writes"
            )
    return source


def _zstandard_text(source: IO[bytes], path: str | Path) -> Any:
    try:
        import zstandard
    except ImportError:
        raise _missing(path, "Zstandard") from None
    return zstandard.ZstdDecompressor().stream_reader(source, read_across_frames=True)


def _missing(path: str | Path, what: str) -> InputError:
    return InputError(f"{path}: compressed with {what}: pip install 'slotwise[audit]'")


def _size(source: IO[bytes]) -> int:
    """Bytes of a regular file, 0 for anything else."""
    try:
        status = os.fstat(source.fileno())
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0
