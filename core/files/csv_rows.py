"""Rows of a CSV file, plain or gzip, one by one and with their line numbers."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from ..advice import BEGINNING, kind_hint
from ..errors import InputError
from ..limits import LEAST, MOST, bounds_of
from .examples import is_example
from .inputs import opened, text_lines


def csv_rows(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of every row that is not empty.

    Raises `InputError` the file is not CSV.
    """
    try:
        for number, row in enumerate(csv.reader(text_lines(path)), 1):
            if row:
                yield number, row
    except csv.Error as error:
        raise InputError(f"{path}: not CSV: {error}") from None


def named_rows(path: str | Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and fields, by the names in the first row, of every other row.

    `columns`: names that the first row must have.
    Raises `InputError` if a column is missing.
    """
    rows = csv_rows(path)
    _, header = next(rows, (1, []))
    for column in columns:
        if column not in header:
            raise InputError(f"{path}: column {column!r} is missing{other_kind(path)}")
    for number, row in rows:
        if len(row) != len(header):
            raise InputError(f"{path}: line {number}: {len(row)} fields, need {len(header)}")
        yield number, dict(zip(header, row, strict=True))


def other_kind(path: str | Path, reader: str = "") -> str:
    """What else a file is, from its beginning; nothing of a pipe, which is read only once.

    `reader`: the reader that the user called.
    """
    if not (is_example(path) or Path(path).is_file()):
        return ""
    with opened(path) as stream:
        return kind_hint(stream.read(BEGINNING), reader)


def number_in(text: str, path: str | Path, line: int, column: str) -> float:
    """Convert a field to a number >= 0 of plausible size.

    Raises `InputError` if it is no such number.
    """
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value != 0 and not LEAST <= value <= MOST:
        size = bounds_of(value)
        raise InputError(f"{path}: line {line}, {column}: need a number >= 0{size}, got {text!r}")
    return value
