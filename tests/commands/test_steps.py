"""`slotwise steps METHOD INSTANCE`: what it prints, writes and refuses."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from make import refused

import slotwise
from slotwise.commands.app import run

Capture = pytest.CaptureFixture[str]


def test_steps_are_printed_and_written(tmp_path: Path, capfd: Capture) -> None:
    page, slides, data = tmp_path / "page.html", tmp_path / "slides", tmp_path / "steps.json"
    line = "steps EFSS example:five-jobs --parameter omega=0.5"
    assert run([*line.split(), "--slides", str(slides)]) == 0
    printed = capfd.readouterr().out
    assert run([*line.split(), "-o", str(data)]) == 0
    assert capfd.readouterr().out == f"{data}: EFSS on five-jobs, step by step\n"
    assert printed.startswith("EFSS on five-jobs, step by step\nmakespan 1775.9 s\nbound (")
    assert "omega 0.5" in printed
    steps = slotwise.read(data)
    titles = [line.strip() for line in printed.splitlines() if line[:2].strip().isdigit()]
    assert titles == [f"{n}  {s.title} ({s.rule})" for n, s in enumerate(steps.steps, 1)]
    assert len(list(slides.iterdir())) == len(steps.steps)
    ElementTree.parse(slides / "31.svg")
    assert run([*line.split(), "--json"]) == 0
    assert json.loads(capfd.readouterr().out) == json.loads(data.read_text())
    assert run([*line.split(), "-o", str(page), "-q"]) == 0
    assert capfd.readouterr().out == ""
    assert page.read_text().count("<article") == 31
    assert run([*line.split(), "-o", str(tmp_path / "steps.txt"), "-q"]) == 0
    assert (tmp_path / "steps.txt").read_text() == printed


def test_the_optimum_is_marked_if_it_is_asked_for(tmp_path: Path, capfd: Capture) -> None:
    path = str(tmp_path / "i.json")
    assert run(["generate", "ljr-small", "--jobs", "2", "--seed", "1", "-o", path, "-q"]) == 0
    assert run(["steps", "EASS", path, "--optimum", "20", "--json"]) == 0
    marks = json.loads(capfd.readouterr().out)["marks"]
    assert [mark["dashed"] for mark in marks] == [True, False]
    assert marks[1]["label"] == "optimum"
    assert marks[1]["at"] == pytest.approx(slotwise.solve(slotwise.read(path)).makespan)


def test_wrong_words_are_refused_in_one_line(tmp_path: Path) -> None:
    assert "missing argument 'INSTANCE'" in refused("steps EFSS")
    assert "did you mean EFSS example:five-jobs?" in refused("steps example:five-jobs EFSS")
    assert "omega: needs a number from 0 to 1" in refused(
        "steps EFSS example:five-jobs --parameter omega=3"
    )
    assert "needs an Instance, got a Hierarchy" in refused("steps EFSS example:departments")
    assert "no steps of 'EFSSS': did you mean EFSS?" in refused("steps EFSSS example:five-jobs")
    for option in ("--slides", "--optimum", "--parameter"):
        line = f"explain sequence example:five-jobs {option} 1"
        gone = f"explain {option} is no longer there: slotwise steps has it"
        assert gone in refused(line)


def test_a_slide_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "01.svg").mkdir()
    line = f"steps EFSS example:five-jobs -q --slides {tmp_path}"
    assert "01.svg: is a folder" in refused(line)
