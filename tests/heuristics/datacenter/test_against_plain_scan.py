"""Compiled policies against plain ones that look at every machine and every waiting job."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_dispatch import Plain

from slotwise.heuristics.datacenter import POLICIES
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter.guide import guide

NAMES = [entry.name for entry in POLICIES if entry.name not in ("bid-price", "guided")]
"""Bid prices have a plain scan of their own, in `test_bid_price`; `guided` is one of the others."""


@st.composite
def datacenters(draw):
    configurations = draw(st.integers(1, 4))
    return generate(
        draw(st.integers(1, 5)),
        configurations,
        draw(st.integers(1, 3)),
        draw(st.integers(configurations, 30)),
        seed=draw(st.integers(0, 10**6)),
        speed=draw(st.sampled_from([(1.0, 1.0), (0.5, 2.0)])),
        allowed=draw(st.sampled_from([1.0, 0.6])),
        request=(0.02, draw(st.sampled_from([0.1, 0.25]))),
    )


@settings(max_examples=10, deadline=None)
@given(datacenters(), st.data(), st.integers(0, 1000))
def test_classes_that_do_not_need_every_resource_make_no_difference(datacenter, data, seed):
    request = datacenter.request.copy()
    for row in request[:, 1:]:
        row[:] *= data.draw(st.lists(st.booleans(), min_size=len(row), max_size=len(row)))
    datacenter = replace(datacenter, request=request)
    rate = guide(datacenter, time_limit=0.1).arrival_rate_bound
    workload = poisson(datacenter, rate, 300, seed=seed, noise=0.3)
    for name in ("fgd", "bf-js", "best-fit"):
        fast = simulate(workload, name, log=True)
        plain = Plain(workload, name).run()
        np.testing.assert_array_equal(fast.start, plain.start, err_msg=name)
        np.testing.assert_array_equal(fast.machine, plain.machine, err_msg=name)


@settings(max_examples=6, deadline=None)
@given(datacenters(), st.sampled_from([1, 2, 5, 100]), st.integers(0, 1000))
def test_a_job_that_looks_at_a_few_machines_goes_where_a_plain_scan_of_them_sends_it(
    datacenter, sample, seed
):
    plan = guide(datacenter, time_limit=0.1)
    workload = poisson(datacenter, 0.9 * plan.arrival_rate_bound, 300, seed=seed, noise=0.3)
    for name in ("lotes", "lotes-unrestricted", "best-fit", "first-fit"):
        fast = simulate(workload, name, guidance=plan, seed=seed, sample=sample, log=True)
        plain = Plain(workload, name, plan, seed, sample=sample).run()
        np.testing.assert_array_equal(fast.start, plain.start, err_msg=name)
        np.testing.assert_array_equal(fast.machine, plain.machine, err_msg=name)


@settings(max_examples=12, deadline=None)
@given(
    datacenters(),
    st.sampled_from([0.8, 0.95, 1.02, 1.3]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.integers(50, 200),
    st.integers(0, 1000),
    st.sampled_from([None, 0.0, 1.0, 30.0]),
)
def test_every_job_starts_when_and_where_a_plain_scan_starts_it(
    datacenter, load, noise, jobs, seed, gamma
):
    plan = guide(datacenter, time_limit=0.1)
    workload = poisson(datacenter, load * plan.arrival_rate_bound, jobs, seed=seed, noise=noise)
    for name in NAMES:
        fast = simulate(workload, name, guidance=plan, seed=seed, gamma=gamma, log=True)
        plain = Plain(workload, name, plan, seed, gamma).run()
        np.testing.assert_array_equal(fast.start, plain.start, err_msg=name)
        np.testing.assert_array_equal(fast.machine, plain.machine, err_msg=name)


@pytest.mark.parametrize("name", NAMES)
def test_long_queues_and_several_words_of_machines_make_no_difference(name):
    # 127 machines, three words of the largest configuration; queues that grow and close up.
    datacenter = google_2011(0.01)
    plan = guide(datacenter)
    workload = poisson(datacenter, 4 * plan.arrival_rate_bound, 2800, seed=3, noise=0.3)
    fast = simulate(workload, name, guidance=plan, log=True)
    plain = Plain(workload, name, plan).run()
    np.testing.assert_array_equal(fast.start, plain.start)
    np.testing.assert_array_equal(fast.machine, plain.machine)
    assert fast.series[:, 1].max() > 200
