"""A schedule or bound of ours that is wrong: one line, the instance to report, what stands."""

import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

import slotwise
from slotwise.commands.app import run
from slotwise.formulations.mapreduce.bounds import closed_form
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
    slotwise.write(small(3, 2, seed=7, max_maps=2, max_reduces=2), path)
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
    assert code == 1
    line = err.splitlines()[-1]
    assert line.startswith("slotwise: a fault of slotwise, not of the input: ")
    assert "please report it" in line
    assert len(line) <= 500
    assert "Traceback" not in out + err
    again, instance = slotwise.read(saved(line)), slotwise.read(problem)
    assert again.name == instance.name
    assert again.map_processing.tolist() == instance.map_processing.tolist()
    return out


def test_a_wrong_bound_of_a_heuristic(problem, capsys, monkeypatch):
    monkeypatch.setattr(heuristic, "best_lower_bound", lambda instance: (1e9, "wishful"))
    out = needs_report(run(["heuristic", "EFSS", str(problem)]), capsys, problem)
    assert "makespan" in out


@pytest.fixture
def best(problem):
    result = slotwise.solve(slotwise.read(problem))
    assert result.status == "optimal"
    return result


def wrong_closed_form(monkeypatch):
    monkeypatch.setattr(closed_form, "lb2", lambda instance: 1e9)


def wrong_bound_of_a_method(monkeypatch):
    def method(instance, runner):
        runner.tell(bound=1e9, proof="wishful")

    monkeypatch.setattr(mip, "job_order_method", method)


def wrong_schedule_of_a_method(monkeypatch):
    def method(instance, runner):
        runner.tell(replace(runner.schedule, makespan=0.1))

    monkeypatch.setattr(mip, "job_order_method", method)


def failing_method(monkeypatch):
    monkeypatch.setattr(mip, "job_order_method", wishful)


@pytest.mark.parametrize(
    "fault",
    [wrong_closed_form, wrong_bound_of_a_method, wrong_schedule_of_a_method, failing_method],
)
def test_what_stands_is_kept(fault, problem, best, tmp_path, capsys, monkeypatch):
    fault(monkeypatch)
    output = tmp_path / "result.json"
    call = ["solve", problem, "--model", "job-order", "--threads", "2", "--json", "-o", output]
    document = json.loads(needs_report(run([str(word) for word in call]), capsys, problem))
    written = json.loads(output.read_text())
    assert written == document
    assert slotwise.check(slotwise.read(problem), slotwise.read(output, best.instance)).valid
    assert 0 < written["lower_bound"] <= best.makespan <= written["makespan"]
    if fault is wrong_closed_form:
        # The bound is left out, and all else goes on.
        assert written["status"] == "optimal"
    with pytest.raises(CertificateError) as caught:
        slotwise.solve(best.instance, methods="job-order")
    assert caught.value.result.makespan == written["makespan"]


def test_what_stands_is_compared(problem, best, capsys, monkeypatch):
    wrong_closed_form(monkeypatch)
    document = json.loads(needs_report(run(["gap", str(problem), "--json"]), capsys, problem))
    assert document["instances"][0]["makespan"] == best.makespan
    with pytest.raises(CertificateError):
        slotwise.gap(best.instance)


def test_long_names_and_no_place_to_save(problem, capsys, monkeypatch):
    def nowhere(**options):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(heuristic, "best_lower_bound", lambda instance: (1e9, "w" * 9000))
    monkeypatch.setattr(tempfile, "mkstemp", nowhere)
    assert run(["heuristic", "EFSS", str(problem)]) == 1
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
    assert run(["guide", str(path)]) == 1
    assert slotwise.read_datacenter(saved(capsys.readouterr().err)).classes


def test_python_gets_the_error_with_the_instance():
    instance = small(3, 2, seed=1)
    with pytest.raises(CertificateError, match="above a valid schedule") as caught:
        wishful(instance)
    assert caught.value.document()["name"] == instance.name
