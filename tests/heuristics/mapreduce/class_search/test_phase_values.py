"""Values of slots: as counted anew, before and after every change."""

from itertools import product

import numpy as np
import pytest

from slotwise.heuristics.mapreduce.class_search.phase_values import (
    new_side,
    refresh,
    replace_tasks,
    value_after,
)
from slotwise.heuristics.mapreduce.class_search.task_classes import PhaseClasses

JOB = np.array([0, 1, 1, 2])
"""The second job has two classes of tasks."""


def side_of(draw):
    """One slot, whose jobs come in a drawn order, with up to three tasks of each class."""
    time = draw.integers(0, 6, (4, 1))
    delivery = np.sort(draw.integers(0, 9, 3))[::-1].copy()
    number = draw.integers(0, 4, (1, 4))
    classes = PhaseClasses(time, JOB, np.zeros((4, 1), dtype=np.int64))
    side = new_side(classes, number, draw.permutation(3), delivery)
    refresh(side, 0, 0, 2)
    return side


def counted(side, number):
    """The greatest completion + delivery time of a job that has tasks."""
    until, value = 0, None
    for g, job in enumerate(np.argsort(side.place)):
        its = [c for c in range(4) if JOB[c] == job]
        until += sum(int(number[c] * side.time[c, 0]) for c in its)
        if any(number[c] for c in its):
            value = max(value or 0, until + int(side.delivery[g]))
    return value


def place(side, c):
    return side.place[JOB[c]] if c >= 0 else -1


@pytest.mark.parametrize("seed", range(8))
def test_after_tasks_leave_and_others_come(seed):
    """Of every class any number leaves, and up to two of another come."""
    present = side_of(np.random.default_rng(seed)).number[0]
    changes = 0
    for c, d, lost, come in product(range(-1, 4), range(-1, 4), range(4), range(3)):
        if c == d or (c < 0) != (lost == 0) or (d < 0) != (come == 0):
            continue
        if c >= 0 and present[c] < lost:
            continue
        side = side_of(np.random.default_rng(seed))
        after = side.number[0].copy()
        less = more = 0
        if c >= 0:
            after[c] -= lost
            less = lost * int(side.time[c, 0])
        if d >= 0:
            after[d] += come
            more = come * int(side.time[d, 0])
        expected = counted(side, after)
        told = value_after(side, 0, place(side, c), lost, less, place(side, d), more)
        replace_tasks(side, 0, c, lost, d, come)
        assert side.number[0].tolist() == after.tolist()
        assert sorted(side.present[0, : side.kinds[0]]) == np.flatnonzero(after).tolist()
        if expected is None:
            assert max(told, side.value[0]) < 0
        else:
            assert told == side.value[0] == expected
        changes += 1
    assert changes > 20
