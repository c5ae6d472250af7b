"""The closed forms with the reads that a horizon implies: hand-worked, and against brute force."""

import pytest
from brute_force import optimum
from known_optima import four_kinds
from random_instances import reading

from slotwise.formulations.mapreduce.bounds.closed_form import heads_and_tails, pigeonhole
from slotwise.formulations.mapreduce.bounds.reads_within_horizon import reads_within_horizon
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.subset import with_jobs

NAME = "reads within a horizon"


def test_slots_without_time_for_a_second_task_of_a_job_are_on_more_nodes() -> None:
    # One map slot and one reduce slot a node. Both map tasks end at 1 s, one on each node. A reduce
    # task of 50 s reads 400 MB, 4 s where all is local: heads and tails say 1 + 54.
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    job = Job("a", [MapTask(0, 100, ["n0", "n1"])] * 2, [50.0] * 2, output_ratio=4)
    instance = Instance.from_jobs("one", cluster, [job])
    # In turn it is 1 + 1 + 2 * 54; on two nodes one of them has half of the output at most, and
    # reads 200 MB in 2 s and 200 MB in 4 s: 1 + 50 + 6.
    assert heads_and_tails(instance) == pytest.approx(1 + 54)
    assert reads_within_horizon(instance) == pytest.approx(57, rel=1e-3)
    assert optimum(instance) == pytest.approx(57)


def test_late_tasks_are_counted_by_themselves() -> None:
    # Three jobs whose map task takes 20 s, three slots. Two more reduce tasks, longer ones, could
    # run before. Two reduce slots: one runs two of the three late ones, 20 + 5 + 5 s. With the long
    # ones among the three longest, the least head is 1 s.
    cluster = Cluster.uniform(1, map_slots=5, reduce_slots=2)
    late = [Job(f"late{k}", [20.0], [5.0]) for k in range(3)]
    early = [Job(f"early{k}", [1.0], [6.0]) for k in range(2)]
    instance = Instance.from_jobs("late", cluster, [*late, *early])
    assert pigeonhole(instance) == pytest.approx(30)


def test_never_above_the_optimum() -> None:
    raised = 0
    for seed in range(100):
        for instance, best, bounds in four_kinds(seed):
            assert bounds[NAME] <= best * (1 + 1e-9), instance.name
            simpler = max(bounds["heads and tails"], bounds["pigeonhole"])
            assert bounds[NAME] >= simpler
            raised += bounds[NAME] > simpler * 1.001
    assert raised > 50


def test_more_jobs_do_not_lower_it() -> None:
    for seed in range(100):
        instance = reading(seed)
        whole = reads_within_horizon(instance)
        for i in range(instance.jobs):
            assert reads_within_horizon(with_jobs(instance, [i])) <= whole * (1 + 1e-3)


def test_far_reads_cost_their_own_rate_between_racks() -> None:
    # Two racks of one node with two map slots and one reduce slot; all four map tasks end at 10 s
    # at the earliest, half in each rack. Two reduce tasks of 100 s are on different nodes: 400 MB,
    # half of them here in 2 s, half from the other rack in 8 s, or one reads them all from there.
    cluster = Cluster.uniform(
        2, racks=2, map_slots=2, reduce_slots=1, rates=Rates(node=100, rack=50, remote=25)
    )
    job = Job("a", [MapTask(9, 100, ["n0", "n1"])] * 4, [100.0] * 2, output_ratio=2)
    instance = Instance.from_jobs("racks", cluster, [job])
    assert reads_within_horizon(instance) == pytest.approx(10 + 100 + 10, rel=1e-3)
    assert optimum(instance) == pytest.approx(120)
