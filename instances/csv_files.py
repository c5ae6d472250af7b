"""Tables in CSV: their rows by number, the fields of each checked."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from ..core.advice import kind_hint
from ..core.errors import InputError
from ..core.files.examples import is_example
from ..core.files.inputs import read_bytes
from .limits import LEAST, MOST, bounds_of


def csv_rows(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of every row of a CSV file that is not empty. Raises `InputError`."""
    text = io.TextIOWrapper(io.BytesIO(read_bytes(path)), encoding="utf-8-sig", newline="")
    number = 0
    try:
        for number, row in enumerate(csv.reader(text), 1):
            if row:
                yield number, row
    except UnicodeDecodeError:
        raise InputError(f"{path}: not UTF-8 text (after line {number})") from None
    except csv.Error as error:
        raise InputError(f"{path}: not CSV: {error}") from None


def named_rows(path: str | Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Number and fields, by the names in the first row, of every other row.

    `columns`: names that the first row must have.
    Raises `InputError`.
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

    `reader`: the importer that the user called.
    """
    again = is_example(path) or Path(path).is_file()
    return kind_hint(read_bytes(path), reader) if again else ""


def number_in(text: str, path: str | Path, line: int, column: str) -> float:
    """A field as a number >= 0 of plausible size. Raises `InputError` if it is none."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value != 0 and not LEAST <= value <= MOST:
        size = bounds_of(value)
        raise InputError(f"{path}: line {line}, {column}: need a number >= 0{size}, got {text!r}")
    return value
