"""Due-date repair: overload counts right, no task is lost, what fits is found."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from slotwise.core.random_numbers import seeded
from slotwise.heuristics.mapreduce.class_search.repair import repair
from slotwise.heuristics.mapreduce.class_search.rounds import (
    Placement,
    repair_round,
    timing_of,
)
from slotwise.heuristics.mapreduce.class_search.slot_values import new_side
from slotwise.heuristics.mapreduce.class_search.task_classes import TaskClasses, classed
from slotwise.heuristics.mapreduce.hmhs.min_min import min_min
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.generators.hmhs import generate
from slotwise.instances.mapreduce.instance import Instance, Job, SpeedFactors
from slotwise.instances.mapreduce.schedule import map_completions

GO_ON = np.zeros(1, dtype=np.int64)


def side_of(time, count, delivery):
    """A phase with a class of equal tasks for each job; jobs come in the order of their numbers."""
    time = np.array(time, dtype=np.int64)
    jobs = np.arange(len(time))
    fastest = np.argsort(time, axis=1, kind="stable")
    classes = TaskClasses(time, jobs, fastest)
    return new_side(classes, np.array(count), jobs, np.array(delivery, dtype=np.int64))


def overload(time, count, delivery, limit):
    """The sum over the slots of what the greatest completion + delivery time exceeds the limit by.

    Empty slots have none.
    """
    total = 0
    for slot, row in enumerate(np.asarray(count)):
        until = np.cumsum(row * np.asarray(time)[:, slot])
        paths = [until[g] + delivery[g] for g in range(len(row)) if row[g]]
        total += max(0, max(paths, default=0) - limit)
    return total


@pytest.mark.parametrize("seed", range(12))
def test_what_fits_is_found_and_the_overload_is_that_of_the_state(seed):
    """Two slots, three jobs of up to three tasks: against every placement."""
    draw = np.random.default_rng(seed)
    time = draw.integers(0, 6, (3, 2))
    tasks = draw.integers(0, 4, 3)
    delivery = np.sort(draw.integers(0, 9, 3))[::-1]
    placements = [
        np.array([split, tasks - split]) for split in product(*(range(n + 1) for n in tasks))
    ]
    best = min(overload(time, count, delivery, 0) for count in placements)
    least = min(
        limit
        for limit in range(100)
        if any(overload(time, count, delivery, limit) == 0 for count in placements)
    )
    start = np.array([tasks, np.zeros_like(tasks)])
    for limit, expected in ((least, 0), (0, best)):
        side = side_of(time, start.copy(), delivery)
        left = repair(GO_ON, seeded(seed), side, limit, 20_000, 1.0)
        assert left == overload(time, side.number, delivery, limit) >= expected
        assert (side.number.sum(axis=0) == tasks).all()
        assert (side.number >= 0).all()
        if expected == 0:
            assert left == 0


def test_a_placement_is_repaired_towards_a_makespan():
    """Equal tasks, of which the start has three and one on two equal slots; two each fit."""
    instance = Instance.from_jobs(
        "by hand", Cluster.uniform(2, map_slots=1), [Job("a", [1.0] * 4, [1.0])]
    )
    instance = replace(instance, speed_factors=SpeedFactors(np.ones((1, 2)), np.ones((1, 2))))
    problem = classed(instance, 4.0)
    second = 1 / problem.unit_seconds
    placement = Placement(np.array([[3], [1]]), np.array([[1], [0]]), np.zeros(1, dtype=np.int64))
    timing = timing_of(problem, placement)
    assert timing.makespan == 4 * second
    changed, after = repair_round(
        GO_ON, seeded(0), problem, placement, timing, int(3 * second), 1.0
    )
    assert changed.maps.tolist() == [[2], [2]]
    assert after.makespan == 3 * second
    assert placement.maps.tolist() == [[3], [1]]


@pytest.mark.parametrize(("share", "changes"), [(0.0, "reduces"), (1.0, "maps")])
def test_at_either_end_one_phase_stays(share, changes):
    instance = generate(8, seed=0, map_machines=6, reduce_machines=6, maps=(1, 40))
    start = min_min(instance)
    problem = classed(instance, start.makespan)
    date = problem.in_units(map_completions(instance, start.map.end))
    placement = Placement(*problem.counts(start), date)
    timing = timing_of(problem, placement)
    limit = int(0.9 * timing.makespan)
    changed, its_timing = repair_round(GO_ON, seeded(0), problem, placement, timing, limit, share)
    for phase in ("maps", "reduces"):
        same = np.array_equal(getattr(changed, phase), getattr(placement, phase))
        assert same == (phase != changes)
    assert its_timing.makespan == timing_of(problem, changed).makespan


def test_nothing_moves_once_it_is_told_to_stop():
    side = side_of([[1, 1]], [[4], [0]], [0])
    assert repair(np.ones(1, dtype=np.int64), seeded(0), side, 2, 1000, 1.0) == 2
    assert side.number.tolist() == [[4], [0]]
