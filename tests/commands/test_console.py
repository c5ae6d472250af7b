"""What commands print where: documents, tables, notes, progress and charts."""

import json
import sys
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from make import cli
from printed import tables
from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table

from slotwise.commands.progress import live_progress
from slotwise.commands.rendering import with_points_aligned
from slotwise.commands.results import answer_of
from slotwise.commands.running import begin
from slotwise.core import notices
from slotwise.core.notices import step
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job
from slotwise.instances.mapreduce.schedule import timed
from slotwise.solvers.mapreduce.result import certified, no_schedule
from slotwise.solvers.progress import Progress

DOCUMENT = {"makespan": 102.5, "notes": ["größer"], "bound": None}


def test_a_document_is_one_line_whatever_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (False, True):
        begin(as_json=True, quiet=quiet).show("words", DOCUMENT)
        out, err = capsys.readouterr()
        assert out.count("\n") == 1
        assert out.endswith("\n")
        assert json.loads(out) == DOCUMENT
        assert err == ""


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_document_holds_what_json_has_not(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        begin(as_json=True, quiet=False).show("words", {"gap": value})


def test_words_and_tables_are_for_people(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    begin(as_json=False, quiet=False).show("two\nlines", DOCUMENT)
    assert capsys.readouterr().out == "two\nlines\n"
    table = Table("name", "value")
    table.add_row(escape("[bold]"), ":smile:")  # no pictures for names
    begin(as_json=False, quiet=False).show(table, DOCUMENT)
    assert tables(capsys.readouterr().out) == [[{"name": "[bold]", "value": ":smile:"}]]
    for text in ("words", table):
        begin(as_json=False, quiet=True).show(text, DOCUMENT)
    assert capsys.readouterr().out == ""


def test_notes_go_aside(capsys: pytest.CaptureFixture[str]) -> None:
    begin(as_json=False, quiet=False).tell(["first", "second\nline"])
    assert capsys.readouterr() == ("", "note: first\nnote: second line\n")
    begin(as_json=False, quiet=True).tell(["first"])
    assert capsys.readouterr() == ("", "")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def progress(monkeypatch: pytest.MonkeyPatch, *steps: Progress) -> str:
    """What a terminal has been shown, in one line."""
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "stderr", terminal)
    begin()
    with live_progress() as on_progress:
        assert on_progress is not None
        for step in steps:
            on_progress(step)
    return " ".join(terminal.getvalue().split())


def test_progress_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    text = progress(monkeypatch, Progress(0.5, 150.0, 80.0), Progress(1.0, 120.0, 100.0))
    assert "incumbent 120 s bound 100 s gap 20 %" in text


def test_progress_without_a_bound_has_no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "incumbent 120 s bound 0 s gap –" in progress(monkeypatch, Progress(1.0, 120.0, 0.0))


def test_what_is_read_is_shown_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    begin()
    with live_progress():
        step("reading jobs.csv", 0.25)
    assert "s reading jobs.csv 25%" in " ".join(terminal.getvalue().split())


@pytest.mark.parametrize(
    ("stream", "asked"),
    [(StringIO(), {}), (Terminal(), {"quiet": True}), (Terminal(), {"as_json": True})],
)
def test_progress_is_for_terminals_only(
    monkeypatch: pytest.MonkeyPatch, stream: StringIO, asked: dict[str, bool]
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    begin(**asked)
    with live_progress() as on_progress:
        assert on_progress is None
    assert stream.getvalue() == ""


def test_a_chart_is_drawn_of_a_schedule(tmp_path: Path) -> None:
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("drawn", cluster, [Job("j", [60.0], [42.5])])
    one = np.array([0])
    result = certified(instance, "EFSS", timed(instance, one, one, one, one), 97.25, "LB1")
    chart = tmp_path / "chart.svg"
    assert not answer_of(no_schedule(instance, "solve", ("why",)), chart).drawings
    answer_of(result, chart).drawings[chart](chart)
    picture = chart.read_text()
    for words in ("drawn: EFSS", "102.5", "97.25", "LB1"):
        assert words in picture


def lines_of(cells: list[str]) -> list[str]:
    table = Table("name")
    table.add_column("gap", justify="right")
    for cell in cells:
        table.add_row("x", cell, style="bold")
    terminal = Console(width=60)
    with terminal.capture() as captured:
        terminal.print(with_points_aligned(Group(table)))
    return [line.split("│")[2] for line in captured.get().splitlines() if "│ x" in line]


def test_points_are_below_each_other_and_units_keep_their_numbers() -> None:
    lines = lines_of(["11.31 %", "0.625 %", "< 0.0001 %", "0 %", "–", ""])
    assert [line.strip() for line in lines] == ["11.31 %", "0.625 %", "< 0.0001 %", "0 %", "–", ""]
    assert {line.index(".") for line in lines[:3]} == {lines[0].index(".")}
    assert lines[3].index("0") == lines[0].index(".") - 1
    assert len({len(line) for line in lines}) == 1


def test_whole_numbers_stay_at_the_right() -> None:
    assert lines_of(["7", "1200", "30"]) == ["    7 ", " 1200 ", "   30 "]


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], "note: compiling\n"), (["--quiet"], ""), (["--json"], "note: compiling\n")],
)
def test_notes_go_to_stderr_unless_hushed(options, expected, capsys) -> None:
    assert cli("check", "example:five-jobs", "example:five-jobs", *options).code == 2
    notices.progress("compiling")
    assert capsys.readouterr() == ("", expected)


def test_a_warning_is_told_once_where_nobody_listens(monkeypatch, caplog) -> None:
    monkeypatch.setattr(notices, "_listeners", [])
    notices.warning.cache_clear()
    for _ in range(2):
        notices.warning("compiled code cannot be kept")
    notices.progress("compiling")
    assert [record.getMessage() for record in caplog.records] == [
        "note: compiled code cannot be kept"
    ]
