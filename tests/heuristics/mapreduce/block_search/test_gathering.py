"""Gathering: what a place of map output saves in reading, and a polish that makes use of it."""

import numpy as np

from slotwise.heuristics.mapreduce.block_search.decoder import reads
from slotwise.heuristics.mapreduce.block_search.polish import (
    LocalSearch,
    SlotAssignment,
    evaluate,
    polish,
    saved_reading,
)
from slotwise.heuristics.mapreduce.block_search.scaled_instance import scaled, slots_of
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.heuristics.mapreduce.search_kernels import seeded
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


def test_saved_reading_is_what_the_reduce_tasks_read_less():
    instance = generate(4, 7, seed=3)
    problem = scaled(instance, eass(instance).makespan).problem
    rng = np.random.default_rng(0)
    node = rng.integers(0, 7, instance.reduce_tasks)
    saved = saved_reading(problem, problem.reduce_job, node)
    for i in range(instance.jobs):
        on = node[problem.reduce_job == i]
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
        assert makespan <= evaluate(problem, given).makespan
        makespans.append(round(makespan * scale.unit_seconds, 6))
    assert makespans == [51.0, 42.0]


def price_after_polish(maps, reduces, price):
    """The price at the end for eight jobs with these tasks, on two nodes with a slot of each kind.

    `maps`: number of map tasks of 10 s of each job.
    """
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1, rates=Rates(100, 50, 50))
    tasks = [MapTask(9.0, 100.0, ["n0"]), MapTask(9.0, 100.0, ["n1"])][:maps]
    jobs = [Job(name, tasks, reduces, 0.001) for name in "abcdefgh"]
    instance = Instance.from_jobs("eight", cluster, jobs)
    schedule = eass(instance)
    scale = scaled(instance, schedule.makespan)
    given = SlotAssignment(np.arange(8), *slots_of(instance, scale, schedule))
    search = LocalSearch(np.zeros(1, dtype=np.int64), seeded(0), 0, lambda *_: None)
    return polish(search, scale.problem, given, 20, 500, price).price


def test_the_price_falls_where_map_slots_are_fuller():
    # Maps end at 80 s, the last reduce task of 16 s at 96 s, that of the job before at 86 s: the
    # mean of the reduce slots is 91 s, that of the map slots 96 s.
    assert price_after_polish(2, [16.0], 1.0) < 1.0


def test_the_price_stays_where_slots_are_equally_full():
    # The first maps end at 10 s, both reduce slots work from then to 250 s, for one job after
    # another; so every path from a map slot through the first job takes 250 s.
    assert price_after_polish(2, [30.0, 30.0], 1.0) == 1.0
    assert price_after_polish(2, [30.0, 30.0], 0.5) == 0.5


def test_the_price_rises_to_1_where_reduce_slots_are_fuller():
    # With one map task each only the map slot of the first job has no slack.
    price = price_after_polish(1, [30.0, 30.0], 0.8)
    assert 0.8 < price <= 1.0
