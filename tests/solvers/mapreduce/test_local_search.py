"""The improvement method: better schedules, no bounds, and the task's limits."""

import pytest
from racing import raced

from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.heuristics.mapreduce import improvement
from slotwise.heuristics.mapreduce.hmhs.min_min import min_min
from slotwise.heuristics.mapreduce.list_scheduling.rules import efss_local
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.generators.hmhs import generate as hmhs
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.solvers.mapreduce import local_search
from slotwise.solvers.mapreduce.local_search import improvement_method

FOREVER = 3600.0
"""Seconds; a method that overlooks what should end it hangs."""


def hard():
    """No heuristic comes near the bound."""
    return generate(20, 6, seed=0, map_slots=8)


def improved(instance, start=None, bound=None, **options):
    start = efss_local(instance) if start is None else start
    bound = best_lower_bound(instance)[0] if bound is None else bound
    return raced(improvement_method, instance, start, bound, **{"time_limit": FOREVER, **options})


def test_a_better_schedule_and_no_bound():
    instance = hard()
    improvement.warm_up(instance)
    steps = []
    outcome = improved(instance, time_limit=1.5, threads=2, on_progress=steps.append)
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan < efss_local(instance).makespan
    assert (outcome.lower_bound, outcome.proof, outcome.why) == (None, "", "time limit")
    makespans = [step.incumbent for step in steps]
    assert makespans == sorted(makespans, reverse=True)
    assert makespans[-1] == pytest.approx(outcome.schedule.makespan, rel=1e-9)


@pytest.mark.parametrize("kind", ["relative", "absolute"])
def test_ends_once_the_gap_is_closed(kind):
    instance = hard()
    bound = best_lower_bound(instance)[0]
    # The first schedule itself does not suffice, a little less does.
    gap = 0.995 * efss_local(instance).makespan / bound - 1
    gaps = {"relative_gap": gap} if kind == "relative" else {"absolute_gap": gap * bound}
    outcome = improved(instance, **gaps)
    assert outcome.why.startswith("gap closed")
    assert outcome.schedule.makespan <= (1 + gap) * bound


def test_slots_of_different_speed():
    instance = hmhs(8, seed=0, map_machines=6, reduce_machines=6, maps=(1, 40))
    steps = []
    improvement.warm_up(instance)
    start = min_min(instance)
    outcome = improved(instance, start, time_limit=1.0, on_progress=steps.append)
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan < 0.98 * start.makespan
    assert outcome.lower_bound is None
    assert outcome.why.startswith("time limit")
    assert steps[-1].incumbent == pytest.approx(outcome.schedule.makespan, rel=1e-9)


def test_many_tasks_begin_with_the_program_in_waves(monkeypatch):
    instance = hmhs(12, seed=0, map_machines=20, reduce_machines=20)
    start, steps = min_min(instance), []
    monkeypatch.setattr(local_search, "MANY_TASKS", 0)
    outcome = improved(instance, start, time_limit=1.5, on_progress=steps.append)
    # What the search begins with is the first that it tells: 5 % better than the heuristic.
    assert steps[1].incumbent < 0.95 * start.makespan
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan <= steps[1].incumbent


def test_a_start_near_the_bound_needs_no_program(monkeypatch):
    instance = hmhs(12, seed=0, map_machines=20, reduce_machines=20)
    start = min_min(instance)
    monkeypatch.setattr(local_search, "MANY_TASKS", 0)
    monkeypatch.setattr(local_search, "WAVES_GAP", 10.0)
    monkeypatch.setattr(local_search, "solve_waves", lambda *_: pytest.fail("solved the program"))
    improved(instance, start, time_limit=1.0)
