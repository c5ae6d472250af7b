"""Tasks that do not fit one slot together: hand-worked, and against every partition."""

from itertools import product

import numpy as np
import pytest

from slotwise.formulations.mapreduce.bounds.packing import packed_span
from slotwise.formulations.mapreduce.bounds.reads import least_sum, most_input


def test_long_tasks_leave_no_room_for_the_others() -> None:
    # Two slots. Two of 6, and three of 4 beside none of which a 6 fits below 10: three on a slot
    # take 12 and a pair with a 6 takes 10. Area 12 a slot; within less than 12 a slot with a 6 has
    # one 4 at most.
    assert packed_span(np.array([6.0, 6.0, 4.0, 4.0, 4.0]), 2) == pytest.approx(12)
    # Three slots, 7, 7, 5, 5, 5: below 12 two of 5 share a slot, and the third has none.
    assert packed_span(np.array([7.0, 7.0, 5.0, 5.0, 5.0]), 3) == pytest.approx(12)
    # Four slots, 7, 7, 7, 5, 5, 5: three slots with a 7, and one with two of 5 below 12.
    assert packed_span(np.array([7.0, 7.0, 7.0, 5.0, 5.0, 5.0]), 4) == pytest.approx(12)


def test_few_long_tasks_and_many_short_ones():
    # Within less than 82.7 s a slot has ten units of 82.7 / 11 s and more: a long task leaves room
    # for one. Two short ones beside each long one, seven on each of the other four, fit by then.
    lengths = np.repeat([67.5, 7.6], [24, 76])
    assert packed_span(lengths, 28) == pytest.approx(67.5 + 2 * 7.6)
    assert lengths.sum() / 28 < 78.5


def test_nothing_and_more_slots_than_tasks() -> None:
    assert packed_span(np.zeros(0), 3) == 0
    assert packed_span(np.zeros(4), 3) == 0
    assert packed_span(np.array([3.0, 1.0]), 5) == 3


def test_never_above_the_best_partition() -> None:
    rng = np.random.default_rng(1)
    tight = 0
    for _ in range(150):
        slots = int(rng.integers(1, 4))
        lengths = rng.choice([0.0, 1.0, 2.5, 4.0, 5.0, 7.0], int(rng.integers(1, 7)))
        best = min(
            max(sum(lengths[np.array(place) == k]) for k in range(slots))
            for place in product(range(slots), repeat=lengths.size)
        )
        bound = packed_span(lengths, slots)
        assert bound <= best * (1 + 1e-9)
        assert bound >= max(lengths.max(), lengths.sum() / slots) * (1 - 1e-9)
        tight += bound >= best * (1 - 1e-6)
    assert tight > 75


def test_a_node_processes_what_fits_its_slots() -> None:
    lengths, size = np.array([10.0, 10.0, 10.0, 4.0]), np.array([100.0, 100.0, 100.0, 40.0])
    slots, until = np.array([1, 2]), np.array([3.0, 4.0, 9.0, 14.0, 20.0])
    # Nothing; the short one; still only that; one long and the short; two long. Two slots: two long
    # ones and the short one at 14, not 28 s of work; at 20 all but one would be 34 s, all are 340.
    most = most_input(lengths, size, slots, until) * 340
    assert most[:, 0] == pytest.approx([0, 40, 40, 140, 200])
    assert most[:, 1] == pytest.approx([0, 40, 40, 240, 340])


def test_the_least_sum_is_approached_from_below() -> None:
    def tail(ends: np.ndarray) -> np.ndarray:
        return np.where(ends < 3.7, 10.0, 4.0)

    # 1 + 10 at once, or 3.7 + 4.
    assert least_sum(1.0, 2.0, tail) == pytest.approx(7.7, rel=1e-5)
    assert least_sum(1.0, 2.0, tail) <= 7.7
    assert least_sum(1.0, 4.0, lambda ends: np.full(len(ends), 4.0)) == 5.0
