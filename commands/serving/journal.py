"""What a service keeps: documents by key, on the disk when `put` returns."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.errors import InputError

FILE = "journal.sqlite"
"""Name of the file in the folder."""


class Journal:
    """A database in a folder, or in memory; one process has it.

    Raises `InputError` if it cannot be opened.
    """

    def __init__(self, folder: Path | None) -> None:
        if folder is not None:
            folder.mkdir(exist_ok=True)
        place = ":memory:" if folder is None else str(folder / FILE)
        try:
            self._database = sqlite3.connect(
                place, timeout=0.5, isolation_level=None, check_same_thread=False
            )
            # A change that was answered outlives a cut of the power, too.
            self._database.executescript(
                "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS kept "
                "(key TEXT PRIMARY KEY, document BLOB) WITHOUT ROWID; COMMIT;"
            )
        except sqlite3.Error as error:
            raise InputError(f"--state {folder}: {error}: does another service use it?") from None

    def read(self, prefix: str) -> dict[str, Any]:
        """The documents of the keys that begin so."""
        rows = self._database.execute(
            "SELECT key, document FROM kept WHERE key >= ? AND key < ? ORDER BY key",
            (prefix, prefix + "\U0010ffff"),
        )
        return {key: json.loads(document) for key, document in rows}

    def put(self, changes: Mapping[str, Any]) -> None:
        """Keep documents, all of them or none; None takes one out. Raises `sqlite3.Error`."""
        gone = [(key,) for key, document in changes.items() if document is None]
        rows = [(key, json.dumps(doc)) for key, doc in changes.items() if doc is not None]
        database = self._database
        database.execute("BEGIN")
        try:
            database.executemany("DELETE FROM kept WHERE key = ?", gone)
            database.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?)", rows)
            database.execute("COMMIT")
        finally:
            if database.in_transaction:
                database.execute("ROLLBACK")

    def close(self) -> None:
        """Give the file free."""
        self._database.close()
