"""Steps of dispatching policies: the same starts as the simulator, and reasons that hold."""

from dataclasses import replace

import numpy as np
import pytest
import step_checks

import slotwise
from slotwise.heuristics.dispatch.simulator import simulate
from slotwise.instances.datacenter.guidance import ClassPrices, Guidance
from slotwise.instances.datacenter.workload import poisson
from slotwise.instances.generators.lotes import generate
from slotwise.teaching.steps.steps_file import contradictions

POLICIES = ("lotes", "lotes-unrestricted", "bid-price", "first-fit", "best-fit", "tetris")
PLANNED = ("lotes", "lotes-unrestricted", "bid-price")


def some_datacenter(rng):
    configurations = int(rng.integers(1, 4))
    datacenter = generate(
        int(rng.integers(1, 5)),
        configurations,
        int(rng.integers(1, 4)),
        int(rng.integers(configurations, 9)),
        seed=int(rng.integers(10**6)),
        speed=((1.0, 1.0), (0.5, 2.0))[rng.integers(2)],
        allowed=(1.0, 0.6)[rng.integers(2)],
        request=(0.05, 0.25),
    )
    # Some classes do without some resources.
    request = datacenter.request.copy()
    request[:, 1:] *= rng.random(request[:, 1:].shape) < 0.8
    return replace(datacenter, request=request)


def some_plan(datacenter, rng):
    """A plan that no planner would make: any bins, any prices, classes that belong anywhere."""
    can_run = np.isfinite(datacenter.mean_time)
    classes = len(datacenter.classes)
    configuration, machines, jobs = [], [], []
    for j, count in enumerate(datacenter.count.tolist()):
        while count:
            some = int(rng.integers(1, count + 1))
            configuration.append(j)
            machines.append(some)
            jobs.append(rng.integers(0, 4, classes) * can_run[:, j] * (rng.random(classes) < 0.7))
            count -= some
    value = rng.random(classes) * (rng.random(classes) < 0.8)
    value[rng.integers(classes)] = 1.0
    value /= datacenter.share @ value
    belongs = can_run & (rng.random(can_run.shape) < 0.7)
    for k in np.flatnonzero(~belongs.any(axis=1)):
        belongs[k] = can_run[k]
    spread = float(rng.choice([0.0, 0.1, 0.3]))
    return Guidance(
        datacenter=datacenter,
        arrival_rate=1.0,
        arrival_rate_bound=1.0,
        bin_configuration=np.array(configuration),
        bin_machines=np.array(machines),
        bin_jobs=np.array(jobs),
        class_prices=ClassPrices(value, belongs, spread, draws=int(rng.integers(0, 3))),
    )


def crowded(datacenter, rng, jobs=40):
    """Jobs of which about a half have to wait."""
    room = (datacenter.capacity * datacenter.count[:, None]).sum(axis=0)
    mean = np.nanmin(np.where(np.isfinite(datacenter.mean_time), datacenter.mean_time, np.nan), 1)
    work = (datacenter.share * mean) @ datacenter.request / datacenter.share.sum()
    rate = 1.3 * float((room[work > 0] / work[work > 0]).min())
    noise = float(rng.choice([0.0, 0.3, 1.0]))
    seed = int(rng.integers(10**6))
    return poisson(datacenter, rate, jobs, seed=seed, noise=noise, batch=int(rng.integers(0, 20)))


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("instances", [15, pytest.param(400, marks=pytest.mark.slow)])
def test_every_job_starts_when_and_where_the_compiled_policy_starts_it(name, instances):
    waited = 0
    for seed in range(instances):
        rng = np.random.default_rng((seed, 7))
        datacenter = some_datacenter(rng)
        plan = some_plan(datacenter, rng) if name in PLANNED else None
        workload = crowded(datacenter, rng)
        given = {"trace": workload, "seed": seed} | ({"guidance": plan} if plan else {})
        steps = slotwise.steps(name, datacenter, parameters=given)
        seen = simulate(workload, name, guidance=plan, seed=seed, log=True)
        np.testing.assert_array_equal(steps.outcome.start, seen.start)
        np.testing.assert_array_equal(steps.outcome.machine, seen.machine)
        assert contradictions(steps) == []
        if seed % 20 < 2:
            step_checks.numbers_are_in_the_step(steps)
        waited += sum(step.kind == "start" for step in steps.steps)
    assert waited > 5 * instances
