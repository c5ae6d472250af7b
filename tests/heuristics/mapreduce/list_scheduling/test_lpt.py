"""The LPT order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from random_instances import tiny

from slotwise.heuristics.mapreduce.list_scheduling.orders import (
    job_by_job,
    longest_first,
    map_lengths,
    maps_longest_first,
    reduces_longest_first,
)


def test_longest_first_within_groups():
    lengths = np.array([1.0, 3.0, 2.0, 3.0, 7.0])
    assert longest_first(lengths).tolist() == [4, 1, 3, 2, 0]
    assert longest_first(lengths, np.array([1, 0, 1, 0, 1])).tolist() == [1, 3, 4, 2, 0]


lengths = st.one_of(st.floats(0, 1e300), st.integers(0, 3).map(float), st.just(-0.0))


@given(st.lists(st.tuples(lengths, st.integers(0, 70_000))))
def test_like_sorting_by_group_length_and_number(tasks):
    order = longest_first(
        np.array([length for length, _ in tasks]),
        np.array([group for _, group in tasks], dtype=np.int64),
    )
    assert order.tolist() == sorted(range(len(tasks)), key=lambda t: (tasks[t][1], -tasks[t][0], t))


def test_blocks_in_the_order_of_the_jobs():
    tasks, offsets = np.array([1, 0, 2, 4, 3]), np.array([0, 2, 2, 5])
    assert job_by_job(tasks, offsets, np.array([2, 1, 0])).tolist() == [2, 4, 3, 1, 0]
    nothing = np.array([], dtype=np.int64)
    assert job_by_job(nothing, np.zeros(4, dtype=np.int64), np.array([2, 0, 1])).tolist() == []


def test_blocks_are_the_same_as_sorting_all_tasks_anew():
    for seed in range(200):
        instance = tiny(seed)
        jobs = np.random.default_rng(seed).permutation(instance.jobs)
        position = np.argsort(jobs)
        assert np.array_equal(
            job_by_job(maps_longest_first(instance), instance.map_offsets, jobs),
            longest_first(map_lengths(instance), position[instance.map_job]),
        )
        assert np.array_equal(
            job_by_job(reduces_longest_first(instance), instance.reduce_offsets, jobs),
            longest_first(instance.reduce_processing, position[instance.reduce_job]),
        )
