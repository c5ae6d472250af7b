"""The bound from one job's reads: hand-worked, against brute force, and with more jobs."""

import numpy as np
import pytest
from brute_force import optimum
from known_optima import four_kinds
from random_instances import reading

from slotwise.formulations.mapreduce.bounds.closed_form import (
    heads_and_tails,
    lower_bounds,
    pigeonhole,
)
from slotwise.formulations.mapreduce.bounds.job_reads import least_sum, one_jobs_reads
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.subset import with_jobs

NAME = "one job's reads"


def test_spread_over_two_racks_is_shorter_than_gathered_on_a_node() -> None:
    # Four map tasks of 9 + 1 s, two slots a node. At 10 s each node holds half: the reduce task
    # reads 200 MB locally in 2 s and 200 MB from the other rack in 8 s, 10 + 5 + 10. All on one
    # node: 20 + 5 + 4 s.
    cluster = Cluster.uniform(
        2, racks=2, map_slots=2, reduce_slots=1, rates=Rates(node=100, rack=50, remote=25)
    )
    job = Job("a", [MapTask(9, 100, ["n0", "n1"])] * 4, [5.0], output_ratio=1)
    instance = Instance.from_jobs("spread", cluster, [job])
    bounds = lower_bounds(instance)
    assert bounds[NAME] == pytest.approx(25)
    assert bounds["heads and tails"] == pytest.approx(19)
    assert optimum(instance) == pytest.approx(25)


def test_two_reduce_tasks_do_not_both_have_most_of_the_output_on_their_node() -> None:
    # One rack. Both map tasks on one node are done at 6 s and one reduce task reads 400 MB there in
    # 4 s; its second slot is the other node's, which reads them in 8 s: 6 + 10 + 8. One map task a
    # node: both reduce tasks read 200 MB here and 200 MB there, 3 + 10 + 2 + 4.
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    job = Job("a", [MapTask(1, 200, ["n0", "n1"])] * 2, [10.0, 10.0], output_ratio=2)
    instance = Instance.from_jobs("two", cluster, [job])
    assert one_jobs_reads(instance) == pytest.approx(19)
    assert heads_and_tails(instance) == pytest.approx(17)
    assert optimum(instance) == pytest.approx(19)


def test_input_from_another_rack_delays_what_is_gathered_in_one() -> None:
    # One map slot a node, two nodes a rack, all input on the first. Two map tasks take 10 s there,
    # 20 s in the other rack. Two and two at 20 s: half of the reads is remote, 4 / 2 s on the node
    # at most. All in the first rack: 20 s as well, since one after the other.
    cluster = Cluster.uniform(
        4, racks=2, map_slots=1, reduce_slots=1, rates=Rates(node=100, rack=100, remote=10)
    )
    job = Job("a", [MapTask(0, 200, ["n0", "n1"])] * 4, [5.0], output_ratio=0.5)
    instance = Instance.from_jobs("delayed", cluster, [job])
    # Each takes 2 s in the first rack: two on each slot, 4 + 5 + 4 s. Counting the other rack's
    # slots by the same 2 s would end at 2 s with half of the reads remote: 2 + 5 + 2 + 20.
    assert one_jobs_reads(instance) == pytest.approx(13)
    assert optimum(instance) == pytest.approx(13)


def test_without_reads_it_is_the_simpler_bound() -> None:
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [MapTask(1, 100, ["n0"])], [2.0]), Job("b", [], [3.0]), Job("c", [4.0])]
    instance = Instance.from_jobs("no reads", cluster, jobs)
    assert one_jobs_reads(instance) == max(heads_and_tails(instance), pigeonhole(instance))
    empty = Instance.from_jobs("nothing", cluster, [])
    assert one_jobs_reads(empty) == 0


def test_the_least_sum_is_approached_from_below() -> None:
    def tail(ends: np.ndarray) -> np.ndarray:
        return np.where(ends < 3.7, 10.0, 4.0)

    # 1 + 10 at once, or 3.7 + 4.
    assert least_sum(1.0, 2.0, tail) == pytest.approx(7.7, rel=1e-5)
    assert least_sum(1.0, 2.0, tail) <= 7.7
    assert least_sum(1.0, 4.0, lambda ends: np.full(len(ends), 4.0)) == 5.0


def test_never_above_the_optimum() -> None:
    raised = 0
    for seed in range(100):
        for instance, best, bounds in four_kinds(seed):
            assert bounds[NAME] <= best * (1 + 1e-9), instance.name
            raised += bounds[NAME] > max(bounds["heads and tails"], bounds["pigeonhole"]) * 1.001
    assert raised > 50


def test_more_jobs_never_lower_it() -> None:
    for seed in range(150):
        instance = reading(seed)
        whole = one_jobs_reads(instance)
        for i in range(instance.jobs):
            assert one_jobs_reads(with_jobs(instance, [i])) <= whole * (1 + 1e-5)
