"""How long a datacenter takes to fill."""

from dataclasses import replace
from math import exp, log

import numpy as np
import pytest
from make import datacenter

from slotwise import guide, poisson
from slotwise.instances.datacenter.durations import Exponential
from slotwise.instances.datacenter.steady_state import (
    LEAST_JOBS,
    MOST_JOBS,
    class_loads,
    enough_jobs,
    missing_load,
    time_to_fill,
)

EXPONENTIAL = Exponential().missing


def two_speeds(count=100):
    """Jobs of `slow` take 2 h and half a machine, those of `fast` 0.5 h and a quarter."""
    classes = {"slow": (0.5, 2, 2), "fast": (0.5, 0.5, 1)}
    return datacenter("cpu", {"m": (count, 4)}, classes)


def test_missing_load_by_hand():
    # After 1 h: e^(-1/2) of the slow load, e^(-2) of the fast. Half of the arrivals each: 2 h * 2
    # cpus against 0.5 h * 1 cpu, 8 to 1.
    mean = np.array([2.0, 0.5])
    load = class_loads(two_speeds(), np.array([0.5, 0.5]), mean)
    assert load[0] / load[1] == pytest.approx(8)
    part = missing_load(EXPONENTIAL, 1.0, mean, load)
    assert part == pytest.approx((8 * exp(-0.5) + exp(-2)) / 9)
    assert missing_load(EXPONENTIAL, 0.0, mean, load) == pytest.approx(1)
    none = missing_load(EXPONENTIAL, 1.0, np.array([2.0, 0.0]), np.array([1.0, 0.0]))
    assert none == pytest.approx(exp(-0.5))  # a class of which no job came


def test_the_missing_load_is_that_of_drawn_jobs():
    """The jobs of 40 h: those that run at 40 h, and would if all were started at once."""
    jobs = poisson(two_speeds(), 3000.0, 120_000, seed=0).whole()
    begun = jobs.arrival >= 40 - 1.5  # the datacenter was empty 1.5 h ago
    runs = (jobs.arrival <= 40) & (jobs.arrival + jobs.duration > 40)
    weight = np.array([2.0, 1.0])[jobs.job_class]
    seen = weight[runs & ~begun].sum() / weight[runs].sum()
    expected = (8 * exp(-1.5 / 2) + exp(-1.5 / 0.5)) / 9
    assert seen == pytest.approx(expected, abs=0.03)


def test_time_to_fill():
    one = np.array([3.0])
    assert time_to_fill(EXPONENTIAL, one, one) == pytest.approx(21, rel=2e-3)
    # 8/9 of the load is slow: 8/9 e^(-t/2) = e^-7, the fast part is gone by then.
    both = time_to_fill(EXPONENTIAL, np.array([2.0, 0.5]), np.array([8.0, 1.0]))
    assert both == pytest.approx(2 * (7 + log(8 / 9)), rel=2e-3)
    assert time_to_fill(lambda time: 0.5, one, one) == np.inf
    assert time_to_fill(lambda time: 0.0, one, one) <= 3


def test_enough_jobs():
    problem = two_speeds()
    assert enough_jobs(problem, 10.0) == LEAST_JOBS
    assert enough_jobs(problem, 1e9) == MOST_JOBS
    filled = 2 * (7 + log(8 / 9))
    assert enough_jobs(problem, 1e5) == pytest.approx(1e5 * filled * 37 / 7, rel=2e-3)
    half = replace(problem, share=problem.share / 2)
    assert enough_jobs(half, 2e5) == enough_jobs(problem, 1e5)


def test_jobs_are_expected_where_the_plan_runs_them():
    # On the first configuration a job takes ten times as long; no machine is left of it.
    machines = {"old": (0, 1), "new": (100, 1)}
    problem = datacenter("cpu", machines, {"k": (1, {"old": 10.0, "new": 1.0}, 0.5)})
    assert enough_jobs(problem, 2e4, guide(problem)) == pytest.approx(2e4 * 37, rel=2e-3)
    assert enough_jobs(problem, 2e4) == pytest.approx(2e4 * 370, rel=2e-3)
