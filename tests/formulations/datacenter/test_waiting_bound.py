"""The lower bound on waiting: by hand, and against every policy."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from make import datacenter, workload_of

from slotwise.formulations.datacenter.waiting_bound import waiting_bound
from slotwise.heuristics.datacenter import POLICIES
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.generators.lotes import generate
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter.guide import guide


def by_hand(machines, *jobs):
    """Jobs of (arrival, duration, cpu) on machines of 1 cpu; those of the class need 0.6."""
    problem = datacenter("cpu", {"c": (machines, 1)}, {"k": (1, 1, 0.6)})
    return workload_of(problem, *((arrival, 0, duration, cpu) for arrival, duration, cpu in jobs))


def test_jobs_that_cannot_run_at_the_same_time_wait():
    # From 1 to 2 two jobs of 1.0 must be there, and one machine is: one waits for that time.
    workload = by_hand(1, (0, 2, 1.0), (1, 2, 1.0))
    assert waiting_bound(workload).mean_wait == pytest.approx(0.5, rel=1e-6)
    # Which the second job does: from 1 to 2.
    assert simulate(workload, "first-fit").mean_wait == 0.5


def test_the_most_valuable_wait_first_and_fractions_count():
    # 0 to 1: 0.9 + 0.5 on 1.0; 0.4 too much, of which the job of 0.9 makes up 0.4 / 0.9 of itself.
    workload = by_hand(1, (0, 1, 0.9), (0, 1, 0.5))
    assert waiting_bound(workload).mean_wait == pytest.approx(0.4 / 0.9 / 2, rel=1e-6)


def test_without_contention_there_is_no_bound():
    assert waiting_bound(by_hand(2, (0, 1, 0.9), (0, 1, 0.5), (2, 1, 1.0))).mean_wait == 0.0


def test_bins_see_that_parts_of_machines_do_not_add_up():
    # Three jobs of 0.6 on two machines: 1.8 of 2.0 cpu, but a machine holds one job of 0.6.
    workload = by_hand(2, (0, 1, 0.6), (0, 1, 0.6), (0, 1, 0.6))
    assert waiting_bound(workload).mean_wait == 0.0
    bound = waiting_bound(workload, guide(workload.datacenter))
    assert bound.by == "bins"
    assert bound.mean_wait == pytest.approx(1 / 3, rel=1e-6)
    assert simulate(workload, "first-fit").mean_wait == pytest.approx(1 / 3)


def test_no_order_of_few_jobs_waits_less():
    # One machine that holds one job at a time: all orders can be tried, and each starts as soon as
    # it can; the least sum of waits is that of the best.
    rng = np.random.default_rng(4)
    plan = guide(by_hand(1, (0, 1, 0.6)).datacenter)
    for _ in range(20):
        jobs = sorted((int(a), int(d)) for a, d in rng.integers(0, 5, (5, 2)))
        waits = []
        for order in permutations(jobs):
            now, wait = 0, 0
            for arrival, duration in order:
                wait += max(now, arrival) - arrival
                now = max(now, arrival) + duration
            waits.append(wait)
        bounds = waiting_bound(by_hand(1, *((*job, 0.6) for job in jobs)), plan).all
        assert len(bounds) == 3
        assert 5 * max(bounds.values()) <= min(waits)


@settings(max_examples=8, deadline=None)
@given(
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(0, 10**6),
    st.sampled_from([0.9, 1.3, 3.0]),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([(1.0, 1.0), (0.5, 2.0)]),
)
def test_no_policy_waits_less(classes, configurations, resources, seed, load, noise, speed):
    problem = generate(
        classes,
        configurations,
        resources,
        configurations + seed % 5,
        seed=seed,
        speed=speed,
        allowed=0.7,
        request=(0.1, 0.25),
    )
    plan = guide(problem, time_limit=0.1)
    workload = poisson(problem, load * plan.arrival_rate_bound, 300, seed=seed, noise=noise)
    bound = waiting_bound(workload, plan)
    assert bound.mean_wait == max(bound.all.values())
    for entry in POLICIES:
        if entry.name == "guided":  # one of the others
            continue
        seen = simulate(workload, entry.name, guidance=plan)
        assert bound.mean_wait <= seen.mean_wait * (1 + 1e-9), entry.name


def test_under_heavy_load_the_bound_is_near_what_policies_reach():
    """One resource and equal small jobs: little is lost, and the bound sees most of the waiting."""
    problem = datacenter("cpu", {"c": (10, 1)}, {"k": (1, 1, 0.25)})
    plan = guide(problem)
    workload = poisson(problem, 1.2 * plan.arrival_rate_bound, 2000, seed=0)
    bound = waiting_bound(workload, plan).mean_wait
    wait = simulate(workload, "first-fit").mean_wait
    assert 0.02 * wait < bound <= wait
