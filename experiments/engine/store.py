"""The runs of a folder, in SQLite: one row for each that has ended, with a digest of its values."""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ...core.errors import InputError, OutputError, one_line
from .record import Record, record_of, record_text

NAME = "runs.sqlite"

SYNC = 1.0
"""Least seconds between two requests to the disk to keep what was added. It survives the end of the
process at once."""

TABLE = """\
CREATE TABLE IF NOT EXISTS runs
(run TEXT PRIMARY KEY, record TEXT NOT NULL, digest TEXT NOT NULL)"""

ADD = """\
INSERT INTO runs VALUES (?, ?, ?)
ON CONFLICT (run) DO UPDATE SET record = excluded.record, digest = excluded.digest"""

SMALLEST = 64
"""Bytes that each row takes at least."""

MOST_NAMED = 5
"""Damaged runs that a message names."""


class Store(AbstractContextManager["Store"]):
    """The runs of a folder, open for one writer; others may read them meanwhile.

    Where rows are damaged, the file is set aside, and the others are in a new one.

    Raises `InputError` if another campaign is writing there, or the folder cannot be used.

    `folder`: the folder, which exists.
    `records`: the records by run, as they were found.
    `damage`: what was damaged, in words; empty if nothing was.
    """

    def __init__(self, folder: Path) -> None:
        self.path, self.damage = folder / NAME, ""
        handle = -1
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            # Nobody else writes to the folder as long as this descriptor is open.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as failure:
            if handle >= 0:
                os.close(handle)
            in_use = isinstance(failure, BlockingIOError)
            why = "another campaign is writing there" if in_use else failure.strerror
            raise InputError(f"{folder}: {why}") from None
        self._lock = handle
        try:
            content = _found(self.path)
            if content.damage:
                self.damage = _set_aside(self.path, content)
            self.records = content.records
        except BaseException as failure:
            os.close(self._lock)
            if isinstance(failure, OSError | sqlite3.Error):
                raise InputError(f"{self.path}: {failure}") from None
            raise
        self._connection: sqlite3.Connection | None = None
        self._synced = time.monotonic()

    def begin(self) -> None:
        """Open the file for what is added. Raises `InputError` if it cannot be written to."""
        try:
            self._connection = _opened(self.path)
        except sqlite3.Error as failure:
            raise InputError(f"{self.path}: {failure}") from None

    def add(self, record: Record) -> Record:
        """Keep a record, in place of an earlier one of its run.

        Raises `OutputError` if it cannot be written, such as on a full disk.
        """
        text = record_text(record)
        if self._connection is None:
            self.begin()
        assert self._connection is not None
        try:
            self._connection.execute(ADD, _row(record.run, text))
            if time.monotonic() - self._synced >= SYNC:
                self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
                self._synced = time.monotonic()
        except sqlite3.Error as failure:
            raise OutputError(self.path, f"{self.path}: {failure}") from None
        return record_of(text)

    def close(self) -> None:
        """Make the file whole without others beside it, and let others write."""
        if self._connection is not None:
            with suppress(sqlite3.Error):  # such as on a full disk, or while somebody reads
                self._connection.execute("PRAGMA journal_mode = DELETE")
            self._connection.close()
        os.close(self._lock)

    def __exit__(self, *_: object) -> None:
        self.close()


def records_in(folder: Path) -> dict[str, Record]:
    """The records of a folder by run; a campaign may be writing there.

    Returns the records, none if there is no file of them.
    Raises `InputError` if rows are damaged, or the file cannot be read.
    """
    content = _found(folder / NAME)
    if content.damage:
        raise InputError(
            f"{folder / NAME}: {content.words}; slotwise campaign sets them aside and runs them "
            "again"
        )
    return content.records


class _Found(NamedTuple):
    """What can be read of a file, and what cannot, in words."""

    records: dict[str, Record]
    damage: list[str]

    @property
    def words(self) -> str:
        more = len(self.damage) - MOST_NAMED
        rest = f" and {more} more" if more > 0 else ""
        return f"damaged: {', '.join(self.damage[:MOST_NAMED])}{rest}"


def _found(path: Path) -> _Found:
    """All rows that are as they were written. Raises `InputError` if the file tells nothing."""
    records: dict[str, Record] = {}
    damage: list[str] = []
    if not path.exists():
        return _Found(records, damage)
    try:
        with closing(_read_only(path)) as connection:
            structure = _structure(connection)
            if not structure and not connection.execute("SELECT * FROM sqlite_master").fetchone():
                return _Found(records, damage)  # its writer was killed before the first row
            for row in _rows(connection, path.stat().st_size // SMALLEST):
                run, text, digest = row
                name = run.decode(errors="replace") if isinstance(run, bytes) else f"{run}"
                try:
                    if digest != _digest(name, text.decode()).encode():
                        raise ValueError("damaged")
                    records[name] = record_of(text)
                except (ValueError, AttributeError):
                    damage.append(name)
    except (OSError, sqlite3.Error) as failure:
        raise InputError(f"{path}: {failure}") from None
    if structure and not records:
        raise InputError(
            f"{path}: {structure}: put a copy in its place, or move it away to run everything again"
        )
    return _Found(records, [*damage, structure] if structure else damage)


def _read_only(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)
    connection.text_factory = bytes  # damaged text may be no text
    return connection


def _structure(connection: sqlite3.Connection) -> str:
    """What SQLite says of the pages of a file, empty if they are sound."""
    try:
        said = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as failure:
        return str(failure)
    text = one_line(said.decode(errors="replace"))
    return "" if text == "ok" else text


def _rows(connection: sqlite3.Connection, most: int) -> Iterator[tuple[Any, Any, Any]]:
    """All rows, and if SQLite stops at some page, those that can be found one by one."""
    ask = "SELECT run, record, digest FROM runs"
    try:
        yield from connection.execute(f"{ask} ORDER BY rowid")
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        for number in range(1, most + 1):
            with suppress(sqlite3.DatabaseError):
                yield from connection.execute(f"{ask} WHERE rowid = ?", (number,)).fetchall()


def _row(run: str, text: str) -> tuple[str, str, str]:
    return run, text, _digest(run, text)


def _digest(run: str, text: str) -> str:
    return hashlib.sha256(f"{run} {text}".encode()).hexdigest()[:32]


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(TABLE)
    return connection


def _set_aside(path: Path, content: _Found) -> str:
    """Put a file of the rows that are sound in the place of a damaged one, and say so."""
    aside = next(
        place
        for number in count(1)
        if not (place := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists()
    )
    new = path.with_name(f"{path.stem}.new{path.suffix}")
    new.unlink(missing_ok=True)
    with closing(_opened(new)) as connection:
        connection.execute("BEGIN")
        records = content.records.values()
        connection.executemany(ADD, (_row(record.run, record_text(record)) for record in records))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = DELETE")
    os.link(path, aside)
    for more in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.replace(f"{path}{more}", f"{aside}{more}")
    os.replace(new, path)
    return f"{path}: {content.words}; set aside as {aside.name}, what is missing runs again"
