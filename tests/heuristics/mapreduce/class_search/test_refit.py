"""Refits: what the two phases are asked, and how high the next one aims."""

from threading import Event

import numpy as np
import pytest

from slotwise.core.clock import Clock
from slotwise.heuristics.mapreduce.class_search.refit import FIRST_CUT, LEAST_CUT, Refit
from slotwise.heuristics.mapreduce.class_search.rounds import Placement, timing_of
from slotwise.heuristics.mapreduce.class_search.task_classes import classed
from slotwise.heuristics.mapreduce.hmhs.min_min import min_min
from slotwise.heuristics.mapreduce.random_numbers import seeded
from slotwise.instances.mapreduce.generators.hmhs import generate


class Asked:
    """Keeps what it was asked, and finds the tasks where they are, or nothing."""

    def __init__(self, *, finds=True):
        self.finds, self.due, self.horizons = finds, [], []

    def __call__(self, time, count, due, horizon, clock):
        self.due.append(due)
        self.horizons.append(horizon)
        return count if self.finds else None


@pytest.fixture(scope="module")
def start():
    """A problem, and a placement with its times."""
    instance = generate(6, seed=0, map_machines=4, reduce_machines=4)
    schedule = min_min(instance)
    problem = classed(instance, schedule.makespan)
    placement = Placement(*problem.counts(schedule), np.arange(instance.jobs))
    return problem, placement, timing_of(problem, placement)


def test_a_date_of_each_job_divides_the_time_between_its_phases(start):
    problem, _, timing = start
    maps, reduces = Asked(), Asked()
    found, limit = Refit(problem, seeded(0, 0), maps, reduces).placement(*start[1:], Clock())
    assert limit == int((1 - FIRST_CUT) * timing.makespan)
    date = np.full(problem.instance.jobs, -1)
    date[problem.maps.job] = maps.due[0]
    assert reduces.due[0].tolist() == (limit - date[problem.reduces.job]).tolist()
    assert found.date.tolist() == date.tolist()
    # On the second half of the way from the end of the map phase to its latest end.
    latest = timing.due - (timing.makespan - limit)
    half = (timing.end + latest) // 2
    assert (date >= np.minimum(half, latest) - 1).all()
    assert (date <= np.maximum(half, latest) + 1).all()


def test_it_aims_lower_until_it_finds_something(start):
    problem, _, timing = start
    maps = Asked(finds=False)
    refit = Refit(problem, seeded(0, 0), maps, Asked())
    assert refit.placement(*start[1:], Clock()) is None
    cuts = [1 - horizon / timing.makespan for horizon in maps.horizons]
    assert cuts == pytest.approx([0.01, 0.005, 0.0025, 0.00125], abs=1e-6)
    assert refit.cut == LEAST_CUT


def test_a_stopped_clock_asks_nothing(start):
    stop = Event()
    stop.set()
    maps = Asked()
    assert (
        Refit(start[0], seeded(0, 0), maps, Asked()).placement(*start[1:], Clock(stop=stop)) is None
    )
    assert not maps.due


def test_time_that_was_lost_puts_it_off(start):
    problem, _, timing = start
    refit = Refit(problem, seeded(0, 0), Asked(), Asked())
    refit.ask(timed=True)
    assert refit.due
    shorter = timing._replace(makespan=timing.makespan - 1)
    refit.learn(timing, shorter, shorter.makespan, 1e6)
    assert refit.due
    refit.learn(timing, timing, shorter.makespan, 1e6)
    assert not refit.due
    refit.ask(timed=True)
    assert not refit.due
    refit.ask(timed=False)
    assert refit.due
