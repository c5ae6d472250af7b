"""`solve`, `gap`, the second opinion, and what results promise."""

import json
import os
import signal
import threading
import time
from itertools import chain, repeat

import numpy as np
import pytest
from racing import race_from
from random_instances import tiny

import slotwise
from slotwise import Cluster, Instance, Job, timed
from slotwise.core.errors import InputError
from slotwise.heuristics.mapreduce import block_search, improvement
from slotwise.instances.mapreduce.generators import two_stage
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.solvers.mapreduce import METHODS
from slotwise.solvers.mapreduce.branch_and_bound import search as branch_and_bound
from slotwise.solvers.mapreduce.choice import (
    EXACT_SHARE,
    HEAD_START,
    PRICES_SHARE,
    chosen_methods,
)
from slotwise.solvers.mapreduce.cross_check import cross_check
from slotwise.solvers.mapreduce.params import SolveParams
from slotwise.solvers.mapreduce.race import Lane, Race, Turn
from slotwise.solvers.mapreduce.result import CertificateError, Status, certified, relative_gap

LONG = 600.0
"""Seconds; nothing here takes as long, unless it is compiled on a busy machine before."""


def test_stops_where_bound_and_heuristic_meet():
    """One slot of each kind and one job: nothing to decide, 2 + 3 seconds."""
    instance = Instance.from_jobs("one", Cluster.uniform(1, map_slots=1), [Job("a", [2.0], [3.0])])
    result = slotwise.solve(instance)
    assert (result.status, result.makespan, result.lower_bound) == ("optimal", 5.0, 5.0)
    assert "model" not in result.bound_name


def test_control_c_ends_all_methods_and_keeps_the_best():
    instance = small(8, 4, seed=1, map_slots=2, reduce_slots=2, max_maps=8, max_reduces=6)
    timers = [threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))]

    def press(step):
        if step.doing == "job-order" and timers:
            timers.pop().start()

    result = slotwise.solve(
        instance, methods="job-order", time_limit=120, threads=1, on_progress=press
    )
    assert result.interrupted
    assert [note[: len("job-order: interrupted")] for note in result.notes] == [
        "job-order: interrupted"
    ]
    assert result.seconds < 30
    assert slotwise.check(instance, result.schedule).valid


def test_a_method_that_is_not_needed_does_not_start():
    instance = small(3, 2, seed=4)
    start = slotwise.heuristic(instance, "EASS")
    turns = [(Turn(METHODS.lookup(name)),) for name in ("branch-and-bound", "sequence")]
    race = race_from(instance, start.schedule, start.lower_bound, LONG)
    # Longer than the kernels take to compile.
    race.run([Lane(turns[0], 1), Lane(turns[1], 1, head_start=LONG / 2)])
    assert set(race.outcomes) == {"branch-and-bound"}


def names(instance, threads):
    """The names of the chosen methods, lane by lane."""
    lanes = chosen_methods(instance, threads)
    return [[turn.method.name for turn in lane.turns] for lane in lanes]


def test_chosen_methods_fit_the_instance(monkeypatch):
    monkeypatch.setattr(branch_and_bound, "is_compiled", lambda: True)
    assert names(small(4, 3, seed=1), 2)[0] == ["branch-and-bound"]
    assert len(names(small(4, 3, seed=1), 1)) == 1
    beside = [["improvement"], ["pattern-prices", "improvement"]]
    assert names(slotwise.generate("hmhs", jobs=20, seed=1), 2) == beside
    assert ["branch-and-bound"] not in names(slotwise.generate("hmhs-small", seed=1), 2)
    assert names(generate(50, 30, seed=1), 2) == [["improvement"]]
    assert names(generate(5, 30, seed=1, map_slots=4), 2)[0] == ["improvement"]


def test_branch_and_bound_keeps_the_only_thread_of_up_to_fifty_tasks():
    few = small(4, 3, seed=1)
    more = small(8, 4, seed=1, max_maps=10, max_reduces=6)
    assert few.map_tasks + few.reduce_tasks <= 50 < more.map_tasks + more.reduce_tasks <= 100
    assert all(["branch-and-bound"] in names(instance, 2) for instance in (few, more))
    assert names(few, 1) == [["branch-and-bound"]]
    assert ["branch-and-bound"] not in names(more, 1)


def test_exact_methods_are_among_the_bounds_of_many_tasks(monkeypatch):
    monkeypatch.setattr(branch_and_bound, "is_compiled", lambda: True)
    many = small(12, 4, seed=1, map_slots=2, reduce_slots=2, max_maps=16, max_reduces=8)
    assert 100 < many.map_tasks + many.reduce_tasks <= 200
    first, second = chosen_methods(many, 2)
    assert [turn.method.name for turn in first.turns] == ["improvement"]
    assert (second.turns[0].method.name, second.turns[0].share) == ("branch-and-bound", EXACT_SHARE)
    assert second.turns[-1].method.name == "improvement"
    _, second = chosen_methods(two_stage.generate(60, 5, 5, seed=1), 2)
    assert (second.turns[0].method.name, second.turns[0].share) == ("time-prices", PRICES_SHARE)


@pytest.mark.parametrize("compiled", [False, True])
def test_prices_of_time_or_a_quick_search_come_before_the_second_method(monkeypatch, compiled):
    monkeypatch.setattr(branch_and_bound, "is_compiled", lambda: True)
    monkeypatch.setattr(block_search, "is_compiled", lambda: compiled)
    first, second = names(two_stage.generate(20, 5, 5, seed=1), 2)
    assert first == ["branch-and-bound"]
    assert second[:-1] == ["time-prices"]
    assert names(small(4, 3, seed=1), 2)[1][:-1] == (["improvement"] if compiled else [])


def test_bounds_have_a_thread_beside_the_search_until_they_end():
    reduces_bind = generate(50, 30, seed=1, map_slots=8)
    bounded = ["spread-bound", "improvement"]
    assert names(reduces_bind, 2) == [["improvement"], bounded]
    assert chosen_methods(reduces_bind, 2)[1].turns[0].share == pytest.approx(1 / 3)
    assert [lane.threads for lane in chosen_methods(reduces_bind, 4)] == [3, 1]
    assert names(reduces_bind, 1) == [bounded]
    assert [turn.share for turn in chosen_methods(reduces_bind, 1)[0].turns] == [1 / 3, 1.0]


def test_large_instances_are_improved_and_keep_a_certificate():
    instance = generate(50, 10, seed=1, map_slots=8)
    best = slotwise.heuristic(instance, "EFSS-L")
    improvement.warm_up(instance)
    # With results at hand no heuristic is compiled, which would take time from the methods.
    result = slotwise.solve(instance, time_limit=8, heuristics=[best])
    assert result.status is Status.FEASIBLE
    assert result.found_by == "improvement"
    assert slotwise.check(instance, result.schedule).makespan == pytest.approx(result.makespan)
    assert result.makespan < 0.98 * best.makespan
    assert best.lower_bound <= result.lower_bound <= result.makespan
    assert result.gap < 0.03


def test_no_jobs_is_solved():
    result = slotwise.solve(Instance.from_jobs("nothing", Cluster.uniform(1), []))
    assert (result.status, result.makespan, result.gap) == ("optimal", 0.0, 0.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": "simplex"}, "unknown method 'simplex': choose from job-order"),
        ({"time_limit": -1}, "time limit: must be >= 0"),
        ({"time_limit": float("nan")}, "time_limit: needs a number, got nan"),
        ({"threads": 0}, "threads: must be 1 to 1024"),
    ],
)
def test_senseless_arguments(arguments, message):
    with pytest.raises(InputError, match=message):
        slotwise.solve(tiny(0), **arguments)


def test_result_document_is_json_and_complete(tmp_path):
    instance = small(3, 2, seed=4)
    document = slotwise.solve(instance, threads=1, time_limit=LONG).document()
    assert document["format"] == "slotwise/result/1"
    assert document["method"] == "exact"
    assert document["status"] == "optimal"
    assert document["gap"] == pytest.approx(0, abs=1e-6)
    path = tmp_path / "result.json"
    path.write_text(json.dumps(document, allow_nan=False))
    schedule = slotwise.read_schedule(path, instance)
    assert slotwise.check(instance, schedule).makespan == document["makespan"]


def one_task_schedule():
    instance = Instance.from_jobs("one", Cluster.uniform(1, map_slots=1), [Job("a", [2.0])])
    none = np.array([], dtype=np.int64)
    return instance, timed(instance, np.array([0]), np.array([0]), none, none)


def test_what_is_wrong_never_becomes_a_result():
    instance, schedule = one_task_schedule()
    with pytest.raises(CertificateError, match="above a valid schedule"):
        certified(instance, "mine", schedule, 3.0, "wishful", 0.0)
    schedule.map.start[0] = -1.0
    with pytest.raises(CertificateError, match="invalid schedule"):
        certified(instance, "mine", schedule, 0.0, "none", 0.0)


@pytest.mark.parametrize("verb", [slotwise.solve, slotwise.gap])
def test_naming_no_method_is_not_naming_none(verb):
    with pytest.raises(InputError, match="methods: none is named; leave it out"):
        verb(tiny(0), methods=[])


def test_relative_gap():
    assert relative_gap(11.0, 10.0) == pytest.approx(0.1)
    assert relative_gap(0.0, 0.0) == 0.0
    assert relative_gap(1.0, 0.0) is None


def test_second_opinion_contradicts_a_false_optimum():
    """A schedule with the two tasks on one slot claimed optimal: CBC finds 2 s."""
    instance = Instance.from_jobs("two", Cluster.uniform(1, map_slots=2), [Job("a", [2.0, 2.0])])
    none = np.array([], dtype=np.int64)
    slow = timed(instance, np.array([0, 0]), np.array([0, 1]), none, none)
    false = certified(instance, "mine", slow, 4.0, "wishful", 0.0)
    assert false.status is Status.OPTIMAL
    assert [opinion.agrees for opinion in cross_check(false, time_limit=30)] == [False]


def test_gap_puts_everything_beside_the_optimum():
    instance = small(4, 3, seed=3)
    comparison = slotwise.gap(instance, time_limit=LONG)
    document = comparison.document()
    assert document["status"] == "optimal"
    assert {"EASS", "EFSS", "EFSS-L", "TBS", "TBS-L", "HMHS"} <= set(document["heuristics"])
    assert {"LB1 as printed", "LB1", "LB2"} <= set(document["bounds"])
    for row in document["heuristics"].values():
        expected = row["makespan"] / document["lower_bound"] - 1
        assert row["gap"] == pytest.approx(expected, abs=1e-9)
        assert row["makespan"] >= document["makespan"]


def test_gap_ends_when_it_is_told_to():
    instance, stop = small(8, 4, seed=1, map_slots=2, reduce_slots=2, max_maps=8), threading.Event()
    comparison = slotwise.gap(
        instance,
        methods="job-order",
        time_limit=120,
        stop=stop,
        on_progress=lambda step: step.doing == "job-order" and stop.set(),
    )
    assert comparison.best.interrupted
    assert comparison.best.seconds < 30
    assert comparison.heuristics


def test_a_heuristic_ends_at_its_limit():
    def slow(instance):
        time.sleep(5)

    result = slotwise.heuristic(small(4, 3, seed=3), slow, time_limit=0.1)
    assert result.schedule is None
    assert result.notes == ("slow: not done within the time limit",)
    with pytest.raises(slotwise.InputError, match="time limit: must be >= 0"):
        slotwise.heuristic(small(4, 3, seed=3), "EFSS", time_limit=-1)


def test_compiling_is_not_solving(monkeypatch):
    """One job on one slot needs no method, and takes less than what is said to be compiling."""
    readings = chain([5.0], repeat(605.0))
    monkeypatch.setattr("slotwise.core.clock.compiling_seconds", lambda: next(readings))
    instance = Instance.from_jobs("one", Cluster.uniform(1, map_slots=1), [Job("a", [2.0], [3.0])])
    assert slotwise.solve(instance).seconds == 0.0


def test_what_needs_no_compiler_goes_first(monkeypatch):
    """Branch and bound comes first once it is compiled, and last before."""
    first = []

    def recorded(race, lanes):
        first.append((lanes[0].turns[0].method.name, lanes[-1].head_start))

    monkeypatch.setattr(Race, "run", recorded)
    instance = small(4, 3, seed=1)
    for compiled in (True, False):
        monkeypatch.setattr(branch_and_bound, "is_compiled", lambda compiled=compiled: compiled)
        slotwise.solve(instance, threads=2)
        slotwise.solve(instance, threads=1)
    assert first[0] == ("branch-and-bound", HEAD_START)
    assert first[1] == first[3] == ("branch-and-bound", 0.0)
    assert first[2][0] != "branch-and-bound"
    assert first[2][1] == HEAD_START


def test_parameters_can_be_given_as_one_thing():
    instance = Instance.from_jobs("one", Cluster.uniform(1, map_slots=1), [Job("a", [2.0], [3.0])])
    result = slotwise.solve(instance, SolveParams(methods="sequence", threads=1))
    assert (result.makespan, result.status) == (5.0, "optimal")
    with pytest.raises(InputError, match="threads: must be 1"):
        SolveParams(threads=0)
    with pytest.raises(TypeError, match="thread"):
        slotwise.solve(instance, thread=1)
