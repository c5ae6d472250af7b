"""The workload of HMHS section 4.1: its ranges, its kinds of jobs, its clusters."""

import numpy as np
import pytest

from slotwise.instances.mapreduce.generators.hmhs import SLOW_SHARES, generate
from slotwise.instances.mapreduce.instance import Instance


@pytest.fixture(scope="module")
def single() -> Instance:
    return generate(400, seed=3)


@pytest.fixture(scope="module")
def hybrid() -> Instance:
    return generate(400, seed=3, workload="hybrid")


def times_of(instance: Instance) -> tuple[np.ndarray, np.ndarray]:
    """Time of a map and of a reduce task of each job; every job has some."""
    return (
        instance.map_processing[instance.map_offsets[:-1]],
        instance.reduce_processing[instance.reduce_offsets[:-1]],
    )


def assert_spans(values: np.ndarray, low: float, high: float, slack: float = 0.03) -> None:
    """All within the bounds and, up to a share of their distance, from one to the other."""
    assert low <= values.min() <= low + slack * (high - low)
    assert high - slack * (high - low) <= values.max() <= high


def test_every_machine_has_one_slot_of_one_kind() -> None:
    cluster = generate(1, seed=0, map_machines=2, reduce_machines=3).cluster
    assert cluster.node_names == ("m0", "m1", "r0", "r1", "r2")
    assert cluster.map_slots.tolist() == [1, 1, 0, 0, 0]
    assert cluster.reduce_slots.tolist() == [0, 0, 1, 1, 1]


def test_tasks_of_a_job_are_equal_and_read_nothing(hybrid: Instance) -> None:
    map_time, reduce_time = times_of(hybrid)
    assert np.array_equal(hybrid.map_processing, map_time[hybrid.map_job])
    assert np.array_equal(hybrid.reduce_processing, reduce_time[hybrid.reduce_job])
    assert not hybrid.input_mb.any()
    assert not hybrid.output_ratio.any()


def test_ranges_of_the_single_workload(single: Instance) -> None:
    map_time, reduce_time = times_of(single)
    assert_spans(single.maps_of, 1, 300)
    assert_spans(single.reduces_of, 1, 40)
    assert_spans(map_time, 5, 45)
    assert_spans(reduce_time, 15, 135)
    assert np.any(map_time != np.rint(map_time))


def test_bounds_of_counts_are_included() -> None:
    instance = generate(200, seed=0, maps=(1, 3), reduces=(0, 1))
    assert set(instance.maps_of) == {1, 2, 3}
    assert set(instance.reduces_of) == {0, 1}


def test_kinds_of_the_hybrid_workload(hybrid: Instance) -> None:
    map_time, reduce_time = times_of(hybrid)
    long, large = map_time > 45, hybrid.maps_of > 300
    # 15 % and 5 % of 400 jobs; a long job is long in both phases, a large one large in both.
    assert (long.sum(), large.sum(), (long & large).sum()) == (60, 20, 0)
    assert np.array_equal(long, reduce_time > 135)
    assert np.array_equal(large, hybrid.reduces_of > 40)
    assert_spans(map_time[long], 100, 2000, slack=0.1)
    assert_spans(reduce_time[long], 300, 6000, slack=0.1)
    assert_spans(hybrid.maps_of[long], 1, 300, slack=0.1)
    assert_spans(hybrid.maps_of[large], 2000, 5000, slack=0.25)
    assert_spans(hybrid.reduces_of[large], 100, 400, slack=0.25)
    assert_spans(map_time[large], 5, 45, slack=0.25)
    # They do not come all at one end.
    assert np.flatnonzero(long).min() < 100
    assert np.flatnonzero(long).max() > 300


def test_factors_are_drawn_per_job_and_machine(single: Instance) -> None:
    assert single.speed_factors is not None
    for factors in (single.speed_factors.map, single.speed_factors.reduce):
        assert factors.shape == (400, 100)
        assert_spans(factors, 0.1, 1.0, slack=0.001)
        # Means over 400 jobs or 100 machines: 0.55 within five standard errors of 0.26 / sqrt(n).
        assert factors.mean(axis=0) == pytest.approx(np.full(100, 0.55), abs=0.065)
        assert factors.mean(axis=1) == pytest.approx(np.full(400, 0.55), abs=0.13)


def test_factors_of_machines_only() -> None:
    factors = generate(5, seed=0, factors_by_job=False).speed_factors
    assert factors is not None
    assert np.all(factors.map == factors.map[0])
    assert len(set(factors.map[0])) == 100


@pytest.mark.parametrize("cluster", range(1, 7))
def test_clusters_of_table_1(cluster: int) -> None:
    factors = generate(50, seed=1, cluster=cluster, map_machines=20).speed_factors
    assert factors is not None
    for rows in (factors.map, factors.reduce):
        # A machine of random speed stays above 0.9 for 50 jobs with probability 1e-48.
        slow = rows.min(axis=0) >= 0.9
        assert slow.mean() == pytest.approx(SLOW_SHARES[cluster - 1])


def test_a_share_of_slow_machines_replaces_the_cluster() -> None:
    factors = generate(50, seed=1, cluster=6, slow_share=0.25, map_machines=8).speed_factors
    assert factors is not None
    assert (factors.map.min(axis=0) >= 0.9).sum() == 2


def test_one_seed_the_same_jobs_on_every_cluster(hybrid: Instance) -> None:
    other = generate(400, seed=3, workload="hybrid", cluster=5, map_machines=7)
    assert np.array_equal(other.map_processing, hybrid.map_processing)
    assert np.array_equal(other.reduce_processing, hybrid.reduce_processing)


def test_only_slow_machines_differ_between_clusters() -> None:
    one, other = (generate(50, seed=1, cluster=c).speed_factors for c in (1, 3))
    assert one is not None
    assert other is not None
    slow = other.map.min(axis=0) >= 0.9
    assert np.array_equal(one.map[:, ~slow], other.map[:, ~slow])
