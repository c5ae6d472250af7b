"""The improvement search: valid, never worse, reproducible, ends when told, near the optimum."""

import numpy as np
import pytest
from brute_force import optimum
from hypothesis import given, settings
from hypothesis import strategies as st
from random_instances import tiny, with_speed_factors

from slotwise.heuristics.block_search import can_search, improve_blocks
from slotwise.heuristics.block_search import worker as stages
from slotwise.heuristics.list_scheduling.rules import eass, efss_local
from slotwise.heuristics.stopping_rules import (
    Asked,
    FirstOf,
    Iterations,
    NoImprovement,
    TargetReached,
    TimeLimit,
)
from slotwise.instances.generators.ljr import generate
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Job, MapTask, job_instance

FOREVER = 3600.0
"""Seconds; a search that overlooks what should end it hangs."""

times = st.one_of(st.integers(0, 4).map(float), st.sampled_from([0.1, 1 / 3, 51.0]))


@st.composite
def instances(draw):
    """Jobs without maps or reduces, nodes without slots, racks without nodes, one rack."""
    nodes = draw(st.integers(1, 7))
    racks = draw(st.integers(1, 4))
    per_node = st.lists(st.integers(0, 3), min_size=nodes, max_size=nodes)
    cluster = Cluster(
        node_names=tuple(f"n{k}" for k in range(nodes)),
        rack_names=tuple(f"r{k}" for k in range(racks)),
        rack_of=np.array(
            draw(st.lists(st.integers(0, racks - 1), min_size=nodes, max_size=nodes)),
            dtype=np.int64,
        ),
        map_slots=np.array(draw(per_node), dtype=np.int64),
        reduce_slots=np.array(draw(per_node), dtype=np.int64),
        rates=draw(st.sampled_from([Rates(100, 50, 30), Rates(1, 1, 1), Rates(0.3, 0.3, 0.1)])),
    )
    maps = st.builds(
        MapTask,
        times,
        st.sampled_from([0.0, 4.0, 0.7, 128.0]),
        st.lists(st.sampled_from(cluster.node_names), max_size=4),
    )
    jobs = st.builds(
        Job,
        st.just(""),
        st.lists(maps, max_size=8 if cluster.map_slots.any() else 0),
        st.lists(times, max_size=6 if cluster.reduce_slots.any() else 0),
        st.sampled_from([0.0, 0.5, 1.0, 0.3]),
    )
    drawn = draw(st.lists(jobs, max_size=6))
    named = [Job(f"j{i}", job.maps, job.reduces, job.output_ratio) for i, job in enumerate(drawn)]
    return job_instance("drawn", cluster, named)


def improved(instance, start, *, iterations=15, **options):
    stop = FirstOf(TimeLimit(FOREVER), Iterations(iterations))
    return improve_blocks(instance, start, stop, **options)


def hard():
    """Both phases need about the same time, and no heuristic comes near the bound."""
    return generate(20, 6, seed=0, map_slots=8)


def same(first, second):
    return all(
        np.array_equal(getattr(first, phase).slot, getattr(second, phase).slot)
        and np.array_equal(getattr(first, phase).start, getattr(second, phase).start)
        for phase in ("map", "reduce")
    )


@settings(max_examples=60, deadline=None)
@given(instances(), st.integers(0, 3), st.sampled_from([1, 2]))
def test_valid_and_never_worse(instance, seed, threads):
    start = eass(instance)
    found = improved(instance, start, seed=seed, threads=threads)
    assert check(instance, found).violations == []
    assert found.makespan <= start.makespan


def test_near_the_optima_of_tiny_instances():
    ratios = []
    for seed in range(10):
        instance = tiny(seed)
        found = improved(instance, eass(instance), iterations=100)
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
    runs = [improved(instance, start, seed=7, threads=threads) for _ in range(2)]
    assert same(*runs)
    assert not same(runs[0], improved(instance, start, seed=8, threads=threads))


def test_a_good_schedule_is_not_lost():
    instance = hard()
    good = improved(instance, efss_local(instance), iterations=100)
    again = improved(instance, good, iterations=1, seed=1)
    assert again is good or again.makespan < good.makespan


def test_ends_at_the_target():
    instance = hard()
    start = efss_local(instance)
    target = 0.995 * start.makespan
    found = improve_blocks(instance, start, FirstOf(TimeLimit(FOREVER), TargetReached(target)))
    assert found.makespan <= target
    assert improve_blocks(instance, start, TargetReached(start.makespan)) is start


def test_ends_at_the_time_limit():
    instance = hard()
    start = efss_local(instance)
    assert improve_blocks(instance, start, TimeLimit(0.0)) is start
    found = improve_blocks(instance, start, TimeLimit(1.0))
    assert check(instance, found).violations == []


def test_ends_when_nothing_gets_better():
    instance = hard()
    start = efss_local(instance)
    found = improve_blocks(instance, start, FirstOf(TimeLimit(FOREVER), NoImprovement(0.5)))
    assert check(instance, found).violations == []
    assert found.makespan <= start.makespan


def test_ends_when_told_and_keeps_what_it_has():
    instance = hard()
    start = efss_local(instance)
    improved(instance, start, iterations=1)  # compiled from here on
    told = []
    found = improve_blocks(
        instance,
        start,
        FirstOf(TimeLimit(FOREVER), Asked(lambda: bool(told))),
        on_progress=lambda seconds, makespan: told.append(makespan),
    )
    assert check(instance, found).violations == []
    assert start.makespan > told[0] >= found.makespan * (1 - 1e-9)
    assert improve_blocks(instance, start, Asked(lambda: True)) is not None


def test_ctrl_c_ends_the_search_and_keeps_what_it_has():
    instance = hard()
    start = efss_local(instance)

    def press(seconds, makespan):
        raise KeyboardInterrupt

    found = improve_blocks(instance, start, TimeLimit(FOREVER), on_progress=press)
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
        improve_blocks(instance, start, TimeLimit(3.0), threads=2)


def test_speed_factors_are_not_for_it():
    instance = with_speed_factors(tiny(1), 1)
    start = eass(instance)
    assert not can_search(instance)
    assert improve_blocks(instance, start, TimeLimit(FOREVER)) is start
