"""What all methods have in common: they only improve, end when they have to, and say why."""

from importlib.util import find_spec
from threading import Event

import pytest
from racing import raced
from random_instances import with_speed_factors

import slotwise
from slotwise.formulations.mapreduce.bounds.closed_form import best_lower_bound
from slotwise.instances.mapreduce.checker import check
from slotwise.instances.mapreduce.generators.ljr import generate, small
from slotwise.instances.mapreduce.generators.two_stage import generate as two_stage
from slotwise.solvers.mapreduce import METHODS

SHOP = slotwise.generate("hmhs", jobs=12, map_machines=12, reduce_machines=12, seed=1)
LONG = {
    "branch-and-bound": small(8, 4, map_slots=1, seed=4),
    "cp-sat": small(8, 3, seed=0, max_maps=6),
    "improvement": generate(20, 6, seed=0, map_slots=8),
    "job-order": small(8, 4, seed=1, map_slots=2, reduce_slots=2, max_maps=8, max_reduces=6),
    "pattern-prices": SHOP,
    "unrelated-machines": SHOP,
    "spread-bound": generate(15, 15, seed=2, map_slots=8),
    "time-prices": two_stage(20, 5, 5, seed=1),
}
"""Instances that keep a method busy for more than a moment."""


def method(name):
    if name == "cp-sat" and find_spec("ortools") is None:
        pytest.skip("OR-Tools is not installed")
    return METHODS.lookup(name).load()


def run(name, **options):
    """What a method makes of its instance, from a heuristic with much to improve."""
    start = slotwise.heuristic(LONG[name], "EASS").schedule
    bound = best_lower_bound(LONG[name])[0]
    outcome = raced(method(name), LONG[name], start, bound, **options)
    assert (outcome.lower_bound or 0.0) <= start.makespan
    if outcome.schedule is not None:
        assert check(LONG[name], outcome.schedule).violations == []
    return start, bound, outcome


@pytest.mark.parametrize("name", LONG)
def test_progress_only_improves_and_ends_at_the_outcome(name):
    seen = []
    start, bound, outcome = run(name, time_limit=1.5, on_progress=seen.append)
    for values in (
        [step.seconds for step in seen],
        [step.bound for step in seen],
        [-step.incumbent for step in seen],
    ):
        assert values == sorted(values)
    found = start if outcome.schedule is None else outcome.schedule
    # While the search runs it may count in units of its own.
    assert seen[-1].incumbent == pytest.approx(min(start.makespan, found.makespan), rel=1e-6)
    assert seen[-1].bound == max(bound, outcome.lower_bound or 0.0)


@pytest.mark.parametrize("name", LONG)
def test_a_stop_keeps_what_was_found(name):
    stop, pressed = Event(), []

    def press(step):
        if step.doing and not pressed:
            pressed.append(step)
            stop.set()

    start, _, outcome = run(name, on_progress=press, stop=stop)
    # A program that takes no longer than a look at the clock is solved.
    quick = name in ("unrelated-machines", "spread-bound")
    assert quick or outcome.why.startswith("interrupted")
    assert outcome.schedule is None or outcome.schedule.makespan <= start.makespan


@pytest.mark.parametrize("name", LONG)
def test_no_time_at_all(name):
    assert run(name, time_limit=0.001)[2].why.startswith("time limit")


@pytest.mark.parametrize(
    ("name", "instance", "why"),
    [
        ("branch-and-bound", generate(2, 30, seed=0), "60 slots, at most 24"),
        ("branch-and-bound", with_speed_factors(small(2, 2, seed=0), 0), "speed factors"),
        ("cp-sat", generate(2, 10, seed=0, map_slots=20), "model too large: "),
        ("heterogeneous", small(3, 2, seed=1), "reads depend on the map tasks' slots"),
        (
            "spread-bound",
            generate(400, 3, seed=0, maps_range=(1, 1), reduces_range=(1, 1)),
            "program too large: 400 jobs",
        ),
        ("time-prices", generate(50, 10, seed=1), "no common unit of time"),
    ],
)
def test_what_does_not_suit_is_declined(name, instance, why):
    outcome = raced(method(name), instance, slotwise.heuristic(instance, "EFSS").schedule)
    assert outcome.schedule is outcome.lower_bound is None
    assert outcome.why.startswith(f"not applicable: {why}")
