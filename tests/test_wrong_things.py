"""A file's name, or another kind of thing, where a verb needs an instance: told in words."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import slotwise

VERBS: dict[str, Callable[[Any], Any]] = {
    "solve": lambda thing: slotwise.solve(thing),
    "heuristic": lambda thing: slotwise.heuristic(thing, "EFSS"),
    "gap": lambda thing: slotwise.gap(thing),
    "bounds": lambda thing: slotwise.bounds(thing),
    "guide": lambda thing: slotwise.guide(thing),
    "simulate": lambda thing: slotwise.simulate(thing, "best-fit"),
    "fair": lambda thing: slotwise.fair(thing),
    "check": lambda thing: slotwise.check(thing, None),
    "explain": lambda thing: slotwise.explain(thing, "job-order"),
    "build": lambda thing: slotwise.build(thing, "sequence"),
}
KIND = {
    "build": "an Instance, a Datacenter or a Hierarchy",
    "guide": "a Datacenter",
    "simulate": "a Workload",
    "fair": "a Hierarchy",
}
ARGUMENT = {"guide": "datacenter", "simulate": "workload", "fair": "hierarchy", "check": "problem"}
PLACE = dict.fromkeys(VERBS, "an Instance") | KIND


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_name_is_told_to_be_read_first(verb: str) -> None:
    with pytest.raises(slotwise.InputError) as raised:
        VERBS[verb]("x.json")
    message, place = str(raised.value), PLACE[verb]
    verb = "explain of job-order" if verb == "explain" else verb
    assert message.startswith(f"{verb}: {ARGUMENT.get(verb, 'instance')}: needs {place}")
    assert "got the string 'x.json': " in message
    if verb == "simulate":
        assert message.endswith("slotwise.poisson or slotwise.replay")
    else:
        assert message.endswith("read it first with slotwise.read('x.json')")


def test_the_whole_line():
    with pytest.raises(slotwise.InputError) as raised:
        slotwise.solve("x.json")  # type: ignore[arg-type]
    assert str(raised.value) == (
        "solve: instance: needs an Instance, got the string 'x.json': "
        "read it first with slotwise.read('x.json')"
    )


@pytest.mark.parametrize("verb", VERBS)
def test_other_things_are_called_by_their_kind(verb: str) -> None:
    with pytest.raises(slotwise.InputError, match=rf"^{verb}: \w+: needs .*, got a dict"):
        VERBS[verb]({})
    with pytest.raises(slotwise.InputError, match=rf"^{verb}: .*, got the path 'a/x\.json'"):
        VERBS[verb](Path("a/x.json"))


def test_a_model_of_hierarchies_takes_a_hierarchy():
    with pytest.raises(slotwise.InputError, match="needs a Hierarchy, got the string"):
        slotwise.explain("x.json", "fair-share")  # type: ignore[arg-type]
