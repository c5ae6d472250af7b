"""The kernels decide, to the last bit, like the plain references that tell their steps."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from random_instances import odd_clusters
from step_checks import equal_to_kernel

from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from slotwise.teaching.steps.recording import recorder

LISTS = ("EASS", "EFSS", "EFSS-L", "TBS", "TBS-L")
OTHERS = ("HMHS", "R-HMHS", "Min-Min", "FIFO", "FIFO-Pri", "SMSO", "SMSO-Johnson")

RATES = [(100, 50, 30), (40, 40, 40), (100, 50, 10), (90.5, 20.25, 20.25), (3, 0.7, 0.1)]
TIMES = [
    [1.0, 2.0, 3.0],
    # Several of these are equal but for rounding, and so are sums with them.
    [0.1, 0.2, 0.3, 0.1 + 0.2, 0.6, 0.7, 0.7 - 0.1],
    [0.3, 0.1 + 0.2, 1000.3, 1000.1 + 0.2],
    [0.0, 1.0],
    [3.0],
]
INPUTS = [[0.0, 128.0], [100.0, 50.0, 30.0, 0.0], [0.1, 0.2, 0.3, 0.1 + 0.2, 90.5], [64.0]]
FACTORS = [[1.0], [0.5, 1.0, 2.0], [0.1, 1 / 3, 0.7], [0.1, 0.3, 0.1 * 3]]


def random_instance(seed: int) -> Instance:
    """Uneven racks, nodes without slots, tasks without input, replicas or equals; every third
    instance has speed factors."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(1, 7))
    racks = int(rng.integers(1, nodes + 1))
    rack_of = rng.permutation(
        np.concatenate((np.arange(racks), rng.integers(0, racks, nodes - racks)))
    )
    slots = rng.integers(0, 4, (2, nodes))
    slots[:, int(rng.integers(nodes))] += slots.sum(axis=1) == 0
    cluster = Cluster(
        tuple(f"n{k}" for k in range(nodes)),
        tuple(f"r{k}" for k in range(racks)),
        rack_of.astype(np.int64),
        *slots.astype(np.int64),
        Rates(*RATES[rng.integers(len(RATES))]),
    )
    times = [*TIMES, rng.random(30) * 10][rng.integers(len(TIMES) + 1)]
    inputs = [*INPUTS, rng.random(20) * 300][rng.integers(len(INPUTS) + 1)]
    jobs = []
    for j in range(int(rng.integers(1, 5))):
        maps = []
        for _ in range(int(rng.integers(0, 7))):
            held = rng.choice(nodes, int(rng.integers(0, min(nodes, 3) + 1)), replace=False)
            replicas = [f"n{k}" for k in held]
            maps.append(MapTask(float(rng.choice(times)), float(rng.choice(inputs)), replicas))
        reduces = [float(rng.choice(times)) for _ in range(int(rng.integers(0, 7)))]
        jobs.append(Job(f"j{j}", maps, reduces, float(rng.choice([0.0, 0.2, 1.0, 2.5]))))
    instance = Instance.from_jobs(f"random-{seed}", cluster, jobs)
    if seed % 3:
        return instance
    values = FACTORS[rng.integers(len(FACTORS))]
    factors = (rng.choice(values, (instance.jobs, count)) for count in slots.sum(axis=1))
    return replace(instance, speed_factors=SpeedFactors(*factors))


def assert_same(method: str, instance: Instance) -> None:
    schedule = HEURISTICS.lookup(method).load()(instance)
    equal_to_kernel(recorder(method)(instance).outcome, schedule)
    assert check(instance, schedule).violations == []


@pytest.mark.parametrize("method", [*LISTS, *OTHERS])
@settings(max_examples=40)
@given(odd_clusters())
def test_odd_clusters(method: str, instance: Instance) -> None:
    assert_same(method, instance)


@pytest.mark.parametrize("method", [*LISTS, *OTHERS[:5]])
def test_ties_and_rounding(method: str) -> None:
    for seed in range(300 if method == "Min-Min" else 60):
        assert_same(method, random_instance(seed))


@pytest.mark.slow
@pytest.mark.parametrize("some", range(10))
def test_ties_and_rounding_of_min_min_many_times(some: int) -> None:
    for seed in range(1000 + 2000 * some, 3000 + 2000 * some):
        assert_same("Min-Min", random_instance(seed))


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize(("nodes", "racks"), [(9, 3), (10, "as published")])
def test_the_papers_workload(method: str, nodes: int, racks: int | str) -> None:
    assert_same(method, generate(9, nodes, racks=racks, map_slots=5, reduce_slots=3, seed=nodes))
