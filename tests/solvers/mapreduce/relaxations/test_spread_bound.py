"""The method of the linear program over intervals: bounds that hold, declines, limits."""

from dataclasses import replace

from racing import all_heuristics, raced

from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import Schedule
from slotwise.solvers.mapreduce.branch_and_bound.search import branch_and_bound_method
from slotwise.solvers.mapreduce.relaxations.linear_programs import spread_bound_method
from slotwise.solvers.mapreduce.result import MethodOutcome


def best_of(instance: Instance) -> tuple[Schedule, float]:
    """The best schedule of the heuristics and the best closed-form bound."""
    best = min(all_heuristics(instance), key=lambda result: result.makespan)
    return best.schedule, best_lower_bound(instance)[0]


def bounded(instance: Instance, **options) -> MethodOutcome:
    return raced(spread_bound_method, instance, *best_of(instance), **options)


def test_never_above_a_proven_optimum() -> None:
    compared = 0
    for seed in range(14):
        instance = small(5, 3, seed=seed, max_maps=3, max_reduces=2)
        instance = replace(instance, output_ratio=instance.output_ratio * (1 + 9 * (seed % 2)))
        start, closed = best_of(instance)
        exact = raced(branch_and_bound_method, instance, start, closed, time_limit=20.0)
        best = (exact.schedule or start).makespan
        if max(exact.lower_bound or 0.0, closed) < best * (1 - 1e-6):
            continue
        outcome = bounded(instance)
        if outcome.lower_bound is not None:
            assert closed <= outcome.lower_bound <= best * (1 + 1e-9), seed
            compared += 1
    assert compared > 2


def test_a_shorter_schedule_of_somebody_else_raises_the_bound() -> None:
    instance = generate(15, 15, seed=2, map_slots=8)
    steps = []
    start, closed = best_of(instance)
    outcome = bounded(instance, on_progress=steps.append)
    assert outcome.schedule is None
    assert outcome.proof == "spread-bound LP (HiGHS)"
    assert outcome.lower_bound > closed
    assert steps[-1].bound == outcome.lower_bound
    bounds = [step.bound for step in steps]
    assert bounds == sorted(bounds)
    better = []
    bounded(instance, told=(closed + start.makespan) / 2, on_progress=better.append)
    assert better[1].bound >= bounds[1]
