"""The improvement method: better schedules, no bounds, and the task's limits."""

from dataclasses import replace

import pytest
from random_instances import tiny, with_speed_factors

from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.heuristics.mapreduce import class_search
from slotwise.heuristics.mapreduce.class_search import driver
from slotwise.heuristics.mapreduce.hmhs.min_min import min_min
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass, efss_local
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.generators.hmhs import generate as hmhs
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.solvers.mapreduce import local_search
from slotwise.solvers.mapreduce.local_search import improvement_method
from slotwise.solvers.mapreduce.method import SolveRequest

FOREVER = 3600.0
"""Seconds; a method that overlooks what should end it hangs."""


def hard():
    """No heuristic comes near the bound."""
    return generate(20, 6, seed=0, map_slots=8)


def task_for(instance, **options):
    usual = SolveRequest(
        incumbent=efss_local(instance),
        lower_bound=best_lower_bound(instance)[0],
        time_limit=FOREVER,
        threads=1,
        relative_gap=1e-7,
    )
    return replace(usual, **options)


def test_a_better_schedule_and_no_bound():
    instance = hard()
    local_search.searcher(instance).warm_up()
    steps = []
    task = task_for(instance, time_limit=3.0, threads=2, on_progress=steps.append)
    outcome = improvement_method(instance, task)
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan < task.incumbent.makespan
    assert (outcome.lower_bound, outcome.proof, outcome.stop) == (None, "", "time limit")
    assert outcome.progress == steps
    makespans = [step.incumbent for step in steps]
    assert makespans == sorted(makespans, reverse=True)
    assert makespans[-1] == pytest.approx(outcome.schedule.makespan, rel=1e-9)


@pytest.mark.parametrize("kind", ["relative", "absolute"])
def test_ends_once_the_gap_is_closed(kind):
    instance = hard()
    task = task_for(instance)
    # The incumbent itself does not suffice, a little less does.
    gap = 0.995 * task.incumbent.makespan / task.lower_bound - 1
    if kind == "relative":
        task = replace(task, relative_gap=gap)
    else:
        task = replace(task, absolute_gap=gap * task.lower_bound)
    outcome = improvement_method(instance, task)
    assert outcome.stop == "gap closed"
    assert outcome.schedule.makespan <= (1 + gap) * task.lower_bound


def test_nothing_to_do_at_the_bound():
    instance = hard()
    task = task_for(instance, lower_bound=efss_local(instance).makespan)
    outcome = improvement_method(instance, task)
    assert (outcome.schedule, outcome.stop) == (None, "gap closed")


def test_ends_when_another_method_closes_the_gap():
    instance = hard()
    task = task_for(instance)
    outcome = improvement_method(instance, replace(task, best=lambda: task.lower_bound))
    assert outcome.stop == "gap closed"


def test_ends_when_told():
    instance = hard()
    task = task_for(instance)
    task = replace(task, on_progress=lambda step: task.stop.set())
    outcome = improvement_method(instance, task)
    assert outcome.stop == "interrupted"
    assert outcome.schedule.makespan < task.incumbent.makespan


def test_no_time_no_schedule():
    instance = hard()
    outcome = improvement_method(instance, task_for(instance, time_limit=0.0))
    assert (outcome.schedule, outcome.stop) == (None, "time limit")


def test_slots_of_different_speed():
    instance = hmhs(8, seed=0, map_machines=6, reduce_machines=6, maps=(1, 40))
    kept = []
    class_search.warm_up()
    task = task_for(instance, incumbent=min_min(instance), time_limit=1.0, keep=kept.append)
    outcome = improvement_method(instance, task)
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan < 0.98 * task.incumbent.makespan
    assert (outcome.lower_bound, outcome.stop) == (None, "time limit")
    assert kept[-1].schedule.makespan == outcome.schedule.makespan
    assert outcome.progress[-1].incumbent == outcome.schedule.makespan


def test_says_so_if_too_many_tasks_differ(monkeypatch):
    monkeypatch.setattr(driver, "MOST_TIMES", 1)
    instance = with_speed_factors(tiny(1), 1)
    outcome = improvement_method(instance, task_for(instance, incumbent=eass(instance)))
    assert outcome.schedule is None
    assert outcome.why == "not applicable: too many different tasks"


def test_many_tasks_begin_with_the_program_in_waves(monkeypatch):
    instance = hmhs(12, seed=0, map_machines=20, reduce_machines=20)
    incumbent = min_min(instance)
    bound = best_lower_bound(instance)[0]
    kept = []
    task = task_for(
        instance, incumbent=incumbent, lower_bound=bound, time_limit=3.0, keep=kept.append
    )
    monkeypatch.setattr(class_search, "MANY_TASKS", 0)
    outcome = improvement_method(instance, task)
    # What the search begins with is the first that it tells: 5 % better than the heuristic.
    first = kept[0].schedule
    assert check(instance, first).violations == []
    assert first.makespan < 0.95 * incumbent.makespan
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan <= first.makespan


def test_a_start_near_the_bound_needs_no_program(monkeypatch):
    instance = hmhs(12, seed=0, map_machines=20, reduce_machines=20)
    incumbent = min_min(instance)
    task = task_for(
        instance, incumbent=incumbent, lower_bound=incumbent.makespan * 0.95, time_limit=1.0
    )
    monkeypatch.setattr(class_search, "MANY_TASKS", 0)
    monkeypatch.setattr(local_search, "poured", lambda *_: pytest.fail("solved the program"))
    improvement_method(instance, task)
