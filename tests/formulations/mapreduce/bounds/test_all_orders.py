"""The bound from the orders of all jobs: hand-worked, and against brute force."""

import numpy as np
import pytest
from brute_force import optimum
from known_optima import four_kinds
from random_instances import tiny, with_security

from slotwise.formulations.mapreduce.bounds.all_orders import AllOrders, orders_of_all_jobs
from slotwise.formulations.mapreduce.bounds.closed_form import lower_bounds
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job
from slotwise.instances.mapreduce.usable_slots import usable_slots

NAME = "orders of all jobs"
NOT_BESIDE = "LB1 as printed", NAME, "windows of map phases"


def just_below(bound: float, known: float) -> bool:
    return known * (1 - 1e-3) < bound <= known * (1 + 1e-9)


@pytest.mark.parametrize("mirrored", [False, True])
def test_either_job_takes_the_other_ones_place_at_the_end(mirrored: bool) -> None:
    # In the last second no map slot works. If the short job ends last, its map slot waits for 1 s,
    # the two others for 1 + 2 s; otherwise all three wait for 2 s. So 3 C >= 24 + 6. Three slots
    # with 8 s of map tasks each, one with the short job's first, and a reduce task of 2 s: 10 s.
    times = [([6.0], [1.0]), ([1.0] * 18, [2.0])]
    jobs = [Job(f"j{i}", *(pair[::-1] if mirrored else pair)) for i, pair in enumerate(times)]
    slots = (1, 3) if mirrored else (3, 1)
    cluster = Cluster.uniform(1, map_slots=slots[0], reduce_slots=slots[1])
    instance = Instance.from_jobs("places", cluster, jobs)
    bounds = lower_bounds(instance)
    assert just_below(bounds[NAME], 10)
    for name in ("heads and tails", "crowded ends"):
        assert bounds[name] == pytest.approx(29 / 3, rel=1e-3)


def test_reduce_tasks_of_two_jobs_are_whole() -> None:
    # After the first map task 5, 3, 3 and 3 s are to come on two slots: 8 s. In the other order
    # they are as well. The work, 14 s, and the waits, 1 and 2 s or 1 and 1 s, leave less.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=2)
    jobs = [Job("x", [1.0], [5.0, 3.0]), Job("y", [1.0], [3.0, 3.0])]
    instance = Instance.from_jobs("whole", cluster, jobs)
    assert just_below(orders_of_all_jobs(instance), 9)
    assert optimum(instance) == 9
    assert lower_bounds(instance)["heads and tails"] < 8.6


def test_map_tasks_of_two_jobs_are_whole() -> None:
    # The mirror of the above.
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    jobs = [Job("x", [5.0, 3.0], [1.0]), Job("y", [3.0, 3.0], [1.0])]
    instance = Instance.from_jobs("whole", cluster, jobs)
    assert just_below(orders_of_all_jobs(instance), 9)
    assert optimum(instance) == 9


def test_many_jobs_are_left_to_other_bounds() -> None:
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=1)
    jobs = [Job(f"{i}", [1.0], [0.25]) for i in range(13)]
    bounds = lower_bounds(Instance.from_jobs("many", cluster, jobs))
    assert bounds[NAME] == max(
        bounds[name] for name in ("heads and tails", "pigeonhole", "crowded ends")
    )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("jobs", [[], [Job("a", [0.0], [0.0, 0.0])], [Job("b", [], [0.0])]])
def test_nothing_that_takes_time(jobs: list[Job]) -> None:
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    assert orders_of_all_jobs(Instance.from_jobs("none", cluster, jobs)) == 0


def on_two_slots_and_one(seed: int) -> Instance:
    """Two to four jobs with one or two map tasks and a reduce task on two slots and one."""
    random = np.random.default_rng(seed)
    some = (2, 1) if seed % 2 else (1, 2)
    cluster = Cluster.uniform(1, map_slots=some[0], reduce_slots=some[1])
    jobs = []
    for j in range(int(random.integers(2, 5))):
        maps, reduces = random.integers(1, 10, 2 if j < 2 else 1), random.integers(1, 10, 1)
        jobs.append(Job(f"j{j}", maps.astype(float).tolist(), reduces.astype(float).tolist()))
    return Instance.from_jobs(f"few-{seed}", cluster, jobs)


def test_no_horizon_from_the_optimum_on_is_excluded() -> None:
    kinds = [(instance, best) for seed in range(8) for instance, best, _ in four_kinds(seed)]
    secure = [with_security(tiny(seed), seed) for seed in range(20)]
    few = [on_two_slots_and_one(seed) for seed in range(150)]
    kinds += [(instance, optimum(instance)) for instance in secure + few]
    above = 0
    for instance, best in kinds:
        usable = usable_slots(instance).instance
        if not np.isfinite(best) or not usable.jobs:
            continue
        bound, orders = orders_of_all_jobs(usable), AllOrders(usable)
        assert bound <= best * (1 + 1e-9), instance.name
        for share in (1, 1.1, 1.5):
            assert not best or not orders.exclude(best * share), instance.name
        others = lower_bounds(usable).items()
        above += bound > max(b for name, b in others if name not in NOT_BESIDE) * (1 + 1e-6)
    assert above > 3
