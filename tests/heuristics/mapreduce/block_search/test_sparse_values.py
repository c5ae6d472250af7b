"""Values of slots: kept up to date, and foretold for a task less or more, as computed directly."""

import numpy as np
import pytest

from slotwise.heuristics.mapreduce.block_search.sparse_values import (
    EMPTY_SLOT,
    change,
    new_slots,
    put,
    rebuild,
    value_with,
)


def value_of(tasks, delivery):
    """The value of a slot with tasks (group, time)."""
    until, value = 0, EMPTY_SLOT
    for g, time in sorted(tasks):
        until += time
        value = max(value, until + delivery[g])
    return value


def test_value_by_hand():
    """Groups 0 and 2 take 3 and 4 with q = 10 and 1: max(3 + 10, 7 + 1) = 13.

    With 5 of group 1, q = 6, it is max(13, 8 + 6, 12 + 1) = 14; in place of group 0 max(5 + 6,
    9 + 1) = 11.
    """
    slots, delivery = new_slots(1, 3, 3), np.array([10, 6, 1])
    put(slots, 0, 2, 1, 4)
    put(slots, 0, 0, 1, 3)
    rebuild(slots, delivery, 0)
    assert slots.onward[0, 0] == 13
    assert value_with(slots, delivery, 0, -1, 0, 1, 5) == 14
    assert value_with(slots, delivery, 0, 0, 3, 1, 5) == 11


@pytest.mark.parametrize("seed", range(20))
def test_changes_at_random(seed):
    rng = np.random.default_rng(seed)
    groups = int(rng.integers(1, 8))
    slots, delivery = new_slots(2, groups, groups), rng.integers(0, 30, groups)
    tasks = [[], []]
    for _ in range(150):
        k = int(rng.integers(2))
        g, less, h, more = -1, 0, -1, 0
        if tasks[k] and rng.integers(2):
            g, less = tasks[k].pop(int(rng.integers(len(tasks[k]))))
        if g < 0 or rng.integers(2):
            h, more = int(rng.integers(groups)), int(rng.integers(0, 20))
            tasks[k].append((h, more))
        expected = value_of(tasks[k], delivery)
        if tasks[k]:
            assert value_with(slots, delivery, k, g, less, h, more) == expected
        change(slots, delivery, k, g, less, h, more)
        assert slots.onward[k, 0] == expected
        assert slots.entries[k] == len({group for group, _ in tasks[k]})
