"""`slotwise audit` of several histories in processes of their own, and on a Dask cluster."""

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_histories import made_run

pytest.importorskip("joblib")

import slotwise
from slotwise.commands.app import run
from slotwise.commands.history import several
from slotwise.commands.history.kept_audits import KeptAudits
from slotwise.experiments.engine.backends.local import cores
from slotwise.experiments.study.study import Run, Unit
from slotwise.instances.history.run import Executor, Job, Stage

TAKE = {"first": 3000, "second": 5000, "third": 4000}
"""Each history is one task of so many ms that began a second late."""


@pytest.fixture
def night(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of histories, and nothing that was audited before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "night"
    folder.mkdir()
    for name, time in TAKE.items():
        made = made_run(
            [Job("a", 0, 0, ended=time + 1000)],
            [Stage("a.0", 0, 0, "stage", 1)],
            [Executor("e", "h", 0, 1)],
            [(0, 0, 0, 0, 1000, time + 1000)],
        )
        slotwise.write(replace(made, name=name), folder / f"{name}.json")
    (folder / "notes.txt").write_text("nothing")
    return folder


def not_here(units: list[Unit]) -> Iterator[Any]:
    raise AssertionError(f"{len(units)} units in this process")


def audited(night: Path, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    """The document of a night, after the whole of it was looked at."""
    assert run(["audit", str(night), "--time-limit", "1", "--json", *more]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    for audit in document["audits"]:
        values = audit["makespan"]
        own = TAKE[audit["name"]] / 1000
        assert (values["actual"], values["sure"], values["bound"]) == (own + 1, own, own)
    return document


@pytest.mark.skipif(cores() < 2, reason="two processes need two cores")
def test_processes_audit_a_night_and_ctrl_c_keeps_what_they_have_done(
    night: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    save = KeptAudits.save

    def interrupted(*given: Any) -> None:
        save(*given)
        os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as context:
        context.setattr(several, "one_by_one", not_here)
        context.setattr(KeptAudits, "save", interrupted)
        some = audited(night, capsys, "--workers", "2")
    (done,) = some["audits"]
    assert {Path(path).stem for path in some["unfinished"]} >= TAKE.keys() - {done["name"]}
    rest: list[str] = []

    def counted(kept: KeptAudits, of: Run, audit: dict[str, Any]) -> None:
        rest.append(audit["name"])
        save(kept, of, audit)

    monkeypatch.setattr(KeptAudits, "save", counted)
    whole = audited(night, capsys, "--workers", "1")
    assert sorted(rest) == sorted(TAKE.keys() - {done["name"]})
    assert [audit["name"] for audit in whole["audits"]] == list(TAKE)
    assert done in whole["audits"]
    assert "notes.txt: no history" in whole["failures"][0]
    assert whole["unfinished"] == []


def test_a_dask_cluster_audits_a_night(
    night: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(several, "one_by_one", not_here)
    distributed = pytest.importorskip("distributed")
    here = {"processes": False, "protocol": "tcp://", "dashboard_address": None}
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **here) as cluster:
        document = audited(night, capsys, "--dask", cluster.scheduler_address)
    assert [audit["name"] for audit in document["audits"]] == list(TAKE)
    assert len(document["failures"]) == 1
