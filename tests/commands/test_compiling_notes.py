"""What compiling has to say goes to stderr as notes, unless a person wants none."""

from __future__ import annotations

from pathlib import Path

import pytest

import slotwise
from slotwise.commands.app import run
from slotwise.core import notices as kernel_notes

EXAMPLE = str(Path(slotwise.__file__).parent / "examples" / "five-jobs.json")


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], "note: compiling\n"), (["--quiet"], ""), (["--json"], "note: compiling\n")],
)
def test_notes_go_to_stderr_unless_hushed(options, expected, capsys) -> None:
    assert run(["check", EXAMPLE, EXAMPLE, *options]) == 2
    capsys.readouterr()
    kernel_notes.progress("compiling")
    assert capsys.readouterr() == ("", expected)


def test_a_warning_is_told_once_where_nobody_listens(monkeypatch, caplog) -> None:
    monkeypatch.setattr(kernel_notes, "_listeners", [])
    kernel_notes.warning.cache_clear()
    for _ in range(2):
        kernel_notes.warning("compiled code cannot be kept")
    kernel_notes.progress("compiling")
    assert [record.getMessage() for record in caplog.records] == [
        "note: compiled code cannot be kept"
    ]
