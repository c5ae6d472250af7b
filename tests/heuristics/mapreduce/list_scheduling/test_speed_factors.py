"""LJR's heuristics where slots differ in speed."""

from dataclasses import replace

import numpy as np
from random_instances import with_security

import slotwise
from slotwise import Cluster, Instance, Job, MapTask, Rates
from slotwise.heuristics.mapreduce import HEURISTICS
from slotwise.heuristics.mapreduce.list_scheduling.placement import place
from slotwise.heuristics.mapreduce.list_scheduling.rules import efss
from slotwise.instances.mapreduce.generators.ljr import small
from slotwise.instances.mapreduce.instance import SpeedFactors


def with_factors(instance, maps, reduces):
    return replace(
        instance, speed_factors=SpeedFactors(np.array(maps, float), np.array(reduces, float))
    )


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
    instance = small(5, 4, seed=1)
    factors = np.random.default_rng(1).choice([0.5, 1.0, 2.0], (5, 8)), np.ones((5, 4))
    rows, columns = (
        efss(with_factors(instance, *map(layout, factors)))
        for layout in (np.ascontiguousarray, np.asfortranarray)
    )
    assert rows == columns
    efss(instance)
    efss(with_security(instance, 1))
    assert len(place.machine.signatures) == 1
