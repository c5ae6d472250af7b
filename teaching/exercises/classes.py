"""A class: every file of a folder graded, a row for each."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...core.errors import InputError, one_line
from ...core.files.inputs import read_text
from ...core.files.outputs import write_bytes
from .grade import SAFETY, Grade
from .grading import Wanted, grade_source
from .page import page, refusal

NOT_GRADED, GRADER_FAILED = "not graded", "grader failed"
COLUMNS = ("file", "verdict", "kind", "tasks", "found_at", "failed", "instances", "message")

Row = dict[str, Any]


@dataclass
class Marks:
    """The table of a class."""

    folder: str
    rows: list[Row] = field(default_factory=list)
    """A row for each file, by name."""
    notes: list[str] = field(default_factory=list)
    """What a reader should know."""
    interrupted: bool = False
    """Whether Ctrl-C ended it."""

    def document(self) -> dict[str, Any]:
        return {
            "folder": self.folder,
            "files": self.rows,
            "interrupted": self.interrupted,
            "notes": self.notes,
        }


def grade_class(folder: Path, how: Wanted, pages: Path | None = None) -> Marks:
    """Grade every Python file of a folder and its subfolders.

    `pages`: a folder for a page about each file, `carl-mine.html` for `carl/mine.py`.
    Raises `InputError` if there is no Python file.
    """
    files = sorted(
        path
        for path in folder.rglob("*.py")
        if path.is_file() and not any(p.startswith((".", "__")) for p in path.parts)
    )
    if not files:
        raise InputError(f"{folder}: has no Python files")
    marks = Marks(str(folder))
    if pages is not None:
        pages.mkdir(exist_ok=True)
    try:
        for path in files:
            name = path.relative_to(folder).as_posix()
            row, content = _graded(path, name, how)
            if pages is not None:
                place = pages / f"{name.removesuffix('.py').replace('/', '-')}.html"
                write_bytes(place, content.encode())
            marks.rows.append(row)
    except KeyboardInterrupt:
        marks.interrupted = True
        left = len(files) - len(marks.rows)
        marks.notes.append(f"interrupted: {left} of {len(files)} files are left")
    marks.notes.append(SAFETY)
    return marks


def row_of(grade: Grade) -> Row:
    row: Row = dict.fromkeys(COLUMNS)
    row |= {"file": grade.file, "verdict": grade.verdict, "instances": grade.asked}
    row |= {"failed": grade.failed, "message": ""}
    if grade.broken:
        first = grade.findings[0]
        row |= {"kind": first.failure.kind, "message": first.failure.text}
        row |= {"tasks": int(first.size[0]), "found_at": first.found_at}
    return row


def table_text(rows: list[Row]) -> str:
    """Rows as CSV; a text that a spreadsheet would compute is quoted."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _harmless(row.get(name)) for name in COLUMNS})
    return text.getvalue()


def shown_table(marks: Marks) -> Any:
    from rich.markup import escape
    from rich.table import Table

    broken = sum(row["verdict"] == "broken" for row in marks.rows)
    table = Table(
        title=escape(f"{marks.folder}: {broken} of {len(marks.rows)} files broken"),
        title_justify="left",
    )
    for name in ("file", "verdict", "kind", "tasks", "message"):
        table.add_column(name, justify="right" if name == "tasks" else "left", overflow="fold")
    for row in marks.rows:
        cells = (row[name] for name in ("file", "verdict", "kind", "tasks", "message"))
        table.add_row(*("" if cell is None else escape(str(cell)) for cell in cells))
    return table


def _graded(path: Path, name: str, how: Wanted) -> tuple[Row, str]:
    """The row of a file, and the page about it."""
    try:
        grade = grade_source(read_text(path), name, how)
        if grade.interrupted:
            raise KeyboardInterrupt
        return row_of(grade), page(grade)
    except Exception as error:
        verdict, why = NOT_GRADED, str(error).removeprefix(f"{name}: ")
        if not isinstance(error, InputError):  # one file never ends a class
            verdict, why = GRADER_FAILED, f"{type(error).__name__}: {one_line(str(error), 200)}"
        row = dict.fromkeys(COLUMNS) | {"file": name, "verdict": verdict, "message": why}
        return row, refusal(name, how.exercise.name, verdict, why)


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in tuple("=+-@\t\r"):
        return f"'{value}"
    return value
