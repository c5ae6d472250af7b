"""The plug-in, against slotwise's checker and its exact methods."""

from slotwise_longest_first.bound import longest_job
from slotwise_longest_first.heuristic import longest_job_first
from slotwise_longest_first.method import swap_jobs

import slotwise


def test_the_heuristic_keeps_the_rules() -> None:
    for seed in range(20):
        instance = slotwise.generate("ljr-small", seed=seed)
        assert slotwise.check(instance, longest_job_first(instance)).valid


def test_the_bound_is_never_above_the_optimum() -> None:
    for seed in range(10):
        instance = slotwise.generate("ljr-small", seed=seed)
        assert longest_job(instance) <= slotwise.solve(instance, time_limit=10).makespan


def test_the_method_never_makes_it_longer() -> None:
    instance = slotwise.generate("ljr-small", seed=3)
    alone = slotwise.heuristic(instance, longest_job_first)
    both = slotwise.solve(instance, heuristics=longest_job_first, methods=swap_jobs)
    assert both.makespan <= alone.makespan


def test_slotwise_lists_it() -> None:
    assert "longest-job-first" in slotwise.registry("heuristics").names
    comparison = slotwise.gap(slotwise.generate("ljr-small", seed=1), time_limit=10)
    assert "longest-job-first" in [result.method for result in comparison.heuristics]
