"""Repairs of both phases: what they call within the limit is a schedule within it."""

import numpy as np
import pytest
from random_instances import any_parts

from slotwise.core.clock import Clock
from slotwise.heuristics.mapreduce.block_search.polish import (
    LocalSearch,
    SlotAssignment,
    evaluate,
    layout_of,
)
from slotwise.heuristics.mapreduce.block_search.repair_rounds import can_repair, repair_round
from slotwise.heuristics.mapreduce.block_search.scaled_instance import (
    scaled,
    schedule_of,
    slots_of,
)
from slotwise.heuristics.mapreduce.class_search.repair import RepairPlan
from slotwise.heuristics.mapreduce.improvement import improve
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.heuristics.mapreduce.random_numbers import seeded
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators import ljr, smso
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.schedule import map_completions, timed
from slotwise.instances.mapreduce.usable_slots import usable_slots

ROUNDING = 1e-7
"""Reads are rounded task by task; relatively."""


class Repaired:
    """A repair of a schedule towards a share of its makespan, with times in s."""

    def __init__(self, instance, start, share, *, seed=0, steps=20_000, heat=(0.02, 0.001)):
        self.instance, self.start = instance, start
        scale = scaled(instance, start.makespan)
        problem, layout = scale.problem, layout_of(scale.problem)
        order = np.argsort(map_completions(instance, start.map.end), kind="stable")
        given = SlotAssignment(order, *slots_of(instance, scale, start))
        timing = evaluate(problem, layout, given)
        limit = int(share * timing.makespan)
        plan = RepairPlan(limit, steps, *(part * timing.makespan for part in heat), 0.05)
        search = LocalSearch(np.zeros(1, np.int64), seeded(seed), 0, lambda *_: None)
        changed, left = repair_round(search, problem, layout, given, timing, plan)
        by_end = evaluate(problem, layout, changed).by_end
        ranks = np.argsort(changed.order)[layout.map_job], np.argsort(by_end)[layout.reduce_job]
        self.schedule = schedule_of(
            instance, scale, changed.map_slot, ranks[0], changed.reduce_slot, ranks[1]
        )
        self.limit, self.left = limit * scale.unit_seconds, left * scale.unit_seconds

    def no_longer_than_said(self):
        """Ends by the limit and what the slots exceed it by, and breaks no rule."""
        said = (self.limit + self.left) * (1 + ROUNDING)
        return self.schedule.makespan <= said and not check(self.instance, self.schedule).violations

    def moved(self):
        before, after = self.start, self.schedule
        return bool(
            (before.map.slot != after.map.slot).any()
            or (before.reduce.slot != after.reduce.slot).any()
        )


def drawn(seeds):
    """Instances with every part, but for speed factors, that have something to repair."""
    for seed in seeds:
        given = any_parts(seed, tiny_every=2)
        if impossible(given) is not None or given.speed_factors is not None:
            continue
        instance = usable_slots(given).instance
        if eass(instance).makespan > 0 and can_repair(scaled(instance, 1.0).problem):
            yield seed, instance


@pytest.mark.parametrize("share", [0.7, 0.97])
def test_the_overload_counts_every_read(share):
    moves = 0
    for seed, instance in drawn(range(80)):
        repaired = Repaired(instance, eass(instance), share, seed=seed, steps=2_000)
        assert repaired.no_longer_than_said(), seed
        moves += repaired.moved()
    assert moves > 10


@pytest.mark.parametrize(("maps", "reduces", "repairs"), [(4500, 8, False), (4500, 9000, True)])
def test_many_map_tasks_are_not_repaired_where_they_are_the_bottleneck(maps, reduces, repairs):
    cluster = Cluster.uniform(2, map_slots=2)
    jobs = [Job("a", [1.0] * maps, [1.0] * reduces)]
    assert can_repair(scaled(Instance.from_jobs("many", cluster, jobs), 1e5).problem) == repairs


@pytest.mark.parametrize("racks", [1, 3])
def test_many_tasks_that_read(racks):
    for seed in range(3):
        instance = ljr.generate(12, 6, seed=seed, map_slots=3, racks=racks)
        repaired = Repaired(instance, eass(instance), 0.97, seed=seed, heat=(3e-3, 1e-4))
        assert repaired.no_longer_than_said(), seed
        assert repaired.moved()


def test_security():
    instance = smso.generate(6, 4, seed=1, map_slots=2, reduce_slots=2)
    repaired = Repaired(instance, eass(instance), 0.9)
    assert repaired.no_longer_than_said()
    assert repaired.moved()


def test_tasks_that_only_read():
    """No task works, so a task's length says nothing of how hot a repair may be."""
    jobs = [Job(name, [MapTask(0.0, 100.0, ["n0"])] * 3, [0.0], 1.0) for name in "ab"]
    instance = Instance.from_jobs("reads", Cluster.uniform(2), jobs)
    start = eass(instance)
    found = improve(instance, start, Clock(3600.0, iterations=3))
    assert found.makespan <= start.makespan
    assert check(instance, found).violations == []


def test_map_tasks_gather_where_the_reduce_task_reads():
    """Both nodes hold the input of both map tasks, 100 MB each, read in 1 s, and they work 1 s.

    Side by side they end at 2 s, and the reduce task reads 100 MB on its node in 1 s and 100 MB
    from the other rack in 10 s: 2 + 11 + 1 = 14 s. One after the other where the reduce task is:
    4 + 2 + 1 = 7 s.
    """
    cluster = Cluster.uniform(
        2, racks=2, map_slots=1, reduce_slots=1, rates=Rates(100.0, 100.0, 10.0)
    )
    maps = [MapTask(1.0, 100.0, ["n0", "n1"]), MapTask(1.0, 100.0, ["n0", "n1"])]
    instance = Instance.from_jobs("reads", cluster, [Job("a", maps, [1.0], 1.0)])
    both, none = np.arange(2), np.zeros(1, dtype=np.int64)
    start = timed(instance, both, both, none, none)
    assert start.makespan == 14.0
    repaired = Repaired(instance, start, 0.51)
    assert (repaired.schedule.makespan, repaired.left) == (7.0, 0.0)
