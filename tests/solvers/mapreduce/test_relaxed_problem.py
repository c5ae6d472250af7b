"""The relaxed problem of CP-SAT: never above the optimum, often equal to it, named as such."""

import pickle
import subprocess
import sys
from importlib.util import find_spec
from itertools import count, islice

import campaign
import pytest
from brute_force import optimum

from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.solvers.mapreduce.heuristic import heuristic

needs_ortools = pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")

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
    given = [(one, heuristic(one, "EASS").schedule) for one in map(usable, instances)]
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM],
        input=pickle.dumps(given),
        stdout=subprocess.PIPE,
        check=True,
    )
    answers = [line.split() for line in done.stdout.decode().splitlines()]
    assert {status for status, _ in answers} <= {"OPTIMAL", "FEASIBLE", "UNKNOWN", "INFEASIBLE"}
    return [float(value) for _, value in answers]


def usable(instance):
    return usable_slots(instance).instance


def judge(first, number):
    """Hold the values of so many instances with every part against their optima."""
    drawn = (campaign.drawn(seed)[0] for seed in count(first))
    instances = list(islice((one for one in drawn if impossible(one) is None), number))
    faults, tight = [], 0
    for instance, value in zip(instances, relaxed_values(instances), strict=True):
        known = optimum(instance)
        tight += value >= known * (1 - 1e-6)
        if value > known * (1 + 1e-9):
            faults.append((instance.name, value, known))
    assert faults == []
    assert tight > number / 3


@needs_ortools
def test_never_above_the_optimum():
    judge(800_000, 60)


@needs_ortools
@pytest.mark.slow
def test_never_above_the_optimum_of_many():
    judge(810_000, 3_000)


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
