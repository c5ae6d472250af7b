"""Heuristics under the clock: in which order they run, and which of them are skipped."""

import math
from collections.abc import Callable
from threading import Event
from unittest.mock import Mock

import pytest

import slotwise
from slotwise.core import notices
from slotwise.core.clock import Clock
from slotwise.core.registry import Entry
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.instances.mapreduce.instance import Instance
from slotwise.solvers.mapreduce import solve as solve_module
from slotwise.solvers.mapreduce.first_results import Opening, expected_seconds
from slotwise.solvers.mapreduce.method import MethodOutcome
from slotwise.solvers.progress import Progress


@pytest.fixture
def slow(monkeypatch):
    """All heuristics but EFSS are expected to take an hour."""

    def hour(entry, instance):
        return 1.0 if entry.name == "EFSS" else 3600.0

    monkeypatch.setattr("slotwise.solvers.mapreduce.first_results.expected_seconds", hour)


def test_what_does_not_fit_the_time_is_skipped(slow):
    opening = Opening(small(3, 2, seed=4), heuristics=["EASS", "EFSS"])
    opening.run(Clock(30.0))
    assert [result.method for result in opening.results] == ["EFSS"]
    assert opening.notes == ["EASS: skipped, about 3.6e+03 s of the 30 s for heuristics"]


def test_the_first_heuristic_runs_whatever_is_expected(slow):
    opening = Opening(small(3, 2, seed=4), heuristics=["EASS", "TBS"])
    opening.run(Clock(30.0))
    assert [result.method for result in opening.results] == ["EASS"]
    assert len(opening.notes) == 1


def test_without_a_limit_all_heuristics_run(slow):
    opening = Opening(small(3, 2, seed=4))
    opening.run(Clock(math.inf))
    assert len(opening.results) == len(HEURISTICS.usual)
    assert opening.notes == []


def test_quick_heuristics_come_before_slow_ones():
    """HMHS examines all nodes for a reduce task; the results keep the order of the registry."""
    steps = []
    opening = Opening(
        generate(3, 2, seed=1), lambda step: steps.append(step.doing), ["EASS", "HMHS", "FIFO"]
    )
    opening.run(Clock())
    assert [doing for doing in steps if doing in HEURISTICS.names] == ["EASS", "FIFO", "HMHS"]
    assert [result.method for result in opening.results] == ["EASS", "HMHS", "FIFO"]


def test_the_first_may_run_before_the_others_and_tells_their_pace(monkeypatch):
    steps = []
    opening = Opening(small(3, 2, seed=4), lambda step: steps.append(step.doing))
    opening.run_first(Clock())
    assert [result.method for result in opening.results] == ["EFSS"]

    def expected(entry, _instance):
        return 1e-9 if entry.name == "EFSS" else 1.0

    monkeypatch.setattr("slotwise.solvers.mapreduce.first_results.expected_seconds", expected)
    opening.run(Clock(1.5))
    assert [result.method for result in opening.results] == ["EFSS"]
    opening.run(Clock(math.inf))
    assert [result.method for result in opening.results] == [e.name for e in HEURISTICS.usual]
    assert steps.count("EFSS") == 1


@pytest.mark.parametrize(("compiling", "missing"), [(0.0, 0), (40.0, 0), (56.2, 4)])
def test_compiling_takes_nothing_from_the_share_of_the_heuristics(
    compiling: float, missing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 60 s the twelve have 9, and take half a second each, EFSS before anything is compiled.

    After 56.7 s, which is late, six have ended when the 60 are over, one is cut off, four missing.
    """
    now = [0.0]
    monkeypatch.setattr("slotwise.core.clock.time.perf_counter", lambda: now[0])

    def compiled(_instance: Instance, first: Callable[[], None]) -> None:
        first()
        now[0] += compiling

    def told(step: Progress) -> None:
        now[0] += 0.5 * (step.doing in HEURISTICS.names)

    module = "slotwise.solvers.mapreduce.solve"
    monkeypatch.setattr(f"{module}.compile_on_two_cores", compiled)
    monkeypatch.setattr(f"{module}.searcher", lambda instance: Mock())
    search = Entry("improvement", lambda instance, request: MethodOutcome(None, None))
    made = slotwise.solve(small(3, 2, seed=4), methods=search, time_limit=60, on_progress=told)
    assert len(HEURISTICS.usual) == 12
    assert made.found_by in HEURISTICS.names
    names = [note.partition(": not run")[0] for note in made.notes if "not run" in note]
    assert len(", ".join(names).split(", ")) - (not names) == missing


def test_expected_time_grows_with_tasks_and_slots():
    few, more = generate(3, 2, seed=1), generate(6, 2, seed=1)
    wide = generate(3, 4, seed=1)
    for entry in HEURISTICS.own:
        assert expected_seconds(entry, few) < expected_seconds(entry, more)
    hmhs = HEURISTICS.lookup("HMHS")
    assert expected_seconds(hmhs, few) < expected_seconds(hmhs, wide)
    shop = slotwise.generate("hmhs", jobs=2, seed=1)
    efss = HEURISTICS.lookup("EFSS")
    tasks = shop.map_tasks + shop.reduce_tasks
    slots = int(shop.cluster.map_slots.sum())
    assert expected_seconds(efss, shop) > tasks * slots * 1e-8


def greedy(_instance):
    raise MemoryError


def test_what_has_no_memory_is_left_out_and_named(monkeypatch):
    heard = []
    monkeypatch.setattr(notices, "_listeners", [heard.append])
    instance = small(3, 2, seed=4)
    assert list(slotwise.bounds(instance, [greedy, "Johnson"])) == ["Johnson"]
    assert heard == ["bound 'greedy' is left out: not enough memory"]
    opening = Opening(instance, heuristics=[greedy, "EFSS"], bounds_asked=[greedy, "Johnson"])
    opening.run(Clock())
    assert list(opening.bounds) == ["Johnson"]
    assert [result.method for result in opening.results] == ["EFSS"]
    assert opening.notes == ["greedy: left out, not enough memory"]


def test_a_choice_of_methods_without_memory_leaves_what_is_known(monkeypatch):
    monkeypatch.setattr(solve_module, "chosen_methods", lambda *_: greedy(None))
    result = slotwise.solve(small(3, 2, seed=4), heuristics="EASS", bounds="LB2")
    assert result.schedule is not None
    assert result.notes[-1] == "exact methods: not enough memory"


def test_bounds_that_take_too_long_are_left_out():
    release = Event()

    def endless(_instance):
        release.wait(60)
        return 1e9

    instance = small(3, 2, seed=4)
    opening = Opening(instance, heuristics="EFSS", bounds_asked=["Johnson", Entry("slow", endless)])
    opening.run(Clock(0.0))
    release.set()
    assert list(opening.bounds) == ["Johnson"]
    assert (opening.best.bound_name, opening.best.lower_bound > 0) == ("Johnson", True)
    assert opening.notes[0] == "slow: not computed, time limit"


@pytest.mark.parametrize(("longest", "method"), [(500.0, "FIFO-path"), (1.0, "FIFO-Pri")])
def test_the_first_of_a_large_batch_suits_what_makes_it_long(longest: float, method: str) -> None:
    # 10 000 s of map tasks on 100 slots are 100 s each. A job of 500 s and 1 s is longer than that.
    cluster = slotwise.Cluster.uniform(50, map_slots=2, reduce_slots=1)
    jobs = [slotwise.Job(f"j{k}", maps=[1.0] * 1000, reduces=[1.0]) for k in range(10)]
    jobs.append(slotwise.Job("long", maps=[longest], reduces=[1.0]))
    opening = Opening(slotwise.Instance.from_jobs("large", cluster, jobs))
    opening.begin(Clock(0.0))
    assert opening.best is not None
    assert opening.best.method == method
    if method == "FIFO-path":
        # The bound is as quick to see that one job is as long as the batch.
        assert opening.best.makespan == opening.best.lower_bound == longest + 1


def test_bounds_are_known_before_anything_is_compiled() -> None:
    opening = Opening(small(3, 2, seed=4))
    opening.begin(Clock())
    opening.find_bounds(Clock(0.0))
    assert opening.best is not None
    assert opening.best.lower_bound == max(opening.bounds.values()) > 0
    assert len(opening.bounds) > 5
