"""A class of files: one row each, gone on with after an end of any sort."""

import csv
import io
import json
from dataclasses import replace

import pytest
from seeded_bugs import QUICK, right

from slotwise.core.errors import InputError
from slotwise.teaching.exercises import classes
from slotwise.teaching.exercises.classes import Wishes, grade_class, table_text
from slotwise.teaching.exercises.exercise import Limits
from slotwise.teaching.exercises.grading import wanted

HOW = wanted("rule", "secret seed", 40, None, None, Limits(time=60.0, per_instance=10.0))
BROKEN = next(one for one in QUICK if one.name == "no queue").source


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "class"
    (folder / "carl").mkdir(parents=True)
    (folder / "anna.py").write_text(right("rule"))
    (folder / "bert.py").write_text(BROKEN)
    (folder / "carl" / "mine.py").write_text("class policy(:\n")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "x.py").write_text("no")
    return folder


@pytest.fixture
def graded(monkeypatch):
    """Names of the files that are graded, not taken from the journal."""
    seen, grade = [], classes.grade_source

    def noted(source, name, *more):
        seen.append(name)
        return grade(source, name, *more)

    monkeypatch.setattr(classes, "grade_source", noted)
    return seen


def test_a_row_for_each_file_and_none_graded_again(folder, graded, tmp_path):
    table = tmp_path / "marks.csv"
    marks = grade_class(folder, Wishes(HOW, table=table))
    marks.write(table)
    found = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [(row["file"], row["verdict"]) for row in found] == [
        ("anna.py", "nothing found"),
        ("bert.py", "broken"),
        ("carl/mine.py", "not graded"),
    ]
    assert (found[1]["kind"], found[1]["tasks"]) == ("a job that never starts", "2")
    assert found[2]["message"].startswith("line 1: SyntaxError: ")
    assert "secret seed" not in (tmp_path / "marks.csv.journal.jsonl").read_text()

    assert graded == ["anna.py", "bert.py", "carl/mine.py"]
    again = grade_class(folder, Wishes(HOW, table=table))
    assert again.rows == marks.rows
    assert "3 of 3 files were graded before" in again.notes
    (folder / "anna.py").write_text(BROKEN)
    assert grade_class(folder, Wishes(HOW, table=table)).rows[0]["verdict"] == "broken"
    assert graded[3:] == ["anna.py"]
    grade_class(folder, Wishes(replace(HOW, instances=41), table=table))
    assert len(graded) == 7


def test_a_page_for_each_file(folder, graded, tmp_path):
    wishes = Wishes(HOW, table=tmp_path / "marks.csv", pages=tmp_path / "pages")
    grade_class(folder, wishes)
    pages = {path.name: path.read_text() for path in (tmp_path / "pages").iterdir()}
    assert set(pages) == {"anna.html", "bert.html", "carl-mine.html"}
    assert "none breaks it: no proof" in pages["anna.html"]
    assert "a job that never starts" in pages["bert.html"]
    assert "line 1: SyntaxError" in pages["carl-mine.html"]
    (tmp_path / "pages" / "bert.html").unlink()
    grade_class(folder, wishes)
    assert graded[3:] == ["bert.py"]
    assert (tmp_path / "pages" / "bert.html").read_text() == pages["bert.html"]


def test_ctrl_c_keeps_what_is_done(folder, tmp_path, monkeypatch):
    table, grade = tmp_path / "marks.csv", classes.grade_source

    def interrupted(source, name, *more):
        if name == "bert.py":
            raise KeyboardInterrupt
        return grade(source, name, *more)

    monkeypatch.setattr(classes, "grade_source", interrupted)
    marks = grade_class(folder, Wishes(HOW, table=table))
    assert marks.interrupted
    assert [row["file"] for row in marks.rows] == ["anna.py"]
    assert "interrupted: 2 of 3 files are left" in marks.notes
    monkeypatch.setattr(classes, "grade_source", grade)
    marks = grade_class(folder, Wishes(HOW, table=table))
    assert len(marks.rows) == 3
    assert "1 of 3 files were graded before" in marks.notes


def test_a_torn_journal_and_two_runs_at_once(folder, graded, tmp_path):
    table = tmp_path / "marks.csv"
    grade_class(folder, Wishes(HOW, table=table))
    journal = tmp_path / "marks.csv.journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text(lines[0] + lines[1][:30])
    graded.clear()
    grade_class(folder, Wishes(HOW, table=table))
    assert graded == ["bert.py", "carl/mine.py"]
    assert len([json.loads(line) for line in journal.read_text().splitlines()[2:]]) == 2
    with classes._journal(table), pytest.raises(InputError, match="another run is writing"):
        grade_class(folder, Wishes(HOW, table=table))


def test_no_file_ends_a_class(folder, tmp_path, monkeypatch):
    arrive = "    def arrive(self, job):\n"
    keeps = "        if job.number == 0:\n            self.seen.append(job)\n"
    keeps = f"    seen = []\n\n{arrive}{keeps}            job = self.seen[0]\n"
    (folder / "bert.py").write_text(right("rule").replace(arrive, keeps))
    grade = classes.grade_source

    def failing(source, name, *more):
        if name == "anna.py":
            raise IndexError("list index\nout of range")
        return grade(source, name, *more)

    monkeypatch.setattr(classes, "grade_source", failing)
    wishes = Wishes(HOW, table=tmp_path / "marks.csv", pages=tmp_path / "pages")
    rows = grade_class(folder, wishes).rows
    assert [row["verdict"] for row in rows] == ["grader failed", "broken", "not graded"]
    assert rows[0]["message"] == "IndexError: list index out of range"
    assert rows[1]["kind"] == "it remembers earlier calls"
    assert "IndexError" in (tmp_path / "pages" / "anna.html").read_text()
    monkeypatch.setattr(classes, "grade_source", grade)
    (tmp_path / "pages" / "bert.html").write_text("")
    assert grade_class(folder, wishes).rows[0]["verdict"] == "nothing found"


def test_nothing_to_grade(tmp_path):
    with pytest.raises(InputError, match="has no Python files"):
        grade_class(tmp_path, Wishes(HOW))


def test_a_spreadsheet_computes_nothing():
    text = table_text([{"file": "=1+1.py", "message": "@x", "tasks": 3}])
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["file"], row["message"], row["tasks"]) == ("'=1+1.py", "'@x", "3")
