"""The bound from orders of critical jobs: hand-worked, and against brute force."""

import pytest
from brute_force import optimum
from known_optima import four_kinds

from slotwise.formulations.mapreduce.bounds.closed_form import heads_and_tails
from slotwise.formulations.mapreduce.bounds.orders import orders_of_critical_jobs
from slotwise.formulations.mapreduce.bounds.reads import one_jobs_reads
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.subset import with_jobs


def test_the_better_of_two_orders() -> None:
    # First a: max(4 + 6 + 2, 4 + 3 + 2). First b: max(3 + 8, 7 + 6).
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [4.0], [6.0]), Job("b", [3.0], [2.0])]
    instance = Instance.from_jobs("two", cluster, jobs)
    assert orders_of_critical_jobs(instance) == pytest.approx(12)
    assert optimum(instance) == pytest.approx(12)


def test_one_of_two_jobs_with_three_long_map_tasks_is_later() -> None:
    # Three map slots and six reduce slots: each job has a map task of 10 s on every slot, or one
    # job has all of the six tasks by 20 s only. Who ends last takes 20 + 50 s. The tasks of a third
    # job without reduce tasks may run at the end, so that the mean slot is busy until C.
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=6)
    jobs = [Job("a", [10.0] * 3, [50.0]), Job("b", [10.0] * 3, [50.0]), Job("c", [20.0] * 3)]
    instance = Instance.from_jobs("later", cluster, jobs)
    assert heads_and_tails(instance) == pytest.approx(70)
    assert orders_of_critical_jobs(instance) == pytest.approx(70)


def test_the_later_job_reads_no_less() -> None:
    # As one job alone it reads half from the other node: 10 + 5 + 2 + 4 s. After the other it may
    # gather at no cost beyond what it waits: 20 + 5 + 2 + 4, as its four tasks end two by two.
    cluster = Cluster.uniform(2, map_slots=2, reduce_slots=1)
    jobs = [Job(n, [MapTask(9, 100, ["n0", "n1"])] * 4, [5.0], output_ratio=1) for n in "ab"]
    instance = Instance.from_jobs("reads", cluster, jobs)
    assert one_jobs_reads(with_jobs(instance, [0])) == pytest.approx(21)
    # All four of one job on a node by 20 s: 20 + 5 + 4.
    assert orders_of_critical_jobs(instance) == pytest.approx(29)


def test_a_later_end_counts_with_the_reads_that_it_leaves() -> None:
    # Four map slots: a's eight tasks end at 20 s, b's four at 10 s, all at 30 s. By 20 s a node
    # holds half of a's 800 MB, by 30 s three quarters, by 40 s all: a reads for 4 + 16, 6 + 8, or
    # 8 s. If a is last it ends at 30 + 5 + 14 or 40 + 5 + 8 s, if b is at 30 + 25 s.
    cluster = Cluster.uniform(2, map_slots=2, reduce_slots=1, racks=2, rates=Rates(100, 50, 25))
    a = Job("a", [MapTask(9, 100, ["n0", "n1"])] * 8, [5.0], output_ratio=1)
    instance = Instance.from_jobs("both", cluster, [a, Job("b", [10.0] * 4, [25.0])])
    assert one_jobs_reads(with_jobs(instance, [0])) == pytest.approx(20 + 5 + 20)
    assert orders_of_critical_jobs(instance) == pytest.approx(30 + 5 + 14)


def test_nothing() -> None:
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    assert orders_of_critical_jobs(Instance.from_jobs("none", cluster, [])) == 0
    reduces = Instance.from_jobs("reduces", cluster, [Job("a", [], [3.0])])
    assert orders_of_critical_jobs(reduces) in (0, 3)


def test_never_above_the_optimum() -> None:
    raised = 0
    for seed in range(100):
        for instance, best, bounds in four_kinds(seed):
            bound = bounds["orders of critical jobs"]
            assert bound <= best * (1 + 1e-9), instance.name
            others = bounds.keys() - {"orders of critical jobs", "LB1 as printed"}
            raised += bound > max(bounds[name] for name in others) * 1.001
    assert raised > 2
