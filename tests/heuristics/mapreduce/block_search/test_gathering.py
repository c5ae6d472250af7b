"""Gathering: what a place of map output saves in reading, and a polish that makes use of it."""

import numpy as np
import pytest

from slotwise.core.random_numbers import seeded
from slotwise.heuristics.mapreduce.block_search.decoder import reads
from slotwise.heuristics.mapreduce.block_search.gathering import saved_reading
from slotwise.heuristics.mapreduce.block_search.polish import (
    LocalSearch,
    SlotAssignment,
    evaluate,
    layout_of,
    polish,
)
from slotwise.heuristics.mapreduce.block_search.scaled_instance import scaled, slots_of
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


def test_saved_reading_is_what_the_reduce_tasks_read_less():
    instance = generate(4, 7, seed=3)
    problem = scaled(instance, eass(instance).makespan).problem
    layout = layout_of(problem)
    rng = np.random.default_rng(0)
    node = rng.integers(0, 7, instance.reduce_tasks)
    saved = saved_reading(problem, layout.reduce_job, node)
    for i in range(instance.jobs):
        on = node[layout.reduce_job == i]
        total = np.zeros(7)
        for v in range(7):
            held, read = np.zeros(7, dtype=np.int64), np.zeros(7, dtype=np.int64)
            held[v] = 1 << 40
            reads(problem, held, read)
            total[v] = read[on].sum()
        differences = (saved[i] - saved[i, 0]) * (1 << 40)
        np.testing.assert_allclose(total[0] - total, differences, rtol=1e-6, atol=2 * len(on))


def test_polish_with_a_price_changes_map_tasks_of_different_jobs():
    """Two jobs, each with half of its map output and its reduce task on the wrong node.

    Map tasks take 1 + 4 s and leave 100 MB. A reduce task reads these in 1 s on the node, in 10 s
    from the other: 10 + 11 + 30 = 51. Without a price no map tasks of different jobs change nodes;
    with one each job gathers on the node of its reduce task: 10 + 2 + 30 = 42.
    """
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1, rates=Rates(100, 10, 10))
    maps = [MapTask(4.0, 100.0, ["n0", "n1"])] * 2
    jobs = [Job("a", maps, [30.0], 1.0), Job("b", maps, [30.0], 1.0)]
    instance = Instance.from_jobs("crossed", cluster, jobs)
    scale = scaled(instance, 51.0)
    problem = scale.problem
    given = SlotAssignment(np.arange(2), np.array([0, 1, 0, 1]), np.array([0, 1]))
    makespans = []
    for price in (0.0, 1.0):
        search = LocalSearch(np.zeros(1, dtype=np.int64), seeded(0), 0, lambda *_: None)
        makespan = polish(search, problem, given, 20, 500, price).makespan
        assert makespan <= evaluate(problem, layout_of(problem), given).makespan
        makespans.append(round(makespan * scale.unit_seconds, 6))
    assert makespans == [51.0, 42.0]


@pytest.mark.parametrize(("reduces", "falls"), [([16.0], True), ([30.0, 30.0], False)])
def test_the_price_falls_where_map_slots_are_fuller(reduces, falls):
    """Eight jobs of two map tasks of 10 s on two nodes with a slot of each kind: maps end at 80 s.

    A reduce task of each job, 16 s: the last one ends at 96, that of the job before at 86, so the
    mean is 91, and 96 for both map slots. With two of 30 s all slots have the same value.
    """
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1, rates=Rates(100, 50, 50))
    maps = [MapTask(9.0, 100.0, ["n0"]), MapTask(9.0, 100.0, ["n1"])]
    jobs = [Job(name, maps, reduces, 0.001) for name in "abcdefgh"]
    instance = Instance.from_jobs("eight", cluster, jobs)
    schedule = eass(instance)
    scale = scaled(instance, schedule.makespan)
    given = SlotAssignment(np.arange(8), *slots_of(instance, scale, schedule))
    search = LocalSearch(np.zeros(1, dtype=np.int64), seeded(0), 0, lambda *_: None)
    price = polish(search, scale.problem, given, 20, 500, 1.0).price
    assert (price < 1.0) == falls
