"""The improvement search: valid, never worse, reproducible, ends when told, near the optimum."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import optimum
from hypothesis import given, settings
from hypothesis import strategies as st
from racing import all_heuristics
from random_instances import (
    instances,
    odd_clusters,
    reading,
    tiny,
    with_outages,
    with_security,
    with_speed_factors,
)

from slotwise.core.clock import Clock
from slotwise.heuristics.mapreduce import class_search, improvement
from slotwise.heuristics.mapreduce.block_search import worker
from slotwise.heuristics.mapreduce.hmhs.min_min import min_min
from slotwise.heuristics.mapreduce.improvement import Shared, can_search, improve
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass, efss, efss_local
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators import hmhs, ljr, smso
from slotwise.instances.mapreduce.instance import Instance, Job, SpeedFactors
from slotwise.instances.mapreduce.schedule import timed
from slotwise.instances.mapreduce.security import Security
from slotwise.instances.mapreduce.usable_slots import usable_slots
from slotwise.solvers.mapreduce.heuristic import heuristic

FOREVER = 3600.0
"""Seconds; a search that overlooks what should end it hangs."""


def improved(instance, start, *, iterations=4, **options):
    return improve(instance, start, Clock(FOREVER, iterations=iterations), **options)


@pytest.fixture(params=["equal slots", "slots of different speed"])
def hard(request):
    """An instance whose phases need about the same time, a schedule far from the bound."""
    if request.param == "equal slots":
        instance = ljr.generate(12, 4, seed=0, map_slots=8)
        return instance, efss_local(instance)
    instance = hmhs.generate(8, seed=0, map_machines=6, reduce_machines=6, maps=(1, 40))
    return instance, min_min(instance)


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(odd_clusters(), instances()),
    st.integers(0, 3),
    st.sampled_from([1, 2]),
    st.sets(st.sampled_from([with_speed_factors, with_security, with_outages])),
)
def test_valid_and_never_worse(instance, seed, threads, parts):
    for part in parts:
        instance = part(instance, seed)
    if impossible(instance) is not None:
        return
    start = heuristic(instance, "EFSS").schedule
    found = improved(instance, start, seed=seed, threads=threads, iterations=3)
    assert check(instance, found).violations == []
    assert found.makespan <= start.makespan


@pytest.mark.parametrize(
    ("parts", "share"),
    [
        ([], 0.8),
        ([with_security], 0.8),
        ([with_outages], 0.8),
        ([with_security, with_outages], 0.8),
        ([with_speed_factors], 0.85),
        ([with_speed_factors, with_security], 0.85),
        ([with_speed_factors, with_outages], 0.85),
        ([with_speed_factors, with_security, with_outages], 0.85),
    ],
)
def test_optima_of_tiny_instances(parts, share):
    reached, ratios = 0, []
    for seed in range(16):
        instance = tiny(seed)
        for part in parts:
            instance = part(instance, seed)
        if impossible(instance) is not None:
            continue
        found = improved(instance, heuristic(instance, "EFSS").schedule, iterations=10)
        assert check(instance, found).violations == []
        best = optimum(instance, shared_order=with_speed_factors not in parts)
        assert found.makespan >= best * (1 - 1e-9)
        ratios.append(found.makespan / best if best else 1.0)
        reached += found.makespan <= best * (1 + 1e-9)
    assert len(ratios) >= 10
    assert reached >= share * len(ratios)
    assert np.mean(ratios) <= 1.03


def test_shortens_what_heuristics_leave(hard):
    found = improved(*hard)
    assert check(hard[0], found).violations == []
    assert found.makespan < 0.995 * hard[1].makespan


def test_jobs_whose_tasks_differ_and_read_on_slots_of_different_speed():
    instance = with_speed_factors(ljr.generate(8, 4, seed=0, map_slots=2), 0)
    found = improved(instance, eass(instance))
    assert check(instance, found).violations == []
    assert found.makespan < 0.98 * eass(instance).makespan


def test_security_for_real():
    """A fifth of the slots is barred for each task, half of the other nodes' data encrypted."""
    few = {"maps_mean": 15, "maps_variance": 9}
    instance = smso.generate(12, 5, seed=0, gamma=0.2, outages="slots", **few)
    usable = usable_slots(instance)
    start = usable.restored(efss(usable.instance))
    runs = [improved(instance, start, iterations=3, threads=2) for _ in range(2)]
    assert check(instance, runs[0]).violations == []
    assert runs[0].makespan < 0.99 * start.makespan
    assert runs[0] == runs[1]


@pytest.mark.parametrize("threads", [1, 2])
def test_same_seed_same_schedule(hard, threads):
    one, same, other = (
        improved(*hard, seed=seed, threads=threads, iterations=2) for seed in (7, 7, 8)
    )
    assert one == same != other


def test_a_good_schedule_is_not_lost(hard):
    instance, start = hard
    good = improved(instance, start)
    again = improved(instance, good, iterations=1, seed=1)
    assert again is good or again.makespan < good.makespan


def test_ends_at_the_target(hard):
    instance, start = hard
    target = 0.995 * start.makespan
    found = improve(instance, start, Clock(FOREVER, target=target))
    assert found.makespan <= target * (1 + 1e-9)
    assert improve(instance, start, Clock(target=start.makespan)) is start


def test_ends_at_the_time_limit(hard):
    instance, start = hard
    assert improve(instance, start, Clock(0.0)) is start
    assert check(instance, improve(instance, start, Clock(0.7))).violations == []


def test_ends_when_told_and_keeps_what_it_has(hard, monkeypatch):
    monkeypatch.setattr(improvement, "LOOK_SECONDS", 0.0)
    (instance, start), told = hard, []
    stop = Clock(FOREVER, asked=lambda: bool(told))
    shared = Shared(give=lambda schedule: told.append(schedule.makespan))
    found = improve(instance, start, stop, shared=shared)
    assert check(instance, found).violations == []
    assert start.makespan > told[0] >= found.makespan
    assert improve(instance, start, Clock(asked=lambda: True)) is not None


def test_ctrl_c_ends_the_search_and_keeps_what_it_has(hard):
    instance, start = hard

    def press(makespan):
        raise KeyboardInterrupt

    found = improve(instance, start, Clock(FOREVER), shared=Shared(news=press))
    assert check(instance, found).violations == []
    assert found.makespan < start.makespan


def test_goes_on_from_the_schedule_of_another(hard, monkeypatch):
    instance, start = hard
    good = improved(instance, start)
    monkeypatch.setattr(improvement, "LOOK_SECONDS", 0.0)
    stop = Clock(FOREVER, target=good.makespan * (1 + 1e-9))
    found = improve(instance, start, stop, shared=Shared(take=lambda: good), seed=9)
    assert found.makespan <= good.makespan * (1 + 1e-9)


def test_errors_in_a_thread_are_seen(monkeypatch):
    instance = ljr.generate(12, 4, seed=0, map_slots=8)

    def broken(*_):
        raise ValueError("inside")

    monkeypatch.setattr(worker, "perturb", broken)
    monkeypatch.setattr(improvement, "_ready", {improvement.block_search.__name__})
    with pytest.raises(ValueError, match="inside"):
        improve(instance, efss_local(instance), Clock(3.0), threads=2)


def test_too_many_different_tasks_are_not_for_it(monkeypatch):
    instance = hmhs.small(seed=0)
    start = min_min(instance)
    monkeypatch.setattr(class_search, "MOST_TIMES", 10)
    assert not can_search(instance)
    assert improve(instance, start, Clock(FOREVER)) is start


def test_repairs_that_make_no_step_do_no_harm():
    """What reduce tasks read counts after a repair: it ends at once, and no schedule is shorter."""
    instance = with_speed_factors(reading(17), 17)
    found = (result.schedule for result in all_heuristics(instance) if result.schedule)
    start = min(found, key=lambda schedule: schedule.makespan)
    improvement.warm_up(instance)
    assert check(instance, improve(instance, start, Clock(0.5), seed=1)).violations == []


def test_faster_slots_by_hand():
    """Both jobs' fast slots are where the start does not use them: 5 s become 1 + 1 s."""
    jobs = [Job("a", [1.0, 1.0], [1.0]), Job("b", [], [1.0])]
    instance = Instance.from_jobs("by hand", Cluster.uniform(2, map_slots=1), jobs)
    factors = SpeedFactors(np.array([[1.0, 1.0]] * 2), np.array([[1.0, 3.0], [3.0, 2.0]]))
    instance = replace(instance, speed_factors=factors)
    none, both = np.zeros(2, dtype=np.int64), np.arange(2)
    start = timed(instance, none, both, np.array([1, 0]), both)
    found = improved(instance, start)
    assert sorted(found.map.slot.tolist()) == found.reduce.slot.tolist() == [0, 1]
    assert (start.makespan, found.makespan) == (5.0, 2.0)


def test_a_task_that_may_use_one_slot_only():
    """The long task must be on slot 0; the best is to have both others on slot 1."""
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    jobs = [Job("a", [4.0, 1.0, 1.0], []), Job("b", [0.0], [])]
    only = np.array([[1, 0], [1, 1], [1, 1], [0, 1]], dtype=bool)
    security = Security(only, np.zeros((1, 2), dtype=np.int8))
    instance = replace(Instance.from_jobs("bound", cluster, jobs), security=security)
    nothing = np.zeros(0, dtype=np.int64)
    start = timed(instance, np.array([0, 0, 0, 1]), np.arange(4), nothing, nothing)
    found = improved(instance, start)
    assert check(instance, found).violations == []
    assert (start.makespan, found.makespan) == (6.0, 4.0)
