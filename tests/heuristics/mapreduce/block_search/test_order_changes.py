"""Orders of the jobs, timed by jobs and slots."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_instances import odd_clusters

from slotwise.heuristics.mapreduce.block_search.order_changes import reordered
from slotwise.heuristics.mapreduce.block_search.polish import (
    LocalSearch,
    SlotAssignment,
    evaluate,
)
from slotwise.heuristics.mapreduce.block_search.scaled_instance import scaled, slots_of
from slotwise.heuristics.mapreduce.block_search.worker import spread_tails
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.heuristics.mapreduce.search_kernels import seeded
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job
from slotwise.instances.mapreduce.schedule import map_completions, timed


def changed(instance, schedule, seed, tries):
    """Makespans before and after, in time units, and the job order then."""
    scale = scaled(instance, schedule.makespan)
    problem = scale.problem
    order = np.argsort(map_completions(instance, schedule.map.end), kind="stable")
    given = SlotAssignment(order, *slots_of(instance, scale, schedule))
    search = LocalSearch(np.zeros(1, np.int64), seeded(seed), 0, lambda *_: None)
    short = np.argsort(spread_tails(problem), kind="stable")
    other = reordered(search, problem, given, short, tries)
    assert other.map_slot.tolist() == given.map_slot.tolist()
    assert sorted(other.order.tolist()) == list(range(instance.jobs))
    before, after = (evaluate(problem, each).makespan for each in (given, other))
    return before, after, other.order.tolist()


@given(odd_clusters(), st.integers(0, 9))
def test_further_changes_never_lengthen_the_schedule(instance, seed):
    if instance.jobs < 2:
        return
    schedule = eass(instance)
    after = [changed(instance, schedule, seed, tries)[1] for tries in (1, 2, 3, 5, 9)]
    assert after == sorted(after, reverse=True)


def test_the_long_reduce_goes_first_and_shares_no_slot():
    # In the order a, b the map phases end at 3 and 4. Both reduces on one slot end at 3 + 2 = 5
    # and 5 + 9 = 14. In the order b, a the map phases end at 1 and 4; with both reduces on one
    # slot that makes 1 + 9 = 10 and 10 + 2 = 12, and on two slots 10 and 4 + 2 = 6.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=2)
    jobs = [Job("a", [3.0], [2.0]), Job("b", [1.0], [9.0])]
    instance = Instance.from_jobs("two", cluster, jobs)
    none, both = np.zeros(2, dtype=np.int64), np.arange(2)
    before, after, order = changed(instance, timed(instance, none, both, none, both), 0, 30)
    assert order == [1, 0]
    assert after * 14 == before * 10
