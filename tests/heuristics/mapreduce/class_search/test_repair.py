"""Repair: overload counts right, no task is lost, dates change, what fits is found."""

import math
from dataclasses import replace

import numpy as np
import pytest
from brute_force import optimum
from random_instances import tiny, with_speed_factors

from slotwise.heuristics.mapreduce.class_search.dates import Dates
from slotwise.heuristics.mapreduce.class_search.phase_values import new_side
from slotwise.heuristics.mapreduce.class_search.repair import RepairPlan, repair
from slotwise.heuristics.mapreduce.class_search.rounds import Placement, repair_round, times_of
from slotwise.heuristics.mapreduce.class_search.task_classes import PhaseClasses, classed
from slotwise.heuristics.mapreduce.hmhs.min_min import min_min
from slotwise.heuristics.mapreduce.search_kernels import seeded
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job, SpeedFactors
from slotwise.instances.mapreduce.schedule import map_completions

GO_ON, END = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)


def numbers(values):
    return np.array(values, dtype=np.int64)


def side_of(time, count, place, delivery):
    """A phase with a class of equal tasks for each job."""
    time = numbers(time)
    fastest = np.argsort(time, axis=1, kind="stable")
    classes = PhaseClasses(time, np.arange(len(time)), fastest)
    return new_side(classes, numbers(count), place, numbers(delivery))


class State:
    """Both phases, by tables of times (jobs, slots), numbers of tasks (slots, jobs), and dates."""

    def __init__(self, map_time, maps, reduce_time, reduces, date, limit):
        date = numbers(date)
        at = np.argsort(date, kind="stable")
        place = np.argsort(at)
        self.times, self.limit = (map_time, reduce_time), limit
        self.maps = side_of(map_time, maps, place, limit - date[at])
        self.reduces = side_of(reduce_time, reduces, len(at) - 1 - place, date[at][::-1])
        self.dates = Dates(date, at, np.ones(len(at), dtype=bool))

    def repaired(self, steps=20_000, heat=(1.0, 0.05), seed=0, stop=GO_ON, thrift=0.01):
        plan = RepairPlan(self.limit, steps, *heat, thrift)
        return repair(stop, seeded(seed), self.maps, self.reduces, self.dates, plan)

    def overload(self):
        """From the numbers of tasks and the dates alone."""
        date = self.dates.date
        by_date = np.argsort(date, kind="stable")
        maps = late(self.times[0], self.maps.number, by_date, self.limit - date, self.limit)
        reduces = late(self.times[1], self.reduces.number, by_date[::-1], date, self.limit)
        return maps + reduces


def late(time, count, order, delivery, limit):
    """The sum over the slots of what the greatest completion + delivery exceeds the limit by."""
    total = 0
    for slot, row in enumerate(count):
        until, value = 0, 0
        for i in order:
            until += row[i] * time[i][slot]
            value = max(value, until + delivery[i]) if row[i] else value
        total += max(0, value - limit)
    return total


def drawn(seed, limit):
    """Three jobs on two slots of each phase."""
    draw = np.random.default_rng(seed)
    map_time, reduce_time = draw.integers(0, 6, (2, 3, 2)).tolist()
    maps, reduces = draw.integers(0, 4, (2, 2, 3))
    return State(map_time, maps, reduce_time, reduces, draw.integers(0, limit + 1, 3), limit)


@pytest.mark.parametrize("limit", [8, 20])
@pytest.mark.parametrize("steps", [1, 5, 100, 3000])
def test_the_overload_is_that_of_the_state_and_no_task_is_lost(steps, limit):
    for seed in range(30):
        state = drawn(seed, limit)
        tasks = [side.number.sum(axis=0).tolist() for side in (state.maps, state.reduces)]
        assert state.repaired(steps=steps, seed=seed) == state.overload()
        assert [side.number.sum(axis=0).tolist() for side in (state.maps, state.reduces)] == tasks
        assert min(state.maps.number.min(), state.reduces.number.min()) >= 0
        date = state.dates.date
        assert state.dates.at.tolist() == np.argsort(date, kind="stable").tolist()
        assert 0 <= date.min() <= date.max() <= limit


def test_one_long_task_for_five_short_ones():
    """The long task takes 6 s and 5 s: only if all change places, both slots end by 5."""
    time, none = [[6, 5], [1, 1]], [[0, 0], [0, 0]]
    state = State(time, [[1, 0], [0, 5]], time, none, [5, 5], 5)
    assert state.repaired(heat=(1e-9, 1e-9)) == 0
    assert state.maps.number.tolist() == [[0, 5], [1, 0]]


def test_weights_grow_as_long_as_a_slot_is_overloaded():
    """A map task of 5 s does not fit into 3 s; the reduce task of 1 s does."""
    state = State([[5]], [[1]], [[1]], [[1]], [2], 3)
    assert state.repaired(steps=200_000) == state.overload() > 0
    assert state.maps.weight[0] == pytest.approx(math.exp(8), rel=0.05)
    assert state.reduces.weight[0] < 2


def test_work_is_saved_on_slots_that_are_not_overloaded():
    """A task is over the limit of 5 s everywhere; for the other slot 1 means the least work."""
    for seed in range(10):
        state = State(
            [[9, 10**6, 10**6], [8, 1, 4]],
            [[1, 0], [0, 0], [0, 1]],
            [[1], [1]],
            [[0, 0]],
            [5, 5],
            5,
        )
        state.repaired(heat=(0.5, 0.05), seed=seed, thrift=0.5)
        assert state.maps.number[1].tolist() == [0, 1]


def one_date_is_wrong():
    """One slot in each phase, maps of 1 s and 3 s, reduces of 3 s and 1 s, the first job first.

    In milliseconds; 6 s are enough if its date is 1 to 2 s, and that of the other 4 to 5.
    """
    return State([[1000], [3000]], [[1, 1]], [[3000], [1000]], [[1, 1]], [3000, 4500], 6000)


def test_dates_change():
    state = one_date_is_wrong()
    assert state.overload() > 0
    assert state.repaired() == 0
    first, second = state.dates.date.tolist()
    assert 1000 <= first <= 2000
    assert 4000 <= second <= 5000


def test_dates_that_are_not_free_stay():
    state = one_date_is_wrong()
    state.dates.free[:] = False
    assert state.repaired() > 0
    assert state.dates.date.tolist() == [3000, 4500]


def test_nothing_moves_once_it_is_told_to_stop():
    state = drawn(0, 8)
    before = state.maps.number.tolist(), state.reduces.number.tolist(), state.dates.date.tolist()
    assert state.repaired(stop=END) == state.overload() > 0
    after = state.maps.number.tolist(), state.reduces.number.tolist(), state.dates.date.tolist()
    assert before == after


def test_a_placement_is_repaired_towards_a_makespan():
    """Equal tasks, of which the start has three and one on two equal slots; two each fit."""
    instance = Instance.from_jobs(
        "by hand", Cluster.uniform(2, map_slots=1), [Job("a", [1.0] * 4, [1.0])]
    )
    instance = replace(instance, speed_factors=SpeedFactors(np.ones((1, 2)), np.ones((1, 2))))
    problem = classed(instance, 4.0)
    second = 1 / problem.unit_seconds
    placement = Placement(np.array([[3], [1]]), np.array([[1], [0]]), np.zeros(1, dtype=np.int64))
    timing = times_of(problem, placement)
    assert timing.makespan == 4 * second
    plan = RepairPlan(int(3 * second), 20_000, 0.1 * second, 0.01 * second, 0.01)
    changed, after = repair_round(GO_ON, seeded(0), problem, placement, timing, plan)
    assert changed.maps.tolist() == [[2], [2]]
    assert after.makespan == 3 * second
    assert placement.maps.tolist() == [[3], [1]]


def test_what_is_close_to_the_optimum_of_tiny_instances_is_reached():
    """By rounds that aim 1 % above it; each draws its first dates anew."""
    met = number = 0
    for seed in range(20):
        instance = with_speed_factors(tiny(seed), seed)
        start = min_min(instance)
        problem = classed(instance, start.makespan)
        date = problem.in_units(map_completions(instance, start.map.end))
        placement = Placement(*problem.counts(start), date)
        timing, random = times_of(problem, placement), seeded(seed)
        if not timing.makespan:
            continue
        best = optimum(instance) / problem.unit_seconds
        limit = int(1.01 * best)
        plan = RepairPlan(limit, 5_000, 0.3 * limit, 0.001 * limit, 0.01)
        for _ in range(20):
            placement, timing = repair_round(GO_ON, random, problem, placement, timing, plan)
            assert timing.makespan == times_of(problem, placement).makespan
            assert timing.makespan >= best * (1 - 1e-9)
            if timing.makespan <= limit:
                break
        met += timing.makespan <= limit
        number += 1
    assert number >= 15
    assert met >= 0.85 * number
