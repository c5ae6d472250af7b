"""A datacenter that begins in its steady state."""

import numpy as np
import pytest

from slotwise import Configuration, Datacenter, JobClass, Policy
from slotwise.heuristics.datacenter.engine.columns import FIRST_IN_USE, JOBS_RUNNING, JOBS_WAITING
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.durations import Constant, Exponential, Lognormal
from slotwise.instances.datacenter.generators.lotes import google_2011
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.instances.datacenter.workload import Workload, poisson
from slotwise.solvers.datacenter.guide import guide

PROBLEM = google_2011(0.02)
PLAN = guide(PROBLEM)


@pytest.mark.parametrize("law", [Exponential(), Lognormal(5.0), Constant()], ids=str)
def test_as_many_jobs_run_at_the_beginning_as_in_the_middle_and_at_the_end(law):
    """At half load nobody waits, and the number that run is a Poisson number at any time."""
    rate = 0.5 * PLAN.arrival_rate_bound
    running = []
    for seed in range(4):
        workload = poisson(PROBLEM, rate, 20_000, seed=seed, durations=law, full=True)
        series = simulate(workload, "first-fit").series
        assert not series[:, JOBS_WAITING].any()
        assert series[0, JOBS_RUNNING] == workload.running_at_start
        running.append(series[[0, len(series) // 2, -1], JOBS_RUNNING])
    mean = rate * float(PROBLEM.share @ PROBLEM.mean_time[:, 0])
    np.testing.assert_allclose(np.mean(running, axis=0), mean, atol=4 * np.sqrt(mean / 4))


def test_with_different_speeds_it_is_the_steady_state_of_the_plan():
    """Each class has machines on which it runs faster; the plan gives it those."""
    problem = Datacenter.from_classes(
        "two speeds",
        ["cpu", "mem"],
        [
            Configuration("first", 100, {"cpu": 1.0, "mem": 0.6}),
            Configuration("second", 100, {"cpu": 0.8, "mem": 1.0}),
        ],
        [
            JobClass("a", 0.6, {"first": 1.0, "second": 9.0}, {"cpu": 0.11, "mem": 0.05}),
            JobClass("b", 0.4, {"first": 9.0, "second": 1.5}, {"cpu": 0.05, "mem": 0.2}),
        ],
    )
    bins = np.array([[9, 0], [0, 4]])
    plan = Guidance(problem, 400.0, 400.0, np.arange(2), np.full(2, 100), bins)
    rate = 300.0
    running = []
    for seed in range(4):
        workload = poisson(problem, rate, 10_000, seed=seed, full=True, plan=plan)
        series = simulate(workload, "lotes", guidance=plan).series
        assert not series[:, JOBS_WAITING].any()
        running.append(series[[0, len(series) // 2, -1], JOBS_RUNNING])
    mean = rate * (0.6 * 1.0 + 0.4 * 1.5)
    np.testing.assert_allclose(np.mean(running, axis=0), mean, atol=4 * np.sqrt(mean / 4))


def merged(workload):
    """The same jobs, with those that run at time 0 as the first arrivals."""
    jobs = [np.concatenate(pair) for pair in zip(workload.running, workload.whole(), strict=True)]
    whole = type(workload.running)(*jobs)
    return Workload(PROBLEM, len(jobs[0]), workload.horizon, "merged", lambda: iter([whole]))


@pytest.mark.parametrize("load", [0.9, 1.1])
@pytest.mark.parametrize("policy", ["best-fit", "tetris"])
def test_they_are_placed_as_arrivals_and_not_measured(policy, load):
    """Above load 1 some of them wait at time 0, and the others behind them."""
    workload = poisson(PROBLEM, load * PLAN.arrival_rate_bound, 3000, seed=1, full=True, noise=0.3)
    first = workload.running_at_start
    seen = simulate(workload, policy, log=True, warm_up=0.5)
    whole = simulate(merged(workload), policy, log=True)
    np.testing.assert_array_equal(seen.start, whole.start[first:])
    np.testing.assert_array_equal(seen.machine, whole.machine[first:])
    assert (whole.start[:first] > 0).any() or load < 1
    assert (seen.all_jobs, seen.measured) == (3000, 1500)
    waits = seen.start - workload.whole().arrival
    assert seen.mean_wait_of_all == pytest.approx(waits.mean())
    assert seen.mean_wait == pytest.approx(waits[1500:].mean())
    assert seen.events == whole.events
    assert seen.series[:-1, 4].sum() <= 3000
    document = seen.document()
    assert (document["start"], document["running_at_start"]) == ("full", first)
    assert whole.document()["start"] == "empty"


def test_use_is_there_from_the_first_sample():
    workload = poisson(PROBLEM, 0.5 * PLAN.arrival_rate_bound, 1000, seed=0, full=True)
    seen = simulate(workload, "lotes", guidance=PLAN)
    used = seen.workload.running.demand.sum(axis=0)
    np.testing.assert_allclose(seen.series[0, FIRST_IN_USE:], used)


def test_a_policy_in_python_sees_them_with_numbers_below_0():
    numbers = []

    class Recorder(Policy):
        def arrive(self, job):
            numbers.append(job.number)
            self.start(job, next(self.with_room(job)))

        def depart(self, job):
            assert 0 <= self.draw(job) < 1

    workload = poisson(PROBLEM, 0.2 * PLAN.arrival_rate_bound, 50, seed=0, full=True)
    simulate(workload, Recorder)
    assert numbers == list(range(-workload.running_at_start, 50))
