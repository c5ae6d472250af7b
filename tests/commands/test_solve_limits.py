"""`solve` under short time limits: a whole answer at once, on every kind of instance."""

import json
import threading
from threading import Event

import pytest
from random_instances import with_outages, with_security, with_speed_factors
from typer.testing import CliRunner

import slotwise
from slotwise.commands.app import app
from slotwise.core.background import attempt
from slotwise.core.clock import Clock
from slotwise.core.kernels.decorators import Kernel, _mode
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.instances.mapreduce.instance_file import read_instance

KINDS = {
    "small": lambda: small(4, 3, seed=1),
    "speeds": lambda: with_speed_factors(small(4, 3, seed=1), 3),
    "security": lambda: with_security(small(4, 3, seed=1), 3),
    "outages": lambda: with_outages(small(4, 3, seed=1), 3),
    "large": lambda: generate(50, 10, seed=1, map_slots=8),
    "large, speeds": lambda: slotwise.generate("hmhs", jobs=20, seed=1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("limit", "threads"), [("0", "1"), ("0.1", "2"), ("1", "1")])
def test_a_short_limit_gives_a_whole_answer(tmp_path, kind, limit, threads):
    instance, file = KINDS[kind](), tmp_path / "instance.json"
    slotwise.write(instance, file)
    arguments = ["solve", str(file), "--time-limit", limit, "--threads", threads, "--json"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    document = json.loads(ran.stdout)
    assert document["status"] in ("optimal", "feasible")
    assert 0 < document["lower_bound"] <= document["makespan"]
    assert document["bound"]
    assert document["found_by"]
    assert document["seconds"] >= 0
    (tmp_path / "result.json").write_text(ran.stdout)
    schedule = slotwise.read_schedule(tmp_path / "result.json", instance)
    assert slotwise.check(instance, schedule).valid


@pytest.fixture
def endless_compiler(monkeypatch):
    """Whoever needs compiled code waits until the test is over."""
    over = Event()
    call = Kernel.__call__

    def called(kernel, *args):
        if not _mode.plain and "no_cpython_wrapper" not in kernel.options:
            over.wait()
        return call(kernel, *args)

    monkeypatch.setattr(Kernel, "__call__", called)
    monkeypatch.setattr("slotwise.solvers.mapreduce.solve.get_ready", lambda *_: over.wait())
    monkeypatch.setattr("slotwise.solvers.mapreduce.solve.GRACE", 0.05)
    monkeypatch.setattr("slotwise.solvers.mapreduce.solve.BOUNDS_SECONDS", 0.05)
    yield
    over.set()


@pytest.mark.parametrize("kind", KINDS)
def test_a_schedule_and_a_bound_come_before_any_compilation(endless_compiler, kind):
    instance = KINDS[kind]()
    result = attempt(lambda: slotwise.solve(instance, time_limit=0.05), Clock(60.0))
    assert 0 < result.lower_bound <= result.makespan
    assert slotwise.check(instance, result.schedule).valid


def test_an_event_stops_the_search():
    stop = Event()
    result = slotwise.solve(
        KINDS["large"](),
        time_limit=60,
        stop=stop,
        on_progress=lambda step: stop.set() if step.incumbent is not None else None,
    )
    assert result.interrupted
    assert result.schedule is not None


@pytest.mark.parametrize("words", [("solve",), ("gap",), ("heuristic", "EFSS")])
def test_the_limit_counts_from_before_the_file_is_read(words, monkeypatch, tmp_path) -> None:
    slotwise.write(small(2, 2, seed=1), tmp_path / "small.json")
    events = []

    class NotedClock(Clock):
        def __init__(self, *args, **given):
            # A thread that still compiles for an earlier test has a clock of its own.
            if threading.current_thread() is threading.main_thread():
                events.append("clock")
            super().__init__(*args, **given)

    def noted_read(path):
        events.append("read")
        return read_instance(path)

    monkeypatch.setattr("slotwise.core.clock.Clock", NotedClock)
    monkeypatch.setattr("slotwise.instances.mapreduce.instance_file.read_instance", noted_read)
    command = [*words, str(tmp_path / "small.json"), "--time-limit", "30", "--quiet"]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert events[:2] == ["clock", "read"]
