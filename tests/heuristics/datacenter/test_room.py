"""Open and spoilt room: by hand, and the law that they add up to what the load leaves."""

from dataclasses import replace

import numpy as np
import pytest
from first_fit_policy import FirstFit

from slotwise import Configuration, Datacenter, JobClass, guide, poisson, simulate
from slotwise.heuristics.datacenter import POLICIES
from slotwise.heuristics.datacenter.batch_means import BATCHES, batch_means
from slotwise.heuristics.datacenter.worth import room as room_module
from slotwise.instances.datacenter.guidance import ClassPrices
from slotwise.instances.datacenter.workload import Jobs, Workload

# Two speeds: a job of `large` takes half as long on a `fast` machine, one of `small` does not.
PROBLEM = Datacenter.from_classes(
    "thirty machines",
    ["cpu", "memory"],
    [
        Configuration("slow", 20, {"cpu": 10, "memory": 12}),
        Configuration("fast", 10, {"cpu": 8, "memory": 16}),
    ],
    [
        JobClass("large", 0.2, {"slow": 1.0, "fast": 0.5}, {"cpu": 5, "memory": 3}),
        JobClass("middle", 0.3, 0.8, {"cpu": 3, "memory": 4}),
        JobClass("small", 0.5, 0.4, {"cpu": 1, "memory": 1}),
    ],
)
PLAN = guide(PROBLEM)
LOAD = 0.75


def seen(policy, noise=0.0, plan=PLAN, jobs=30_000):
    workload = poisson(PROBLEM, LOAD * plan.arrival_rate_bound, jobs, seed=3, noise=noise)
    return simulate(workload, policy, guidance=plan, warm_up=0.1)


def excess(simulation):
    """By how much the room is more than the load leaves, and the standard error of that."""
    measured = simulation.room[simulation.room[:, 0] >= simulation.measured_from]
    both = measured[:, 1:].sum(axis=1)
    return both.mean() - (1 - LOAD), batch_means(both).std(ddof=1) / BATCHES**0.5


def test_room_by_hand():
    """Capacity 10, a needs 5 and brings 5, b needs 3 and brings 3: V(10) = 10, V(7) = 6, V(5) = 5.

    With b there are 7 free, worth 6, and 1 is spoilt. With a, too, 2 are free, worth nothing.
    """
    problem = Datacenter.from_classes(
        "one machine",
        ["cpu"],
        [Configuration("c", 1, {"cpu": 10})],
        [JobClass("a", 0.1, 1.0, {"cpu": 5}), JobClass("b", 1 / 6, 1.0, {"cpu": 3})],
    )
    prices = ClassPrices(np.array([5.0, 3.0]), np.ones((2, 1), dtype=bool))
    plan = replace(guide(problem), class_prices=prices, arrival_rate_bound=10.0)
    jobs = Jobs(
        np.array([0.5, 20.5, 60.0]),
        np.array([1, 0, 1]),
        np.full(3, 100.0),
        problem.request_units[[1, 0, 1]],
    )
    workload = Workload(problem, 3, 60.0, "by hand", lambda: iter([jobs]))
    found = simulate(workload, "first-fit", guidance=plan)
    assert found.room_is_exact
    assert found.room[:, 0].tolist() == pytest.approx(list(range(60)))
    expected = [(1.0, 0.0)] + 20 * [(0.6, 0.1)] + 39 * [(0.0, 0.2)]
    np.testing.assert_allclose(found.room[:, 1:], expected, atol=1e-9)
    half = simulate(workload, "first-fit", guidance=plan, warm_up=0.4)
    assert (half.open_room, half.spoilt_room) == pytest.approx((0.0, 0.2), abs=1e-9)


@pytest.mark.parametrize("policy", [entry.name for entry in POLICIES.own if entry.name != "guided"])
def test_room_adds_up_to_what_the_load_leaves(policy):
    found = seen(policy)
    off, error = excess(found)
    assert abs(off) < 3 * error
    assert error < 0.02
    # The lemma: no machine holds more than it can, so nothing spoilt is negative.
    assert found.room[:, 1:].min() > -1e-9
    assert found.open_room + found.spoilt_room == pytest.approx(1 - LOAD + off)


def test_it_does_so_if_demands_vary():
    found = seen("best-fit", noise=0.3)
    off, error = excess(found)
    assert abs(off) < 3 * error


def test_it_does_not_with_other_tables(monkeypatch):
    """A tenth of the worth of room is lost, or the prices are those of other classes."""
    value = PLAN.class_prices.value[[1, 0, 2]]
    other = replace(PLAN.class_prices, value=value / (value @ PROBLEM.share))
    off, error = excess(seen("best-fit", plan=replace(PLAN, class_prices=other)))
    assert abs(off) > 3 * error
    made = room_module.tables_of

    def less(*arguments, **options):
        tables, recipe = made(*arguments, **options)
        return tables._replace(worth=tables.worth * 9 // 10), recipe

    monkeypatch.setattr(room_module, "tables_of", less)
    off, error = excess(seen("best-fit"))
    assert off < -3 * error


def test_room_of_three_resources_is_bounded():
    """Pairs of resources price room too high; what is spoilt is what is left."""
    rng = np.random.default_rng(8)
    names = ["cpu", "memory", "disk"]
    machines = [
        Configuration(f"c{j}", 10, dict(zip(names, rng.uniform(10, 40, 3).tolist(), strict=True)))
        for j in range(3)
    ]
    classes = [
        JobClass(f"k{k}", 0.2, 1.0, dict(zip(names, rng.uniform(1, 9, 3).tolist(), strict=True)))
        for k in range(5)
    ]
    problem = Datacenter.from_classes("three resources", names, machines, classes)
    plan = guide(problem)
    workload = poisson(problem, LOAD * plan.arrival_rate_bound, 20_000, seed=0)
    found = simulate(workload, "best-fit", guidance=plan, warm_up=0.2)
    assert not found.room_is_exact
    off, error = excess(found)
    assert abs(off) < 3 * error


def test_room_is_the_same_under_a_policy_in_python():
    assert seen(FirstFit, jobs=2000).room.tobytes() == seen("first-fit", jobs=2000).room.tobytes()


def test_measuring_changes_nothing_else():
    without = replace(PLAN, class_prices=None)
    for policy in ("lotes", "best-fit"):
        one, other = seen(policy, jobs=5000), seen(policy, plan=without, jobs=5000)
        assert one.series.tobytes() == other.series.tobytes()
        assert one.wait_sum.tobytes() == other.wait_sum.tobytes()
    assert (other.open_room, other.spoilt_room, other.document()["open_room"]) == (None,) * 3


def test_a_plan_for_other_machines_measures_nothing():
    workload = poisson(PROBLEM.with_count(PROBLEM.count - 1), 10.0, 500, seed=0)
    assert simulate(workload, "first-fit", guidance=PLAN).open_room is None
