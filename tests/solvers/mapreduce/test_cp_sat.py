"""The CP-SAT method: optima, bounds that stay bounds, limits, Ctrl-C and a missing OR-Tools."""

import json
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from brute_force import optimum
from random_instances import shop, tiny, with_security

import slotwise
from slotwise.core.clock import Clock
from slotwise.core.errors import InputError
from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.formulations.mapreduce.coefficients import Coefficients
from slotwise.heuristics.mapreduce import order_annealing
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.instances.mapreduce.generators.two_stage import generate as generate_shop
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.schedule import timed
from slotwise.solvers.mapreduce import cp_sat
from slotwise.solvers.mapreduce.cp_sat import RELAXED_PROOF, cp_sat_method, problem
from slotwise.solvers.mapreduce.heuristic import heuristic
from slotwise.solvers.mapreduce.method import SolveRequest
from slotwise.solvers.mapreduce.result import Status
from slotwise.solvers.mapreduce.solve import solve

needs_ortools = pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")


def task_for(instance, *, time_limit=60.0, on_progress=None):
    """Starts from the earliest available slot, whose schedules leave much to improve."""
    return SolveRequest(
        incumbent=eass(instance),
        lower_bound=best_lower_bound(instance)[0],
        time_limit=time_limit,
        threads=2,
        relative_gap=1e-7,
        on_progress=on_progress,
    )


@needs_ortools
@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_brute_force(seed):
    instance = tiny(seed)
    known = optimum(instance)
    outcome = cp_sat_method(instance, task_for(instance), given_bounds=seed % 2 == 0)
    assert outcome.stop == "gap closed"
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan == pytest.approx(known, rel=1e-6, abs=1e-9)
    assert outcome.lower_bound <= known * (1 + 1e-12)
    assert outcome.lower_bound == pytest.approx(known, rel=1e-6, abs=1e-9)


@needs_ortools
@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_brute_force_on_secure_instances(seed):
    instance = with_security(tiny(seed), seed)
    if impossible(instance) is not None:
        assert optimum(instance) == np.inf
        return
    task = replace(task_for(instance), incumbent=heuristic(instance, "EASS").schedule)
    outcome = cp_sat_method(instance, task, given_bounds=seed % 2 == 0)
    assert outcome.stop == "gap closed"
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan == pytest.approx(optimum(instance), rel=1e-6, abs=1e-9)


@needs_ortools
@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_brute_force_where_all_slots_are_alike(seed):
    """Seeds 0 and 4 have tasks of no time, 1, 4, 6 and 7 durations without a unit."""
    instance = shop(seed)
    known = optimum(instance)
    start = annealed(instance) if seed < 4 else eass(instance)
    task = replace(task_for(instance), incumbent=start, lower_bound=0.0)
    outcome = cp_sat_method(instance, task)
    assert outcome.stop == "gap closed"
    assert outcome.lower_bound == pytest.approx(known, rel=1e-6)
    best = outcome.schedule or start
    assert check(instance, best).violations == []
    assert best.makespan == pytest.approx(known, rel=1e-6)
    assert outcome.proof == RELAXED_PROOF or seed not in (2, 3, 5)


@needs_ortools
def test_a_task_of_no_time_needs_a_slot_that_is_free():
    """One slot each: a maps for 6, b for nothing and reduces for 5.

    Without places b may map while a does, and reduces to 6. But it has a slot before a only.
    """
    jobs = [Job("a", [6.0]), Job("b", [0.0], [5.0])]
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("zero", cluster, jobs)
    start = slotwise.heuristic(instance, "FIFO").schedule
    outcome = cp_sat_method(instance, SolveRequest(start, 0.0, 60.0, 1, 1e-7))
    assert outcome.stop == "gap closed"
    assert outcome.lower_bound == 6
    assert (outcome.schedule or start).makespan == 6


def annealed(instance):
    return order_annealing.improve(instance, eass(instance), Clock(iterations=1))


@needs_ortools
def test_a_shop_of_many_jobs_is_settled_one_makespan_after_another():
    """Neither the closed forms nor prices of time reach the optimum of this shop, by 1 s."""
    instance = generate_shop(20, 4, 4, seed=6)
    seen = []
    task = replace(task_for(instance, on_progress=seen.append), incumbent=annealed(instance))
    outcome = cp_sat_method(instance, task)
    assert task.lower_bound < 311 < outcome.lower_bound == 312
    assert outcome.stop == "gap closed"
    assert (outcome.schedule or task.incumbent).makespan == 312
    assert [step.bound for step in seen] == sorted(step.bound for step in seen)
    # With a gap allowed that the incumbent has already nothing is asked.
    outcome = cp_sat_method(instance, replace(task, relative_gap=0.05))
    assert (outcome.stop, outcome.schedule) == ("gap closed", None)
    assert outcome.lower_bound == np.ceil(task.lower_bound)


@needs_ortools
@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_highs(seed):
    instance = small(3, 3, seed=seed, max_maps=3, max_reduces=2)
    ours, theirs = solve(instance, methods="cp-sat"), solve(instance, methods="job-order")
    assert ours.status is theirs.status is Status.OPTIMAL
    assert ours.makespan == pytest.approx(theirs.makespan, rel=2e-6)


@needs_ortools
def test_progress_only_improves_and_ends_at_the_result():
    instance = small(5, 3, seed=4, max_maps=5)  # 33 tasks
    seen = []
    outcome = cp_sat_method(instance, task_for(instance, on_progress=seen.append))
    assert outcome.progress == seen
    for values in (
        [step.seconds for step in seen],
        [step.bound for step in seen if step.bound is not None],
        [-step.incumbent for step in seen if step.incumbent is not None],
    ):
        assert values == sorted(values)
    # In whole ticks while the search runs, then timed exactly.
    assert seen[-1].incumbent == pytest.approx(outcome.schedule.makespan, rel=1e-6)
    assert outcome.schedule.makespan < eass(instance).makespan


@needs_ortools
def test_time_limit_keeps_the_bound():
    instance = small(30, 3, seed=0, max_maps=6)  # 171 tasks, out of reach
    task = task_for(instance, time_limit=2.0)
    outcome = cp_sat_method(instance, task)
    assert outcome.stop == "time limit"
    assert outcome.lower_bound == pytest.approx(task.lower_bound, rel=1e-6)


@needs_ortools
def test_no_time_at_all():
    instance = small(4, 3, seed=0)
    outcome = cp_sat_method(instance, task_for(instance, time_limit=0.0))
    # Whether there is a model by then is a matter of chance.
    assert outcome.why.startswith("time limit")
    assert (outcome.lower_bound or 0.0) <= eass(instance).makespan


@needs_ortools
def test_ctrl_c_keeps_what_was_found():
    instance = small(8, 3, seed=0, max_maps=6)
    pressed = []

    def press(step):
        if step.incumbent is not None and not pressed:
            pressed.append(step.incumbent)
            raise KeyboardInterrupt

    outcome = cp_sat_method(instance, task_for(instance, on_progress=press))
    assert pressed
    assert outcome.stop == "interrupted"
    assert check(instance, outcome.schedule).violations == []
    assert outcome.schedule.makespan <= pressed[0] * (1 + 1e-6)


def test_without_ortools(monkeypatch):
    monkeypatch.setattr(cp_sat, "find_spec", lambda name: None)
    instance = small(2, 2, seed=0)
    with pytest.raises(InputError, match=r"needs OR-Tools: pip install ortools"):
        cp_sat_method(instance, task_for(instance))


@needs_ortools
def test_too_large_an_instance_is_not_tried():
    instance = generate(2, 10, seed=0, map_slots=20)
    outcome = cp_sat_method(instance, task_for(instance))
    assert outcome.schedule is outcome.lower_bound is None
    assert outcome.why.startswith("not applicable: model too large")


@needs_ortools
def test_the_process_stays_clear_of_highspy():
    code = (
        "import sys, slotwise.solvers.mapreduce.cp_sat_models;"
        "import slotwise.solvers.backends.cp_sat_process;"
        "sys.exit(len({'highspy', 'pyomo'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@needs_ortools
def test_lines_that_threads_say_at_once_stay_apart():
    code = """
import sys, threading, time
from types import SimpleNamespace
from slotwise.solvers.backends.cp_sat_process import say
out = sys.stdout
sys.stdout = SimpleNamespace(write=lambda text: (out.write(text), time.sleep(0.02)), flush=int)
for k in range(6):
    threading.Thread(target=say, args=({"bound": k},)).start()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert sorted(json.loads(line)["bound"] for line in done.stdout.splitlines()) == [*range(6)]


def one_node():
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=2)
    maps = [MapTask(2.75, 110, ["n0"])] * 2
    return Instance.from_jobs("one", cluster, [Job("j", maps, [5.9, 5.9, 7.2], output_ratio=6)])


def test_durations_are_rounded_down():
    # Map: 2.75 s + 110 MB / 100 MB/s = 3.85 s. Each leaves 6 * 110 / 3 = 220 MB for each reduce
    # task, read in 2.2 s. Head: one map task on each slot, 3.85 s. Tail: reduce tasks of 10.3, 10.3
    # and 11.6 s on two slots, at best 10.3 + 10.3 = 20.6 s. Ticks of 0.5 s.
    instance = one_node()
    document = problem(Coefficients(instance), task_for(instance), 0.5)
    assert document["map_duration"] == [[7, 7], [7, 7]]
    assert document["reduce_duration"] == [[11, 11], [11, 11], [14, 14]]
    assert document["read_duration"] == [[[4]], [[4]]]
    assert (document["head"], document["tail"]) == ([7], [41])


def test_the_hint_obeys_the_symmetry_rows():
    # Map tasks 0 and 1 are equal, and so are reduce tasks 0 and 1; both slots of a phase are.
    instance = one_node()
    order = np.arange(3)
    incumbent = timed(instance, np.array([1, 0]), order[:2], np.array([1, 0, 1]), order)
    task = SolveRequest(incumbent, 0.0, 1.0, 1, 0.0)
    document = problem(Coefficients(instance), task, 0.5)
    assert (document["map"]["equal"], document["reduce"]["equal"]) == ([[0, 1]], [[0, 1]])
    assert document["hint"]["map"] == [0, 1]
    assert document["hint"]["reduce"] == [0, 1, 0]
    assert problem(Coefficients(instance), task, 0.5, given_bounds=False)["hint"] is None
