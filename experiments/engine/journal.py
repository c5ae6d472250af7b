"""The journal: one JSON line for each run that has ended, appended and never changed."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from ...instances.errors import InputError
from .record import Record
from .wire import record_line, record_of

NAME = "journal.jsonl"

SYNC = 1.0
"""Most seconds between a line and its safety from a loss of power. A line that is written survives
the end of the process at once."""


class Journal:
    """The journal of a folder, open for one writer.

    Parameters
    ----------
    folder
        The folder, which exists.

    Raises
    ------
    InputError
        If another campaign is writing there, or the folder cannot be written to.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        try:
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            self._handle = os.open(self.path, flags, 0o666)
        except OSError as failure:
            raise InputError(f"{self.path}: {failure.strerror}") from None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _cut_torn_end(self._handle)
        except BlockingIOError:
            os.close(self._handle)
            raise InputError(f"{folder}: another campaign is writing there") from None
        except OSError as failure:
            os.close(self._handle)
            raise InputError(f"{self.path}: {failure.strerror}") from None
        self._synced = time.monotonic()
        self._unsafe = False

    def add(self, record: Record) -> Record:
        """Append a record.

        Parameters
        ----------
        record
            The record.

        Returns
        -------
        Record
            The record as it will be read again.

        Raises
        ------
        InputError
            If the disk is full.
        """
        line = record_line(record)
        try:
            written = os.write(self._handle, line)
            if written < len(line):  # the disk is full: half a line must not stay before the next
                os.ftruncate(self._handle, os.fstat(self._handle).st_size - written)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as failure:
            raise InputError(f"{self.path}: {failure.strerror}") from None
        self._unsafe = True
        if time.monotonic() - self._synced >= SYNC:
            self.sync()
        return record_of(line)

    def sync(self) -> None:
        """Have the disk keep what was appended."""
        if self._unsafe:
            os.fdatasync(self._handle)
            self._unsafe = False
        self._synced = time.monotonic()

    def close(self) -> None:
        """Sync, and let others write."""
        if self._handle >= 0:
            self.sync()
            os.close(self._handle)
            self._handle = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _value: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()


def records_in(folder: Path) -> dict[str, Record]:
    """The records of a folder's journal by run; of several of one run the last.

    Parameters
    ----------
    folder
        The folder.

    Returns
    -------
    dict
        The records, none if there is no journal. A last line without an end is left out: its
        writer was killed.

    Raises
    ------
    InputError
        If a line is damaged.
    """
    return {record.run: record for record in _records(folder / NAME)}


def _records(path: Path) -> Iterator[Record]:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as failure:
        raise InputError(f"{path}: {failure.strerror}") from None
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        if line.strip(b"\0"):
            try:
                yield record_of(line.lstrip(b"\0"))
            except ValueError:
                raise InputError(
                    f"{path}: line {number} is damaged; move it away to run again what it held"
                ) from None


def _cut_torn_end(handle: int) -> None:
    """Cut what follows the last end of a line: its writer was killed."""
    size = end = os.fstat(handle).st_size
    while end > 0:
        begin = max(0, end - 65536)
        block = os.pread(handle, end - begin, begin)
        at = block.rfind(b"\n")
        if at >= 0:
            end = begin + at + 1
            break
        end = begin
    if end < size:
        os.ftruncate(handle, end)
        os.fdatasync(handle)
