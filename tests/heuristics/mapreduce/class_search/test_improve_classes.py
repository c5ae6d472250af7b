"""The search on numbers of equal tasks: valid, never worse, reproducible, near the optimum."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import optimum
from hypothesis import given, settings
from hypothesis import strategies as st
from racing import all_heuristics
from random_instances import (
    instances,
    reading,
    tiny,
    with_outages,
    with_security,
    with_speed_factors,
)

from slotwise.core.clock import Clock
from slotwise.heuristics.mapreduce import class_search, improvement
from slotwise.heuristics.mapreduce.hmhs.min_min import min_min
from slotwise.heuristics.mapreduce.improvement import Shared, can_search, improve
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.hmhs import generate
from slotwise.instances.mapreduce.generators.ljr import generate as ljr
from slotwise.instances.mapreduce.instance import Instance, Job, SpeedFactors
from slotwise.instances.mapreduce.schedule import timed
from slotwise.solvers.mapreduce.heuristic import heuristic

FOREVER = 3600.0
"""Seconds; a search that overlooks what should end it hangs."""


def improved(instance, start, *, iterations=3, **options):
    stop = Clock(FOREVER, iterations=iterations)
    return improve(instance, start, stop, **options)


def hard():
    """Slots of different speed, long reduce tasks."""
    return generate(8, seed=0, map_machines=6, reduce_machines=6, maps=(1, 40))


def same(first, second):
    return all(
        np.array_equal(getattr(first, phase).slot, getattr(second, phase).slot)
        and np.array_equal(getattr(first, phase).start, getattr(second, phase).start)
        for phase in ("map", "reduce")
    )


def with_parts(instance, seed, security, outages):
    """The instance with speed factors and perhaps more, None if it then has no schedule."""
    instance = with_speed_factors(instance, seed)
    if security:
        instance = with_security(instance, seed)
    if outages:
        instance = with_outages(instance, seed)
    return None if impossible(instance) else instance


@settings(max_examples=20, deadline=None)
@given(instances(), st.integers(0, 3), st.sampled_from([1, 2]), st.booleans(), st.booleans())
def test_valid_and_never_worse(instance, seed, threads, security, outages):
    instance = with_parts(instance, seed, security, outages)
    if instance is None:
        return
    start = heuristic(instance, "EFSS").schedule
    found = improved(instance, start, seed=seed, threads=threads)
    assert check(instance, found).violations == []
    assert found.makespan <= start.makespan


@pytest.mark.parametrize("security", [False, True])
@pytest.mark.parametrize("outages", [False, True])
def test_the_optimum_of_tiny_instances(security, outages):
    met, number = 0, 0
    for seed in range(15):
        instance = with_parts(tiny(seed), seed, security, outages)
        if instance is None:
            continue
        found = improved(instance, heuristic(instance, "EFSS").schedule)
        best = optimum(instance)
        assert found.makespan >= best * (1 - 1e-9)
        met += found.makespan <= best * (1 + 1e-9)
        number += 1
    assert number >= 10
    assert met >= 0.9 * number


def test_by_hand():
    """Both jobs' fast slots are where the start does not use them: 5 s become 1 + 1 s."""
    jobs = [Job("a", [1.0, 1.0], [1.0]), Job("b", [], [1.0])]
    instance = Instance.from_jobs("by hand", Cluster.uniform(2, map_slots=1), jobs)
    factors = SpeedFactors(np.array([[1.0, 1.0]] * 2), np.array([[1.0, 3.0], [3.0, 2.0]]))
    instance = replace(instance, speed_factors=factors)
    start = timed(
        instance, np.zeros(2, dtype=np.int64), np.arange(2), np.array([1, 0]), np.arange(2)
    )
    assert start.makespan == 5.0
    found = improved(instance, start)
    assert found.map.slot.tolist() in ([0, 1], [1, 0])
    assert found.reduce.slot.tolist() == [0, 1]
    assert found.makespan == 2.0


def test_shortens_what_heuristics_leave():
    instance = hard()
    start = min_min(instance)
    found = improved(instance, start)
    assert check(instance, found).violations == []
    assert found.makespan < 0.98 * start.makespan


def test_jobs_whose_tasks_differ_and_read():
    instance = with_speed_factors(ljr(8, 4, seed=0, map_slots=2), 0)
    start = eass(instance)
    found = improved(instance, start)
    assert check(instance, found).violations == []
    assert found.makespan < 0.98 * start.makespan


@pytest.mark.parametrize("threads", [1, 2])
def test_same_seed_same_schedule(threads):
    instance = hard()
    start = min_min(instance)
    runs = [improved(instance, start, seed=7, threads=threads, iterations=1) for _ in range(2)]
    assert same(*runs)
    assert not same(runs[0], improved(instance, start, seed=8, threads=threads, iterations=1))


def test_a_good_schedule_is_not_lost():
    instance = hard()
    good = improved(instance, min_min(instance))
    again = improved(instance, good, iterations=1, seed=1)
    assert again is good or again.makespan < good.makespan


def test_ends_at_the_target():
    instance = hard()
    start = min_min(instance)
    target = 0.98 * start.makespan
    found = improve(instance, start, Clock(FOREVER, target=target))
    assert found.makespan <= target * (1 + 1e-9)
    assert improve(instance, start, Clock(target=start.makespan)) is start


def test_ends_at_the_time_limit():
    instance = hard()
    start = min_min(instance)
    assert improve(instance, start, Clock(0.0)) is start
    found = improve(instance, start, Clock(0.5))
    assert check(instance, found).violations == []


def test_ends_when_told_and_keeps_what_it_has(monkeypatch):
    monkeypatch.setattr(improvement, "LOOK_SECONDS", 0.0)
    instance = hard()
    start, told = min_min(instance), []
    found = improve(
        instance,
        start,
        Clock(FOREVER, asked=lambda: bool(told)),
        shared=Shared(give=lambda schedule: told.append(schedule.makespan)),
    )
    assert check(instance, found).violations == []
    assert start.makespan > told[0] >= found.makespan


def test_ctrl_c_ends_the_search_and_keeps_what_it_has(monkeypatch):
    monkeypatch.setattr(improvement, "LOOK_SECONDS", 0.0)
    instance = hard()
    start = min_min(instance)

    def press(schedule):
        raise KeyboardInterrupt

    found = improve(instance, start, Clock(FOREVER), shared=Shared(give=press))
    assert check(instance, found).violations == []
    assert found.makespan < start.makespan


def test_goes_on_from_the_schedule_of_another(monkeypatch):
    instance = hard()
    start = min_min(instance)
    good = improved(instance, start)
    monkeypatch.setattr(improvement, "LOOK_SECONDS", 0.0)
    stop = Clock(FOREVER, target=good.makespan * (1 + 1e-9))
    found = improve(instance, start, stop, shared=Shared(take=lambda: good), seed=9)
    assert found.makespan <= good.makespan * (1 + 1e-9)


def test_too_many_different_tasks_are_not_for_it(monkeypatch):
    instance = hard()
    start = min_min(instance)
    monkeypatch.setattr(class_search, "MOST_TIMES", 10)
    assert not can_search(instance)
    assert improve(instance, start, Clock(FOREVER)) is start


def test_repairs_that_make_no_step_do_no_harm():
    """What reduce tasks read counts after a repair: it ends at once, and no schedule is shorter."""
    instance = with_speed_factors(reading(17), 17)
    start = min(
        (result.schedule for result in all_heuristics(instance) if result.schedule),
        key=lambda schedule: schedule.makespan,
    )
    improvement.warm_up(instance)
    found = improve(instance, start, Clock(0.5), seed=1)
    assert check(instance, found).violations == []
