"""The CP-SAT method: optima, bounds that stay bounds, limits, Ctrl-C and a missing OR-Tools."""

import pickle
import subprocess
import sys
from importlib.util import find_spec
from itertools import count, islice

import campaign
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
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.schedule import timed
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.solvers.mapreduce import cp_sat
from slotwise.solvers.mapreduce.cp_sat import cp_sat_method
from slotwise.solvers.mapreduce.cp_sat_problem import Problem
from slotwise.solvers.mapreduce.heuristic import heuristic

needs_ortools = pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")


def solved(instance, start=None, bound=None, *, given_bounds=True, **options):
    """Starts from the earliest available slot, whose schedules leave much to improve."""

    def cp_sat(instance, runner):
        return cp_sat_method(instance, runner, given_bounds=given_bounds)

    start = eass(instance) if start is None else start
    if bound is None:
        bound = best_lower_bound(instance)[0] if given_bounds else 0.0
    return raced(cp_sat, instance, start, bound, threads=2, **options)


def shorter(outcome, start):
    """The better of what was found and what was there: that may be optimal."""
    found = [start] if outcome.schedule is None else [start, outcome.schedule]
    return min(found, key=lambda schedule: schedule.makespan)


@needs_ortools
@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_brute_force(seed, secure):
    instance = with_security(tiny(seed), seed) if secure else tiny(seed)
    known = optimum(instance)
    if impossible(instance) is not None:
        assert known == np.inf
        return
    start = heuristic(instance, "EASS").schedule
    outcome = solved(instance, start, given_bounds=seed % 2 == 0)
    assert outcome.why == "gap closed"
    best = shorter(outcome, start)
    assert check(instance, best).violations == []
    assert best.makespan == pytest.approx(known, rel=1e-6, abs=1e-9)
    assert outcome.lower_bound <= known * (1 + 1e-12)
    assert outcome.lower_bound == pytest.approx(known, rel=1e-6, abs=1e-9)


@needs_ortools
@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_brute_force_where_all_slots_are_alike(seed):
    """Seeds 0 and 4 have tasks of no time, 1, 4, 6 and 7 durations without a unit."""
    instance = shop(seed)
    known = optimum(instance)
    start = annealed(instance) if seed < 4 else eass(instance)
    outcome = solved(instance, start, 0.0)
    assert outcome.why == "gap closed"
    assert outcome.lower_bound == pytest.approx(known, rel=1e-6)
    best = shorter(outcome, start)
    assert check(instance, best).violations == []
    assert best.makespan == pytest.approx(known, rel=1e-6)
    assert outcome.proof == "relaxed problem (CP-SAT)" or seed not in (2, 3, 5)


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
    outcome = solved(instance, time_limit=2.0)
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


def one_node():
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=2)
    maps = [MapTask(2.75, 110, ["n0"])] * 2
    return Instance.from_jobs("one", cluster, [Job("j", maps, [5.9, 5.9, 7.2], output_ratio=6)])


def test_durations_are_rounded_down():
    # Map: 2.75 s + 110 MB / 100 MB/s = 3.85 s. Each leaves 6 * 110 / 3 = 220 MB for each reduce
    # task, read in 2.2 s. Head: one map task on each slot, 3.85 s. Tail: reduce tasks of 10.3, 10.3
    # and 11.6 s on two slots, at best 10.3 + 10.3 = 20.6 s. Ticks of 0.5 s.
    instance = one_node()
    # Ten roundings of 0.5 s.
    problem = Problem(instance, eass(instance), best_lower_bound(instance)[0], 5.5)
    assert problem.unit == 0.5
    assert problem.maps.time.tolist() == [[7, 7], [7, 7]]
    assert problem.reduces.time.tolist() == [[11, 11], [11, 11], [14, 14]]
    assert problem.read == [[[4]], [[4]]]
    assert (problem.head, problem.tail) == ([7], [41])
    assert problem.reduces.least == [19, 19, 22]


def test_the_hint_obeys_the_symmetry_rows():
    # Map tasks 0 and 1 are equal, and so are reduce tasks 0 and 1; both slots of a phase are.
    instance = one_node()
    order = np.arange(3)
    start = timed(instance, np.array([1, 0]), order[:2], np.array([1, 0, 1]), order)
    problem = Problem(instance, start, 0.0, 5.5)
    assert (problem.maps.equal, problem.reduces.equal) == ([[0, 1]], [[0, 1]])
    assert (problem.maps.hint, problem.reduces.hint) == ([0, 1], [0, 1, 0])
    assert Problem(instance, None, 0.0, 5.5).position is None


PROGRAM = """
import pickle, sys
from ortools.sat.python import cp_model
from slotwise.solvers.mapreduce.cp_sat_models import RelaxedModel
from slotwise.solvers.mapreduce.cp_sat_problem import Problem
for instance, known in pickle.load(sys.stdin.buffer):
    problem = Problem(instance, known, 0.0, 5e-7 * known.makespan)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = 0.2
    solver.parameters.num_workers = 1
    status = solver.solve(RelaxedModel(problem, problem.bound, problem.horizon).cp)
    none = status == cp_model.INFEASIBLE
    value = problem.without_solution if none else solver.best_objective_bound
    print(solver.status_name(status), value * problem.unit)
"""


def relaxed_values(instances):
    """What a fifth of a second proves of each relaxed problem (s), told no lower bound."""
    usable = [usable_slots(one).instance for one in instances]
    given = [(one, heuristic(one, "EASS").schedule) for one in usable]
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM],
        input=pickle.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
    )
    answers = [line.split() for line in done.stdout.decode().splitlines()]
    assert {status for status, _ in answers} <= {"OPTIMAL", "FEASIBLE", "UNKNOWN", "INFEASIBLE"}
    return [float(value) for _, value in answers]


@needs_ortools
@pytest.mark.parametrize("number", [60, pytest.param(3_000, marks=pytest.mark.slow)])
def test_the_relaxed_problem_is_never_above_the_optimum(number):
    drawn = (campaign.drawn(seed)[0] for seed in count(800_000))
    instances = list(islice((one for one in drawn if impossible(one) is None), number))
    tight = 0
    for instance, value in zip(instances, relaxed_values(instances), strict=True):
        known = optimum(instance)
        tight += value >= known * (1 - 1e-6)
        assert value <= known * (1 + 1e-9), instance.name
    assert tight > number / 3


@needs_ortools
def test_a_job_that_no_order_serves():
    """Two map and one reduce slot, without data: a has maps 4, 4 and reduce 1, b 3, 3 and 3.

    Map phases need 7, reduces 4 from 3 on. In the order a, b the reduce tasks are 4 to 5 and 7 to
    10; in the order b, a 3 to 6 and 7 to 8: the optimum is 8, the value of the relaxed problem too.
    """
    jobs = [
        Job("a", [MapTask(4.0), MapTask(4.0)], [1.0]),
        Job("b", [MapTask(3.0), MapTask(3.0)], [3.0]),
    ]
    instance = Instance.from_jobs("two", Cluster.uniform(1, map_slots=2, reduce_slots=1), jobs)
    assert relaxed_values([instance]) == [8.0]
