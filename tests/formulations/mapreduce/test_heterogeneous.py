"""The heterogeneous model: brute force, other models, classes of equal tasks, its bounds."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from brute_force import optimum
from hypothesis import given, settings
from hypothesis import strategies as st
from racing import all_heuristics
from random_instances import tiny, with_speed_factors
from starts import completed

import slotwise
from slotwise import Cluster, InputError, Job, MapTask
from slotwise.core.clock import Clock, StopReason
from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.formulations.mapreduce.heterogeneous import model as heterogeneous
from slotwise.formulations.mapreduce.identical_tasks import (
    least_makespan_of_equals,
    map_classes,
    reads_are_uniform,
    reduce_classes,
)
from slotwise.formulations.mapreduce.unrelated_machines import model as unrelated_machines
from slotwise.instances.mapreduce.cluster import Rates
from slotwise.instances.mapreduce.generators.hmhs import generate, small
from slotwise.instances.mapreduce.instance import Instance, SpeedFactors
from slotwise.instances.mapreduce.security import Outages
from slotwise.solvers.backends import highs
from slotwise.solvers.mapreduce.relaxations.waves import rounded, solve_waves


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1.0, b)


def solved(model):
    """As the method solves it."""
    return highs.solve(model, threads=1, settings=highs.HighsSettings(presolve=False))


def alike(instance: Instance) -> Instance:
    """The tasks of each job and phase made equal to its first, without data."""
    maps = instance.map_processing.copy()
    reduces = instance.reduce_processing.copy()
    for i in range(instance.jobs):
        for times, offsets in ((maps, instance.map_offsets), (reduces, instance.reduce_offsets)):
            of_job = slice(offsets[i], offsets[i + 1])
            times[of_job] = times[of_job][:1]
    return replace(
        instance,
        map_processing=maps,
        reduce_processing=reduces,
        input_mb=np.zeros(instance.map_tasks),
    )


def without_output(instance: Instance) -> Instance:
    return replace(instance, output_ratio=np.zeros(instance.jobs))


def one_rate(instance: Instance) -> Instance:
    cluster = replace(instance.cluster, rates=Rates(40.0, 40.0, 40.0))
    return replace(instance, cluster=cluster)


def of_seed(seed: int) -> Instance:
    """In turn equal tasks, unequal tasks with inputs only, and reads that nothing changes."""
    instance = with_speed_factors(tiny(seed), seed)
    return (alike, without_output, one_rate)[seed % 3](instance)


CASES = [
    pytest.param(30 * k, cuts, id=f"{k}-{cuts}", marks=pytest.mark.slow if 2 < k < 9 else ())
    for k, cuts in [*((k, None) for k in range(9)), (20, ()), (20, ("heads",)), (20, ("spans",))]
]


@pytest.mark.parametrize(("first", "cuts"), CASES)
def test_agrees_with_brute_force(first, cuts):
    for seed in range(first, first + 30):
        instance = of_seed(seed)
        best = optimum(instance, shared_order=True)
        given_cuts = {} if cuts is None else {"cuts": cuts}
        model = heterogeneous.build(instance, **given_cuts)
        assert close(solved(model).incumbent, best), seed
        verdict = slotwise.check(instance, heterogeneous.schedule(model))
        assert verdict.valid, (seed, verdict.violations)
        assert close(verdict.makespan, best), seed


@pytest.mark.parametrize(
    "seeds", [range(40), pytest.param(range(40, 120), marks=pytest.mark.slow)], ids=["some", "more"]
)
def test_a_schedule_is_a_start_within_its_own_makespan(seeds):
    for seed in seeds:
        instance = of_seed(seed) if seed % 2 else small(4, 2, 2, seed=seed, max_maps=6)
        lower_bound = best_lower_bound(instance)
        for result in all_heuristics(instance)[::4]:
            model = heterogeneous.build(
                instance, horizon=result.makespan, lower_bound=lower_bound[0]
            )
            heterogeneous.start(model, result.schedule)
            makespan = completed(model)
            assert makespan is not None, seed
            assert heterogeneous.schedule(model).makespan <= makespan * (1 + 1e-9), seed


def toy() -> Instance:
    """The worked example of docs/formulations/heterogeneous.md."""
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [4.0, 4.0, 4.0], [6.0, 6.0]), Job("b", [3.0, 3.0], [4.0])]
    factors = SpeedFactors(
        map=np.array([[0.5, 1.0], [1.0, 1.0]]), reduce=np.array([[1.0, 0.5], [0.5, 1.0]])
    )
    return replace(Instance.from_jobs("toy", cluster, jobs), speed_factors=factors)


def test_the_worked_example():
    """Job a: maps 2, 2 | 4 are over at 4; reduces 3, 3 on the second slot: 6. Together 10."""
    model = heterogeneous.build(toy())
    assert model.maps.span == [4.0, 3.0]
    assert model.reduces.span == [6.0, 2.0]
    assert solved(model).incumbent == pytest.approx(10.0)
    assert optimum(toy(), shared_order=True) == pytest.approx(10.0)
    assert round(model.map_count[0, 0].value) == 2


def test_outages_and_equal_slots():
    """Without its fast map slot and with the maps of a on the other one: 12 s, then 6 s."""
    lost = Outages(np.array([True, False]), np.array([False, False]))
    instance = replace(toy(), outages=lost)
    model = heterogeneous.build(instance)
    # Both jobs' maps take 12 + 6 s on one slot; a first: 12, b from 18 on: 2 s; or a last: 18 + 6.
    assert solved(model).incumbent == pytest.approx(20.0)
    assert slotwise.check(instance, heterogeneous.schedule(model)).valid


def test_placement_of_the_maps_must_not_matter():
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    reads = [Job("a", [MapTask(1.0, 100.0, ["n0"])], [1.0], output_ratio=1.0)]
    instance = Instance.from_jobs("reads", cluster, reads)
    assert not heterogeneous.applies(instance)
    with pytest.raises(InputError, match="instance 'reads': reduce setups depend on where"):
        heterogeneous.build(instance)
    assert heterogeneous.applies(one_rate(instance))
    # On a single node all reads are local.
    assert reads_are_uniform(Instance.from_jobs("one", Cluster.uniform(1), reads))
    with pytest.raises(InputError, match="unknown cuts knots: choose from heads, spans"):
        heterogeneous.build(one_rate(instance), cuts=["knots"])


def test_classes_of_equal_tasks():
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    maps = [
        MapTask(1.0, 100.0, ["n0", "n1"]),
        MapTask(1.0, 100.0, ["n1"]),
        MapTask(1.0, 100.0, ["n1", "n0"]),
        MapTask(2.0),
        MapTask(2.0, 0.0, ["n0"]),
    ]
    jobs = [Job("a", maps, [3.0, 4.0, 3.0]), Job("b", [2.0], [3.0])]
    instance = Instance.from_jobs("classes", cluster, jobs)
    assert map_classes(instance) == [[0, 2], [1], [3, 4], [5]]
    assert reduce_classes(instance) == [[0, 2], [1], [3]]


@given(
    st.lists(st.floats(0.0, 10.0), min_size=1, max_size=3),
    st.integers(0, 5),
)
def test_least_span_is_the_optimum_of_equal_tasks(seconds, tasks):
    every = product(range(len(seconds)), repeat=tasks)
    least = min(max((p.count(k) * s for k, s in enumerate(seconds)), default=0.0) for p in every)
    assert least_makespan_of_equals(np.array(seconds), tasks) == pytest.approx(least)


@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 400), marks=pytest.mark.slow)], ids=["some", "more"]
)
def test_linear_program_bounds_every_schedule_within_its_horizon(seeds):
    """Neither without a horizon nor with one at or above the optimum is it above the optimum."""
    for seed in seeds:
        instance = with_speed_factors(tiny(seed), seed) if seed % 2 else of_seed(seed)
        best = optimum(instance, shared_order=True)
        for horizon in (None, best, 1.3 * best):
            for phases in (("map", "reduce"), ("map",), ("reduce",)):
                model = unrelated_machines.build(instance, horizon=horizon, only=phases)
                outcome = highs.solve(model, threads=1)
                assert outcome.stop is StopReason.GAP_CLOSED, (seed, horizon)
                assert outcome.incumbent <= best * (1 + 1e-7) + 1e-9, (seed, horizon)


def test_a_horizon_raises_the_bound():
    """Two tasks of 10 s on a fast and a slow slot (factor 3): shares take 15 s, whole tasks 20."""
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    instance = Instance.from_jobs("two", cluster, [Job("a", [10.0, 10.0]), Job("b", [0.0], [0.0])])
    factors = SpeedFactors(np.array([[1.0, 3.0], [1.0, 1.0]]), np.ones((2, 2)))
    instance = replace(instance, speed_factors=factors)
    without = highs.solve(unrelated_machines.build(instance, only=["map"]), threads=1)
    # That one job alone takes 20 s is among the rows; the shares alone would give 15.
    assert without.incumbent == pytest.approx(20.0)
    # A horizon of 25 s forbids the slow slot, one of 19 s leaves room for one task only.
    model = unrelated_machines.build(instance, horizon=25.0, only=["map"])
    assert model.map_share[0, 1].ub == 0.0
    model = unrelated_machines.build(instance, horizon=19.0, only=["map"])
    assert highs.solve(model, threads=1).stop is StopReason.INFEASIBLE


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5))
def test_rounded_shares_are_a_valid_schedule(seed, jobs):
    instance = small(jobs, 3, 2, seed=seed, max_maps=9, max_reduces=5)
    order = np.random.default_rng(seed).permutation(jobs)
    found = solve_waves(instance, order, Clock())
    for share, tasks in (
        (found.map_share, instance.maps_of),
        (found.reduce_share, instance.reduces_of),
    ):
        assert share.sum(axis=1) == pytest.approx(np.minimum(tasks, 1))
    schedule = rounded(instance, order, found)
    assert slotwise.check(instance, schedule).valid
    assert schedule.makespan >= best_lower_bound(instance)[0] * (1 - 1e-9)


def test_waves_wait_for_the_waves_before():
    """Jobs of 2 s + 5 s and 3 s + 5 s on one map slot and two reduce slots.

    In this order the maps end at 2 and 5 s. The reduces, split over both slots, still take 5 s of
    each then and 2.5 s: 7 s and 7.5 s. In the other order: 3 + 5 = 8 s and 5 + 2.5 = 7.5 s.
    """
    cluster = Cluster.uniform(2, map_slots=1, reduce_slots=1)
    jobs = [Job("a", [2.0], [5.0]), Job("b", [3.0], [5.0])]
    instance = Instance.from_jobs("two", cluster, jobs)
    one_map_slot = SpeedFactors(np.array([[1.0, 1e9], [1.0, 1e9]]), np.ones((2, 2)))
    instance = replace(instance, speed_factors=one_map_slot)
    assert solve_waves(instance, np.array([0, 1]), Clock()).makespan == pytest.approx(7.5)
    assert solve_waves(instance, np.array([1, 0]), Clock()).makespan == pytest.approx(8.0)
    # Within 4 s neither job has time for its reduces.
    assert solve_waves(instance, np.array([0, 1]), Clock(), horizon=4.0) is None


def test_linear_programs_beat_the_heuristics_where_the_paper_plays():
    instance = generate(12, seed=0, map_machines=20, reduce_machines=20)
    found = slotwise.solve(instance, methods="unrelated-machines", threads=1)
    heuristics = all_heuristics(instance)
    assert found.found_by == "unrelated-machines"
    assert found.makespan < 0.95 * min(h.makespan for h in heuristics)
    assert found.lower_bound > best_lower_bound(instance)[0]
    assert found.gap < 0.25
