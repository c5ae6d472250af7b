"""The bound from the jobs that end the map slots: hand-worked, and against brute force."""

import numpy as np
import pytest
from brute_force import optimum
from random_instances import reading, tiny, with_security, with_speed_factors

from slotwise.formulations.mapreduce.bounds.closed_form import (
    best_lower_bound,
    heads_and_tails,
    lower_bounds,
)
from slotwise.formulations.mapreduce.bounds.last_jobs import last_jobs
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


def test_a_job_that_ends_two_nodes_reads_half_from_the_other() -> None:
    # Maps of 10 s anywhere. 600 MB: 6 s locally, 12 s within the rack, 9 s half and half, which is
    # what follows both slots: (10 + 10 + 2 * 9) / 2. One slot alone: 20 + 6.
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    job = Job("a", [MapTask(0, 300), MapTask(0, 300)], [0.0], output_ratio=1)
    instance = Instance.from_jobs("two nodes", cluster, [job])
    assert heads_and_tails(instance) == pytest.approx(16)
    assert last_jobs(instance) == pytest.approx(19)
    assert optimum(instance) == pytest.approx(19)


def test_gathering_a_job_on_one_node_takes_map_slots_longer() -> None:
    # Either node has room for both maps, 10 s each where their input is. To have all 600 MB on one
    # node, 300 MB of input are read within the rack, 3 s longer: (10 + 10 + 3 + 2 * 6) / 2. With
    # half the output there the reduce takes 9 s and the sum is greater.
    cluster = Cluster.uniform(2, map_slots=2, reduce_slots=1)
    job = Job("a", [MapTask(7, 300, ["n0"]), MapTask(7, 300, ["n1"])], [0.0], output_ratio=1)
    instance = Instance.from_jobs("gathered", cluster, [job])
    assert last_jobs(instance) == pytest.approx(17.5)
    assert optimum(instance) == pytest.approx(19)
    # Nothing to gather if every node has everything: as if all were local.
    copied = Job("a", [MapTask(7, 300, ["n0", "n1"])] * 2, [0.0], output_ratio=1)
    instance = Instance.from_jobs("copied", cluster, [copied])
    assert last_jobs(instance) == pytest.approx(16)
    assert optimum(instance) == pytest.approx(16)


def test_a_job_that_ends_two_racks_reads_half_between_them() -> None:
    # Maps of 20 s anywhere, one per node. Of 600 MB a reduce task reads 150 on its node, 150 in its
    # rack and 300 from the other rack: 1.5 + 3 + 10 s.
    cluster = Cluster.uniform(4, racks=2, map_slots=1, reduce_slots=1)
    job = Job("a", [MapTask(10, 300)] * 4, [0.0], output_ratio=0.5)
    instance = Instance.from_jobs("two racks", cluster, [job])
    assert last_jobs(instance) == pytest.approx(20 + 14.5)
    assert optimum(instance) == pytest.approx(20 + 14.5)


def test_gathering_a_job_in_one_rack_takes_map_slots_longer() -> None:
    # One node a rack, node rate and rack rate equal: 300 MB take 3 s within the rack, 10 s from the
    # other. All 600 MB in one rack: 7 s of input more, 6 s to read, (6 + 7 + 2 * 6) / 2. In two
    # racks 300 MB are read in 3 and 300 in 10 s: 3 + 13, which is more.
    cluster = Cluster.uniform(
        2, racks=2, map_slots=2, reduce_slots=1, rates=Rates(node=100, rack=100, remote=30)
    )
    job = Job("a", [MapTask(0, 300, ["n0"]), MapTask(0, 300, ["n1"])], [0.0], output_ratio=1)
    instance = Instance.from_jobs("one rack", cluster, [job])
    assert last_jobs(instance) == pytest.approx(12.5)
    assert optimum(instance) == pytest.approx(16)


def test_one_reduce_slot_has_time_for_one_or_for_two_reduce_tasks() -> None:
    # 60 s of maps, all on n0. A reduce task takes 8 s there and 11 s on n1; two take 16 s on n0.
    cluster = Cluster(
        node_names=("n0", "n1"),
        rack_names=("r0",),
        rack_of=np.array([0, 0]),
        map_slots=np.array([1, 0]),
        reduce_slots=np.array([1, 1]),
    )
    maps = [MapTask(20, 300), MapTask(20, 300)]
    instance = Instance.from_jobs("apart", cluster, [Job("a", maps, [5.0, 5.0], output_ratio=1)])
    assert heads_and_tails(instance) == pytest.approx(60 + 8)
    assert last_jobs(instance) == pytest.approx(60 + 11)
    assert optimum(instance) == pytest.approx(60 + 11)
    # Without processing the same two take 6 s, wherever they run: one after the other, or far.
    instance = Instance.from_jobs("in turn", cluster, [Job("a", maps, [0.0, 0.0], output_ratio=1)])
    assert last_jobs(instance) == pytest.approx(60 + 6)
    assert optimum(instance) == pytest.approx(60 + 6)


def test_a_job_ends_no_more_slots_than_it_has_map_tasks() -> None:
    # One slot ends with the first job, 1 s before C, two with the other, 5 s before it:
    # (15 + 1 + 2 * 5) / 3.
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=3)
    jobs = [Job("a", [5.0], [1.0]), Job("b", [5.0, 5.0], [5.0])]
    instance = Instance.from_jobs("two jobs", cluster, jobs)
    assert last_jobs(instance) == pytest.approx(26 / 3)


def test_never_above_the_optimum_where_jobs_read_much() -> None:
    above_local = 0
    for seed in range(500):
        instance = reading(seed)
        bound = last_jobs(instance)
        assert bound <= optimum(instance) * (1 + 1e-9), instance.name
        above_local += bound > heads_and_tails(instance) * (1 + 1e-9)
    assert above_local > 30


def test_never_above_the_optimum_with_speed_factors_or_security() -> None:
    for seed in range(100):
        fast = with_speed_factors(tiny(seed), seed)
        assert last_jobs(fast) <= optimum(fast) * (1 + 1e-9), fast.name
        secure = with_security(tiny(seed), seed)
        best = optimum(secure)
        if np.isfinite(best):
            assert lower_bounds(secure)["last jobs"] <= best * (1 + 1e-9), secure.name


def test_the_greatest_bound_where_maps_bind_at_the_papers_size() -> None:
    instance = generate(50, 10, seed=0)
    bound, name = best_lower_bound(instance)
    assert name == "last jobs"
    assert bound > heads_and_tails(instance) + 5
