"""The relaxed problem of CP-SAT: never above the optimum, often equal to it, named as such."""

import json
import subprocess
import sys
from importlib.util import find_spec
from itertools import count, islice

import campaign
import pytest
from brute_force import optimum
from racing import runner_from

from slotwise.formulations.mapreduce.coefficients import Coefficients
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.solvers.backends import cp_sat as process
from slotwise.solvers.mapreduce import cp_sat
from slotwise.solvers.mapreduce.branch_and_bound.integer_times import common_unit
from slotwise.solvers.mapreduce.heuristic import heuristic

needs_ortools = pytest.mark.skipif(find_spec("ortools") is None, reason="OR-Tools is not installed")

PROGRAM = """
import json, sys
sys.path += sys.argv[1:]
from cp_sat_models import RelaxedModel
from cp_sat_process import _solver
for line in sys.stdin:
    problem = json.loads(line)
    model = RelaxedModel(problem)
    solver = _solver(model, problem, 0.2)
    status = solver.status_name(solver.solve(model.cp))
    none = status == "INFEASIBLE"
    print(status, problem["without_solution"] if none else solver.best_objective_bound)
"""


def relaxed_values(instances):
    """What a fifth of a second proves of each relaxed problem (s), told no lower bound."""
    documents, units = [], []
    for instance in map(usable, instances):
        start = heuristic(instance, "EASS").schedule
        whole = common_unit(instance)
        unit = whole or start.makespan / 2**30 or 1.0
        runner = runner_from(instance, start)
        document = cp_sat.problem(Coefficients(instance), runner, start, unit, whole=whole > 0)
        documents.append(document | {"relaxed": cp_sat._relaxed_problem(document)})
        units.append(unit)
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-c",
            PROGRAM,
            str(cp_sat.MODELS.parent),
            str(process.PROGRAM.parent),
        ],
        input="\n".join(map(json.dumps, documents)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    answers = [line.split() for line in done.stdout.splitlines()]
    assert {status for status, _ in answers} <= {"OPTIMAL", "FEASIBLE", "UNKNOWN", "INFEASIBLE"}
    return [float(value) * unit for (_, value), unit in zip(answers, units, strict=True)]


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
