"""LJR's heuristics where slots differ in speed."""

from dataclasses import replace

import numpy as np
import pytest
from random_instances import with_security

import slotwise
from slotwise import Cluster, Instance, Job, MapTask, Rates
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.heuristics.mapreduce.list_scheduling.placement import place
from slotwise.heuristics.mapreduce.list_scheduling.rules import efss
from slotwise.instances.mapreduce.instance import SpeedFactors

NAMES = ["EASS", "EFSS", "EFSS-L", "TBS", "TBS-L"]


def with_factors(instance, maps, reduces):
    return replace(
        instance, speed_factors=SpeedFactors(np.array(maps, float), np.array(reduces, float))
    )


def whole_numbers(seed):
    """A random instance whose times and setups are whole seconds, so that sums are exact."""
    rng = np.random.default_rng(seed)
    cluster = Cluster.uniform(
        4, racks=2, map_slots=2, reduce_slots=2, rates=Rates(100.0, 50.0, 25.0)
    )
    jobs = [
        Job(
            f"j{i}",
            [
                MapTask(
                    float(rng.integers(1, 20)),
                    float(rng.integers(0, 4) * 100),
                    [f"n{k}" for k in rng.permutation(4)[: rng.integers(1, 3)]],
                )
                for _ in range(rng.integers(0, 6))
            ],
            rng.integers(1, 30, rng.integers(0, 4)).astype(float).tolist(),
        )
        for i in range(5)
    ]
    return Instance.from_jobs("whole", cluster, jobs)


@pytest.mark.parametrize("name", NAMES)
def test_equal_speeds_change_nothing(name):
    for seed in range(40):
        instance = whole_numbers(seed)
        ones = with_factors(instance, np.ones((5, 8)), np.ones((5, 8)))
        plain = slotwise.heuristic(instance, name).schedule
        unrelated = slotwise.heuristic(ones, name).schedule
        assert unrelated.map.slot.tolist() == plain.map.slot.tolist(), seed
        assert unrelated.map.start.tolist() == plain.map.start.tolist(), seed
        assert unrelated.reduce.slot.tolist() == plain.reduce.slot.tolist(), seed
        assert unrelated.reduce.start.tolist() == plain.reduce.start.tolist(), seed


@pytest.mark.parametrize("name", NAMES)
def test_schedules_with_random_speeds_are_valid(name):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        instance = whole_numbers(seed)
        instance = with_factors(instance, rng.uniform(0.1, 1, (5, 8)), rng.uniform(0.1, 1, (5, 8)))
        result = slotwise.heuristic(instance, name)  # raises if the checker finds a violation
        assert result.assumptions_dropped == ()


def test_earliest_available_and_earliest_finishing_by_hand():
    """One job, map tasks of 4 and 2 s; slot 0 takes 3 times as long, slot 1 the time as it is.

    Available: the 4 s task to slot 0 (12 s), the 2 s task to slot 1 (2 s). Finishing: 12 or 4 s for
    the first, so slot 1; then 6 s on slot 0 or 4 + 2 = 6 s on slot 1: the tie goes to slot 0, which
    is available first.
    """
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    instance = with_factors(
        Instance.from_jobs("two", cluster, [Job("a", [4.0, 2.0], [1.0])]), [[3.0, 1.0]], [[1.0]]
    )
    available = slotwise.heuristic(instance, "EASS").schedule
    assert (available.map.slot.tolist(), available.map.end.tolist()) == ([0, 1], [12.0, 2.0])
    finishing = slotwise.heuristic(instance, "EFSS").schedule
    assert (finishing.map.slot.tolist(), finishing.map.end.tolist()) == ([1, 0], [4.0, 6.0])
    assert (available.makespan, finishing.makespan) == (13.0, 7.0)


def test_local_is_the_replica_node_even_if_all_rates_are_equal():
    """Two tasks with their data on n1: EFSS-L queues both there, though n0 reads as fast."""
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1, rates=Rates(50.0, 50.0, 50.0))
    job = Job("a", [MapTask(4.0, 100.0, ["n1"])] * 2, [1.0])
    instance = with_factors(Instance.from_jobs("equal", cluster, [job]), [[1, 1]], [[1, 1]])
    assert slotwise.heuristic(instance, "EFSS-L").schedule.map.slot.tolist() == [1, 1]


def test_heuristics_understand_speed_factors_but_smso():
    others = [entry for entry in HEURISTICS if "speed factors" not in entry.understands]
    assert {entry.name.split()[0].split("-")[0] for entry in others} == {"SMSO"}


def test_the_kernel_is_compiled_once_for_all_parts_and_layouts():
    factors = np.random.default_rng(1).choice([0.5, 1.0, 2.0], (5, 8))
    rows, columns = (
        efss(with_factors(whole_numbers(1), laid, laid))
        for laid in (factors, np.asfortranarray(factors))
    )
    assert rows == columns
    efss(whole_numbers(1))
    efss(with_security(whole_numbers(1), 1))
    assert len(place.machine.signatures) == 1
