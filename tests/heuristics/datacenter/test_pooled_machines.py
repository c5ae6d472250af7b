"""The reference: the same jobs on one machine that has all resources."""

import numpy as np
import pytest

from slotwise import Configuration, Datacenter, JobClass
from slotwise.heuristics.datacenter.pooled_machines import pooled, pooled_mean_wait
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.generators.lotes import google_2011
from slotwise.instances.datacenter.workload import Jobs, Workload, poisson


def workload_of(problem, *jobs):
    """Jobs given as (arrival, duration, demand)."""
    arrival, duration, demand = (
        np.array(column, dtype=float) for column in zip(*jobs, strict=True)
    )
    whole = Jobs(
        arrival, np.zeros(len(jobs), dtype=np.int64), duration, problem.in_units(demand[:, None])
    )
    return Workload(problem, len(jobs), 1.0, "by hand", lambda: iter([whole]))


def two(mean_time):
    return Datacenter.from_classes(
        "by hand",
        ["cpu"],
        [Configuration("a", 1, {"cpu": 0.5}), Configuration("b", 1, {"cpu": 0.5})],
        [JobClass("k", 1.0, mean_time, {"cpu": 0.1})],
    )


def test_jobs_are_split_over_the_machines():
    # 0.3 fits each machine once; of 1 in all, three jobs take 0.9. The fourth starts at 4 instead
    # of the third and fourth.
    jobs = workload_of(two(1.0), (0, 4, 0.3), (0, 4, 0.3), (0, 4, 0.3), (0, 4, 0.3))
    assert simulate(jobs, "first-fit").mean_wait == (4 + 4) / 4
    assert pooled_mean_wait(jobs) == 4 / 4


def test_what_does_not_fit_is_skipped():
    # At 1 0.4 is left: 0.5 waits until 4, and 0.2 does not wait.
    jobs = workload_of(two(1.0), (0, 4, 0.6), (1, 9, 0.5), (2, 9, 0.2))
    assert pooled_mean_wait(jobs) == 3 / 3


def test_jobs_take_as_long_as_on_the_fastest_configuration():
    # Durations are those on a; b is four times as fast.
    jobs = workload_of(two({"a": 4.0, "b": 1.0}), (0, 8, 0.9), (0, 8, 0.9))
    assert pooled_mean_wait(jobs) == 2 / 2


def test_a_full_start_runs_on_the_one_machine_too():
    problem = google_2011(0.005)
    jobs = poisson(problem, 20000.0, 3000, seed=1, full=True)
    assert jobs.running_at_start > 0
    assert pooled(jobs).running_at_start == jobs.running_at_start
    assert pooled_mean_wait(jobs, 0.2) == pytest.approx(0, abs=1e-9)
