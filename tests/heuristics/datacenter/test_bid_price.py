"""Bid prices: by hand, against a plain scan, and no job that is left behind."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from make import workload_of
from plain_bid_price import PlainBidPrice

from slotwise import Configuration, Datacenter, JobClass
from slotwise.core.errors import InputError
from slotwise.heuristics.datacenter import policy_state
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.generators.lotes import generate, google_2011
from slotwise.instances.datacenter.guidance import ClassPrices, Guidance
from slotwise.instances.datacenter.workload import poisson
from slotwise.solvers.datacenter.guide import guide
from slotwise.solvers.datacenter.prices import with_spread


def cores(*capacities, times=None, requests=(5, 3)):
    """A machine of each capacity, a configuration each; classes a, b, ... by their requests."""
    names = [f"c{j}" for j in range(len(capacities))]
    times = times or dict.fromkeys(names, 1.0)
    return Datacenter.from_classes(
        "by hand",
        ["cores"],
        [Configuration(n, 1, {"cores": c}) for n, c in zip(names, capacities, strict=True)],
        [
            JobClass(chr(ord("a") + k), 1 / len(requests), times, {"cores": request})
            for k, request in enumerate(requests)
        ],
    )


def priced(problem, value, *, bins=None, belongs=None, spread=0.0, draws=0):
    """A plan with these prices and one bin for each configuration; V alone is the worth of room."""
    shape = problem.mean_time.shape
    return Guidance(
        datacenter=problem,
        arrival_rate=1.0,
        arrival_rate_bound=1.0,
        bin_configuration=np.arange(shape[1]),
        bin_machines=problem.count,
        bin_jobs=np.zeros(shape[::-1], dtype=np.int64) if bins is None else np.array(bins),
        class_prices=ClassPrices(
            np.array(value, dtype=float),
            np.ones(shape, dtype=bool) if belongs is None else np.array(belongs, dtype=bool),
            spread,
            draws,
        ),
    )


def placed(problem, plan, *jobs):
    seen = simulate(workload_of(problem, *jobs), "bid-price", guidance=plan, log=True)
    return seen.machine.tolist(), seen.start.tolist()


# By hand


def test_a_job_goes_where_the_room_that_it_takes_is_worth_least():
    # V(10) = 10, V(8) = 8, V(7) = 6, V(5) = 5, V(2) = 0. A job b costs 10 - V(7) = 4 where 10 are
    # free, 8 - V(5) = 3 where 8 are, 5 - V(2) = 5 where 5 are.
    problem = cores(10, 8, 5)
    job = 0, 1, 1, 3
    assert placed(problem, priced(problem, [5, 3]), job) == ([1], [0])
    full = simulate(workload_of(problem, job), "best-fit", log=True)
    assert full.machine.tolist() == [2]


def test_what_it_takes_is_paid_for_as_long_as_it_runs():
    # c1 does everything at half the speed: V is half as large, and the job runs twice as long.
    # Room for b costs 1 (5 - V(2)) = 5 on c0 and 2 (8 - V(5)) / 2 = 3 on c1.
    problem = cores(5, 8, times={"c0": 1.0, "c1": 2.0})
    assert placed(problem, priced(problem, [5, 3]), (0, 1, 1, 3))[0] == [1]
    # Of the same size, both cost the same, though c0 has the lower number: c1 has less free.
    problem = cores(5, 5, times={"c0": 1.0, "c1": 2.0})
    assert placed(problem, priced(problem, [5, 3]), (0, 1, 1, 3), (0, 1, 1, 3))[0] == [0, 1]


def test_a_job_that_a_bin_lacks_costs_less_there():
    # 0.3 of the median price 4 less: 4 - 1.2 < 3 on c0, but not if its bin has no b.
    problem = cores(10, 8)
    for bins, place in (([[0, 1], [0, 0]], 0), ([[2, 0], [0, 0]], 1), ([[0, 1], [0, 1]], 1)):
        plan = priced(problem, [5, 3], bins=bins)
        assert placed(problem, plan, (0, 1, 1, 3))[0] == [place]
        # Demands that vary this much tell nothing of bins.
        vague = priced(problem, [5, 3], bins=bins, spread=0.3)
        assert placed(problem, vague, (0, 1, 1, 3))[0] == [1]


def test_of_machines_alike_the_lowest_that_lacks_the_class_takes_the_job():
    problem = cores(10, requests=(5, 3)).with_count(np.array([4]))
    plan = priced(problem, [5, 3], bins=[[2, 0]])
    plan = replace(
        plan,
        bin_configuration=np.array([0, 0]),
        bin_machines=np.array([2, 2]),
        bin_jobs=np.array([[2, 0], [0, 3]]),
    )
    assert placed(problem, plan, (0, 1, 1, 3))[0] == [2]
    assert placed(problem, plan, (0, 0, 1, 5))[0] == [0]


def test_while_jobs_wait_a_job_goes_only_where_its_class_belongs():
    # b belongs on c0. Nobody waits: it goes to c1, where it costs less. While an a of 9 waits it
    # goes to c0, and waits once that is full; one of 9 cores belongs nowhere that it fits.
    problem = cores(5, 10, 10)
    plan = priced(problem, [5, 3], belongs=[[1, 1, 1], [1, 0, 0]])
    jobs = [(0, 1, 9, 3), (1, 0, 9, 9), (2, 0, 9, 9), (3, 1, 9, 3), (4, 1, 1, 3), (5, 1, 1, 9)]
    where, start = placed(problem, plan, *jobs)
    assert where[:4] == [1, 2, 1, 0]
    assert start[:4] == [0, 1, 9, 3]
    # The job of 9 gets the machine that the one of 2 leaves first; b of 3 waits for c0.
    assert (where[4], start[4]) == (0, 12)
    assert (where[5], start[5]) == (2, 10)


def test_on_an_exit_classes_that_the_bin_lacks_come_first_then_all():
    # The bin has two b. When the first job leaves 10 cores, b starts twice before the a that came
    # first; the a does not fit any more, and a third b does.
    problem = cores(10)
    plan = priced(problem, [5, 3], bins=[[0, 2]])
    late = [(1, 0, 1, 5), (2, 1, 1, 3), (3, 1, 1, 3), (4, 1, 1, 3)]
    assert placed(problem, plan, (0, 0, 9, 10), *late)[1] == [0, 10, 9, 9, 9]
    # Without a bin for b: in order of arrival.
    plan = priced(problem, [5, 3], bins=[[2, 0]])
    assert placed(problem, plan, (0, 0, 9, 10), *late)[1] == [0, 9, 9, 10, 10]


# Against a plain scan


def random_run(draw):
    """A workload and a plan."""
    configurations = draw(st.integers(1, 4))
    problem = generate(
        draw(st.integers(1, 5)),
        configurations,
        draw(st.integers(1, 4)),
        draw(st.integers(configurations, 30)),
        seed=draw(st.integers(0, 10**6)),
        speed=draw(st.sampled_from([(1.0, 1.0), (0.5, 2.0)])),
        allowed=draw(st.sampled_from([1.0, 0.6])),
        request=(0.02, draw(st.sampled_from([0.1, 0.25]))),
    )
    noise = draw(st.sampled_from([0.0, 0.15, 0.3, 1.0]))
    draws = draw(st.integers(0, 3))
    barred = draw(st.sampled_from([None, None, None, 0.5]))

    plan = with_spread(guide(problem, time_limit=0.1), noise)
    prices = replace(plan.class_prices, draws=draws)
    if barred is not None:
        # Then some classes belong nowhere, and their jobs go anywhere.
        chance = np.random.default_rng(0).random(prices.belongs.shape)
        prices = replace(prices, belongs=prices.belongs & (chance < barred))
    plan = replace(plan, class_prices=prices)
    workload = poisson(
        problem,
        draw(st.sampled_from([0.8, 0.95, 1.02, 1.3])) * plan.arrival_rate_bound,
        draw(st.integers(50, 500)),
        seed=draw(st.integers(0, 1000)),
        noise=noise,
    )
    return workload, plan


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data(), st.sampled_from([1, 8, 32, 1000]))
def test_every_job_starts_when_and_where_a_plain_scan_starts_it(data, looked_at):
    workload, plan = random_run(data.draw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policy_state, "LOOKED_AT", looked_at)
        fast = simulate(workload, "bid-price", guidance=plan, log=True)
    plain = PlainBidPrice(workload, plan, looked_at).run()
    np.testing.assert_array_equal(fast.start, plain.start)
    np.testing.assert_array_equal(fast.machine, plain.machine)


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_long_queues_and_several_words_of_machines_make_no_difference(noise):
    # 127 machines, three words of the largest configuration; queues that grow and close up.
    problem = google_2011(0.01)
    plan = with_spread(guide(problem), noise)
    plan = replace(plan, class_prices=replace(plan.class_prices, draws=2))
    workload = poisson(problem, 1.5 * plan.arrival_rate_bound, 4000, seed=3, noise=noise)
    fast = simulate(workload, "bid-price", guidance=plan, log=True)
    plain = PlainBidPrice(workload, plan).run()
    np.testing.assert_array_equal(fast.start, plain.start)
    np.testing.assert_array_equal(fast.machine, plain.machine)
    assert fast.series[:, 1].max() > 150


# What is promised


def test_it_waits_less_than_lotes_and_lotes_less_than_best_fit():
    problem = google_2011(0.05)
    plan = guide(problem)
    workload = poisson(problem, 0.98 * plan.arrival_rate_bound, 150_000, seed=0)
    waits = [
        simulate(workload, name, guidance=plan, warm_up=0.2).mean_wait
        for name in ("bid-price", "lotes", "best-fit")
    ]
    assert waits == sorted(waits)
    assert 5 * waits[0] < waits[1]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3]))
def test_every_job_that_can_run_starts(seed, noise):
    # Classes that nobody asked for and of no worth, and belong where chance says, also nowhere.
    rng = np.random.default_rng(seed)
    problem = generate(5, 3, 2, 8, seed=seed, allowed=0.6, request=(0.02, 0.25))
    share = np.array([0.4, 0.0, 0.3, 0.3, 0.0])
    plan = guide(replace(problem, share=share), time_limit=0.1)
    prices = plan.class_prices
    prices = replace(
        prices,
        value=np.maximum(prices.value * (rng.random(5) < 0.5), [0.1, 0, 0, 0, 0]),
        belongs=prices.belongs & (rng.random(prices.belongs.shape) < 0.5),
        draws=2,
    )
    workload = poisson(problem, 1.2 * plan.arrival_rate_bound, 400, seed=seed, noise=noise)
    plan = replace(plan, datacenter=problem, class_prices=prices)
    seen = simulate(workload, "bid-price", guidance=plan, log=True)
    assert np.isfinite(seen.start).all()


# What it needs


def test_a_plan_without_prices_is_refused():
    problem = cores(10)
    plan = priced(problem, [5, 3])
    with pytest.raises(InputError, match=r"has no prices: make it again with `slotwise guide`"):
        placed(problem, replace(plan, class_prices=None), (0, 1, 1, 3))
    with pytest.raises(InputError, match="made as printed and has no prices"):
        placed(problem, guide(problem, as_printed=True), (0, 1, 1, 3))
