"""Orders: Johnson's rule, the phase durations behind it, and LPT."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotwise.core.errors import InputError
from slotwise.heuristics.mapreduce.list_scheduling.orders import (
    job_by_job,
    johnson,
    johnson_rule,
    longest_first,
    phase_durations,
)
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


def flow_shop_makespan(first, second, order):
    end_first = end_second = 0
    for i in order:
        end_first += first[i]
        end_second = max(end_second, end_first) + second[i]
    return end_second


def test_textbook_flow_shop():
    # Shorter on the first machine: jobs 2 (1) and 0 (3), by increasing first time; the others by
    # decreasing second time: 4 (6), 3 (3), 1 (2).
    first = np.array([3.0, 5.0, 1.0, 6.0, 7.0])
    second = np.array([6.0, 2.0, 2.0, 3.0, 6.0])
    order = johnson(first, second)
    assert order.tolist() == [2, 0, 4, 3, 1]
    # Machine 1 ends at 1, 4, 11, 17, 22; machine 2 at 3, 10, 17, 20, 24.
    assert flow_shop_makespan(first, second, order) == 24


def test_ties_keep_the_order_of_the_jobs():
    assert johnson(np.array([2.0, 2.0, 2.0]), np.array([3.0, 2.0, 3.0])).tolist() == [0, 1, 2]
    assert johnson(np.array([9.0, 8.0, 7.0]), np.array([1.0, 1.0, 1.0])).tolist() == [0, 1, 2]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=5))
def test_johnson_is_optimal_for_two_machines(times):
    first, second = np.array(times, dtype=float).T
    best = min(
        flow_shop_makespan(first, second, order)
        for order in itertools.permutations(range(len(times)))
    )
    assert flow_shop_makespan(first, second, johnson(first, second)) == best


def two_jobs():
    cluster = Cluster.uniform(2, map_slots=2, reduce_slots=1, rates=Rates(10, 5, 2))
    return Instance.from_jobs(
        "two",
        cluster,
        [
            Job("a", [MapTask(4, 20, ["n0"]), MapTask(8, 20, ["n1"])], [6.0], output_ratio=0.5),
            Job("b", [], [5.0, 3.0]),
        ],
    )


def test_phase_durations():
    # Job a, map, 4 slots: L = 4 + 20/10 and 8 + 20/10; low = 16/4 = 4, up = 1 * 16/(4 * 2) + 10
    # = 12. Reduce, 2 slots: it reads 0.5 * 40 MB locally in 2 s, L = 8; low = 4, up = 0 + 8.
    # Job b has no map tasks; reduce: low = 8/2 = 4, up = 1 * 8/(2 * 2) + 5 = 7.
    maps, reduces = phase_durations(two_jobs(), omega=0.75)
    assert maps == pytest.approx([0.75 * 4 + 0.25 * 12, 0])
    assert reduces == pytest.approx([0.75 * 4 + 0.25 * 8, 0.75 * 4 + 0.25 * 7])


def test_omega_decides_the_order():
    # Single tasks estimate T = (omega / S + 1 - omega) L, with S = 4 map and 1 reduce slots.
    # omega = 0: T^m = 6 > T^r = 4 for both, so the longer reduce phase comes first; job b.
    # omega = 1: T^m = 1.5 and 2, T^r = 4 and 5, so the shorter map phase comes first: job a.
    cluster = Cluster.uniform(1, map_slots=4, reduce_slots=1)
    instance = Instance.from_jobs(
        "omega", cluster, [Job("a", [6.0], [4.0]), Job("b", [8.0], [5.0])]
    )
    assert johnson_rule(instance, omega=0.0).tolist() == [1, 0]
    assert johnson_rule(instance, omega=1.0).tolist() == [0, 1]


@pytest.mark.parametrize("omega", [-0.1, 1.1, float("nan")])
def test_omega_out_of_range(omega):
    with pytest.raises(InputError, match="omega"):
        johnson_rule(two_jobs(), omega=omega)


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
