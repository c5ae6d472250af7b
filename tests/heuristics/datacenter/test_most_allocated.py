"""kube-scheduler's strategy MostAllocated in the simulator."""

import numpy as np
import pytest

from slotwise import Configuration, Datacenter, JobClass
from slotwise.heuristics.datacenter.policies.most_allocated import MOST_ALLOCATED
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.guidance import Guidance, Prices
from slotwise.instances.datacenter.workload import Jobs, Workload


def plan_of(cpu, gpu):
    """A small node and a large one; how the limit is divided between the resources is given."""
    data = Datacenter.from_classes(
        "d",
        ["cpu", "gpu"],
        [
            Configuration("small", 1, {"cpu": 10.0, "gpu": 2.0}),
            Configuration("large", 1, {"cpu": 20.0, "gpu": 2.0}),
        ],
        [JobClass("k", 1.0, 1.0, {"cpu": 1.0})],
    )
    ones = np.ones(2)
    prices = Prices(np.array([[cpu, gpu], [0.0, 0.0]]), np.ones(1), ones, ones)
    bins = np.array([0, 1]), np.array([1, 1]), np.array([[1], [1]])
    return Guidance(data, 2.0, 2.0, *bins, prices=prices)


def started(plan, *jobs):
    """When and where jobs of (duration, cpu, gpu) start that arrive at 0, 1, and so on."""
    data = plan.datacenter
    duration, *demand = (np.array(column, dtype=float) for column in zip(*jobs, strict=True))
    arrival, k = np.arange(len(jobs), dtype=float), np.zeros(len(jobs), dtype=np.int64)
    whole = Jobs(arrival, k, duration, data.in_units(np.stack(demand, axis=1)))
    workload = Workload(data, len(jobs), 1.0, "by hand", lambda: iter([whole]))
    run = simulate(workload, MOST_ALLOCATED, guidance=plan, log=True)
    return list(zip(run.start.tolist(), run.machine.tolist(), strict=True))


# The first job fills the small node to 80 % of its cpus (40 % of the large one's). The second fits
# only the large one, with 55 % of its cpus and 50 % of its GPUs.
FIRST = (90, 8, 0), (90, 11, 1)


@pytest.mark.parametrize(
    ("weights", "third"),
    [
        # On the small node 90 % and 50 % would be in use, on the large one 60 % and 100 %. Cpu
        # alone: 90 against 60.
        ((1.0, 0.0), 0),
        # Cpu has weight 1: (90 + 5000) / 101 = 50 against (60 + 10000) / 101 = 99.
        ((0.0, 1.0), 1),
    ],
)
def test_a_job_goes_where_most_is_used_by_the_weights(weights, third):
    # A job without GPUs looks at cpus alone, whatever a GPU weighs: 90 or 100 against 65 or 60.
    seen = started(plan_of(*weights), *FIRST, (90, 1, 1), (90, 1, 0))
    assert seen == [(0.0, 0), (1.0, 1), (2.0, third), (3.0, 0)]


def test_jobs_wait_in_order_and_what_does_not_fit_is_skipped():
    # At 2 no node has 10 cpus; at 3 the small one has 2. The large one ends its job at 5.
    seen = started(plan_of(1.0, 0.0), (90, 8, 0), (4, 19, 0), (90, 10, 0), (90, 2, 0))
    assert seen == [(0.0, 0), (1.0, 1), (5.0, 1), (3.0, 0)]


def test_ties_are_broken_at_random():
    plan = plan_of(1.0, 0.0)
    # Both nodes stay at 0 % in whole hundredths.
    places = {where for _, where in started(plan, *[(90, 0.001, 0)] * 40)}
    assert places == {0, 1}
