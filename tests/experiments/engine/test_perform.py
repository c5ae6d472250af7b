"""What a run of a heuristic costs is the heuristic's own time."""

import time
from typing import Any

import pytest
from studies import small_study

import slotwise.solvers.mapreduce.heuristic
from slotwise.experiments.engine import perform as engine
from slotwise.experiments.engine.watchdog import FACTOR, Watchdog
from slotwise.experiments.study.instance_sources import called


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


def test_the_watchdog_is_set_round_runs_with_a_limit_only(monkeypatch: pytest.MonkeyPatch) -> None:
    set_to: list[float | None] = []
    monkeypatch.setattr(
        "faulthandler.dump_traceback_later", lambda limit, **_options: set_to.append(limit)
    )
    monkeypatch.setattr("faulthandler.cancel_dump_traceback_later", lambda: set_to.append(None))
    methods = [called("heuristic", "EFSS"), called("solve", "solve", time_limit=4.0)]
    unit = small_study(1, methods).units[0]
    records = list(engine.perform(unit, Watchdog(grace=7.0)))
    assert records[0].status == "feasible"
    assert set_to == [FACTOR * 4.0 + 7.0, None]
