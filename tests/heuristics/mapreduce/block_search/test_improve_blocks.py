"""The improvement search: valid, never worse, reproducible, ends when told, near the optimum."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import optimum
from hypothesis import given, settings
from hypothesis import strategies as st
from random_instances import odd_clusters, tiny, with_outages, with_security

from slotwise.core.clock import Clock
from slotwise.heuristics.mapreduce.block_search import worker as stages
from slotwise.heuristics.mapreduce.improvement import Shared, improve
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass, efss, efss_local
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.generators.smso import generate as generate_secure
from slotwise.instances.mapreduce.instance import Instance, Job
from slotwise.instances.mapreduce.schedule import timed
from slotwise.instances.mapreduce.security import Security
from slotwise.instances.mapreduce.usable_slots import usable_slots

FOREVER = 3600.0
"""Seconds; a search that overlooks what should end it hangs."""


def improved(instance, start, *, iterations=5, **options):
    stop = Clock(FOREVER, iterations=iterations)
    return improve(instance, start, stop, **options)


def hard():
    """Both phases need about the same time, and no heuristic comes near the bound."""
    return generate(12, 4, seed=0, map_slots=8)


def same(first, second):
    return all(
        np.array_equal(getattr(first, phase).slot, getattr(second, phase).slot)
        and np.array_equal(getattr(first, phase).start, getattr(second, phase).start)
        for phase in ("map", "reduce")
    )


@settings(max_examples=20)
@given(odd_clusters(), st.integers(0, 3), st.sampled_from([1, 2]))
def test_valid_and_never_worse(instance, seed, threads):
    start = eass(instance)
    found = improved(instance, start, seed=seed, threads=threads)
    assert check(instance, found).violations == []
    assert found.makespan <= start.makespan


def test_near_the_optima_of_tiny_instances():
    ratios = []
    for seed in range(10):
        instance = tiny(seed)
        found = improved(instance, eass(instance), iterations=40)
        assert check(instance, found).violations == []
        best = optimum(instance, shared_order=True)
        assert found.makespan >= best * (1 - 1e-9)
        ratios.append(found.makespan / best if best else 1.0)
    assert np.mean(ratios) <= 1.03


def test_shortens_what_heuristics_leave():
    instance = hard()
    start = efss_local(instance)
    found = improved(instance, start)
    assert check(instance, found).violations == []
    assert found.makespan < 0.995 * start.makespan


@pytest.mark.parametrize("threads", [1, 2])
def test_same_seed_same_schedule(threads):
    instance = hard()
    start = efss_local(instance)
    runs = [improved(instance, start, seed=7, threads=threads, iterations=2) for _ in range(2)]
    assert same(*runs)
    assert not same(runs[0], improved(instance, start, seed=8, threads=threads, iterations=2))


def test_a_good_schedule_is_not_lost():
    instance = hard()
    good = improved(instance, efss_local(instance))
    again = improved(instance, good, iterations=1, seed=1)
    assert again is good or again.makespan < good.makespan


def test_ends_at_the_target():
    instance = hard()
    start = efss_local(instance)
    target = 0.995 * start.makespan
    found = improve(instance, start, Clock(FOREVER, target=target))
    assert found.makespan <= target
    assert improve(instance, start, Clock(target=start.makespan)) is start


def test_ends_at_the_time_limit():
    instance = hard()
    start = efss_local(instance)
    assert improve(instance, start, Clock(0.0)) is start
    found = improve(instance, start, Clock(1.0))
    assert check(instance, found).violations == []


def test_ends_when_told_and_keeps_what_it_has():
    instance = hard()
    start = efss_local(instance)
    improved(instance, start, iterations=1)  # compiled from here on
    told = []
    found = improve(
        instance,
        start,
        Clock(FOREVER, asked=lambda: bool(told)),
        shared=Shared(lambda makespan: told.append(makespan)),
    )
    assert check(instance, found).violations == []
    assert start.makespan > told[0] >= found.makespan * (1 - 1e-9)
    assert improve(instance, start, Clock(asked=lambda: True)) is not None


def test_ctrl_c_ends_the_search_and_keeps_what_it_has():
    instance = hard()
    start = efss_local(instance)

    def press(makespan):
        raise KeyboardInterrupt

    found = improve(instance, start, Clock(FOREVER), shared=Shared(press))
    assert check(instance, found).violations == []
    assert found.makespan < start.makespan


def test_errors_in_a_thread_are_seen(monkeypatch):
    instance = hard()
    start = efss_local(instance)
    improved(instance, start, iterations=1)

    def broken(*_):
        raise ValueError("inside")

    monkeypatch.setattr(stages, "perturb", broken)
    with pytest.raises(ValueError, match="inside"):
        improve(instance, start, Clock(3.0), threads=2)


def of_parts(parts, seed):
    """A tiny instance with security, lost slots or both, and a schedule; None if impossible."""
    instance = tiny(seed)
    if "security" in parts:
        instance = with_security(instance, seed)
    if "outages" in parts:
        instance = with_outages(instance, seed)
    if impossible(instance) is not None:
        return None
    usable = usable_slots(instance)
    return instance, usable.restored(eass(usable.instance))


@pytest.mark.parametrize("parts", [{"security"}, {"outages"}, {"security", "outages"}])
def test_optima_of_tiny_instances_with_other_parts(parts):
    drawn = [found for seed in range(16) if (found := of_parts(parts, seed)) is not None]
    reached = 0
    for instance, start in drawn:
        found = improved(instance, start)
        assert check(instance, found).violations == []
        assert found.makespan <= start.makespan
        best = optimum(instance, shared_order=True)
        assert found.makespan >= best * (1 - 1e-9)
        reached += found.makespan <= best * (1 + 1e-9)
    assert len(drawn) >= 12
    assert reached >= 0.8 * len(drawn)


def secure():
    """A fifth of the slots is barred for each task, half of the other nodes' data encrypted."""
    return generate_secure(12, 5, seed=0, maps_mean=15, maps_variance=9, gamma=0.2, outages="slots")


def test_security_for_real():
    instance = secure()
    usable = usable_slots(instance)
    start = usable.restored(efss(usable.instance))
    runs = [improved(instance, start, iterations=3, threads=2) for _ in range(2)]
    assert check(instance, runs[0]).violations == []
    assert runs[0].makespan < 0.99 * start.makespan
    assert same(*runs)


def test_a_task_that_may_use_one_slot_only():
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    instance = Instance.from_jobs(
        "bound", cluster, [Job("a", [4.0, 1.0, 1.0], []), Job("b", [0.0], [])]
    )
    # The long task must be on slot 0; the best is to have both others on slot 1.
    only = np.array([[1, 0], [1, 1], [1, 1], [0, 1]], dtype=bool)
    none = np.zeros((1, 2), dtype=np.int8)
    instance = replace(instance, security=Security(only, none))
    slots = np.array([0, 0, 0, 1]), np.zeros(0, dtype=np.int64)
    start = timed(instance, slots[0], np.arange(4), slots[1], np.arange(0))
    found = improved(instance, start)
    assert check(instance, found).violations == []
    assert (start.makespan, found.makespan) == (6.0, 4.0)
