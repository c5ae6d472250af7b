"""What a run costs is the method's own time: compiling comes before, checks come after."""

import time
from typing import Any

import pytest
from studies import small_study

import slotwise.solvers.mapreduce.heuristic
from slotwise.experiments.engine import perform as engine
from slotwise.experiments.engine.perform import prepare
from slotwise.experiments.study.study import Unit
from slotwise.experiments.study.study_file import make_study
from slotwise.solvers.mapreduce.branch_and_bound import search


def busy(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_checking_is_no_part_of_the_times(monkeypatch: pytest.MonkeyPatch) -> None:
    check = slotwise.solvers.mapreduce.heuristic.check

    def slow_check(*arguments: Any) -> Any:
        busy(0.3)
        return check(*arguments)

    monkeypatch.setattr("slotwise.solvers.mapreduce.heuristic.check", slow_check)
    unit = small_study(1).units[0]
    for record in engine.perform(unit):
        assert record.status == "feasible"
        assert record.seconds < 0.3
        assert record.cpu_seconds < 0.3


def unit(jobs: int, **method: object) -> Unit:
    study = make_study(
        {
            "instances": [{"generator": "two-stage", "jobs": jobs}],
            "methods": [{"solve": True, **method}],
        }
    )
    return study.units[0]


def test_branch_and_bound_is_compiled_where_solve_takes_it(monkeypatch) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(search, "is_compiled", lambda: bool(compiled.append("asked")) or True)
    prepare(unit(100))  # too many tasks for it
    prepare(unit(3, methods="job-order"))
    assert not compiled
    prepare(unit(3))
    prepare(unit(100, methods=["job-order", "branch-and-bound"]))
    assert len(compiled) == 2
    monkeypatch.undo()
    prepare(unit(3))
    assert search.is_compiled()
