"""The workload of LJR section 5.1: its distributions, its replicas, its racks."""

import numpy as np
import pytest

from slotwise.instances.generators import GENERATORS
from slotwise.instances.mapreduce.generators.ljr import generate, published_racks
from slotwise.instances.mapreduce.instance import Instance


@pytest.fixture(scope="module")
def large() -> Instance:
    return generate(2000, 30, seed=7, map_slots=8)


def replicas_of(instance: Instance, job: int) -> list[list[int]]:
    first, last = instance.map_offsets[job : job + 2]
    bounds = instance.replica_offsets
    return [instance.replicas[bounds[t] : bounds[t + 1]].tolist() for t in range(first, last)]


def test_the_papers_cluster(large: Instance) -> None:
    cluster = large.cluster
    assert (cluster.rates.node, cluster.rates.rack, cluster.rates.remote) == (100, 50, 30)
    assert np.bincount(cluster.rack_of).tolist() == [10, 10, 10]
    assert np.all(np.diff(cluster.rack_of) >= 0)
    assert set(cluster.map_slots) == {8}
    assert set(cluster.reduce_slots) == {2}


def test_numbers_of_tasks_have_the_papers_mean_and_variance(large: Instance) -> None:
    # Standard errors at 2000 jobs: 0.53 for the mean of the map tasks, 3.2 % for their variance.
    assert large.maps_of.mean() == pytest.approx(154, abs=2.5)
    assert large.maps_of.var() == pytest.approx(558, rel=0.15)
    # Draws below one are repeated, which lifts the mean of N(19, 145) to that of the truncated
    # normal: 19 + 12.04 * phi(1.536) / Phi(1.536) = 20.6.
    assert large.reduces_of.mean() == pytest.approx(20.6, abs=1.2)
    assert large.reduces_of.min() == 1


def test_one_factor_a_job_scales_both_phases(large: Instance) -> None:
    jobs = large.jobs
    map_mean = np.bincount(large.map_job, large.map_processing, jobs) / large.maps_of
    reduce_mean = np.bincount(large.reduce_job, large.reduce_processing, jobs) / large.reduces_of
    factor = map_mean / 50
    slow = factor > 5
    assert slow.mean() == pytest.approx(0.2, abs=0.04)
    # A mean over 100 tasks or more is within 15 % of the factor's bounds.
    assert np.all((factor[~slow] > 0.85) & (factor[~slow] < 2.3))
    assert np.all((factor[slow] > 6.8) & (factor[slow] < 11.5))
    many = large.reduces_of >= 20
    assert reduce_mean[many] / 100 == pytest.approx(factor[many], rel=0.25)
    # Block sizes are not scaled.
    assert set(large.input_mb) == {128, 192, 256, 320}
    assert large.input_mb[slow[large.map_job]].mean() == pytest.approx(224, rel=0.02)


def test_times_are_whole_seconds_with_the_papers_variance(large: Instance) -> None:
    for times in (large.map_processing, large.reduce_processing):
        assert np.all(times == np.rint(times))
    unit = generate(200, 10, seed=1, factor=(1, 1), slow_factor=(1, 1))
    assert unit.map_processing.mean() == pytest.approx(50, rel=0.02)
    assert unit.map_processing.var() == pytest.approx(200, rel=0.05)
    assert unit.reduce_processing.mean() == pytest.approx(100, rel=0.02)
    assert unit.reduce_processing.var() == pytest.approx(300, rel=0.1)


def test_minus_0_is_no_variance() -> None:
    plus, minus = (generate(2, 2, seed=0, map_time_variance=zero) for zero in (0.0, -0.0))
    assert plus.map_processing.tolist() == minus.map_processing.tolist()


def test_times_that_are_not_positive_are_drawn_again() -> None:
    instance = generate(
        200, 10, seed=1, map_time_mean=10, map_time_variance=10_000, factor=(1, 1), slow_share=0
    )
    # The mean of N(10, 100^2) above zero: 10 + 100 * phi(0.1) / Phi(0.1) = 10 + 39.7 / 0.54.
    assert instance.map_processing.mean() == pytest.approx(83.5, rel=0.03)


def test_output_ratios_are_drawn_per_job(large: Instance) -> None:
    values, counts = np.unique(large.output_ratio, return_counts=True)
    assert values == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert np.all(counts > 300)


def test_replicas_take_four_consecutive_nodes_and_restart_with_every_job() -> None:
    instance = generate(3, 10, seed=0)
    for job in range(3):
        assert replicas_of(instance, job)[:4] == [
            [0, 1, 2, 3],
            [4, 5, 6, 7],
            [8, 9, 0, 1],
            [2, 3, 4, 5],
        ]


def test_at_twenty_nodes_groups_of_replicas_are_disjoint() -> None:
    groups = {tuple(group) for group in replicas_of(generate(1, 20, seed=0), 0)}
    assert groups == {tuple(range(k, k + 4)) for k in range(0, 20, 4)}


def test_a_small_cluster_holds_fewer_replicas() -> None:
    instance = generate(1, 3, seed=0)
    assert all(sorted(group) == [0, 1, 2] for group in replicas_of(instance, 0))
    assert generate(1, 3, seed=0, replicas=0).replicas.size == 0


def test_the_jobs_do_not_depend_on_the_cluster() -> None:
    one, other = generate(5, 10, seed=3), generate(5, 30, seed=3, map_slots=8)
    assert np.array_equal(one.map_processing, other.map_processing)
    assert np.array_equal(one.input_mb, other.input_mb)
    assert np.array_equal(one.reduce_processing, other.reduce_processing)


def test_block_scale_multiplies_the_block_sizes() -> None:
    plain, scaled = generate(2, 10, seed=3), generate(2, 10, seed=3, block_scale=1.19)
    assert scaled.input_mb == pytest.approx(1.19 * plain.input_mb)


def test_published_racks_by_hand() -> None:
    # 10 nodes, 2 map slots: first slots 0, 2, 4, 6, 8, 10, …; blocks of 10 // 3 = 3 slots.
    assert published_racks(10, 2).tolist() == [0, 0, 1, 2, 2, 0, 0, 1, 2, 2]
    cluster = generate(1, 10, seed=0, racks="as published").cluster
    assert cluster.rack_of.tolist() == [0, 0, 1, 2, 2, 0, 0, 1, 2, 2]


def test_few_tasks_by_mean_and_variance() -> None:
    instance = generate(
        200, 3, seed=0, maps_mean=3, maps_variance=1, reduces_mean=2, reduces_variance=1
    )
    assert instance.maps_of.min() >= 1
    assert instance.maps_of.mean() == pytest.approx(3, abs=0.3)


def test_the_registry_loads_what_it_lists() -> None:
    assert GENERATORS.lookup("ljr").load()(2, 3, seed=0).jobs == 2
    assert GENERATORS.lookup("ljr-small").load()(seed=0).jobs == 4
