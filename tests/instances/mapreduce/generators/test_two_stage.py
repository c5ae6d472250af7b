"""Two-stage hybrid flow shops as MapReduce instances."""

import numpy as np

from slotwise.instances.mapreduce.generators.two_stage import generate
from slotwise.instances.mapreduce.schedule import timed


def test_one_task_per_job_and_stage_and_no_data() -> None:
    instance = generate(7, 2, 3, seed=0)
    assert instance.maps_of.tolist() == instance.reduces_of.tolist() == [1] * 7
    assert not instance.input_mb.any()
    assert not instance.output_ratio.any()
    assert instance.cluster.map_slots.tolist() == [2]
    assert instance.cluster.reduce_slots.tolist() == [3]


def test_nothing_but_the_times_counts() -> None:
    # Both jobs on the only machines, in order: a1 + max(b1, a2) + b2.
    instance = generate(2, 1, 1, seed=5)
    (a1, a2), (b1, b2) = instance.map_processing, instance.reduce_processing
    alone, order = np.zeros(2, dtype=np.int64), np.arange(2)
    schedule = timed(instance, alone, order, alone, order)
    assert schedule.makespan == a1 + max(b1, a2) + b2


def test_times_are_integers_on_the_whole_range() -> None:
    instance = generate(5000, seed=1)
    for times in (instance.map_processing, instance.reduce_processing):
        # One of 99 values is missing in 5000 draws with probability 1e-20.
        assert set(times) == set(range(1, 100))
    assert set(generate(300, seed=1, times=(3, 4)).map_processing) == {3, 4}


def test_one_seed_the_same_jobs_on_all_machines() -> None:
    one, other, third = generate(9, 2, 2, seed=4), generate(9, 5, 3, seed=4), generate(9, seed=5)
    assert np.array_equal(one.map_processing, other.map_processing)
    assert np.array_equal(one.reduce_processing, other.reduce_processing)
    assert not np.array_equal(one.map_processing, third.map_processing)
