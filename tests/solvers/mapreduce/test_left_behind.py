"""What a search has by the end of its time counts, whether or not its methods answer."""

import subprocess
import sys
from dataclasses import replace
from threading import Event
from time import perf_counter

import pytest

import slotwise
from slotwise.core.clock import Clock
from slotwise.core.registry import Entry
from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.heuristics.mapreduce.block_search import improve_blocks
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass, efss
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.solvers.mapreduce.choice import side_by_side
from slotwise.solvers.mapreduce.first_results import Opening
from slotwise.solvers.mapreduce.integer_programs import job_order_method, unrelated_machines_method
from slotwise.solvers.mapreduce.method import MethodOutcome, SolveRequest
from slotwise.solvers.mapreduce.portfolio import Lane, Turn, portfolio
from slotwise.solvers.mapreduce.relaxations.spread_bound import spread_bound_method
from slotwise.solvers.mapreduce.time_unit import in_own_unit, suitable_unit


def start(instance, time_limit, **others):
    return SolveRequest(eass(instance), 0.0, time_limit, 1, 1e-7, **others)


def test_what_a_method_kept_counts_when_it_does_not_answer():
    instance = small(3, 2, seed=4)
    better = efss(instance)
    release = Event()

    def silent(_instance, task):
        task.keep(MethodOutcome(None, 1.0, "early"))
        task.keep(MethodOutcome(better, 2.0, "later"))
        release.wait(120)
        return MethodOutcome(None, 3.0, "too late")

    def mute(_instance, _task):
        release.wait(120)
        return MethodOutcome(None, 3.0, "too late")

    lanes = [Lane((Turn(Entry("silent", silent)),), 1), Lane((Turn(Entry("mute", mute)),), 1)]
    together = portfolio(instance, lanes, start(instance, 0.2))
    release.set()
    kept = together.outcomes["silent"]
    assert (kept.schedule, kept.lower_bound, kept.proof) == (better, 2.0, "later")
    assert kept.why == "time limit, left behind with what it had"
    nothing = together.outcomes["mute"]
    assert (nothing.schedule, nothing.lower_bound) == (None, None)
    assert nothing.why == "time limit, left behind without an answer"


def test_methods_that_run_beside_each_other_see_what_each_keeps():
    instance = small(3, 2, seed=4)
    better, ready, seen = efss(instance), Event(), Event()

    def finder(_instance, task):
        ready.wait(60)
        task.keep(MethodOutcome(better, None))
        task.keep(MethodOutcome(None, 2.0, "proof"))
        seen.wait(60)
        return MethodOutcome(better, 2.0, "proof")

    @in_own_unit
    def watcher(_instance, task):
        ready.set()
        while task.best_bound() == 0.0 or task.best_schedule().makespan == task.incumbent.makespan:
            pass
        unit = better.makespan / task.best_schedule().makespan
        seen.set()
        return MethodOutcome(None, task.best_bound(), f"unit {unit:g}")

    assert better.makespan < eass(instance).makespan
    lanes = [Lane((Turn(Entry("finder", finder)),), 1), Lane((Turn(Entry("watcher", watcher)),), 1)]
    together = portfolio(instance, lanes, start(instance, 60.0))
    saw = together.outcomes["watcher"]
    unit = suitable_unit(eass(instance).makespan)
    assert unit != 1.0
    assert (saw.lower_bound, saw.proof) == (2.0, f"unit {unit:g}")


def test_what_is_kept_is_in_seconds():
    """The method counts in another unit than its caller."""
    instance = small(3, 2, seed=4)
    kept = []

    @in_own_unit
    def method(_instance, task):
        outcome = MethodOutcome(task.incumbent, task.lower_bound)
        task.keep(outcome)
        return outcome

    task = replace(start(instance, 1.0, keep=kept.append), lower_bound=5.0)
    method(instance, task)
    assert kept[0].lower_bound == 5.0
    assert kept[0].schedule.makespan == task.incumbent.makespan
    assert check(instance, kept[0].schedule).violations == []


@pytest.mark.parametrize(
    ("method", "instance"),
    [
        (unrelated_machines_method, slotwise.generate("hmhs-small", seed=1)),
        (spread_bound_method, generate(20, 6, seed=0, map_slots=8)),
        (job_order_method, small(3, 2, seed=1)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_linear_programs_keep_the_bounds_they_prove(method, instance):
    kept = []
    task = start(instance, 60.0, keep=kept.append)
    outcome = method(instance, replace(task, lower_bound=best_lower_bound(instance)[0]))
    bounds = [step.lower_bound for step in kept if step.lower_bound is not None]
    assert bounds == sorted(bounds)
    assert bounds[0] > 0
    assert bounds[-1] <= outcome.lower_bound * (1 + 1e-9)
    for step in kept:
        assert step.proof == outcome.proof
        if step.schedule is not None:
            assert check(instance, step.schedule).violations == []


def test_the_improvement_search_hands_over_before_its_threads_end():
    instance = generate(20, 6, seed=0, map_slots=8)
    given = eass(instance)
    reported, handed = [], []
    found = improve_blocks(
        instance,
        given,
        Clock(600.0, asked=lambda: bool(reported)),
        threads=2,
        on_progress=lambda seconds, makespan: reported.append(makespan),
        on_end=handed.append,
    )
    assert handed[0].makespan <= reported[0] * (1 + 1e-9)
    makespans = [given.makespan, *(schedule.makespan for schedule in handed)]
    assert makespans == sorted(makespans, reverse=True)
    assert all(check(instance, schedule).violations == [] for schedule in handed)
    assert found.makespan <= makespans[-1] < given.makespan


@pytest.mark.parametrize("methods", [{}, {"some": 1}], ids=["no method", "a method"])
def test_heuristics_have_the_time_that_no_method_needs(monkeypatch, methods):
    instance = small(3, 2, seed=4)
    limits = []

    def run(opening, clock):
        limits.append(clock.seconds)
        opening.take(slotwise.heuristic(instance, "EASS"))

    monkeypatch.setattr(Opening, "run", run)
    chosen = side_by_side(
        {Entry(name, lambda *_: MethodOutcome(None, None)): 1 for name in methods}
    )
    monkeypatch.setattr("slotwise.solvers.mapreduce.solve.chosen_methods", lambda *_: chosen)
    slotwise.solve(instance, time_limit=64.0)
    assert limits == [32.0 if methods else 64.0]


def test_few_tasks_on_very_many_slots_compile_nothing():
    """Loading compiled code takes longer than such a search may."""
    code = """
import sys
import slotwise
from slotwise import Cluster, Instance, Job

jobs = [Job("a", [2.0, 3.0, 4.0], [3.0, 1.0]), Job("b", [1.0, 5.0], [2.0, 2.0])]
cluster = Cluster.uniform(2, map_slots=50_000, reduce_slots=50_000)
result = slotwise.solve(
    Instance.from_jobs("wide", cluster, jobs), methods="unrelated-machines", time_limit=0.01
)
print(result.found_by, "numba" in sys.modules)
"""
    end = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert end.stdout == "FIFO-Pri False\n"


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "nodes"), [(230, 100), (1850, 300)])
def test_large_searches_keep_their_limit_and_what_they_found(jobs, nodes):
    """40 000 and 320 000 tasks. The slack is for a busy machine: two seconds is the aim."""
    instance = generate(jobs, nodes, seed=1)
    slotwise.solve(instance, time_limit=60)  # gets compiled code ready
    limit, steps = 12.0, []
    began = perf_counter()
    result = slotwise.solve(instance, time_limit=limit, on_progress=steps.append)
    assert perf_counter() - began < limit + 6
    assert result.found_by == "improvement"
    assert check(instance, result.schedule).violations == []
    known = [step.incumbent for step in steps if step.incumbent is not None]
    assert result.makespan <= min(known) * (1 + 1e-9)
