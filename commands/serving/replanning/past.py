"""Jobs of the last hours, for the next plan: when they arrived, started and ended, and where."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from ..journal import Journal

PAST = "past/"
"""Keys of jobs that have ended, by number in order of their ends."""

FIELDS = "number", "class", "demand", "arrived", "started", "on"

MOST_PAST = 200_000
"""Jobs that are remembered at most."""

REPLANS = "replans"
"""Key: when the last plan was made again, since when jobs are remembered, and the last ends."""

WINDOW = 4.0
"""So many intervals between plans are looked back at."""


def forget(journal: Journal) -> None:
    """Remember no jobs: what is remembered has to be without a gap."""
    journal.put(dict.fromkeys([REPLANS, *(key for key, _ in journal.items(PAST))]))


class Past:
    """The jobs that ended in the last `seconds`; they are kept in the journal."""

    def __init__(self, journal: Journal, seconds: float) -> None:
        self.seconds = seconds
        rows = list(journal.items(PAST))
        self._first = int(rows[0][0].removeprefix(PAST)) if rows else 0
        self._rows: deque[Any] = deque(row for _, row in rows)

    def ended(self, job: dict[str, Any], now: float) -> dict[str, Any]:
        """A job that ran has ended. Returns what to keep, and what no longer."""
        row = {**{name: job[name] for name in FIELDS}, "ended": now}
        changes: dict[str, Any] = {self._key(len(self._rows)): row}
        self._rows.append(row)
        while len(self._rows) > MOST_PAST or self._rows[0]["ended"] < now - self.seconds:
            self._rows.popleft()
            changes[self._key(0)] = None
            self._first += 1
        return changes

    def _key(self, at: int) -> str:
        return f"{PAST}{self._first + at:012d}"

    def rows(self) -> Sequence[dict[str, Any]]:
        """All of them, in order of their ends."""
        return list(self._rows)
