"""The LPT order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slotwise.heuristics.list_scheduling.lpt import longest_first


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
