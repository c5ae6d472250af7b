"""The method of the linear program over intervals: bounds that hold, declines, limits."""

from dataclasses import replace
from threading import Event

import pytest
from random_instances import tiny, with_outages, with_security, with_speed_factors

from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask
from slotwise.solvers.mapreduce.branch_and_bound.search import branch_and_bound_method
from slotwise.solvers.mapreduce.heuristic import all_heuristics
from slotwise.solvers.mapreduce.method import SolveRequest
from slotwise.solvers.mapreduce.relaxations.spread_bound import PROOF, spread_bound_method


def task(instance: Instance, seconds: float = 20.0, **others) -> SolveRequest:
    closed = best_lower_bound(instance)
    best = min(all_heuristics(instance, closed), key=lambda result: result.makespan)
    return SolveRequest(best.schedule, closed[0], seconds, 1, 1e-7, **others)


def test_never_above_a_proven_optimum() -> None:
    bounded = 0
    for seed in range(14):
        instance = small(5, 3, seed=seed, max_maps=3, max_reduces=2)
        instance = replace(instance, output_ratio=instance.output_ratio * (1 + 9 * (seed % 2)))
        start = task(instance)
        exact = branch_and_bound_method(instance, start)
        best = (exact.schedule or start.incumbent).makespan
        if max(exact.lower_bound or 0.0, start.lower_bound) < best * (1 - 1e-6):
            continue
        outcome = spread_bound_method(instance, start)
        if outcome.lower_bound is not None:
            assert outcome.lower_bound <= best * (1 + 1e-9), seed
            assert outcome.lower_bound >= start.lower_bound
            bounded += 1
    assert bounded > 2


def test_a_shorter_schedule_of_somebody_else_raises_the_bound() -> None:
    instance = generate(15, 15, seed=2, map_slots=8)
    steps = []
    start = task(instance, on_progress=steps.append)
    outcome = spread_bound_method(instance, start)
    assert outcome.schedule is None
    assert outcome.proof == PROOF
    assert outcome.lower_bound > start.lower_bound
    assert steps == outcome.progress
    assert steps[-1].bound == outcome.lower_bound
    bounds = [step.bound for step in steps]
    assert bounds == sorted(bounds)
    told = (start.lower_bound + start.incumbent.makespan) / 2
    better = spread_bound_method(instance, task(instance, best=lambda: told))
    assert better.progress[0].bound >= outcome.progress[0].bound


def test_a_program_that_gains_little_does_not_end_it() -> None:
    # 25 s is the least (tests of one job's reads). Each horizon halves what is left.
    cluster = Cluster.uniform(
        2, racks=2, map_slots=2, reduce_slots=1, rates=Rates(node=100, rack=50, remote=25)
    )
    job = Job("a", [MapTask(9, 100, ["n0", "n1"])] * 4, [5.0], output_ratio=1)
    instance = Instance.from_jobs("spread", cluster, [job])
    start = task(instance)
    start = replace(start, incumbent=replace(start.incumbent, makespan=60.0), lower_bound=24.997)
    outcome = spread_bound_method(instance, start)
    assert outcome.progress[0].bound < 24.9995
    assert outcome.lower_bound > 24.9999


def test_nothing_left_to_raise() -> None:
    instance = generate(15, 15, seed=2, map_slots=8)
    start = task(instance)
    outcome = spread_bound_method(instance, task(instance, best=lambda: start.lower_bound))
    assert outcome.lower_bound is None


def test_limits_end_it_without_a_bound() -> None:
    instance = generate(15, 15, seed=2, map_slots=8)
    assert spread_bound_method(instance, task(instance, 0.0)).lower_bound is None
    stop = Event()
    stop.set()
    assert spread_bound_method(instance, task(instance, stop=stop)).lower_bound is None


@pytest.mark.parametrize("part", [with_speed_factors, with_security, with_outages])
def test_declines_parts_with_the_reason(part) -> None:
    plain = tiny(3)
    outcome = spread_bound_method(part(plain, 1), task(plain))
    assert outcome.lower_bound is None
    assert "not applicable" in outcome.why


def test_declines_too_many_jobs() -> None:
    instance = generate(400, 3, seed=0, maps_range=(1, 1), reduces_range=(1, 1))
    outcome = spread_bound_method(instance, task(instance))
    assert outcome.lower_bound is None
    assert "400 jobs" in outcome.why
