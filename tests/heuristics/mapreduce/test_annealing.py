"""The local search: valid, never worse, reproducible, and good where the optimum is known."""

import pytest
from brute_force import optimum
from random_instances import tiny, with_speed_factors

from slotwise.core.clock import Clock
from slotwise.heuristics.mapreduce.annealing import improve
from slotwise.heuristics.mapreduce.list_scheduling.rules import eass
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.instances.mapreduce.schedule import timed


@pytest.mark.parametrize("seed", range(40))
def test_finds_tiny_optima(seed):
    instance = with_speed_factors(tiny(seed), seed) if seed % 2 else tiny(seed)
    start = eass(instance)
    # The rule knows no speed factors, so its times are not to be believed.
    start = timed(instance, start.map.slot, start.map.start, start.reduce.slot, start.reduce.start)
    found = improve(instance, start, Clock(60.0))
    assert check(instance, found).violations == []
    assert found.makespan == pytest.approx(optimum(instance, shared_order=True), rel=1e-9)


def test_same_seed_same_schedule():
    instance = small(5, 3, seed=2)
    first, second = (improve(instance, eass(instance), Clock(60.0), seed=7) for _ in range(2))
    assert first.makespan == second.makespan < eass(instance).makespan
    assert first.map.slot.tolist() == second.map.slot.tolist()
    assert first.reduce.start.tolist() == second.reduce.start.tolist()


def test_a_good_schedule_is_not_lost():
    instance = small(4, 3, seed=0)
    best = improve(instance, eass(instance), Clock(60.0))
    assert improve(instance, best, Clock(60.0), seed=1).makespan <= best.makespan
    assert improve(instance, best, Clock(0.0)) is best


def test_large_instances_end_in_time_with_a_valid_schedule():
    instance = generate(10, 10, seed=0)
    found = improve(instance, eass(instance), Clock(0.2))
    assert check(instance, found).violations == []
    assert found.makespan <= eass(instance).makespan


def test_ends_at_the_target_and_after_its_iterations():
    instance = small(5, 3, seed=2)
    start = eass(instance)
    best = improve(instance, start, Clock(60.0), seed=7).makespan
    between = (best + start.makespan) / 2
    found = improve(instance, start, Clock(60.0, target=between), seed=7)
    assert best < found.makespan <= between
    assert improve(instance, start, Clock(iterations=0)) is start
    assert improve(instance, start, Clock(iterations=1), seed=7).makespan < start.makespan
