"""`slotwise.check`: one verdict for every kind, the problem first."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from make import DATACENTER, INSTANCE, TREE

import slotwise
from slotwise import Status, Verdict

RESULT = slotwise.heuristic(INSTANCE, "EFSS")


def violations(result: slotwise.Result, **changes: Any) -> list[str]:
    return slotwise.check(INSTANCE, replace(result, **changes)).violations


def test_every_kind_has_the_same_verdict():
    assert slotwise.check(INSTANCE, RESULT) == Verdict([], RESULT.makespan)
    assert slotwise.check(INSTANCE, RESULT.schedule) == Verdict([], RESULT.makespan)
    assert slotwise.check(DATACENTER, slotwise.guide(DATACENTER)) == Verdict()
    assert slotwise.check(TREE, slotwise.fair(TREE)) == Verdict()
    assert slotwise.check_guidance(slotwise.guide(DATACENTER)) == Verdict()
    assert slotwise.check_allocation(slotwise.fair(TREE)) == Verdict()


def test_numbers_of_a_result_must_fit_one_another():
    assert RESULT.makespan == 9.0  # map tasks 4 and 3 + 2 on two slots, then the reduce task
    optimal = replace(RESULT, status=Status.OPTIMAL, lower_bound=9.0)
    assert violations(optimal) == []
    assert violations(optimal, lower_bound=8.0) == [
        "the result is called optimal, its bound 8 leaves a gap"
    ]
    assert violations(optimal, lower_bound=10.0) == ["lower_bound: 10 is above the makespan 9"]
    assert violations(optimal, makespan=8.5, lower_bound=8.5) == [
        "the result says makespan 8.5, its schedule 9"
    ]
    assert violations(optimal, schedule=None) == [
        "the result has a makespan or a schedule, but not both",
        "the result holds no schedule",
    ]
    assert violations(optimal, makespan=None, schedule=None) == [
        "the result is called optimal but has no makespan",
        "the result holds no schedule",
    ]
    assert violations(optimal, status=Status.INFEASIBLE) == [
        "the result is called infeasible but has a makespan"
    ]


def test_a_broken_schedule_in_a_result_is_found():
    schedule = RESULT.schedule
    assert schedule is not None
    late = replace(schedule, map=replace(schedule.map, end=schedule.map.end + 1))
    assert any("end is" in line for line in violations(RESULT, schedule=late))


def test_guidance_is_held_to_the_datacenter_that_is_given():
    plan = slotwise.guide(DATACENTER)
    found = slotwise.check(DATACENTER.with_count(np.array([3])), plan).violations
    assert found == ["configuration 'small': bins for 2 machines, there are 3"]
    other = replace(DATACENTER, classes=("batch",))
    assert "other classes" in slotwise.check(other, plan).violations[0]


def test_an_allocation_is_held_to_the_hierarchy_that_is_given():
    shares = slotwise.fair(TREE)
    smaller = replace(TREE, capacity=np.array([8.0]))
    assert any("more than the capacity" in v for v in slotwise.check(smaller, shares).violations)
    other = replace(TREE, names=("root", "a", "c"))
    assert "other leaves" in slotwise.check(other, shares).violations[0]


@pytest.mark.parametrize(
    ("problem", "solution", "message"),
    [
        (
            "x.json",
            RESULT,
            "check: problem: needs an Instance, a Datacenter or a Hierarchy, got the",
        ),
        (
            RESULT,
            INSTANCE,
            "check: problem: needs an Instance, a Datacenter or a Hierarchy, got a Re",
        ),
        (INSTANCE, INSTANCE, "needs a Schedule or a Result, got an Instance: the problem comes"),
        (INSTANCE, slotwise.fair(TREE), "needs a Schedule or a Result, got an Allocation"),
        (INSTANCE, "r.json", r"got the string 'r.json': .*slotwise.read\(path, instance"),
        (DATACENTER, RESULT, "check of a Datacenter: needs a Guidance, got a Result"),
        (TREE, None, "check of a Hierarchy: needs an Allocation, got None"),
    ],
)
def test_what_does_not_belong_together_is_refused(
    problem: Any, solution: Any, message: str
) -> None:
    with pytest.raises(slotwise.InputError, match=message):
        slotwise.check(problem, solution)
