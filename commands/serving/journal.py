"""What a service keeps: documents by key, each on the disk before an answer tells of it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from .answers import json_bytes

FILE = "journal.sqlite"
"""Name of the file in the folder."""

TABLE = "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, document BLOB) WITHOUT ROWID;"

Batch = dict[str, bytes | None]


class NotKept(Exception):
    """Changes are not on the disk."""


class Journal:
    """A database in a folder, or in memory; one process has it.

    Changes are written by a thread: all that came while it wrote go together, with one wait for the
    disk. Raises `InputError` if it cannot be opened.
    """

    def __init__(self, folder: Path | None) -> None:
        place = ":memory:"
        if folder is not None:
            folder.mkdir(exist_ok=True)
            place = str(folder / FILE)
        try:
            self._database = sqlite3.connect(
                place, timeout=0.5, isolation_level=None, check_same_thread=False
            )
            # A change that was answered outlives a cut of the power, too.
            self._database.executescript(
                "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                f"BEGIN IMMEDIATE; {TABLE} COMMIT;"
            )
        except sqlite3.Error as error:
            raise InputError(f"--state {folder}: {error}: does another service use it?") from None
        self._thread = ThreadPoolExecutor(1, "journal")
        self._next: Batch = {}
        self._put, self._kept, self._lost = 0, 0, 0
        self._writing: tuple[int, Future[None]] | None = None
        self._waiting: asyncio.Future[None] | None = None

    def items(self, prefix: str) -> Iterator[tuple[str, Any]]:
        """Keys that begin so, in order, and their documents, as they are on the disk."""
        rows = self._database.execute(
            "SELECT key, document FROM kept WHERE key >= ? AND key < ? ORDER BY key",
            (prefix, prefix + "\U0010ffff"),
        )
        return ((key, json.loads(document)) for key, document in rows)

    def read(self, key: str) -> Any:
        """One document, None if there is none."""
        row = self._database.execute("SELECT document FROM kept WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def put(self, changes: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """Documents to be kept; None takes one out. `kept` waits for it.

        Within an event loop they are written soon, else by `flush`.
        """
        for key, document in dict(changes).items():
            self._next[key] = None if document is None else json_bytes(document)
        self._put += 1
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            self._start()

    async def kept(self) -> None:
        """Wait until all is on the disk that was put before. Raises `NotKept`."""
        wanted, lost = self._put, self._lost
        while self._kept < wanted:
            await asyncio.shield(self._start())
            if self._lost > lost:
                raise NotKept(self._why)

    def _start(self) -> asyncio.Future[None]:
        """Begin to write what is there, when the writing under way has ended."""
        if self._waiting is None or self._waiting.done():
            self._waiting = asyncio.ensure_future(self._write())
        return self._waiting

    async def _write(self) -> None:
        if self._next and self._writing is None:
            try:
                await asyncio.shield(asyncio.wrap_future(self._begin()))
            except Exception:  # `_end` says so to all that wait
                pass
            finally:
                self._end()
        self._waiting = None
        if self._next:
            self._start()

    def flush(self) -> None:
        """Write all now. Raises `NotKept`."""
        lost = self._lost
        while self._kept < self._put and self._lost == lost:
            if self._writing is None:
                self._begin()
            self._end()
        if self._lost > lost:
            raise NotKept(self._why)

    def _begin(self) -> Future[None]:
        batch, self._next = self._next, {}
        self._writing = self._put, self._thread.submit(self._store, batch)
        return self._writing[1]

    def _end(self) -> None:
        """Take note of how the writing ended, once."""
        if self._writing is None:
            return
        upto, future = self._writing
        error = future.exception()
        self._writing = None
        if error is None:
            self._kept = upto
            return
        # What came meanwhile builds on what is lost.
        self._why, self._next = f"{type(error).__name__}: {error}", {}
        self._kept, self._lost = self._put, self._lost + 1

    @property
    def lost(self) -> int:
        """How often changes could not be written: what is in memory is then ahead of the disk."""
        return self._lost

    def _store(self, batch: Batch) -> None:
        """Write documents together or not at all."""
        database = self._database
        database.execute("BEGIN")
        try:
            database.executemany(
                "DELETE FROM kept WHERE key = ?", [(key,) for key in batch if batch[key] is None]
            )
            database.executemany(
                "INSERT OR REPLACE INTO kept VALUES (?, ?)",
                [(key, document) for key, document in batch.items() if document is not None],
            )
            database.execute("COMMIT")
        except BaseException:
            if database.in_transaction:
                database.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Write what is left and give the file free."""
        try:
            self.flush()
        finally:
            self._thread.shutdown()
            self._database.close()
