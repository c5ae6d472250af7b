"""The bound from reduce phases that crowd at the end: hand-worked, and against brute force."""

import numpy as np
import pytest
from brute_force import optimum
from known_optima import four_kinds

from slotwise.formulations.mapreduce.bounds.closed_form import lower_bounds
from slotwise.formulations.mapreduce.bounds.crowded_ends import crowded_ends
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job

NAME = "crowded ends"


def few_slots(seed: int) -> Instance:
    """Two to five jobs with at most two tasks in each phase, on one or two nodes."""
    random = np.random.default_rng(seed)
    nodes, map_slots, reduce_slots = random.integers(1, 3, 3).tolist()
    cluster = Cluster.uniform(nodes, map_slots=map_slots, reduce_slots=reduce_slots)
    jobs, maps, reduces = [], 6, 5
    for j in range(int(random.integers(2, 6))):
        some, others = random.integers(0, 3, 2).tolist()
        some, others = min(some, maps), min(others, reduces)
        maps, reduces = maps - some, reduces - others
        times = random.integers(0, 5, some), random.integers(0, 4, others)
        jobs.append(Job(f"j{j}", times[0].astype(float).tolist(), times[1].astype(float).tolist()))
    return Instance.from_jobs(f"few-slots-{seed}", cluster, jobs)


def test_one_reduce_slot_has_room_for_one_job_in_the_last_seconds() -> None:
    # No map slot works in the last second, one in the one before it: 1 + 2 (C - 2) = 4 * 4.
    cluster = Cluster.uniform(1, map_slots=2, reduce_slots=1)
    instance = Instance.from_jobs("four", cluster, [Job(f"{i}", [4.0], [1.0]) for i in range(4)])
    assert 9.49 < crowded_ends(instance) <= 9.5 * (1 + 1e-9)
    assert lower_bounds(instance)["last jobs"] == pytest.approx(9)
    assert optimum(instance) == pytest.approx(10)


def test_one_map_slot_has_room_for_one_job_in_the_first_seconds() -> None:
    # The mirror of the above.
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=2)
    instance = Instance.from_jobs("four", cluster, [Job(f"{i}", [1.0], [4.0]) for i in range(4)])
    assert 9.49 < crowded_ends(instance) <= 9.5 * (1 + 1e-9)
    assert optimum(instance) == pytest.approx(10)


def test_two_tasks_of_more_than_half_the_time_take_two_slots() -> None:
    # By area three jobs' reduce tasks of 3 s fit two slots within 4.5 s. In fact two do from 3 s on
    # and more from 6 s on: 2 * 3 + 3 (C - 6) = 9 * 6.
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=2)
    instance = Instance.from_jobs("nine", cluster, [Job(f"{i}", [6.0], [3.0]) for i in range(9)])
    assert 21.98 < crowded_ends(instance) <= 22 * (1 + 1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("jobs", [[], [Job("a", [0.0], [0.0, 0.0])], [Job("b", [], [0.0])]])
def test_nothing_that_takes_time(jobs: list[Job]) -> None:
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    assert crowded_ends(Instance.from_jobs("none", cluster, jobs)) == 0


def test_many_tasks_are_left_to_the_area() -> None:
    cluster = Cluster.uniform(100, map_slots=4, reduce_slots=2)
    jobs = [Job(f"{i}", [4.0] * 9, [1.0] * 3) for i in range(200)]
    assert crowded_ends(Instance.from_jobs("many", cluster, jobs)) == pytest.approx(18)


def test_never_above_the_optimum() -> None:
    for seed in range(8):
        for instance, best, bounds in four_kinds(seed):
            assert bounds[NAME] <= best * (1 + 1e-9), instance.name
    greatest = 0
    for seed in range(60):
        instance = few_slots(seed)
        bounds = lower_bounds(instance)
        assert bounds[NAME] <= optimum(instance) * (1 + 1e-9), instance.name
        others = [b for name, b in bounds.items() if name not in ("LB1 as printed", NAME)]
        greatest += bounds[NAME] >= max(others) * (1 - 1e-9)
    assert greatest > 3
