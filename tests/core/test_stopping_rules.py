"""The stopping rules, one by one and together."""

import math

import pytest

from slotwise.core.stopping_rules import (
    Asked,
    FirstOf,
    Iterations,
    NoImprovement,
    StoppingRule,
    TargetReached,
    TimeLimit,
)


@pytest.fixture
def now(monkeypatch):
    """A clock that is set by hand."""
    time = [100.0]
    monkeypatch.setattr("slotwise.core.stopping_rules.time.perf_counter", lambda: time[0])
    return time


def test_a_plain_rule_never_ends_anything():
    rule = StoppingRule()
    assert (rule(0.0), rule.left, rule.target, rule.iterations) == (False, math.inf, 0.0, None)


def test_a_time_limit_counts_from_when_it_was_made(now):
    rule = TimeLimit(5.0)
    assert (rule(), rule.left) == (False, 5.0)
    now[0] += 3
    assert (rule(), rule.left, rule.elapsed) == (False, 2.0, 3.0)
    now[0] += 3
    assert (rule(), rule.left) == (True, 0.0)


def test_a_target_is_reached_by_a_known_makespan():
    rule = TargetReached(7.0)
    assert (rule(), rule(7.1), rule(7.0), rule.target) == (False, False, True, 7.0)


def test_patience_begins_with_the_first_makespan_and_again_with_each_shorter_one(now):
    rule = NoImprovement(5.0)
    now[0] += 10
    assert not rule()
    assert not rule(9.0)
    now[0] += 4
    assert not rule(8.0)
    now[0] += 4
    assert not rule(8.0)
    now[0] += 2
    assert rule(8.5)


def test_the_first_of_several_rules_counts(now):
    asked = []
    patience = NoImprovement(5.0)
    rule = FirstOf(
        TimeLimit(20.0),
        TimeLimit(9.0),
        Iterations(7),
        Iterations(4),
        TargetReached(3.0),
        Asked(lambda: bool(asked)),
        patience,
    )
    assert (rule.left, rule.target, rule.iterations) == (9.0, 3.0, 4)
    assert not rule(10.0)
    now[0] += 4
    asked.append("stop")
    # The rules behind the one that ends the search hear of the makespan as well.
    assert rule(5.0)
    now[0] += 4
    assert not patience(5.0)
    asked.clear()
    assert rule(3.0)
    now[0] += 2
    assert rule(10.0)
    empty = FirstOf()
    assert (empty(1.0), empty.left, empty.iterations) == (False, math.inf, None)
