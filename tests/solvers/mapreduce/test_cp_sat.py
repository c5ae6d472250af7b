"""The CP-SAT method: optima, bounds that stay bounds, limits, Ctrl-C and a missing OR-Tools."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from brute_force import optimum
from racing import raced
from random_instances import shop, tiny, with_security

import slotwise
from slotwise.core.clock import Clock
from slotwise.core.errors import InputError
from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.heuristics.mapreduce import order_annealing
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.generators.two_stage import generate as generate_shop
from slotwise.instances.mapreduce.instance import Instance, Job
from slotwise.solvers.mapreduce import cp_sat
from slotwise.solvers.mapreduce.cp_sat import cp_sat_method
from slotwise.solvers.mapreduce.heuristic import heuristic

needs_ortools = pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")


def solved(instance, start=None, bound=None, **options):
    """Starts from the earliest available slot, whose schedules leave much to improve."""
    start = eass(instance) if start is None else start
    bound = best_lower_bound(instance)[0] if bound is None else bound
    return raced(cp_sat_method, instance, start, bound, threads=2, **options)


def shorter(outcome, start):
    """The better of what was found and what was there: that may be optimal."""
    found = [start] if outcome.schedule is None else [start, outcome.schedule]
    return min(found, key=lambda schedule: schedule.makespan)


def secure(seed):
    return with_security(tiny(seed), seed)


@needs_ortools
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("make", [tiny, secure, shop])
def test_agrees_with_brute_force(make, seed):
    """Shops 0 and 4 have tasks of no time, 1, 4, 6 and 7 durations without a unit."""
    instance = make(seed)
    known = optimum(instance)
    if impossible(instance) is not None:
        assert known == np.inf
        return
    start = heuristic(instance, "EASS").schedule
    if make is shop and seed < 4:
        start = annealed(instance)
    outcome = solved(instance, start, 0.0 if seed % 2 else None)
    assert outcome.why == "gap closed"
    best = shorter(outcome, start)
    assert check(instance, best).violations == []
    assert best.makespan == pytest.approx(known, rel=1e-6, abs=1e-9)
    assert outcome.lower_bound <= known * (1 + 1e-12)
    assert outcome.lower_bound == pytest.approx(known, rel=1e-6, abs=1e-9)
    if make is shop and seed in (3, 5):
        assert outcome.proof == "relaxed problem (CP-SAT)"


@needs_ortools
def test_a_task_of_no_time_needs_a_slot_that_is_free():
    """One slot each: a maps for 6, b for nothing and reduces for 5.

    Without places b may map while a does, and reduces to 6. But it has a slot before a only.
    """
    jobs = [Job("a", [6.0]), Job("b", [0.0], [5.0])]
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("zero", cluster, jobs)
    start = slotwise.heuristic(instance, "FIFO").schedule
    outcome = solved(instance, start, 0.0)
    assert outcome.why == "gap closed"
    assert outcome.lower_bound == 6
    assert shorter(outcome, start).makespan == 6


def annealed(instance):
    return order_annealing.improve(instance, eass(instance), Clock(iterations=1))


@needs_ortools
def test_a_shop_of_many_jobs_is_settled_one_makespan_after_another():
    """Neither the closed forms nor prices of time reach the optimum of this shop, by 1 s."""
    instance = generate_shop(20, 4, 4, seed=6)
    seen = []
    start, bound = annealed(instance), best_lower_bound(instance)[0]
    outcome = solved(instance, start, on_progress=seen.append)
    assert bound < 311 < outcome.lower_bound == 312
    assert outcome.why == "gap closed"
    assert shorter(outcome, start).makespan == 312
    assert [step.bound for step in seen] == sorted(step.bound for step in seen)
    # With a gap allowed that the incumbent has already nothing is asked.
    outcome = solved(instance, start, relative_gap=0.05)
    assert (outcome.why, outcome.schedule) == ("gap closed", None)
    assert outcome.lower_bound == np.ceil(bound)


@needs_ortools
def test_time_limit_keeps_the_bound():
    instance = small(30, 3, seed=0, max_maps=6)  # 171 tasks, out of reach
    outcome = solved(instance, time_limit=8.0)
    assert outcome.why.startswith("time limit")
    assert outcome.lower_bound == pytest.approx(best_lower_bound(instance)[0], rel=1e-6)


def test_without_ortools(monkeypatch):
    monkeypatch.setattr(cp_sat, "find_spec", lambda name: None)
    instance = small(2, 2, seed=0)
    with pytest.raises(InputError, match=r"needs OR-Tools: pip install ortools"):
        solved(instance)


@needs_ortools
def test_the_process_stays_clear_of_highspy():
    code = (
        "import sys, slotwise.solvers.mapreduce.cp_sat_process;"
        "sys.exit(len({'highspy', 'pyomo', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
