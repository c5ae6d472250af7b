"""An answer that would have been wrong: one line, and the instance to report."""

import json
import re
import tempfile
from pathlib import Path

import pytest

import slotwise
from slotwise.commands.app import run
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.verdict import Verdict
from slotwise.solvers.datacenter import guide
from slotwise.solvers.mapreduce import heuristic
from slotwise.solvers.mapreduce import integer_programs as mip
from slotwise.solvers.mapreduce.result import CertificateError, certified


@pytest.fixture
def problem(tmp_path, monkeypatch):
    """An instance that the closed forms do not settle, in a file; and where saved files go."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "problem.json"
    slotwise.write(small(4, 3, seed=1), path)
    return path


def saved(stderr):
    (path,) = re.findall(r"saved in (\S+)", stderr)
    return Path(path)


def wishful(instance, task=None):
    """As a method that claims what cannot be: a bound above a schedule."""
    start = slotwise.heuristic(instance, "EASS")
    certified(instance, "mine", start.schedule, 2 * start.makespan, "wishful", 0.0)


def needs_report(code, capsys, problem):
    out, err = capsys.readouterr()
    assert code == 2
    line = err.splitlines()[-1]
    assert line.startswith("slotwise: this answer would have been wrong: ")
    assert "please report it" in line
    assert len(line) <= 500
    assert "Traceback" not in out + err
    again, instance = slotwise.read(saved(line)), slotwise.read(problem)
    assert again.name == instance.name
    assert again.map_processing.tolist() == instance.map_processing.tolist()
    return out


def test_wrong_closed_form(problem, capsys, monkeypatch):
    monkeypatch.setattr(heuristic, "best_lower_bound", lambda instance: (1e9, "wishful"))
    needs_report(run(["heuristic", "EFSS", str(problem)]), capsys, problem)


def test_wrong_answer_in_a_thread(problem, capsys, monkeypatch):
    monkeypatch.setattr(mip, "job_order_method", wishful)
    code = run(["solve", str(problem), "--model", "job-order", "--threads", "2", "--json"])
    document = json.loads(needs_report(code, capsys, problem))
    assert document["exit_code"] == 2
    assert "please report it" in document["error"]


def test_long_names_and_no_place_to_save(problem, capsys, monkeypatch):
    def nowhere(**options):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(heuristic, "best_lower_bound", lambda instance: (1e9, "w" * 9000))
    monkeypatch.setattr(tempfile, "mkstemp", nowhere)
    assert run(["heuristic", "EFSS", str(problem)]) == 2
    line = capsys.readouterr().err.splitlines()[-1]
    assert line.endswith("please report it, with the instance, which could not be saved")
    assert len(line) <= 500


def test_wrong_guidance_saves_the_datacenter(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(guide, "check_guidance", lambda guidance: Verdict(["a bin is too full"]))
    path = tmp_path / "datacenter.json"
    slotwise.write_datacenter(
        slotwise.generate("lotes", classes=3, configurations=2, machines=4, seed=1), path
    )
    assert run(["guide", str(path)]) == 2
    assert slotwise.read_datacenter(saved(capsys.readouterr().err)).classes


def test_python_gets_the_error_with_the_instance():
    instance = small(3, 2, seed=1)
    with pytest.raises(CertificateError, match="above a valid schedule") as caught:
        wishful(instance)
    assert caught.value.document()["name"] == instance.name
