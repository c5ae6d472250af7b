"""The bounds from reads: hand-worked, against brute force, and with more jobs."""

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
from slotwise.formulations.mapreduce.bounds.reads import (
    least_sum,
    one_jobs_reads,
    reads_within_horizon,
)
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.instances.mapreduce.subset import with_jobs

ALONE, WITHIN = "one job's reads", "reads within a horizon"


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
    assert bounds[ALONE] == pytest.approx(25)
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


def test_one_job_is_never_above_the_optimum() -> None:
    raised = 0
    for seed in range(100):
        for instance, best, bounds in four_kinds(seed):
            assert bounds[ALONE] <= best * (1 + 1e-9), instance.name
            raised += bounds[ALONE] > max(bounds["heads and tails"], bounds["pigeonhole"]) * 1.001
    assert raised > 50


def test_more_jobs_never_lower_what_one_takes() -> None:
    for seed in range(150):
        instance = reading(seed)
        whole = one_jobs_reads(instance)
        for i in range(instance.jobs):
            assert one_jobs_reads(with_jobs(instance, [i])) <= whole * (1 + 1e-5)


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


def test_a_horizon_is_never_above_the_optimum() -> None:
    raised = 0
    for seed in range(100):
        for instance, best, bounds in four_kinds(seed):
            assert bounds[WITHIN] <= best * (1 + 1e-9), instance.name
            simpler = max(bounds["heads and tails"], bounds["pigeonhole"])
            assert bounds[WITHIN] >= simpler
            raised += bounds[WITHIN] > simpler * 1.001
    assert raised > 50


def test_more_jobs_do_not_lower_the_horizon() -> None:
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
