"""A class of files: one row each, whatever a file does."""

import csv
import io

import pytest
from seeded_bugs import QUICK, right

from slotwise.core.errors import InputError
from slotwise.teaching.exercises import classes
from slotwise.teaching.exercises.classes import grade_class, table_text
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


def test_a_row_and_a_page_for_each_file(folder, tmp_path):
    marks = grade_class(folder, HOW, tmp_path / "pages")
    found = list(csv.DictReader(io.StringIO(table_text(marks.rows))))
    assert [(row["file"], row["verdict"]) for row in found] == [
        ("anna.py", "nothing found"),
        ("bert.py", "broken"),
        ("carl/mine.py", "not graded"),
    ]
    assert (found[1]["kind"], found[1]["tasks"]) == ("a job that never starts", "2")
    assert found[2]["message"].startswith("line 1: SyntaxError: ")
    pages = {path.name: path.read_text() for path in (tmp_path / "pages").iterdir()}
    assert set(pages) == {"anna.html", "bert.html", "carl-mine.html"}
    assert "none breaks it: no proof" in pages["anna.html"]
    assert "a job that never starts" in pages["bert.html"]
    assert "line 1: SyntaxError" in pages["carl-mine.html"]


def test_ctrl_c_keeps_what_is_done(folder, monkeypatch):
    grade = classes.grade_source

    def interrupted(source, name, *more):
        if name == "bert.py":
            raise KeyboardInterrupt
        return grade(source, name, *more)

    monkeypatch.setattr(classes, "grade_source", interrupted)
    marks = grade_class(folder, HOW)
    assert marks.interrupted
    assert [row["file"] for row in marks.rows] == ["anna.py"]
    assert "interrupted: 2 of 3 files are left" in marks.notes


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
    rows = grade_class(folder, HOW, tmp_path / "pages").rows
    assert [row["verdict"] for row in rows] == ["grader failed", "broken", "not graded"]
    assert rows[0]["message"] == "IndexError: list index out of range"
    assert rows[1]["kind"] == "it remembers earlier calls"
    assert "IndexError" in (tmp_path / "pages" / "anna.html").read_text()


def test_nothing_to_grade(tmp_path):
    with pytest.raises(InputError, match="has no Python files"):
        grade_class(tmp_path, HOW)


def test_a_spreadsheet_computes_nothing():
    text = table_text([{"file": "=1+1.py", "message": "@x", "tasks": 3}])
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["file"], row["message"], row["tasks"]) == ("'=1+1.py", "'@x", "3")
