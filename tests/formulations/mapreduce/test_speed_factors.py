"""Slots of different speed (HMHS): models, bounds, checker and files against brute force."""

import json
from dataclasses import replace

import numpy as np
import pytest
from brute_force import optimum
from random_instances import tiny, with_speed_factors

import slotwise
from slotwise import Cluster, InputError, Instance, Job
from slotwise.formulations.mapreduce.bounds import BOUNDS
from slotwise.formulations.mapreduce.job_order import model as job_order
from slotwise.formulations.mapreduce.sequence import model as sequence
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.instance import SpeedFactors
from slotwise.instances.mapreduce.instance_file import instance_document
from slotwise.solvers.backends import highs

CHUNK = 25
CHUNKS = [0, *(pytest.param(chunk, marks=pytest.mark.slow) for chunk in range(1, 10))]


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1.0, b)


@pytest.mark.parametrize("formulation", [job_order, sequence], ids=["job-order", "sequence"])
@pytest.mark.parametrize("chunk", CHUNKS)
def test_models_agree_with_brute_force(formulation, chunk):
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        instance = with_speed_factors(tiny(seed), seed)
        best = optimum(instance, shared_order=True)
        model = formulation.build(instance)
        outcome = highs.solve(model, threads=1)
        assert close(outcome.incumbent, best), seed
        verdict = slotwise.check(instance, formulation.schedule(model))
        assert verdict.valid, (seed, verdict.violations)
        assert close(verdict.makespan, best), seed


def test_bounds_are_valid_and_solve_proves_the_optimum():
    for seed in range(60):
        instance = with_speed_factors(tiny(seed), seed)
        best = optimum(instance, shared_order=True)
        for entry in BOUNDS:
            if entry.valid:
                assert entry.load()(instance) <= best * (1 + 1e-9), (seed, entry.name)
        if seed < 15:
            assert close(slotwise.solve(instance, threads=1).makespan, best), seed


def heterogeneous(map_slots, reduce_slots, nodes):
    """Two jobs without data on unrelated slots: on one node, or each slot on its own."""
    cluster = Cluster.uniform(nodes, map_slots=map_slots, reduce_slots=reduce_slots)
    jobs = [Job("a", [4.0, 4.0, 6.0], [5.0, 5.0]), Job("b", [3.0, 3.0], [8.0])]
    factors = SpeedFactors(
        map=np.array([[1.0, 0.5, 0.5], [0.2, 1.0, 1.0]]),
        reduce=np.array([[0.3, 0.3, 0.9], [1.0, 1.0, 0.4]]),
    )
    return replace(Instance.from_jobs("unrelated", cluster, jobs), speed_factors=factors)


@pytest.mark.parametrize("formulation", [job_order, sequence], ids=["job-order", "sequence"])
def test_slots_of_one_node_may_differ(formulation):
    """Without data it does not matter which node a slot is on."""
    together, apart = heterogeneous(3, 3, 1), heterogeneous(1, 1, 3)
    model = formulation.build(together)
    assert close(highs.solve(model, threads=1).incumbent, optimum(apart, shared_order=True))
    assert slotwise.check(together, formulation.schedule(model)).valid


def test_heuristics_that_ignore_the_factors_say_so_and_are_timed_with_them():
    blind = replace(HEURISTICS[0], name="blind", understands=frozenset())
    instance = heterogeneous(3, 3, 1)
    result = slotwise.heuristic(instance, blind)
    assert result.assumptions_dropped == ("speed factors",)
    assert slotwise.check(instance, result.schedule).valid
    assert slotwise.heuristic(instance, "EFSS").assumptions_dropped == ()
    equal = replace(instance, speed_factors=None)
    assert slotwise.heuristic(equal, blind).assumptions_dropped == ()


def test_factors_survive_a_file(tmp_path):
    instance = heterogeneous(3, 3, 1)
    slotwise.write(instance, tmp_path / "instance.json")
    again = slotwise.read(tmp_path / "instance.json")
    assert again.speed_factors.map.tolist() == instance.speed_factors.map.tolist()
    assert again.speed_factors.reduce.tolist() == instance.speed_factors.reduce.tolist()


def drop_job(factors):
    factors["map"].pop()


def drop_slot(factors):
    factors["reduce"][1].pop()


def stop_slot(factors):
    factors["map"][0][2] = 0


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (drop_job, "speed_factors, map: need 2 jobs, got 1"),
        (drop_slot, "speed_factors, reduce, job 'b': need 3 slots, got 2"),
        (stop_slot, "speed_factors, map, job 'a', slot 2: need greater than 0, got 0"),
    ],
)
def test_bad_factors_are_named(tmp_path, spoil, message):
    document = instance_document(heterogeneous(3, 3, 1))
    spoil(document["speed_factors"])
    path = tmp_path / "instance.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=message):
        slotwise.read(path)
