"""What the checker does for many tasks at once says the same as task by task."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_instances import instances

import slotwise
from slotwise.instances.mapreduce import checker
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import PhaseSchedule


def shifted(rows: PhaseSchedule, seed: int, size: float) -> PhaseSchedule:
    """The rows with starts moved by up to that part of them, a few more than others."""
    random = np.random.default_rng(seed)
    moves = random.uniform(-size, size, len(rows.start)) * random.choice(
        [0, 1, 50], len(rows.start)
    )
    start = rows.start * (1 + moves)
    return replace(rows, start=start, end=start + (rows.end - rows.start))


def task_by_task(*_columns: Any) -> None:
    """In place of the shortcut: as if there were an overlap."""


@given(instances(tasks=12), st.integers(0, 99), st.sampled_from([0, 1e-15, 1e-11, 1e-9, 1e-7, 0.1]))
def test_slots_without_overlaps_are_timed_as_task_by_task(
    instance: Instance, seed: int, size: float
) -> None:
    schedule = slotwise.heuristic(instance, "EFSS").schedule
    assert schedule is not None
    schedule = replace(
        schedule,
        map=shifted(schedule.map, seed, size),
        reduce=shifted(schedule.reduce, seed + 1, size),
    )
    shortcut = check(instance, schedule)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checker, "_without_overlap", task_by_task)
        assert check(instance, schedule) == shortcut
        patch.setattr(checker, "FEW_PAIRS", 0)
        assert check(instance, schedule) == shortcut


@given(st.integers(0, 10**6), st.sampled_from([1e-13, 1e-9, 1.0]))
def test_ends_are_the_same_to_the_last_bit(seed: int, size: float) -> None:
    """Against the rule itself: begin at the release, or when the slot is free if that is later."""
    random = np.random.default_rng(seed)
    slot = np.sort(random.integers(0, 3, 20))
    setup, processing = random.random((2, 20)).round(1)
    start = np.empty(20)
    for task in range(20):
        behind = task > 0 and slot[task - 1] == slot[task]
        start[task] = start[task - 1] + setup[task - 1] + processing[task - 1] if behind else 0.0
    start *= 1 + size * random.choice([-1, 0, 1], 20) * random.random(20)
    tolerance = np.full(20, 1e-8)
    right = np.empty(20)
    for task in range(20):
        free = right[task - 1] if task > 0 and slot[task - 1] == slot[task] else -np.inf
        if start[task] < free - tolerance[task]:
            right = None
            break
        right[task] = max(start[task], free) + setup[task] + processing[task]
    ends = checker._without_overlap(slot, start, start, setup, processing, tolerance)
    assert (ends is None) == (right is None)
    assert right is None or np.array_equal(ends, right)
