"""`slotwise steps METHOD INSTANCE`: what it prints, writes and refuses."""

import json
from pathlib import Path
from xml.etree import ElementTree

import browser as browsers
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


GPUS = "example:gpu-cluster --guidance example:gpu-cluster-guidance"


def test_machines_jobs_and_plan_are_those_of_the_options(capfd: Capture) -> None:
    assert run(f"steps lotes {GPUS} --trace example:gpu-cluster-jobs --json".split()) == 0
    replayed = json.loads(capfd.readouterr().out)
    assert len(replayed["lanes"]) == 9
    assert sum(step["kind"] in ("place", "wait") for step in replayed["steps"]) == 60
    assert "gpu-cluster-jobs" in replayed["notes"][0]
    line = f"steps first-fit {GPUS} --jobs 7 --load 0.5 --noise 0.2 --seed 3 --json"
    assert run(line.split()) == 0
    drawn = json.loads(capfd.readouterr().out)
    assert len(drawn["steps"]) == 7
    assert "seed 3, demands with a coefficient of variation of 0.2" in drawn["notes"][0]
    line = "steps best-fit example:gpu-cluster --scale 0.4 --jobs 3 --json"
    assert run(line.split()) == 0
    assert len(json.loads(capfd.readouterr().out)["lanes"]) == 4


def test_what_does_not_go_together_is_refused() -> None:
    assert "--seed is for dispatching policies, 'exact' is none" in refused(
        "steps exact example:departments --seed 1"
    )
    assert "explain --trace is no longer there: slotwise steps has it" in refused(
        "explain sequence --trace x.csv"
    )
    assert "needs a Datacenter, got a Hierarchy" in refused("steps lotes example:departments")
    assert "needs a Hierarchy, got a Datacenter" in refused("steps mch example:gpu-cluster")
    assert "--scale 0.001 takes fewer" in refused("steps lotes example:google-2011")
    assert "load, rate and trace exclude one another" in refused(
        f"steps lotes {GPUS} --trace example:gpu-cluster-jobs --load 1"
    )
    assert "guidance: needs a Guidance, a word or a path, got 3" in refused(
        "steps lotes example:four-machines --parameter guidance=3"
    )


def test_pages_of_policies_and_shares_fit_phone_and_desk(tmp_path: Path) -> None:
    guidance = slotwise.read_guidance(
        "example:gpu-cluster-guidance", slotwise.read("example:gpu-cluster")
    )
    shown = {
        "lotes": ("example:gpu-cluster", {"guidance": guidance}, "25/"),
        "exact": ("example:mch-figure-4", {}, "3/5"),
    }
    with browsers.browser() as chromium:
        for method, (example, parameters, title) in shown.items():
            steps = slotwise.steps(slotwise.read(example), method, **parameters)
            path = tmp_path / f"{method}.html"
            slotwise.write_step_page(steps, path)
            assert path.stat().st_size < 100_000
            address = f"{path.as_uri()}#{title.split('/')[0]}"
            for width, dark in ((browsers.PHONE, True), (browsers.DESK, False)):
                with browsers.opened(chromium, address, width=width, dark=dark) as tab:
                    assert tab.inner_text("#words h2").startswith(title)
                    assert not browsers.sticks_out(tab)
