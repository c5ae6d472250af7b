"""Instances and what is found for them are equal if they hold the same."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import slotwise
from slotwise.core.equality import ByValue, same

READ = {
    "Instance": lambda: slotwise.read("example:five-jobs"),
    "Datacenter": lambda: slotwise.read("example:four-machines"),
    "Hierarchy": lambda: slotwise.read("example:departments"),
}
FOUND = {
    "Result": lambda: slotwise.heuristic(READ["Instance"](), "EFSS"),
    "Schedule": lambda: slotwise.heuristic(READ["Instance"](), "EFSS").schedule,
    "Steps": lambda: slotwise.steps(READ["Instance"](), "EFSS"),
    "Guidance": lambda: slotwise.guide(READ["Datacenter"]()),
    "Workload": lambda: slotwise.poisson(READ["Datacenter"](), 1.0, 20, seed=1),
    "Allocation": lambda: slotwise.fair(READ["Hierarchy"]()),
}
MAKERS = READ | FOUND


@pytest.mark.parametrize("name", MAKERS)
def test_two_of_the_same_are_equal(name: str) -> None:
    one, other = MAKERS[name](), MAKERS[name]()
    assert one is not other
    assert one == other
    if name != "Steps":  # they hold dictionaries
        assert len({one, other}) == 1
    assert one != "another thing"


def test_others_are_not() -> None:
    instance = READ["Instance"]()
    longer = replace(instance, map_processing=instance.map_processing + 1)
    assert instance != longer
    assert slotwise.heuristic(instance, "EFSS") != slotwise.heuristic(instance, "EASS")
    assert slotwise.fair(READ["Hierarchy"]()) != slotwise.fair(READ["Hierarchy"](), "drf")


def test_values() -> None:
    nan = float("nan")
    assert same([np.array([1.0, nan]), {"a": (nan, 2)}], [np.array([1.0, nan]), {"a": (nan, 2)}])
    for one, other in (
        ([1], (1,)),
        ({"a": 1}, {"b": 1}),
        (np.zeros(2), np.zeros(3)),
        (nan, 1.0),
        (np.array(["a"]), np.array(["b"])),
    ):
        assert not same(one, other)


@dataclass(frozen=True, eq=False)
class Held(ByValue):
    value: Any


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -1.0, 2.0**40, float("nan")])
def test_what_is_equal_has_one_hash(value: float) -> None:
    """In all types that hold the value, alone and in what holds several."""
    whole = [int(value)] if value == value else []
    alone = [value, *whole, np.float32(value), np.float64(value), *map(np.int64, whole)]
    arrays = [np.array([value], kind) for kind in ("f4", "f8", *["i8"] * len(whole))]
    forms = [*alone, np.array(value), *arrays, [value], (value,), {"a": value}, True, None, "a"]
    equal = [(one, other) for one in forms for other in forms if Held(one) == Held(other)]
    assert len(equal) > len(forms)
    assert all(hash(Held(one)) == hash(Held(other)) for one, other in equal)


def test_the_time_that_it_took_is_no_difference() -> None:
    result = FOUND["Result"]()
    assert result == replace(result, seconds=result.seconds + 1)
    assert result != replace(result, makespan=result.makespan + 1)
