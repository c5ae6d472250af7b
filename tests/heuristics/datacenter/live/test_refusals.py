"""The live dispatcher: bad calls and options are refused, and nothing changes."""

import json

import hypothesis
import pytest
from hypothesis import strategies as st
from live_dispatchers import HALF, pair, refused

from slotwise import Dispatcher
from slotwise.heuristics.datacenter.live.dispatcher import POLICIES


@pytest.mark.parametrize(
    ("demand", "message"),
    [
        ({"cpu": -1}, "job 'a': demand of cpu is -1: need a finite number >= 0"),
        ({"cpu": float("nan")}, "job 'a': demand of cpu is nan: need a finite number >= 0"),
        ({"cpu": float("inf")}, "job 'a': demand of cpu is inf: need a finite number >= 0"),
        ({"cpu": "much"}, "job 'a': demand of cpu is much: need a finite number >= 0"),
        ({"cpu": 0.0}, "job 'a': demands nothing"),
        ({}, "job 'a': demands nothing"),
        ({"cpu": 1.5}, "job 'a' fits no machine that can run class 'k'"),
        ({"gpu": 0.5}, "job 'a': unknown resource 'gpu'"),
    ],
)
def test_wrong_demands_are_refused_and_nothing_changes(demand, message):
    dispatcher = Dispatcher(pair())
    before = dispatcher.state()
    refused(lambda: dispatcher.arrive("a", "k", demand), message)
    assert dispatcher.state() == before


NAN = float("nan")


def without_classes(classes):
    return pair() | {"datacenter": pair()["datacenter"] | {"classes": classes}}


BAD_CALLS = [
    ("arrive", ("a", "k", HALF), {}, "job 'a' is there already"),
    ("arrive", (7, "k", HALF), {}, "job: need a name, got 7"),
    ("arrive", (["z"], "k", HALF), {}, "job: need a name, got ['z']"),
    ("arrive", ("z", "l", HALF), {}, "job 'z': unknown class 'l'"),
    ("arrive", ("z", ["k"], HALF), {}, "job 'z': unknown class ['k']"),
    ("arrive", ("z", "k", None), {}, "job 'z': need amounts by resource, got None"),
    ("arrive", ("z", "k", 0.5), {}, "job 'z': need amounts by resource, got 0.5"),
    ("arrive", ("z", "k", {"cpu": 10**400}), {}, "need a finite number >= 0"),
    ("arrive", ("z", "k", {"cpu": [1]}), {}, "demand of cpu is [1]: need a finite number >= 0"),
    ("arrive", ("z", "k", HALF), {"draw": NAN}, "draw: need a number from 0 to below 1, got nan"),
    ("arrive", ("z", "k", HALF), {"draw": 1.0}, "draw: need a number from 0 to below 1, got 1.0"),
    ("arrive", ("z", "k", HALF), {"draw": "x"}, "draw: need a number from 0 to below 1, got 'x'"),
    ("depart", ("z",), {}, "job 'z' is not there"),
    ("depart", (["a"],), {}, "job ['a'] is not there"),
    ("cancel", ("a",), {}, "job 'a' runs on c/"),
    ("cancel", ({},), {}, "job {} is not there"),
    ("cancel", ("z",), {}, "job 'z' is not there"),
    ("join", ("x",), {}, "unknown configuration 'x'"),
    ("join", ({},), {}, "unknown configuration {}"),
    ("join", ("c", {"cpu": -1}), {}, "machine of c: cpu is -1: need a finite number >= 0"),
    ("join", ("c", {"gpu": 1}), {}, "machine of c: unknown resource 'gpu'"),
    ("join", ("c", {"cpu": NAN}), {}, "machine of c: cpu is nan: need a finite number >= 0"),
    ("join", ("c", {"cpu": 1e300}), {}, "machine of c: cpu is 1e+300: need a finite number >= 0"),
    ("join", ("c", 2), {}, "machine of c: need amounts by resource, got 2"),
    ("leave", ("c/99",), {}, "unknown machine c/99"),
    ("leave", (["c/0"],), {}, "unknown machine ['c/0']"),
    ("drain", (0,), {}, "unknown machine 0"),
    ("undrain", (None,), {}, "unknown machine None"),
    ("explain", (["a"],), {}, "job ['a'] is not there"),
    ("explain", ("z",), {}, "job 'z' is not there"),
    ("explain", ("k", 1), {}, "need amounts by resource, got 1"),
    ("follow", (None,), {}, "need a slotwise/guidance/1 document with its datacenter"),
    ("follow", ("plan.json",), {}, "need a slotwise/guidance/1 document with its datacenter"),
    ("follow", ({"format": "slotwise/guidance/1", "datacenter": {"x": 1}},), {}, "guidance: "),
    ("follow", (pair() | {"datacenter": [1]},), {}, "guidance: datacenter: need"),
    ("follow", (pair() | {"bins": ""},), {}, "guidance: bins: need"),
    ("follow", (pair() | {"prices": {}},), {}, "guidance: prices, classes: is missing"),
    ("follow", (pair() | {"prices": 0},), {}, "guidance: prices: need"),
    ("follow", (pair() | {"notes": [{1, 2}]},), {}, "guidance: Object of type set is not JSON"),
    ("follow", (without_classes([]),), {}, "guidance: "),
    ("restore", ({"format": "x"},), {}, "need a slotwise/dispatcher-state/1 document"),
    ("restore", (None,), {}, "need a slotwise/dispatcher-state/1 document"),
    ("restore", ({"format": "slotwise/dispatcher-state/1"},), {}, "state: guidance: is missing"),
]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_bad_call_is_a_value_error_and_changes_nothing(policy):
    dispatcher = Dispatcher(pair(), policy=policy)
    for name in "abcdef":
        dispatcher.arrive(name, "k", HALF)
    before = dispatcher.state()
    assert before["waiting"]
    for verb, given, options, message in BAD_CALLS:
        refused(lambda: getattr(dispatcher, verb)(*given, **options), message)  # noqa: B023
        assert dispatcher.state() == before, (verb, given)
    broken = json.loads(json.dumps(pair()))
    broken["prices"]["classes"] = {}
    if policy == "bid-price":
        refused(
            lambda: dispatcher.follow(broken), "guidance: prices, classes: nothing on class 'k'"
        )
    assert dispatcher.state() == before
    assert [one.job for one in dispatcher.depart("a")] == ["e"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": None}, "seed: need an integer >= 0, got None"),
        ({"seed": 0.5}, "seed: need an integer >= 0, got 0.5"),
        ({"sample": "two"}, "sample: need at least 1 machine, got two"),
        ({"sample": 0}, "sample: need at least 1 machine, got 0"),
        ({"policy": "random"}, "policy 'random': need one of lotes, "),
        ({"policy": "best-fit", "sample": 3}, "sample are for lotes, not for best-fit"),
    ],
)
def test_wrong_options_are_refused(options, message):
    refused(lambda: Dispatcher(pair(), **options), message)


PLAN = pair()

ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=2)
    | st.binary(max_size=2)
    | st.sampled_from(["a", "e", "z", "k", "c", "c/0", "c/9", HALF, {"cpu": 0.25}, PLAN]),
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(st.sampled_from("acek"), inside, max_size=2)
    ),
    max_leaves=4,
)

VERBS = [
    "arrive", "depart", "cancel", "join", "drain", "undrain", "leave", "follow", "restore",
    "score", "place", "adopt", "classify", "explain", "where",
]  # fmt: skip


@hypothesis.settings(deadline=None, max_examples=150)
@hypothesis.given(
    st.sampled_from(POLICIES), st.sampled_from(VERBS), st.lists(ANYTHING, min_size=1, max_size=4)
)
def test_whatever_is_given_a_call_is_right_or_changes_nothing(policy, verb, arguments):
    dispatcher = Dispatcher(PLAN, policy=policy)
    for name in "abcdef":
        dispatcher.arrive(name, "k", HALF)
    before = dispatcher.state()
    try:
        getattr(dispatcher, verb)(*arguments)
    except ValueError:
        assert dispatcher.state() == before
    except TypeError as error:  # more arguments than the verb has, or fewer
        if "positional argument" not in str(error):
            raise
        assert dispatcher.state() == before
