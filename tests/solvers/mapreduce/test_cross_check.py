"""A second opinion agrees with what it has proven itself, and with nothing else."""

import json
from dataclasses import replace

import pulp
import pytest
from typer.testing import CliRunner

import slotwise
from slotwise import Cluster, Instance, Job
from slotwise.commands.app import app
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.solvers.backends import cbc_process
from slotwise.solvers.mapreduce import cross_check as module
from slotwise.solvers.mapreduce.cross_check import cross_check
from slotwise.solvers.mapreduce.result import Status, no_schedule


@pytest.fixture(scope="module")
def hard():
    """Too large to be proven in a second."""
    return small(8, 4, seed=1, map_slots=2, reduce_slots=2, max_maps=8, max_reduces=6)


def one_job():
    """Two tasks of 2 s on one slot and a reduce task of 3 s: 7 s, proven by a closed form."""
    cluster = Cluster.uniform(1, map_slots=1)
    result = slotwise.solve(Instance.from_jobs("one", cluster, [Job("a", [2.0, 2.0], [3.0])]))
    assert (result.makespan, result.lower_bound) == (7.0, 7.0)
    return result


def said(monkeypatch, makespan, bound):
    monkeypatch.setattr(module, "_solved", lambda *_: (makespan, bound, cbc_process.UNFINISHED))


@pytest.mark.parametrize(
    ("makespan", "bound", "agrees", "verdict"),
    [
        (7.0, 7.0, True, "agrees"),
        (None, 7.0, True, "agrees"),
        (None, 6.9, None, "no answer"),
        (7.0, None, None, "no answer"),
        (7.0, 6.0, None, "no answer"),
        (None, None, None, "no answer"),
        (6.0, 6.0, False, "DISAGREES"),
        (6.0, None, False, "DISAGREES"),
        (8.0, 8.0, False, "DISAGREES"),
        (None, float("inf"), False, "DISAGREES"),
    ],
)
def test_only_a_proof_agrees(monkeypatch, makespan, bound, agrees, verdict):
    result = one_job()
    unit = 7.0 / module.suitable_unit(7.0)
    in_units = [side if side is None else side / 7.0 * unit for side in (makespan, bound)]
    said(monkeypatch, *in_units)
    (opinion,) = cross_check(result)
    assert (opinion.agrees, opinion.verdict) == (agrees, verdict)
    assert str(opinion).startswith(
        f"{verdict}: job-order model as MPS, CBC: did not finish in 60 s"
    )
    document = json.loads(json.dumps(opinion.document(), allow_nan=False))
    assert document["agrees"] is agrees
    assert document["verdict"] == verdict.lower()


@pytest.mark.parametrize(("given", "took", "limit"), [(60, 0.5, 5), (60, 40, 10), (2, 0.5, 2)])
def test_the_command_gives_it_a_quarter_of_the_time(monkeypatch, given, took, limit):
    """Of the time that solving took, but 5 s at least, and never more than the time limit."""
    result, limits = one_job(), []
    monkeypatch.setattr(slotwise, "solve", lambda *_, **__: replace(result, seconds=took))
    monkeypatch.setattr(
        slotwise, "cross_check", lambda _, time_limit, threads: limits.append(time_limit) or []
    )
    run = CliRunner().invoke(
        app, ["solve", "example:five-jobs", "--time-limit", str(given), "--cross-check"]
    )
    assert (run.exit_code, limits) == (0, [limit])


def test_what_is_not_run_does_not_agree(hard, monkeypatch):
    monkeypatch.setattr(module, "MOST_TERMS", 10)
    for result in (slotwise.heuristic(hard, "EFSS"), no_schedule(hard, "exact", ("no slots",))):
        for opinion in cross_check(result):
            assert opinion.agrees is None
            assert "not run" in str(opinion)


@pytest.mark.parametrize("scale", [1e-6, 1e9])
def test_agrees_at_any_scale(scale):
    cluster = Cluster.uniform(1, map_slots=2)
    jobs = [Job("a", [3 * scale, 2 * scale, 2 * scale], [scale]), Job("b", [scale], [4 * scale])]
    result = slotwise.solve(Instance.from_jobs("scaled", cluster, jobs), threads=1)
    assert result.status is Status.OPTIMAL
    for opinion in cross_check(result, time_limit=30):
        assert opinion.verdict == "agrees"
        assert opinion.makespan == pytest.approx(result.makespan, rel=1e-6)


def test_a_solution_of_the_relaxation_is_no_makespan():
    """Stopped early CBC calls a fractional solution one too: half a task on a slot."""
    problem = pulp.LpProblem()
    x = pulp.LpVariable("x", 0, 1, pulp.LpInteger)
    x.varValue = 0.5
    problem += 2 * x
    assert not cbc_process.is_whole(problem)
    x.varValue = 1.0 - 1e-9
    assert cbc_process.is_whole(problem)


def test_command_line_does_not_call_it_agreement(hard, tmp_path):
    path = tmp_path / "hard.json"
    slotwise.write(hard, path)
    arguments = ["solve", str(path), "--time-limit", "0", "--cross-check", "--threads", "1"]
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0
    assert run.stdout.count("no answer: job-order model") == 1
    assert "agrees" not in run.stdout
    assert "DISAGREES" not in run.output
