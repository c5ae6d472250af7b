"""What a service keeps: a state, and the changes since, each written before it is answered."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...core.errors import InputError

FILE = "journal.sqlite"
"""Name of the file in the folder."""

MOST_CHANGES = 20_000
"""After so many changes the state is written again; that bounds how long a start takes."""

TABLES = """
CREATE TABLE IF NOT EXISTS state (document TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS changes (number INTEGER PRIMARY KEY, verb TEXT NOT NULL,
                                    given TEXT NOT NULL);
"""


class Journal:
    """A database in a folder, or in memory; one process has it.

    Raises `InputError` if it cannot be opened.
    """

    def __init__(self, folder: Path | None) -> None:
        place = ":memory:"
        if folder is not None:
            folder.mkdir(exist_ok=True)
            place = str(folder / FILE)
        try:
            self._database = sqlite3.connect(place, timeout=0.5, isolation_level=None)
            # A change that was answered outlives a cut of the power, too.
            self._database.executescript(
                "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                f"BEGIN IMMEDIATE; {TABLES} COMMIT;"
            )
        except sqlite3.Error as error:
            raise InputError(f"--state {folder}: {error}: does another service use it?") from None
        self.changes = int(self._database.execute("SELECT count(*) FROM changes").fetchone()[0])

    def read(self) -> tuple[dict[str, Any] | None, list[tuple[str, dict[str, Any]]]]:
        """The state, None if there is none yet, and the changes since: verb and arguments."""
        row = self._database.execute("SELECT document FROM state").fetchone()
        rows = self._database.execute("SELECT verb, given FROM changes ORDER BY number")
        changes = [(verb, json.loads(given)) for verb, given in rows]
        return (None if row is None else json.loads(row[0])), changes

    def write(self, state: dict[str, Any]) -> None:
        """Keep a state instead of all changes so far."""
        text = json.dumps(state)
        with self._together():
            self._database.execute("DELETE FROM state")
            self._database.execute("INSERT INTO state VALUES (?)", (text,))
            self._database.execute("DELETE FROM changes")
        self.changes = 0

    @contextmanager
    def change(self, verb: str, given: dict[str, Any]) -> Iterator[None]:
        """Within it a change is made; it is kept at the end, or not at all after an error."""
        text = json.dumps(given)
        with self._together():
            self._database.execute("INSERT INTO changes (verb, given) VALUES (?, ?)", (verb, text))
            yield
        self.changes += 1

    @contextmanager
    def _together(self) -> Iterator[None]:
        self._database.execute("BEGIN")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Give the file free."""
        self._database.close()
