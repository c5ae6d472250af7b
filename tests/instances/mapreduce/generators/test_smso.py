"""The workload of SMSO section V: its ranges, its security, its outages."""

from __future__ import annotations

import numpy as np
import pytest

from slotwise.instances.mapreduce.generators.smso import generate
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.instance_file import instance_document


@pytest.fixture(scope="module")
def instance() -> Instance:
    return generate(300, 20, seed=3)


def test_numbers_of_tasks_have_the_printed_means_and_variances(instance: Instance) -> None:
    # Means within five standard errors of 300 jobs; of N(19, 145) what is below 0.5 is drawn
    # again, 6 % of it, which lifts the mean to 20.6 and leaves a variance of 113.
    assert instance.maps_of.mean() == pytest.approx(154, abs=6.9)
    assert instance.maps_of.var() == pytest.approx(558, rel=0.4)
    assert instance.reduces_of.mean() == pytest.approx(20.6, abs=3.1)
    assert instance.reduces_of.var() == pytest.approx(113, rel=0.4)
    assert instance.reduces_of.min() >= 1


def test_times_are_uniform_below_2020(instance: Instance) -> None:
    for times in (instance.map_processing, instance.reduce_processing):
        assert times.min() >= 0
        assert 2015 < times.max() < 2020
        assert times.mean() == pytest.approx(1010, abs=5 * 583 / np.sqrt(len(times)))


def test_slots_are_explicit(instance: Instance) -> None:
    assert instance.cluster.map_slots.tolist() == [2] * 20
    assert instance.cluster.reduce_slots.tolist() == [2] * 20
    other = generate(2, 3, seed=0, map_slots=13, reduce_slots=1).cluster
    assert (other.map_slots.tolist(), other.reduce_slots.tolist()) == ([13] * 3, [1] * 3)


def test_every_block_is_on_one_node(instance: Instance) -> None:
    assert np.diff(instance.replica_offsets).tolist() == [1] * instance.map_tasks
    # 46 000 blocks on 20 nodes: 2 300 each, within five standard deviations of 47.
    assert np.bincount(instance.replicas) == pytest.approx(instance.map_tasks / 20, abs=240)
    assert set(instance.input_mb) == {128.0, 192.0, 256.0, 320.0}


def test_priorities_and_levels_have_their_probabilities(instance: Instance) -> None:
    security = instance.security
    assert security is not None
    assert (security.transfer_rate, security.encryption_rate) == (100, 50)
    # One of 40 slots is allowed in any case: 0.8 + 0.2 / 40.
    assert security.priorities.mean() == pytest.approx(0.805, abs=0.002)
    between = security.levels[:, ::2]
    assert np.array_equal(between, security.levels[:, 1::2])
    assert np.array_equal(between == 0, np.eye(20, dtype=bool))
    # 380 pairs: within five standard errors of 0.026.
    assert (between == -1).sum() / 380 == pytest.approx(0.5, abs=0.13)


def test_every_task_is_allowed_somewhere() -> None:
    security = generate(20, 2, seed=0, priority=0.0).security
    assert security is not None
    assert security.priorities.sum(axis=1).tolist() == [1] * len(security.priorities)


@pytest.mark.parametrize("priority", [0.0, 1.0])
@pytest.mark.parametrize("encrypted", [0.0, 1.0])
def test_extreme_probabilities(priority: float, encrypted: float) -> None:
    security = generate(2, 3, seed=0, priority=priority, encrypted=encrypted).security
    assert security is not None
    assert security.priorities.all() == (priority == 1)
    assert set(security.levels.ravel()) == {0, -1 if encrypted else 1}


def lost(gamma: float, outages: str, nodes: int = 200) -> tuple[np.ndarray, np.ndarray]:
    instance = generate(1, nodes, seed=5, gamma=gamma, outages=outages, map_slots=1)
    if instance.outages is None:
        return np.zeros(nodes, dtype=bool), np.zeros(2 * nodes, dtype=bool)
    return instance.outages.map, instance.outages.reduce


@pytest.mark.parametrize("outages", ["nodes", "slots"])
def test_more_outages_are_the_same_and_more(outages: str) -> None:
    before_map, before_reduce = lost(0.0, outages)
    assert not before_map.any()
    assert not before_reduce.any()
    for gamma in (0.03, 0.3, 1.0):
        now_map, now_reduce = lost(gamma, outages)
        assert np.all(now_map >= before_map)
        assert np.all(now_reduce >= before_reduce)
        assert now_map.mean() == pytest.approx(gamma, abs=0.17)
        before_map, before_reduce = now_map, now_reduce


def test_a_lost_node_loses_all_its_slots_a_lost_slot_only_itself() -> None:
    now_map, now_reduce = lost(0.3, "nodes")
    assert np.array_equal(now_reduce.reshape(-1, 2), np.repeat(now_map[:, None], 2, axis=1))
    now_map, now_reduce = lost(0.3, "slots")
    assert np.any(now_reduce[::2] != now_reduce[1::2])


def test_one_seed_the_same_jobs_and_security_at_every_gamma() -> None:
    one, other = (instance_document(generate(5, 8, seed=1, gamma=gamma)) for gamma in (0, 0.5))
    assert other.pop("outages")
    for document in (one, other):
        for name in ("name", "source"):
            document.pop(name)
    assert one == other


def test_one_seed_the_same_jobs_on_every_cluster() -> None:
    one, other = generate(5, 8, seed=1), generate(5, 50, seed=1, map_slots=13)
    for name in ("map_processing", "reduce_processing", "input_mb", "output_ratio"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_priorities_are_drawn_row_by_row_from_the_second_stream() -> None:
    """However they are drawn piece by piece: after the levels, one number a task and slot."""
    instance = generate(20, 6, seed=4, map_slots=7, priority=0.3)
    stream = np.random.default_rng(np.random.SeedSequence(4).spawn(3)[1])
    stream.random((6, 6))
    allowed = stream.random((instance.map_tasks, 42)) < 0.3
    allowed[np.arange(instance.map_tasks), stream.integers(0, 42, instance.map_tasks)] = True
    assert allowed.size > 3 * 32768
    assert (instance.security.priorities == allowed).all()
