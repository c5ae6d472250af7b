"""What a run of a heuristic costs is the heuristic's own time."""

import time
from typing import Any

import pytest
from studies import small_study

import slotwise.solvers.mapreduce.heuristic
from slotwise.experiments.engine import perform as engine


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
