"""LZ4 as Spark writes it: blocks in a framing of lz4-java's own, one stream after another."""

from __future__ import annotations

import io
import struct
from typing import IO, Any

MAGIC = b"LZ4Block"
_HEADER = struct.Struct("<8sBiii")  # magic, method and level, length, length of the text, checksum
_RAW, _LZ4 = 0x10, 0x20
_LONGEST = 1 << 25  # the framing allows blocks of 32 MB


class DamagedBlocks(ValueError):
    """The blocks end in the middle, or are none."""


class Lz4Blocks(io.RawIOBase):
    """The text of a stream of blocks; needs the package lz4."""

    def __init__(self, source: IO[bytes]) -> None:
        from lz4 import block

        self._decompress: Any = block.decompress
        self._source = source
        self._text = memoryview(b"")

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def readinto(self, buffer) -> int:  # type: ignore[no-untyped-def]
        """Fill a buffer as far as the next block reaches; 0 at the end."""
        while not self._text:
            header = self._source.read(_HEADER.size)
            if not header:
                return 0
            self._text = memoryview(self._block(header))
        length = min(len(buffer), len(self._text))
        buffer[:length] = self._text[:length]
        self._text = self._text[length:]
        return length

    def _block(self, header: bytes) -> bytes:
        """The text of the next block. An empty one ends a stream, after which another may begin."""
        if len(header) < _HEADER.size:
            raise DamagedBlocks("header")
        magic, token, length, text_length, _ = _HEADER.unpack(header)
        if magic != MAGIC or not 0 <= length <= _LONGEST or not 0 <= text_length <= _LONGEST:
            raise DamagedBlocks("header")
        content = self._source.read(length)
        if len(content) < length:
            raise DamagedBlocks("block")
        if not text_length:
            return b""
        method = token & 0xF0
        if method == _LZ4:
            try:
                text: bytes = self._decompress(content, uncompressed_size=text_length)
            except Exception as error:  # the package has its own error class, imported late
                raise DamagedBlocks(str(error)) from None
        elif method == _RAW:
            text = content
        else:
            raise DamagedBlocks("method")
        if len(text) != text_length:
            raise DamagedBlocks("length")
        return text
