"""A class: every file of a folder graded, with a journal beside the table to go on from."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from ...core.errors import InputError, one_line
from ...core.files.inputs import read_text
from ...core.files.outputs import is_replaced, write_bytes
from .grade import SAFETY, Grade, Reveal
from .grading import OnProgress, Wanted, grade_source
from .page import page, refusal

JOURNAL = ".journal.jsonl"
"""Ending of the journal's name, behind that of the table."""

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

    def write(self, path: Path) -> None:
        """Write the table as CSV."""
        write_bytes(path, table_text(self.rows).encode())

    def document(self) -> dict[str, Any]:
        """The table as plain data."""
        return {
            "folder": self.folder,
            "files": self.rows,
            "interrupted": self.interrupted,
            "notes": self.notes,
        }


@dataclass(frozen=True)
class Wishes:
    """How a class is graded, and what is written."""

    how: Wanted
    """How to grade each file."""
    reveal: Reveal = "smallest"
    """What rows and pages say of hidden problems."""
    table: Path | None = None
    """The table; a journal lies beside it."""
    pages: Path | None = None
    """A folder for a page about each file."""

    def page_of(self, name: str) -> Path | None:
        """Where the page about a file is written, `carl-mine.html` for `carl/mine.py`."""
        if self.pages is None:
            return None
        return self.pages / f"{name.removesuffix('.py').replace('/', '-')}.html"


def grade_class(folder: Path, wishes: Wishes, on_progress: OnProgress = lambda _: None) -> Marks:
    """Grade every Python file of a folder and its subfolders.

    `wishes`: how. Files that are in the journal, unchanged and graded in the same way, are not
    graded again, unless their page is missing.
    Raises `InputError` if there is no Python file, or another run is writing the journal.
    """
    files = sorted(
        path
        for path in folder.rglob("*.py")
        if path.is_file() and not any(p.startswith((".", "__")) for p in path.parts)
    )
    if not files:
        raise InputError(f"{folder}: has no Python files")
    marks = Marks(str(folder))
    if wishes.pages is not None:
        wishes.pages.mkdir(exist_ok=True)
    with _journal(wishes.table) as (known, journal):
        again = 0
        try:
            for number, path in enumerate(files, 1):
                name = path.relative_to(folder).as_posix()
                key = _key(path, name, wishes)
                row = known.get(key)
                place = wishes.page_of(name)
                if place is not None and not place.exists():
                    row = None
                again += row is not None
                if row is None:
                    on_progress(f"{name} ({number} of {len(files)})")
                    row = _row(path, name, wishes, on_progress)
                    if row["verdict"] != GRADER_FAILED:
                        journal.write(json.dumps({"key": key, "row": row}) + "\n")
                        journal.flush()
                marks.rows.append(row)
        except KeyboardInterrupt:
            marks.interrupted = True
            left = len(files) - len(marks.rows)
            marks.notes.append(f"interrupted: {left} of {len(files)} files are left")
        if again:
            marks.notes.append(f"{again} of {len(files)} files were graded before")
    marks.notes.append(SAFETY)
    return marks


def row_of(grade: Grade, reveal: Reveal) -> Row:
    """The row of a verdict."""
    row: Row = dict.fromkeys(COLUMNS)
    row |= {"file": grade.file, "verdict": grade.verdict, "instances": grade.asked}
    row |= {"failed": grade.failed, "message": ""}
    if grade.broken and reveal != "no":
        first = grade.findings[0]
        row["kind"] = first.failure.kind
        if reveal == "smallest":
            row |= {"tasks": int(first.size[0]), "found_at": first.found_at}
            row["message"] = first.failure.text
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
    """The table for a terminal."""
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


def _row(path: Path, name: str, wishes: Wishes, on_progress: OnProgress) -> Row:
    def say(text: str) -> None:
        on_progress(f"{name}: {text}")

    try:
        grade = grade_source(read_text(path), name, wishes.how, say)
        if grade.interrupted:
            raise KeyboardInterrupt
        content, row = page(grade, wishes.reveal), row_of(grade, wishes.reveal)
    except Exception as error:
        verdict, why = NOT_GRADED, str(error).removeprefix(f"{name}: ")
        if not isinstance(error, InputError):  # one file never ends a class
            verdict, why = GRADER_FAILED, f"{type(error).__name__}: {one_line(str(error), 200)}"
        content = refusal(name, wishes.how.exercise.name, verdict, why)
        row = dict.fromkeys(COLUMNS) | {"file": name, "verdict": verdict, "message": why}
    _write_page(wishes, name, content)
    return row


def _write_page(wishes: Wishes, name: str, content: str) -> None:
    path = wishes.page_of(name)
    if path is not None:
        write_bytes(path, content.encode())


def _key(path: Path, name: str, wishes: Wishes) -> str:
    """Digest of a file's name and content and of how it is graded; it does not tell the seed."""
    how = wishes.how
    drawn = (how.exercise.name, how.seed, how.instances, how.domain)
    settings = (*drawn, how.demands, how.limits, wishes.reveal)
    digest = sha256(repr((name, settings)).encode())
    try:
        digest.update(path.read_bytes())
    except OSError as error:
        digest.update(str(error).encode())
    return digest.hexdigest()


@contextmanager
def _journal(table: Path | None) -> Iterator[tuple[dict[str, Row], IO[str]]]:
    """What earlier runs have graded, and where to note more; nothing for a table on stdout."""
    if table is None or not is_replaced(table):
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            yield {}, nowhere
        return
    path = Path(f"{table}{JOURNAL}")
    try:
        stream = open(path, "a+", encoding="utf-8")  # noqa: SIM115
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{path}: another run is writing there") from None
        stream.seek(0)
        content = stream.read()
        if content and not content.endswith("\n"):  # its writer was killed within a line
            stream.write("\n")
        yield dict(_entries(content)), stream


def _entries(content: str) -> Iterator[tuple[str, Row]]:
    for line in content.splitlines():
        try:
            entry = json.loads(line)
            yield str(entry["key"]), dict(entry["row"])
        except (ValueError, KeyError, TypeError):
            continue


def _harmless(value: Any) -> Any:
    if isinstance(value, str) and value[:1] in tuple("=+-@\t\r"):
        return f"'{value}"
    return value
