"""Methods of HiGHS say the same of an instance whatever the unit its times are in."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import optimum
from racing import raced
from random_instances import tiny, with_security, with_speed_factors

import slotwise
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.setups import map_setup_matrix, reduce_setups
from slotwise.solvers.mapreduce.integer_programs import (
    heterogeneous_method,
    job_order_method,
    sequence_method,
)
from slotwise.solvers.mapreduce.race import in_own_unit
from slotwise.solvers.mapreduce.time_unit import in_units_of, suitable_unit


@pytest.mark.parametrize(
    ("makespan", "unit"),
    [(1024.0, 1.0), (1400.0, 1.0), (2048.0, 2.0), (1.0, 2.0**-10), (0.0, 1.0), (3e12, 2.0**31)],
)
def test_unit_is_a_power_of_two_of_which_there_are_about_a_thousand(makespan, unit):
    assert suitable_unit(makespan) == unit
    assert makespan == 0 or 724 < makespan / unit < 1449


def test_counting_rounds_nothing():
    for seed in range(40):
        instance = with_security(with_speed_factors(tiny(seed), seed), seed)
        for unit in (2.0**-20, 2.0**30):
            other = in_units_of(instance, unit)
            assert np.array_equal(map_setup_matrix(other) * unit, map_setup_matrix(instance))
            assert np.array_equal(other.map_processing * unit, instance.map_processing)
            where = np.zeros(instance.map_tasks, dtype=np.int64)
            assert np.array_equal(
                reduce_setups(other, where) * unit, reduce_setups(instance, where)
            )


def test_a_method_sees_about_a_thousand_units_and_answers_in_seconds():
    instance = tiny(2)
    start = slotwise.heuristic(instance, "EASS").schedule
    assert start.makespan > 0
    seen, makespan = [], start.makespan

    def method(instance, runner):
        instance, runner = in_own_unit(instance, runner)
        assert check(instance, runner.schedule).valid
        seen.append((runner.makespan, runner.bound, runner.absolute_gap))
        runner.tell(runner.schedule, runner.makespan * 3 / 4, "mine")

    outcome = raced(method, instance, start, makespan / 2, absolute_gap=makespan / 8)
    units = seen[0][0]
    assert 724 < units < 1449
    assert seen == [(units, units / 2, units / 8)]
    assert (outcome.schedule.makespan, outcome.lower_bound) == (makespan, makespan * 3 / 4)
    assert np.array_equal(outcome.schedule.map.end, start.map.end)


@pytest.mark.parametrize("method", [job_order_method, sequence_method, heterogeneous_method])
@pytest.mark.parametrize("scale", [2.0**-30, 2.0**40])
def test_methods_at_extreme_scales(method, scale):
    for seed in (2, 7, 11):
        instance = with_speed_factors(tiny(seed), seed)
        instance = replace(instance, output_ratio=np.zeros(instance.jobs))
        assert impossible(instance) is None
        instance = in_units_of(instance, 1 / scale)
        start = slotwise.heuristic(instance, "EASS").schedule
        outcome = raced(method, instance, start)
        known = optimum(instance)
        assert outcome.schedule.makespan == pytest.approx(known, rel=1e-6, abs=0)
        assert known * (1 - 1e-6) <= outcome.lower_bound <= known * (1 + 1e-7)
