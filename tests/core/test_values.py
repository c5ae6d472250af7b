"""Values are equal if they hold the same, and keep what is worked out of them."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import slotwise
from slotwise.core.values import ByValue, once, same

READ = {
    "Instance": lambda: slotwise.read("example:five-jobs"),
    "Datacenter": lambda: slotwise.read("example:four-machines"),
    "Hierarchy": lambda: slotwise.read("example:departments"),
}
FOUND = {
    "Result": lambda: slotwise.heuristic(READ["Instance"](), "EFSS"),
    "Schedule": lambda: slotwise.heuristic(READ["Instance"](), "EFSS").schedule,
    "Steps": lambda: slotwise.steps(READ["Instance"](), "EFSS"),
    "Guidance": lambda: slotwise.guide(READ["Datacenter"](), time_limit=60),
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


def kinds(kind: type = ByValue) -> list[type]:
    below = [one for each in kind.__subclasses__() for one in (each, *kinds(each))]
    return sorted({one for one in below if one.__module__.startswith("slotwise.")}, key=str)


KINDS = [getattr(slotwise, name) for name in slotwise.__all__] and kinds()
"""All that is compared by value, which importing the public names makes known."""

ALIKE: list[Any] = [
    0, False, 0.0, -0.0, np.int64(0), np.float32(0), np.array(0), np.array(0.0), np.array([0]),
    np.array([0.0]), 1, True, np.True_, 1.0, np.uint8(1), 2.0**40, 2**40, float("nan"), None,
    np.array([float("nan")]), "a", np.str_("a"), np.array("a"), np.array(["a"]),
]  # fmt: skip
FEW = st.sampled_from([0, False, 0.0, np.float32(0), float("nan"), "a", np.str_("a")])
VALUES = st.one_of(
    st.sampled_from(ALIKE),
    st.lists(FEW, min_size=1, max_size=2),
    st.tuples(FEW),
    st.dictionaries(st.sampled_from("ab"), FEW, max_size=1),
)


def holding(kind: type, value: Any) -> Any:
    """An object of a kind, all of whose fields are this value."""
    made = object.__new__(kind)
    for each in fields(kind):
        object.__setattr__(made, each.name, value)
    return made


@settings(max_examples=500, deadline=None)
@given(kind=st.sampled_from(KINDS), one=VALUES, other=VALUES)
@example(kind=slotwise.Outages, one=1, other=1.0)
@example(kind=slotwise.Outages, one="a", other=np.array("a"))
@example(kind=slotwise.Result, one="a", other=np.str_("a"))
def test_what_is_equal_has_one_hash(kind: type, one: Any, other: Any) -> None:
    first, second = holding(kind, one), holding(kind, other)
    assert (first == second) == (second == first)
    if first == second:
        assert hash(first) == hash(second)


def test_every_kind_is_compared_by_its_base_alone() -> None:
    assert len(KINDS) > 20
    for kind in KINDS:
        assert (kind.__eq__, kind.__hash__) == (ByValue.__eq__, ByValue.__hash__)


def test_the_time_that_it_took_is_no_difference() -> None:
    result = FOUND["Result"]()
    assert result == replace(result, seconds=result.seconds + 1)
    assert result != replace(result, makespan=result.makespan + 1)


@dataclass(frozen=True)
class Thing:
    value: int


def test_worked_out_once_for_each_object():
    calls = []

    @once
    def doubled(thing):
        calls.append(thing.value)
        return [2 * thing.value]

    @once
    def nothing(thing):
        calls.append(None)

    thing = Thing(3)
    assert doubled(thing) is doubled(thing)
    assert doubled(replace(thing, value=4)) == [8]
    assert (nothing(thing), nothing(thing)) == (None, None)
    assert doubled(thing) == [6]
    assert calls == [3, 4, None]
