"""The reason for one decision of a simulation."""

import numpy as np
import pytest

from slotwise.core.errors import InputError
from slotwise.heuristics.datacenter.explanation import explain_arrival
from slotwise.heuristics.datacenter.live.dispatcher import POLICIES
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.generators.lotes import generate
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter.guide import guide


@pytest.fixture(scope="module")
def crowded():
    """A plan, and more jobs than it can carry."""
    plan = guide(generate(3, 3, 2, 12, seed=3, speed=(0.5, 2.0)))
    return plan, poisson(plan.datacenter, 1.5 * plan.arrival_rate_bound, 400, seed=2, noise=0.3)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_reason_is_for_what_the_simulator_did(crowded, policy):
    plan, workload = crowded
    seen = simulate(workload, policy, guidance=plan, seed=7, log=True)
    arrival = workload.whole().arrival
    data = plan.datacenter
    first = np.cumsum([0, *data.count])
    waited = 0
    for number in (1, 2, 30, 90, 150, 250, 399, 400):
        found = explain_arrival(workload, policy, number, guidance=plan, seed=7)
        assert found.time == arrival[number - 1]
        if seen.start[number - 1] > found.time:
            waited += 1
            assert found.reason.machine is None
            assert "waits" in found.reason.text
        else:
            m = seen.machine[number - 1]
            j = data.configuration_of[m]
            assert found.reason.machine == f"{data.configurations[j]}/{m - first[j]}"
    assert 0 < waited < 8


def test_best_fit_needs_no_plan(crowded):
    _, workload = crowded
    assert explain_arrival(workload, "best-fit", 3).reason.room > 0


def test_what_cannot_be_explained(crowded):
    plan, workload = crowded
    for policy, number, message in (
        ("tetris", 1, "policy 'tetris' is none of lotes"),
        ("lotes", 0, "need an arrival from 1 to 400, got 0"),
        ("lotes", 401, "need an arrival from 1 to 400, got 401"),
    ):
        with pytest.raises(InputError, match=message):
            explain_arrival(workload, policy, number, guidance=plan)
