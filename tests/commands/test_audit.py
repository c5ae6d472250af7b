"""`slotwise audit` on the command line."""

import json
import os
import shlex
import signal
from collections.abc import Iterator
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_histories import made_run

import slotwise
from slotwise.commands.app import run
from slotwise.commands.history import several
from slotwise.experiments.engine.perform import perform
from slotwise.experiments.engine.record import Record
from slotwise.experiments.study.study import Unit
from slotwise.instances.history.run import Executor, Job, Run, Stage
from slotwise.solvers.history.audit import Audit
from slotwise.solvers.history.auditing import audit_run


def small() -> Run:
    """One job of tasks 4, 2, 2 s on two slots that ran the 4 last, from 2.5 on."""
    return made_run(
        [Job("a", 0, 0, ended=6500)],
        [Stage("a.0", 0, 0, "stage", 3)],
        [Executor("e", "h", 0, 2)],
        [(0, 0, 0, 0, 0, 2000), (0, 1, 0, 0, 0, 2000), (0, 2, 0, 0, 2500, 6500)],
    )


@pytest.fixture
def history(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    slotwise.write(small(), path)
    return path


def test_text_has_verdict_causes_jobs_and_assumptions(
    history: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["audit", str(history), "--time-limit", "5", "--slots", "1", "--detail"]) == 0
    text = capsys.readouterr().out
    assert "1 job took 6.5 s" in text
    assert "4 s was possible, and is proven best" in text
    assert "idle slots" in text
    assert "6.5 s, as it ran, is possible with 2 slots of the 2, and with fewer than 2" in text
    assert "- Tasks take what they took" in text
    assert "stragglers 1 2 a (2)" in " ".join(text.split())
    assert "attempts that did not count" in text


def test_json_page_and_file(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, page = history.parent / "audit.json", history.parent / "audit.html"
    words = ["audit", str(history), "--time-limit", "5", "--json", "-o", str(out)]
    assert run([*words, "--detail", "--html", str(page)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads(out.read_text())
    assert document["format"] == "slotwise/audit/1"
    assert document["makespan"]["actual"] == 6.5
    assert document["makespan"]["bound"] == document["makespan"]["sure"] == 4.0
    assert document["mean_job_time"] is None
    none = document["makespan"]["references"]["none"]
    total = sum(cause["seconds"] for cause in document["causes"]) + none["bound"]
    assert total == pytest.approx(6.5, abs=1e-6)
    assert [what["seconds"] for what in document["detail"]["what_if"]] == [2.0]
    html = page.read_text()
    assert "<h2>In detail</h2>" in html
    assert html.count("<canvas") == 2
    assert "http" not in html.replace("http-equiv", "")


def test_the_page_tells_the_line_that_makes_it_again(tmp_path: Path) -> None:
    path, page = tmp_path / "last night's <run>.json", tmp_path / "page.html"
    slotwise.write(small(), path)
    words = ["audit", str(path), "--time-limit", "1", "--overheads", "kept", "--html", str(page)]
    assert run(words) == 0
    text = page.read_text()
    line = unescape(text.partition("<h2>Again</h2>\n<pre>")[2].partition("</pre>")[0])
    assert shlex.split(line) == ["slotwise", *words]
    page.unlink()
    assert run(shlex.split(line)[1:]) == 0
    assert page.read_text() == text


def test_one_reference_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two jobs of 2 s with 3 s of the driver between: 7 s with it, 2 + 2 = 4 s without."""
    made = made_run(
        [Job("a", 0, 0, ended=2000), Job("b", 0, 5000, ended=7000)],
        [Stage("a.0", 0, 0, "stage", 1), Stage("b.0", 1, 0, "stage", 1)],
        [Executor("e", "h", 0, 1)],
        [(0, 0, 0, 0, 0, 2000), (1, 0, 0, 0, 5000, 7000)],
    )
    path, page = tmp_path / "run.json", tmp_path / "page.html"
    slotwise.write(made, path)
    for name, under, seconds in (
        ("kept", "with the program as it is", 7),
        (
            "none",
            "with its jobs in their order, but without the driver's time between jobs",
            4,
        ),
    ):
        words = ["audit", str(path), "--time-limit", "1", "--overheads", name, "--json"]
        assert run([*words, "--html", str(page)]) == 0
        document = json.loads(capsys.readouterr().out)
        (told,) = document["verdict"]
        assert told.endswith(f"{under}, {seconds} s was possible, and is proven best.")
        assert document["overheads"] == name
        assert document["jobs"][1]["best_end"] == seconds
        assert all(job["alone_end"] <= job["best_end"] for job in document["jobs"])
        assert document["makespan"]["sure"] == 7
        assert f"<h3>The best plan, {escape(under)}</h3>" in page.read_text()
        bars = page.read_text().partition('"bars":')[2]
        _, best = json.JSONDecoder().raw_decode(bars)[0]
        assert max(best["end"]) == 1000 * seconds
    assert run(["audit", str(path), "--overheads", "some"]) == 2
    assert run(["audit", str(path), "--overheads", "none", "--slots", "2"]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert "choose kept or none or both" in errors[0]
    assert "--slots: keeps the overheads" in errors[1]


@pytest.fixture
def night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two histories and a file that is none; nothing was audited before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "night"
    folder.mkdir()
    for name, job in (("first", "a"), ("second", "b")):
        made = replace(small(), name=name, jobs=(replace(small().jobs[0], name=job),))
        slotwise.write(made, folder / f"{name}.json")
    (folder / "notes.txt").write_text("nothing")
    return folder


LINE = ["--time-limit", "1", "--workers", "1"]


def test_several_histories_are_a_table_and_one_document(
    night: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = night.parent / "audits.json"
    assert run(["audit", str(night), *LINE, "--detail", "-o", str(out)]) == 0
    told = capsys.readouterr()
    head, *lines = told.out.splitlines()
    assert head.split()[:2] == ["lost", "as"]
    assert [line.split() for line in lines] == [
        ["2.5", "6.5", "4", "4", "0", "%", name] for name in ("second", "first")
    ]
    assert "notes.txt: no history" in told.err
    document = json.loads(out.read_text())
    assert document["format"] == "slotwise/audits/1"
    assert [audit["name"] for audit in document["audits"]] == ["first", "second"]
    assert document["audits"][0]["detail"]["what_if"][0]["seconds"] == 2
    assert len(document["failures"]) == 1
    assert document["unfinished"] == []


def test_the_top_of_the_table_are_those_that_lost_most(
    night: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the same 4 s of work, `third` took 7.5 s instead of 6.5."""
    own = small().attempts
    more = np.array([0, 0, 1000])
    later = replace(own, start=own.start + more, end=own.end + more)
    jobs = (replace(small().jobs[0], ended=7500),)
    slotwise.write(replace(small(), name="third", jobs=jobs, attempts=later), night / "third.json")
    for top, names in ((1, ["third"]), (2, ["third", "second"])):
        assert run(["audit", str(night), *LINE, "--top", str(top)]) == 0
        _, *lines, rest = capsys.readouterr().out.splitlines()
        assert [line.split()[-1] for line in lines] == names
        assert rest == ("and 2 more runs" if top == 1 else "and 1 more run")
    assert run(["audit", str(night), *LINE, "--top", "3"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert run(["audit", str(night), *LINE, "--top", "1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["audits"]) == 3
    assert run(["audit", str(night), *LINE, "--top", "0"]) == 2


def test_what_was_audited_before_is_taken_from_the_cache(
    night: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def audits(*more: str) -> list[str]:
        """Names of the applications, after what was kept was given other names."""
        for file in (night.parent / "cache").rglob("*.json"):
            kept = json.loads(file.read_text())
            kept["audit"]["name"] = "kept"
            file.write_text(json.dumps(kept))
        assert run(["audit", str(night), *LINE, "--json", *more]) == 0
        return [audit["name"] for audit in json.loads(capsys.readouterr().out)["audits"]]

    assert audits() == ["first", "second"]
    assert audits() == ["kept", "kept"]
    assert audits("--no-cache") == ["first", "second"]
    assert audits("--overheads", "kept") == ["first", "second"]
    text = (night / "first.json").read_text()
    (night / "first.json").write_text(text.replace("first", "other"))
    assert audits() == ["other", "kept"]
    for file in (night.parent / "cache").rglob("*.json"):
        file.write_text("{")
    assert run(["audit", str(night), *LINE, "-q"]) == 0


def test_an_interrupted_table_has_what_is_known(
    night: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted_at(runs: int) -> int:
        def records(units: list[Unit]) -> Iterator[Record]:
            for k, unit in enumerate(units):
                if k == runs:
                    os.kill(os.getpid(), signal.SIGINT)
                yield from perform(unit)

        monkeypatch.setattr(several, "one_by_one", records)
        return run(["audit", str(night), *LINE, "--json", "--no-cache"])

    assert interrupted_at(0) == 130
    capsys.readouterr()
    assert interrupted_at(1) == 0
    document = json.loads(capsys.readouterr().out)
    assert [audit["name"] for audit in document["audits"]] == ["second"]
    assert [Path(path).name for path in document["unfinished"]] == ["first.json", "notes.txt"]


def test_an_interrupted_audit_has_what_is_known(
    history: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> Audit:
        os.kill(os.getpid(), signal.SIGINT)
        return audit_run(*given)

    monkeypatch.setattr("slotwise.solvers.history.auditing.audit_run", interrupted)
    assert run(["audit", str(history), "--time-limit", "60"]) == 0
    told = capsys.readouterr()
    assert "interrupted: the best that was found" in told.err
    assert "4 s was possible, and is proven best" in told.out


def test_what_cannot_be_audited_is_told(history: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(history), "--objective", "median"]) == 2
    assert run(["audit", str(history), "--queue", "x"]) == 2
    assert run(["audit", str(history), "--queue", "x", "--slots", "2"]) == 2
    assert run(["audit", str(history), "--dask", "tcp://localhost:1"]) == 2
    assert run(["audit", str(history), "--setups", "model"]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert "choose makespan or mean" in errors[0]
    assert "jobs of one application cannot be audited apart" in errors[1]
    assert "--slots: needs all jobs" in errors[2]
    assert "--dask is for several histories" in errors[3]
    assert "--setups model: histories keep neither" in errors[4]


def test_a_run_that_its_model_does_not_contain_gets_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = small()
    stages = tuple(replace(stage, kind="map") for stage in whole.stages)
    one = (replace(whole.executors[0], slots=1),)
    path = tmp_path / "run.json"
    slotwise.write(replace(whole, framework="yarn", stages=stages, executors=one), path)
    assert run(["audit", str(path), "--time-limit", "1"]) == 1
    assert "the run breaks the model in" in capsys.readouterr().err
