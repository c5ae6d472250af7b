"""Security and outages: every exact method and bound against brute force."""

from dataclasses import replace

import numpy as np
import pytest
from brute_force import optimum
from random_instances import tiny, with_outages, with_security, with_speed_factors

import slotwise
from slotwise.core.clock import StopReason
from slotwise.formulations.mapreduce.bounds.closed_form import lower_bounds
from slotwise.formulations.mapreduce.job_order import model as job_order
from slotwise.formulations.mapreduce.sequence import model as sequence
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance
from slotwise.solvers.backends import highs

ENOUGH = 1e-6


def secured(seed: int) -> Instance:
    """A tiny instance with security, every third with outages, every fourth with speed factors."""
    instance = with_security(tiny(seed, tasks=4), seed)
    if seed % 3 == 0:
        instance = with_outages(instance, seed)
    if seed % 4 == 0:
        instance = with_speed_factors(instance, seed)
    return instance


def solved(formulation, instance: Instance) -> float:
    model = formulation.build(instance)
    outcome = highs.solve(model, time_limit=60, threads=1)
    assert outcome.stop is StopReason.GAP_CLOSED
    schedule = formulation.schedule(model)
    verdict = check(instance, schedule)
    assert verdict.valid, verdict.violations
    assert verdict.makespan == pytest.approx(outcome.incumbent, rel=1e-5, abs=1e-5)
    return verdict.makespan


@pytest.mark.parametrize(
    "block", [*range(4), *(pytest.param(block, marks=pytest.mark.slow) for block in range(4, 20))]
)
def test_the_models_agree_with_brute_force(block: int) -> None:
    possible = 0
    for seed in range(30 * block, 30 * (block + 1)):
        instance = secured(seed)
        best = optimum(instance)
        assert (impossible(instance) is None) == np.isfinite(best)
        if not np.isfinite(best):
            continue
        possible += 1
        assert solved(job_order, instance) == pytest.approx(best, rel=ENOUGH, abs=ENOUGH)
        if instance.map_tasks + instance.reduce_tasks <= 6:
            assert solved(sequence, instance) == pytest.approx(best, rel=ENOUGH, abs=ENOUGH)
        for name, bound in lower_bounds(instance).items():
            assert name == "LB1 as printed" or bound <= best * (1 + 1e-9) + 1e-9, name
    assert possible >= 20


@pytest.mark.parametrize("seed", range(1000, 1040))
def test_solve_agrees_with_brute_force(seed: int) -> None:
    instance = secured(seed)
    best = optimum(instance)
    result = slotwise.solve(instance, time_limit=120)
    if not np.isfinite(best):
        assert result.status == "infeasible"
        assert result.makespan is None
        assert "nowhere to run" in result.notes[0] or "every reduce slot is lost" in result.notes[0]
        return
    assert result.status == "optimal"
    assert result.makespan == pytest.approx(best, rel=ENOUGH, abs=ENOUGH)
    assert check(instance, result.schedule).valid


@pytest.mark.parametrize("seed", range(2000, 2015))
def test_outages_alone_are_a_smaller_cluster(seed: int) -> None:
    instance = with_outages(tiny(seed), seed)
    best = optimum(instance)
    result = slotwise.solve(instance, time_limit=30)
    if result.makespan is None:
        assert not np.isfinite(best)
    else:
        assert result.makespan == pytest.approx(best, rel=ENOUGH, abs=ENOUGH)
        free = slotwise.solve(replace(instance, outages=None), time_limit=30)
        assert free.makespan <= result.makespan * (1 + ENOUGH)
