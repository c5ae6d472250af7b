"""Rounding of whole-task patterns: all tasks, within their due dates where they fit."""

from threading import Event

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from random_instances import instances, with_outages, with_security, with_speed_factors

from slotwise import generate
from slotwise.core.clock import Clock
from slotwise.heuristics.mapreduce.class_search import improve_classes
from slotwise.heuristics.mapreduce.hmhs.min_min import min_min
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.solvers.mapreduce.heuristic import heuristic
from slotwise.solvers.mapreduce.pattern_prices.rounding import PatternRounding


def fitted(time, count, due, horizon, clock=None):
    """Rounded numbers of tasks; `time` by class and slot, `count` by slot and class."""
    arrays = (np.array(array, dtype=np.int64) for array in (time, count, due))
    return PatternRounding()(*arrays, horizon, Clock() if clock is None else clock)


def test_each_class_goes_where_it_is_fast():
    # Two tasks of each class take 30 + 30 on their own slot; one on the other slot takes 90.
    time, start = [[30, 90], [90, 30]], [[0, 2], [2, 0]]
    assert fitted(time, start, [60, 60], 60).tolist() == [[2, 0], [0, 2]]
    assert fitted(time, start, [50, 60], 60) is None


def test_due_dates_decide_who_shares_a_slot():
    # Equal slots, tasks of 40 due at 40 and of 60 due at 100: each slot has one of each, as two of
    # a class on a slot end at 80 or 120.
    found = fitted([[40, 40], [60, 60]], [[2, 0], [0, 2]], [40, 100], 100)
    assert found.tolist() == [[1, 1], [1, 1]]


def test_tasks_that_take_no_time_stay():
    found = fitted([[0, 5], [10, 10]], [[3, 2], [1, 0]], [10, 10], 10)
    assert found[:, 0].tolist() == [3, 1]
    assert found[:, 1].tolist() == [1, 1]
    assert fitted([[0, 5]], [[3], [1]], [10], 10).tolist() == [[3], [1]]


def test_a_stopped_clock_fits_nothing():
    stop = Event()
    stop.set()
    assert fitted([[10, 10]], [[2], [0]], [10], 10, Clock(stop=stop)) is None


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_task_is_lost(data):
    classes, slots = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))

    def draw(low, high, *shape):
        size = int(np.prod(shape))
        drawn = data.draw(st.lists(st.integers(low, high), min_size=size, max_size=size))
        return np.array(drawn).reshape(shape)

    time, count = draw(0, 9, classes, slots), draw(0, 3, slots, classes)
    horizon = data.draw(st.integers(1, 40))
    due = np.minimum(draw(0, 40, classes), horizon)
    rounding = PatternRounding()
    for _ in range(2):  # what it keeps of the first time does no harm
        found = rounding(time, count, due, horizon, Clock())
        assert found is None or found.sum(axis=0).tolist() == count.sum(axis=0).tolist()
        assert found is None or (found >= 0).all()


def test_patterns_of_slots_fixed_at_once_hold_no_task_twice():
    found = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        classes, slots, horizon = rng.integers((1, 8, 5), (5, 25, 30)).tolist()
        time, count = rng.integers(1, 10, (classes, slots)), rng.integers(0, 2, (slots, classes))
        due = np.minimum(rng.integers(1, 40, classes), horizon)
        fit = PatternRounding()(time, count, due, horizon, Clock())
        if fit is not None:
            assert fit.sum(axis=0).tolist() == count.sum(axis=0).tolist(), seed
            found += 1
    assert found > 3


@settings(max_examples=25, deadline=None)
@given(instances(), st.integers(0, 3), st.booleans(), st.booleans())
def test_the_search_stays_valid(instance, seed, security, outages):
    instance = with_speed_factors(instance, seed)
    instance = with_security(instance, seed) if security else instance
    instance = with_outages(instance, seed) if outages else instance
    if impossible(instance):
        return
    start = heuristic(instance, "EFSS").schedule
    stop = Clock(60, iterations=6)
    found = improve_classes(instance, start, stop, seed=seed, rounding=PatternRounding)
    assert check(instance, found).violations == []
    assert found.makespan <= start.makespan


def test_rounds_that_place_all_tasks_anew_are_reproducible():
    instance = generate("hmhs", jobs=8, seed=0, map_machines=6, reduce_machines=6)
    start, calls = min_min(instance), []

    class Counted(PatternRounding):
        def __call__(self, *args):
            calls.append(args)
            return super().__call__(*args)

    first, second = (
        improve_classes(instance, start, Clock(iterations=12), seed=5, rounding=Counted)
        for _ in range(2)
    )
    assert len(calls) > 2
    assert first.makespan == second.makespan < start.makespan
    assert check(instance, first).violations == []
