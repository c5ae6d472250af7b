"""The runs of a study that meet a condition in SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from ...core.errors import InputError
from ..study.study import Study
from .record import Record
from .tables import frame_of


def runs_where(study: Study, records: Mapping[str, Record], condition: str) -> list[dict[str, Any]]:
    """The rows of both tables that meet a condition.

    It is asked of a copy in memory that nothing can be written to, whatever the condition says.

    `condition`: what may stand behind WHERE in SQLite, on the columns of the tables.
    Raises `InputError` if it is no such condition.
    """
    frame = frame_of(study, records)
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql("runs", connection, index=False)
        connection.execute("PRAGMA query_only = ON")
        try:
            met = {run for (run,) in connection.execute(f"SELECT run FROM runs WHERE {condition}")}
        except (sqlite3.Error, sqlite3.Warning, ValueError) as failure:
            raise InputError(f"--where: {failure}") from None
    shown = frame[frame["run"].isin(met)].astype(object)
    rows: list[dict[str, Any]] = shown.where(shown.notna(), None).to_dict("records")
    return rows
