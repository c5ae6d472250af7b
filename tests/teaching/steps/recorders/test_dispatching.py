"""Steps of dispatching policies: the same starts as the simulator, and reasons that hold."""

from dataclasses import replace

import numpy as np
import pytest
import step_checks

import slotwise
from slotwise.core.errors import InputError
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.generators.lotes import generate
from slotwise.instances.datacenter.guidance import ClassPrices, Guidance
from slotwise.instances.datacenter.workload import Jobs, Workload, poisson
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
@pytest.mark.parametrize("instances", [12, pytest.param(150, marks=pytest.mark.slow)])
def test_every_job_starts_when_and_where_the_compiled_policy_starts_it(name, instances):
    waited = 0
    for seed in range(instances):
        rng = np.random.default_rng((seed, 7))
        own = some_datacenter(rng)
        plan = some_plan(own, rng) if name in PLANNED else None
        workload = crowded(own, rng)
        given = {"trace": workload, "seed": seed} | ({"guidance": plan} if plan else {})
        steps = slotwise.steps(own, name, **given)
        seen = simulate(workload, name, guidance=plan, seed=seed, log=True)
        np.testing.assert_array_equal(steps.outcome.start, seen.start)
        np.testing.assert_array_equal(steps.outcome.machine, seen.machine)
        assert contradictions(steps) == []
        if seed % 20 < 2:
            step_checks.numbers_are_in_the_step(steps)
        waited += sum(step.kind == "start" for step in steps.steps)
    assert waited > 5 * instances


def jobs_at(datacenter, *jobs):
    """Jobs as (arrival, class, duration), each with the request of its class."""
    arrival, job_class, duration = (np.array(column) for column in zip(*jobs, strict=True))
    demand = datacenter.request_units[job_class]
    whole = Jobs(arrival.astype(float), job_class, duration.astype(float), demand)
    return Workload(datacenter, len(jobs), float(arrival[-1]), "by hand", lambda: iter([whole]))


def plan_of(datacenter, bins, **more):
    """A plan in which each machine of a configuration has the bin given for it."""
    return Guidance(
        datacenter=datacenter,
        arrival_rate=1.0,
        arrival_rate_bound=1.0,
        bin_configuration=np.arange(len(bins)),
        bin_machines=datacenter.count,
        bin_jobs=np.array(bins),
        **more,
    )


def test_a_job_goes_where_it_takes_the_least_worth_of_room():
    # Worth of room, both times 1: V(10) 10, V(8) 8, V(7) 6, V(5) 5, V(2) 0. A job b of 3 costs 4
    # on 10 free, 3 on 8 and 5 on 5.
    machines = [Configuration(f"m{size}", 1, {"cores": size}) for size in (10, 8, 5)]
    classes = [JobClass("a", 0.05, 1.0, {"cores": 5}), JobClass("b", 0.25, 1.0, {"cores": 3})]
    own = Datacenter.from_classes("three", ["cores"], machines, classes)
    prices = ClassPrices(np.array([5.0, 3.0]), np.ones((2, 3), dtype=bool), draws=0)
    plan = plan_of(own, [[0, 0]] * 3, class_prices=prices)
    given = {"trace": jobs_at(own, (0, 1, 1)), "guidance": plan}
    (step,) = slotwise.steps(own, "bid-price", **given).steps
    takes = {one.label: one.facts["takes"] for one in step.candidates}
    assert takes == pytest.approx({"m8/0": 3, "m10/0": 4, "m5/0": 5})
    assert (step.candidates[step.chosen].label, step.candidates[step.loser].label) == (
        "m8/0", "m5/0",
    )  # fmt: skip
    assert "takes room worth 3 of the 3 that it brings" in step.text
    assert "Best fit would take m5/0 (cost 5)." in step.text


def test_lotes_follows_bins_and_starts_what_they_lack_most():
    machines = [Configuration("m", 2, {"cores": 3})]
    classes = [JobClass(name, 0.5, 1.0, {"cores": 1}) for name in "ab"]
    own = Datacenter.from_classes("two", ["cores"], machines, classes)
    plan = replace(
        plan_of(own, [[0, 0]]),
        bin_configuration=np.array([0, 0]),
        bin_machines=np.array([1, 1]),
        bin_jobs=np.array([[2, 1], [1, 2]]),
    )
    # Six long jobs fill both machines by their bins; one b and one a wait; an a leaves.
    filling = [(0.0, k, 10.0) for k in (1, 1, 0, 0, 0)] + [(0.5, 1, 1.0)]
    waiting = [(1.0, 0, 1.0), (1.1, 1, 1.0)]
    given = {"trace": jobs_at(own, *filling, *waiting), "guidance": plan}
    steps = slotwise.steps(own, "lotes", **given)
    assert [step.kind for step in steps.steps] == ["place"] * 6 + ["wait"] * 2 + ["start"] * 2
    first = steps.steps[0]
    assert steps.lanes[first.rows[0].slot] == "m/1"
    assert "m/1 has the highest score, 2. m/0 comes next with 1." in first.text
    assert "m/1 has 2 of the class in its bin, 0 running." in first.text
    assert "First fit would take m/0 (score 1)." in first.text
    assert (first.chosen, first.loser) == (0, 1)
    left = steps.steps[8]
    assert left.title.endswith("job 6 leaves m/1: job 8 starts")
    assert "First fit would start job 7 (a), which came earlier and fits." in left.text
    assert left.facts["has waited"] == pytest.approx(0.4)


def test_too_large_a_datacenter_is_refused_with_what_would_do():
    with pytest.raises(InputError, match="at most 60 machines, here are 12583: --scale 0"):
        slotwise.steps(slotwise.read("example:google-2011"), "lotes")
    with pytest.raises(InputError, match="at most 400 jobs, here are 401"):
        slotwise.steps(slotwise.read("example:four-machines"), "first-fit", jobs=401)
