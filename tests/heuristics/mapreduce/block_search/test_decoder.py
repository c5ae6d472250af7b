"""A decoded solution is a schedule, and lasts as long as the decoder says."""

import numpy as np
import pytest

from slotwise.heuristics.mapreduce.block_search.decoder import Solution, decode, new_work
from slotwise.heuristics.mapreduce.block_search.polish import evaluate, placement_of
from slotwise.heuristics.mapreduce.block_search.scaled_instance import scaled, schedule_of
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


def with_zeros():
    """Tasks and setups of no length; a job without maps, one without reduces; few slots."""
    maps = [MapTask(0.0, 0.0, ["n0"]), MapTask(2.0, 128.0, ["n1"]), 0.0, MapTask(1.0, 64.0, [])]
    jobs = [
        Job("a", maps, [0.0, 3.0], 1.0),
        Job("b", [], [2.0, 0.0]),
        Job("c", [4.0, 0.0], []),
        Job("d", maps, [1.0], 2.5),
    ]
    cluster = Cluster(
        node_names=("n0", "n1", "n2", "n3"),
        rack_names=("r0", "r1"),
        rack_of=np.array([1, 0, 1, 0]),
        map_slots=np.array([1, 0, 2, 1]),
        reduce_slots=np.array([0, 1, 0, 3]),
        rates=Rates(100, 50, 10),
    )
    return Instance.from_jobs("with zeros", cluster, jobs)


INSTANCES = [with_zeros(), small(5, 3, seed=2), generate(8, 7, seed=0, map_slots=3)]


def drawn(rng, problem):
    """A random solution; blocks have map slots."""
    jobs, nodes = len(problem.longest), len(problem.rack_of)
    low, high = np.zeros(jobs, dtype=np.int64), np.zeros(jobs, dtype=np.int64)
    for i in range(jobs):
        while problem.map_slots[low[i]] == problem.map_slots[high[i]]:
            low[i], high[i] = np.sort(rng.integers(0, nodes + 1, 2))
    return Solution(
        rng.permutation(jobs), low, high, rng.integers(0, 30, jobs), rng.integers(0, 30, jobs)
    )


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_decoded_makespan_is_that_of_the_schedule(instance):
    rng = np.random.default_rng(1)
    scale = scaled(instance, eass(instance).makespan)
    problem = scale.problem
    for _ in range(30):
        solution = drawn(rng, problem)
        map_node = np.zeros(instance.map_tasks, dtype=np.int64)
        reduce_node = np.zeros(instance.reduce_tasks, dtype=np.int64)
        work = new_work(problem)
        makespan = decode(problem, solution, work, map_node, reduce_node)
        placement = placement_of(problem, solution.order, map_node, reduce_node)
        timing = evaluate(problem, placement)
        assert timing.makespan == makespan
        map_rank = np.argsort(placement.order)[problem.map_job]
        reduce_rank = np.argsort(timing.by_end)[problem.reduce_job]
        slots = placement.map_slot, placement.reduce_slot
        schedule = schedule_of(instance, scale, slots[0], map_rank, slots[1], reduce_rank)
        assert check(instance, schedule).violations == []
        assert schedule.makespan == pytest.approx(makespan * scale.unit_seconds, rel=1e-8)
