"""The dispatcher for other programs: everything but the plain arrival and departure."""

import json
import random
import re
from functools import cache

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from slotwise import Configuration, Dispatcher, JobClass, Placement, datacenter
from slotwise.heuristics.dispatch.dispatcher import POLICIES
from slotwise.instances.datacenter.guidance_file import guidance_document
from slotwise.solvers.guidance.guide import guide


def plan_of(configurations, classes, resources=("cpu",)):
    return guidance_document(guide(datacenter("d", resources, configurations, classes)))


def pair(machines=2):
    """Machines with 1 cpu, jobs that need half of it."""
    return plan_of(
        [Configuration("c", machines, {"cpu": 1.0})], [JobClass("k", 1.0, 1.0, {"cpu": 0.5})]
    )


def full(policy="lotes", machines=2):
    """A dispatcher with two jobs on each machine.

    LoTES puts a, c, … on the first and b, d, … on the second, best fit fills one after the other.
    """
    dispatcher = Dispatcher(pair(machines), policy=policy)
    for i in range(2 * machines):
        assert dispatcher.arrive("abcdefgh"[i], "k", {"cpu": 0.5})
    return dispatcher


def refused(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


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


NAN, HALF = float("nan"), {"cpu": 0.5}
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
    ("arrive", ("z", "k", HALF), {"now": None}, "now: keep_after needs the time, from 3 on"),
    ("arrive", ("z", "k", HALF), {"now": NAN}, "now: keep_after needs the time, from 3 on"),
    ("arrive", ("z", "k", HALF), {"now": 2.0}, "now: keep_after needs the time, from 3 on"),
    ("arrive", ("z", "k", HALF), {"now": "noon"}, "now: keep_after needs the time, from 3 on"),
    ("depart", ("z",), {}, "job 'z' is not there"),
    ("depart", (["a"],), {}, "job ['a'] is not there"),
    ("depart", ("a",), {"now": -1}, "now: keep_after needs the time, from 3 on, got -1"),
    ("depart", ("a",), {"now": [4]}, "now: keep_after needs the time, from 3 on, got [4]"),
    ("cancel", ("a",), {}, "job 'a' runs on c/"),
    ("cancel", ({},), {}, "job {} is not there"),
    ("join", ("x",), {}, "unknown configuration 'x'"),
    ("join", ({},), {}, "unknown configuration {}"),
    ("join", ("c", {"gpu": 1}), {}, "machine of c: unknown resource 'gpu'"),
    ("join", ("c", {"cpu": NAN}), {}, "machine of c: cpu is nan: need a finite number >= 0"),
    ("join", ("c", 2), {}, "machine of c: need amounts by resource, got 2"),
    ("leave", ("c/99",), {}, "unknown machine c/99"),
    ("leave", (["c/0"],), {}, "unknown machine ['c/0']"),
    ("drain", (0,), {}, "unknown machine 0"),
    ("undrain", (None,), {}, "unknown machine None"),
    ("explain", (["a"],), {}, "job ['a'] is not there"),
    ("explain", ("k", 1), {}, "need amounts by resource, got 1"),
    ("follow", (None,), {}, "need a slotwise/guidance/1 document with its datacenter"),
    ("follow", ("plan.json",), {}, "need a slotwise/guidance/1 document with its datacenter"),
    ("follow", ({"format": "slotwise/guidance/1", "datacenter": {"x": 1}},), {}, "guidance: Key"),
    ("follow", ({"format": "slotwise/guidance/1", "datacenter": [1]},), {}, "guidance: TypeError"),
    ("restore", (None,), {}, "need a slotwise/dispatcher-state/1 document"),
    ("restore", ({"format": "slotwise/dispatcher-state/1"},), {}, "state: KeyError at 'guidance'"),
]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_bad_call_is_a_value_error_and_changes_nothing(policy):
    dispatcher = Dispatcher(pair(), policy=policy, keep_after=5.0)
    for name in "abcdef":
        dispatcher.arrive(name, "k", HALF, now=3.0)
    before = dispatcher.state()
    assert before["waiting"]
    for verb, given, options, message in BAD_CALLS:
        if verb in ("arrive", "depart") and "now" not in options:
            options = {"now": 3.0, **options}
        refused(lambda: getattr(dispatcher, verb)(*given, **options), message)  # noqa: B023
        assert dispatcher.state() == before, (verb, given)
    slow = plan_of([Configuration("c", 2, {"cpu": 1.0})], [JobClass("k", 1.0, 9.0, HALF)])
    refused(lambda: dispatcher.follow(slow), "keep_after: need at least the jobs' mean duration, 9")
    broken = json.loads(json.dumps(pair()))
    broken["prices"]["classes"] = {}
    if policy == "bid-price":
        refused(lambda: dispatcher.follow(broken), "guidance: KeyError at 'k'")
    assert dispatcher.state() == before
    assert [one.job for one in dispatcher.depart("a", now=3.0)] == ["e"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": None}, "seed: need an integer >= 0, got None"),
        ({"seed": 0.5}, "seed: need an integer >= 0, got 0.5"),
        ({"sample": "two"}, "sample: need at least 1 machine, got two"),
        ({"keep_after": "x"}, "keep_after: need at least the jobs' mean duration, 1 h, got x"),
        ({"keep_after": NAN}, "keep_after: need at least the jobs' mean duration, 1 h, got nan"),
    ],
)
def test_options_of_a_wrong_type_are_refused(options, message):
    refused(lambda: Dispatcher(pair(), **options), message)


def test_it_takes_guidance_as_slotwise_makes_it():
    problem = datacenter(
        "d", ("cpu",), [Configuration("c", 2, {"cpu": 1.0})], [JobClass("k", 1.0, 1.0, HALF)]
    )
    plan = guide(problem)
    dispatcher = Dispatcher(plan)
    assert dispatcher.state() == Dispatcher(guidance_document(plan)).state()
    assert dispatcher.arrive("a", "k", HALF) == Placement("a", "c", 0)
    dispatcher.follow(guide(problem.with_count([3])))
    assert [entry["bin"] for entry in dispatcher.state()["machines"]] == [0, 0]


@pytest.mark.parametrize("keep_after", [None, 1.0])
@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_saved_after_smaller_machines_is_restored(policy, keep_after):
    """Two jobs of 0.5 run on machines that now have 0.6; a job of 0.9 waits, a machine kept."""
    options = {"policy": policy, "keep_after": keep_after}
    small = plan_of([Configuration("c", 2, {"cpu": 0.6})], [JobClass("k", 1.0, 1.0, HALF)])
    dispatcher = Dispatcher(pair(), **options)
    for name in "abcd":
        dispatcher.arrive(name, "k", HALF, now=0.0)
    assert dispatcher.arrive("large", "k", {"cpu": 0.9}, now=0.0) is None
    assert dispatcher.arrive("e", "k", HALF, now=2.0) is None
    assert dispatcher.follow(small) == []
    saved = json.loads(json.dumps(dispatcher.state()))
    again = Dispatcher(small, **options)
    again.restore(saved)
    assert again.state() == saved
    for name in "abcd":
        assert again.depart(name, now=3.0) == dispatcher.depart(name, now=3.0)
        assert again.state() == dispatcher.state()
    assert again.waiting == ["large"]


def test_what_is_saved_after_a_kept_machine_is_gone_is_restored():
    """The plan that follows has no d, of which a machine is kept for w."""
    classes = [JobClass("k", 1.0, 1.0, HALF)]
    both = plan_of([Configuration("c", 1, {"cpu": 1.0}), Configuration("d", 1, HALF)], classes)
    dispatcher = Dispatcher(both, policy="best-fit", keep_after=1.0)
    for name in "abc":
        assert dispatcher.arrive(name, "k", HALF, now=0.0)
    dispatcher.arrive("w", "k", HALF, now=0.0)
    dispatcher.arrive("x", "k", HALF, now=2.0)
    state = dispatcher.state()
    assert state["waiting"][0]["kept"] is not None
    for entry in state["machines"]:
        entry["jobs"] = [] if entry["configuration"] == "d" else entry["jobs"]
    state["waiting"][0]["kept"] = "d/0"
    dispatcher.restore(state)
    one = plan_of([Configuration("c", 1, {"cpu": 1.0})], classes)
    dispatcher.follow(one)
    again = Dispatcher(one, policy="best-fit", keep_after=1.0)
    again.restore(json.loads(json.dumps(dispatcher.state())))
    assert again.state() == dispatcher.state()
    assert again.state()["waiting"][0]["kept"] == "c/0"


def test_other_refusals_change_nothing():
    dispatcher = full()
    dispatcher.arrive("e", "k", {"cpu": 0.5})
    before = dispatcher.state()
    refused(lambda: dispatcher.drain("c/99"), "unknown machine c/99")
    refused(lambda: dispatcher.undrain("c/99"), "unknown machine c/99")
    refused(lambda: dispatcher.leave("x/0"), "unknown machine x/0")
    refused(lambda: dispatcher.join("x"), "unknown configuration 'x'")
    refused(lambda: dispatcher.join("c", {"cpu": -1}), "machine of c: cpu is -1")
    refused(lambda: dispatcher.cancel("a"), "job 'a' runs on c/0")
    refused(lambda: dispatcher.cancel("z"), "job 'z' is not there")
    refused(lambda: dispatcher.explain("z"), "job 'z' is not there")
    refused(lambda: dispatcher.restore({"format": "x"}), "slotwise/dispatcher-state/1")
    other = plan_of([Configuration("d", 1, {"cpu": 1.0})], [JobClass("k", 1.0, 1.0, {"cpu": 0.5})])
    refused(
        lambda: dispatcher.follow(other),
        "machine c/0 runs 2 jobs: drain it first or use leave()",
    )
    assert dispatcher.state() == before
    refused(lambda: Dispatcher(pair(), policy="random"), "policy 'random'")
    refused(lambda: Dispatcher(pair(), policy="best-fit", sample=3), "not for best-fit")


def test_a_waiting_job_is_taken_back():
    dispatcher = full()
    dispatcher.arrive("e", "k", {"cpu": 0.5})
    dispatcher.arrive("f", "k", {"cpu": 0.5})
    dispatcher.cancel("e")
    assert dispatcher.waiting == ["f"]
    assert dispatcher.depart("a") == [Placement("f", "c", 0)]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_machine_that_drains_starts_nothing_until_it_no_longer_does(policy):
    dispatcher = full(policy)
    dispatcher.drain("c/0")
    dispatcher.arrive("e", "k", {"cpu": 0.5})
    assert dispatcher.depart("a") == []
    assert dispatcher.waiting == ["e"]
    assert dispatcher.undrain("c/0") == [Placement("e", "c", 0)]
    dispatcher.drain("c/0")
    dispatcher.drain("c/1")
    refused(
        lambda: dispatcher.arrive("f", "k", {"cpu": 0.5}),
        "job 'f' fits only on machines that are draining",
    )


@pytest.mark.parametrize("policy", POLICIES)
def test_a_machine_that_joins_starts_waiting_jobs(policy):
    dispatcher = full(policy)
    for name in "efg":
        dispatcher.arrive(name, "k", {"cpu": 0.5})
    joined = dispatcher.join("c")
    assert joined.machine == "c/2"
    assert joined.started == [Placement("e", "c", 2), Placement("f", "c", 2)]
    assert dispatcher.waiting == ["g"]
    small = dispatcher.join("c", {"cpu": 0.4})
    assert (small.machine, small.started) == ("c/3", [])
    assert dispatcher.machines == ["c/0", "c/1", "c/2", "c/3"]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_larger_machine_that_joins_takes_larger_jobs(policy):
    dispatcher = Dispatcher(pair(), policy=policy)
    refused(lambda: dispatcher.arrive("x", "k", {"cpu": 1.5}), "fits no machine")
    dispatcher.join("c", {"cpu": 2.0})
    assert dispatcher.arrive("x", "k", {"cpu": 1.5}) == Placement("x", "c", 2)


@pytest.mark.parametrize("policy", POLICIES)
def test_jobs_of_a_machine_that_leaves_start_elsewhere_or_go_to_the_head_of_the_line(policy):
    """c/0 runs a and x, c/1 d and another; d ends, c/0 leaves: a takes d's place, x waits first."""
    dispatcher = full(policy)
    x, other = ("b", "c") if policy in ("best-fit", "bid-price") else ("c", "b")
    dispatcher.arrive("e", "k", {"cpu": 0.6})
    assert dispatcher.depart("d") == []
    left = dispatcher.leave("c/0")
    assert left.jobs == ["a", x]
    assert left.started == [Placement("a", "c", 1)]
    assert dispatcher.waiting == [x, "e"]
    assert dispatcher.machines == ["c/1"]
    assert dispatcher.depart(other) == [Placement(x, "c", 1)]
    # Its number is not given to another machine; its bin is.
    assert dispatcher.join("c").machine == "c/2"
    assert [entry["bin"] for entry in dispatcher.state()["machines"]] == [0, 0]


@pytest.mark.parametrize("verb", ["drain", "leave"])
def test_jobs_whose_place_is_gone_start_wherever_they_can(verb):
    """The plan has k on d alone, and c stays free while w waits; without d it may take c."""
    plan = plan_of(
        [Configuration("c", 1, {"cpu": 1.0}), Configuration("d", 1, {"cpu": 0.5})],
        [JobClass("k", 1.0, 1.0, {"cpu": 0.5})],
    )
    for entry in plan["bins"]:
        entry["jobs"] = {"k": 1} if entry["configuration"] == "d" else {}
    plan["proportions"] = {"k": {"d": 1.0}}
    dispatcher = Dispatcher(plan)
    places = [dispatcher.arrive(name, "k", {"cpu": 0.5}) for name in ("u", "v", "x", "w")]
    assert [place and place.configuration for place in places] == ["d", "c", "c", None]
    assert dispatcher.depart("v") == dispatcher.depart("x") == []
    if verb == "drain":
        assert dispatcher.drain("d/0") == [Placement("w", "c", 0)]
    else:
        started = [Placement("u", "c", 0), Placement("w", "c", 0)]
        assert dispatcher.leave("d/0").started == started


def test_a_machine_that_joins_without_a_bin_left_has_an_empty_one():
    dispatcher = full()
    dispatcher.join("c")
    assert [entry["bin"] for entry in dispatcher.state()["machines"]] == [0, 0, None]


def test_many_machines_join():
    """More than there are places for; the lowest number is still the first choice."""
    dispatcher = Dispatcher(
        plan_of(
            [Configuration("c", 1, {"cpu": 1.0}), Configuration("d", 1, {"cpu": 1.0})],
            [JobClass("k", 1.0, 1.0, {"cpu": 1.0})],
        ),
        policy="best-fit",
    )
    for _ in range(40):
        dispatcher.join("c")
    places = [dispatcher.arrive(str(i), "k", {"cpu": 1.0}) for i in range(42)]
    wanted = [Placement(str(i), "c", i) for i in range(41)] + [Placement("41", "d", 0)]
    assert places == wanted


def test_another_plan_is_followed_while_jobs_run():
    """The first plan keeps class a away from configuration big, which the second gives it.

    a needs 1 of cpu, b 1 of cpu and 1 of gpu; cpu-only machines carry a, machines with gpus b.
    """
    machines = [
        Configuration("plain", 1, {"cpu": 1.0}),
        Configuration("big", 1, {"cpu": 1.0, "gpu": 1.0}),
    ]
    need = {"a": {"cpu": 1.0}, "b": {"cpu": 1.0, "gpu": 1.0}}

    def plan(share):
        classes = [JobClass(k, part, 1.0, need[k]) for k, part in share.items()]
        return plan_of(machines, classes, ("cpu", "gpu"))

    dispatcher = Dispatcher(plan({"a": 0.5, "b": 0.5}))
    assert dispatcher.arrive("1", "a", need["a"]) == Placement("1", "plain", 0)
    assert dispatcher.arrive("2", "b", need["b"]) == Placement("2", "big", 0)
    assert dispatcher.arrive("3", "a", need["a"]) is None
    assert dispatcher.depart("2") == []  # not for class a
    second = plan({"a": 0.99, "b": 0.01})
    for entry in second["bins"]:
        entry["jobs"] = {"a": 1}
    assert dispatcher.follow(second) == [Placement("3", "big", 0)]
    assert dispatcher.state()["machines"][0]["jobs"][0]["job"] == "1"
    assert dispatcher.depart("1") == []


def test_reasons_in_words():
    dispatcher = Dispatcher(pair(), reasons=True)
    dispatcher.arrive("a", "k", {"cpu": 0.5})
    assert dispatcher.explain("a").text == (
        "k on c/0: c was drawn (100 % of k go there); of its 2 machines with room it has the "
        "highest score, 2: 2 jobs of the class in its bin, 0 running; next: c/1 with 2"
    )
    for name in "bcd":
        dispatcher.arrive(name, "k", {"cpu": 0.5})
    dispatcher.arrive("e", "k", {"cpu": 0.5})
    dispatcher.arrive("f", "k", {"cpu": 0.5})
    why = dispatcher.explain("f")
    assert (why.machine, why.room) == (None, 0)
    assert why.text == "k waits: none of 2 machines that can run it has room; 1 job before it"
    dispatcher.depart("a")
    assert dispatcher.explain("e").text == (
        "k on c/0: it waited until c/0 had room, and is the first of its class, which has the "
        "highest score here of those that wait and fit, 1: 2 jobs in the bin, 1 running"
    )


def test_the_reason_of_best_fit():
    dispatcher = Dispatcher(pair(3), policy="best-fit")
    dispatcher.arrive("a", "k", {"cpu": 0.5})
    why = dispatcher.explain("k", {"cpu": 0.25})
    assert (why.machine, why.room, why.others) == ("c/0", 3, ("c/1", "c/2"))
    assert why.text == (
        "k on c/0: of the 3 machines with room it has the least free, 0.5 of the largest machine "
        "(summed over the resources); next: c/1 with 1, c/2 with 1"
    )
    assert dispatcher.waiting == []
    assert dispatcher.explain("a").machine == "c/0"


def by_hand(policy="bid-price"):
    """Machines of 10; class a needs 5 and brings 5, class b needs 3 and brings 3, times are 1.

    The best that fits: V(10) = 10 (two of a), V(8) = 8 (a and b), V(7) = 6, V(5) = 5, V(2) = 0.
    c/0 has 10 free, c/1 has 8 free, c/2 has 5 free. No draws are smoothed over.
    """
    plan = plan_of(
        [Configuration("c", 3, {"cpu": 10.0})],
        [JobClass("a", 0.5, 1.0, {"cpu": 5.0}), JobClass("b", 0.5, 1.0, {"cpu": 3.0})],
    )
    belongs = {"a": ["c"], "b": ["c"]}
    prices = {"classes": {"a": 5.0, "b": 3.0}, "belongs": belongs, "spread": 0.3, "draws": 0}
    dispatcher = Dispatcher({**plan, "prices": prices}, policy=policy)
    state = dispatcher.state()
    for machine, need in ((1, 2.0), (2, 5.0)):
        entry = {"job": f"old {machine}", "class": "a", "demand": {"cpu": need}, "number": machine}
        state["machines"][machine]["jobs"].append(entry)
    dispatcher.restore({**state, "arrived": 3})
    return dispatcher


def test_bid_price_takes_the_room_that_is_worth_least():
    """b costs V(10) - V(7) = 4 on c/0, V(8) - V(5) = 3 on c/1, V(5) - V(2) = 5 on c/2."""
    dispatcher = by_hand()
    why = dispatcher.explain("b", {"cpu": 3.0})
    assert why.text == (
        "b on c/1: takes room worth 3 of 3 that it brings (spoils nothing); next: c/0 spoils 33 %, "
        "c/2 spoils 67 %; 3 machines had room, 3 shapes of them priced"
    )
    assert dispatcher.arrive("x", "b", {"cpu": 3.0}) == Placement("x", "c", 1)
    assert by_hand("best-fit").arrive("x", "b", {"cpu": 3.0}) == Placement("x", "c", 2)


def test_bid_price_keeps_a_class_from_where_it_does_not_belong_while_jobs_wait():
    """Without waiting jobs a may go to d; once one waits, it may not, and the reason says so."""
    plan = plan_of(
        [Configuration("c", 1, {"cpu": 2.0}), Configuration("d", 2, {"cpu": 2.0})],
        [JobClass("a", 0.5, 1.0, {"cpu": 2.0}), JobClass("b", 0.5, {"d": 1.0}, {"cpu": 2.0})],
    )
    prices = {"classes": {"a": 1.0, "b": 2.0}, "belongs": {"a": ["c"], "b": ["d"]}, "draws": 0}
    dispatcher = Dispatcher({**plan, "prices": prices}, policy="bid-price")
    need = {"cpu": 2.0}
    places = [dispatcher.arrive(name, "a", need) for name in "uvwx"]
    assert [place and place.configuration for place in places[2:]] == ["d", None]
    first = next(place for place in places if place.configuration == "d")
    assert dispatcher.depart(first.job) == []
    why = dispatcher.explain("a", need)
    assert why.machine is None
    assert "1 machine with room, of d: not for its class" in why.text
    assert dispatcher.arrive("y", "b", need) == Placement("y", "d", first.machine)


def test_guidance_without_prices_is_refused_for_bid_price():
    plan = {key: value for key, value in pair().items() if key != "prices"}
    refused(lambda: Dispatcher(plan, policy="bid-price"), "make it again with `slotwise guide`")
    printed = {**plan, "method": "LoTES as printed"}
    refused(lambda: Dispatcher(printed, policy="bid-price"), "made as printed and has no prices")
    refused(lambda: by_hand().follow(plan), "has no prices")
    assert Dispatcher(plan, policy="best-fit").waiting == []


@pytest.mark.parametrize("policy", POLICIES)
def test_a_machine_is_kept_for_a_job_that_has_waited_long(policy):
    """Small jobs would always take what others leave; from time 2 on not on c/0."""
    plan = plan_of(
        [Configuration("c", 2, {"cpu": 1.0})],
        [JobClass("k", 0.9, 1.0, {"cpu": 0.5}), JobClass("l", 0.1, 1.0, {"cpu": 1.0})],
    )
    half, whole = {"cpu": 0.5}, {"cpu": 1.0}
    dispatcher = Dispatcher(plan, policy=policy, keep_after=2.0)
    on = {"c/0": [], "c/1": []}
    for name in "abcd":
        place = dispatcher.arrive(name, "k", half, now=0.0)
        on[f"{place.configuration}/{place.machine}"].append(name)
    assert dispatcher.arrive("big", "l", whole, now=0.0) is None
    for name in "efgh":
        assert dispatcher.arrive(name, "k", half, now=0.5) is None
    one, two = on["c/0"]
    assert dispatcher.depart(one, now=1.9) == [Placement("e", "c", 0)]
    third = on["c/1"][0]
    assert dispatcher.depart(third, now=2.0) == [Placement("f", "c", 1)]
    assert dispatcher.explain("big").text.endswith("c/0 is kept for it")
    assert dispatcher.depart(two, now=2.1) == []
    assert dispatcher.depart("e", now=2.2) == [Placement("big", "c", 0)]
    assert dispatcher.waiting == ["g", "h"]


def test_keeping_machines_needs_the_time_and_more_than_a_mean_duration():
    refused(lambda: Dispatcher(pair(), keep_after=0.9), "need at least the jobs' mean duration, 1")
    refused(lambda: Dispatcher(pair(), keep_after=2.0, sample=1), "exclude one another")
    dispatcher = Dispatcher(pair(), keep_after=2.0)
    refused(lambda: dispatcher.arrive("a", "k", {"cpu": 0.5}), "keep_after needs the time")
    dispatcher.arrive("a", "k", {"cpu": 0.5}, now=3.0)
    refused(lambda: dispatcher.depart("a", now=2.0), "from 3 on, got 2.0")
    assert dispatcher.depart("a", now=3.0) == []


@cache
def mixed(number):
    """Plans for two mixes of the same jobs."""
    share = (0.2, 0.7)[number]
    plan = plan_of(
        [
            Configuration("m", 2, {"cpu": 1.0, "mem": 1.0}),
            Configuration("n", 1, {"cpu": 2.0, "mem": 1.0}),
        ],
        [
            JobClass("k", share, {"m": 1.0, "n": 0.5}, {"cpu": 0.3, "mem": 0.2}),
            JobClass("l", 0.9 - share, 2.0, {"cpu": 0.5, "mem": 0.7}),
            JobClass("o", 0.1, {"n": 1.0}, {"cpu": 1.0, "mem": 0.1}),
        ],
        ("cpu", "mem"),
    )
    plan["prices"]["draws"] = 1
    if number == 0:  # l has its place on n alone
        for entry in plan["bins"]:
            if entry["configuration"] == "m":
                entry["jobs"] = {"k": 3}
        plan["prices"]["belongs"]["l"] = ["n"]
    return plan


class Acts:
    """Random calls, which depend only on the seed and on what the dispatcher says."""

    def __init__(self, dispatcher, seed):
        self.dispatcher, self.random = dispatcher, random.Random(seed)
        self.jobs, self.arrived, self.now = [], 0, 0.0

    def one(self):
        """One call, by name, and what came of it."""
        pick, machines = self.random.random(), self.dispatcher.machines
        if pick < 0.5:
            name, k = str(self.arrived), self.random.choice("klo")
            demand = {r: self.random.choice((0.1, 0.3, 0.75)) for r in ("cpu", "mem")}
            self.arrived += 1
            try:
                place = self.dispatcher.arrive(name, k, demand, now=self.now)
            except ValueError as error:
                return "refused", str(error)
            self.jobs.append(name)
            return "arrive", place
        if pick < 0.85 and self.jobs:
            job = self.jobs.pop(self.random.randrange(len(self.jobs)))
            self.now += 1.0
            return "depart", self.dispatcher.depart(job, now=self.now)
        if pick < 0.88:
            size = self.random.choice((None, None, {"cpu": 1.3, "mem": 0.5}))
            return "join", self.dispatcher.join(self.random.choice("mn"), size)
        if pick < 0.91 and len(machines) > 3:
            return "leave", self.dispatcher.leave(self.random.choice(machines))
        if pick < 0.94:
            return "drain", self.dispatcher.drain(self.random.choice(machines))
        if pick < 0.98:
            return "undrain", self.dispatcher.undrain(self.random.choice(machines))
        return "follow", self.dispatcher.follow(mixed(self.random.randrange(2)))


@pytest.mark.parametrize("keep_after", [None, 10.0])
@pytest.mark.parametrize("policy", POLICIES)
def test_after_restoring_the_decisions_are_the_same(policy, keep_after):
    options = {"policy": policy, "keep_after": keep_after}
    acts = Acts(Dispatcher(mixed(0), **options), 5)
    for seed in range(8):
        for _ in range(60):
            acts.one()
        saved = json.loads(json.dumps(acts.dispatcher.state()))
        following = next(
            plan for plan in (mixed(0), mixed(1)) if _same_guidance(plan, policy, saved["guidance"])
        )
        again = Dispatcher(following, **options)
        again.restore(saved)
        assert again.state() == acts.dispatcher.state()
        other = Acts(again, seed)
        other.jobs, other.arrived, other.now = list(acts.jobs), acts.arrived, acts.now
        acts.random.seed(seed)
        for _ in range(60):
            assert other.one() == acts.one()
    assert acts.dispatcher.waiting


def _same_guidance(plan, policy, fingerprint):
    return Dispatcher(plan, policy=policy).state()["guidance"] == fingerprint


WAITING = {"job": "z", "class": "k", "demand": {"cpu": 1}, "number": 9}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"guidance": "x"}, "saved under other guidance"),
        ({"policy": "best-fit"}, "saved with policy 'best-fit'"),
        ({"seed": 3}, "saved with seed 3"),
        ({"waiting": [{"job": "e"}]}, "state: KeyError"),
        ({"machines": None}, "state: TypeError"),
        (
            {"waiting": [{"job": "a", "class": "k", "demand": {"cpu": 1}, "number": 9}]},
            "job 'a' is there twice",
        ),
        ({"arrived": -1}, "state: arrived: need an integer >= 0, got -1"),
        ({"arrived": "x"}, "state: arrived: need an integer >= 0, got 'x'"),
        ({"next_machine": {"c": 1}}, "state: machine c/1: the next one is 1"),
        ({"next_machine": {}}, "state: KeyError at 'c'"),
        ({"waiting": [WAITING | {"kept": "c/7"}]}, "state: KeyError at 'c/7'"),
        ({"waiting": [WAITING | {"since": float("nan")}]}, "state: job 'z' waits since nan"),
        ({"waiting": [WAITING | {"job": 5}]}, "state: job 5: need a name"),
        ({"waiting": [WAITING | {"number": 1.5}]}, "state: job 'z': need an integer >= 0, got 1.5"),
    ],
)
def test_states_that_are_none_are_refused(change, message):
    dispatcher = full()
    before = dispatcher.state()
    refused(lambda: dispatcher.restore({**before, **change}), message)
    assert dispatcher.state() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"number": 0}, "state: machine c/0 is there twice"),
        ({"number": "1"}, "state: machine of c: need an integer >= 0, got '1'"),
        ({"bin": -1}, "state: machine c/1: the plan has no bin -1 there"),
        ({"configuration": "x"}, "unknown configuration 'x'"),
        ({"capacity": {"cpu": "much"}}, "state: machine c/1: cpu is much"),
        ({"jobs": None}, "state: TypeError"),
    ],
)
def test_states_with_wrong_machines_are_refused(change, message):
    dispatcher = full()
    dispatcher.arrive("e", "k", HALF)
    before = dispatcher.state()
    first, second = before["machines"]
    wrong = {**before, "machines": [first, second | change], "arrived": 99}
    refused(lambda: dispatcher.restore(wrong), message)
    assert dispatcher.state() == before
    assert dispatcher.depart("a") == [Placement("e", "c", 0)]


DEMANDS = st.tuples(
    st.sampled_from("kllo"), st.sampled_from((0.2, 0.5, 0.9, 1.4)), st.sampled_from((0.0, 0.3, 0.9))
)


class Life(RuleBasedStateMachine):
    """Any calls in any order, against the books kept here."""

    @initialize(
        policy=st.sampled_from(POLICIES),
        keep_after=st.sampled_from((None, 3.0)),
        crowd=st.lists(DEMANDS, min_size=6, max_size=12),
    )
    def begin(self, policy, keep_after, crowd):
        self.policy, self.plan, self.now = policy, mixed(0), 0.0
        self.dispatcher = Dispatcher(self.plan, policy=policy, keep_after=keep_after)
        self.where, self.need, self.line, self.number = {}, {}, [], 0
        self.capacity = {
            f"{entry['name']}/{i}": entry["capacity"]
            for entry in self.plan["datacenter"]["configurations"]
            for i in range(entry["count"])
        }
        self.draining = set()
        for need in crowd:
            self.arrive(need)

    def started(self, placements):
        for place in placements:
            assert self.where[place.job] is None
            self.line.remove(place.job)
            self.where[place.job] = f"{place.configuration}/{place.machine}"
            assert self.where[place.job] not in self.draining

    @rule(need=DEMANDS)
    def arrive(self, need):
        k, cpu, mem = need
        job, demand = str(self.number), {"cpu": cpu, "mem": mem}
        try:
            place = self.dispatcher.arrive(job, k, demand, now=self.now)
        except ValueError:
            assert not any(
                machine.split("/")[0] in self.able(k) and self.holds(machine, demand, empty=True)
                for machine in self.capacity.keys() - self.draining
            )
            return
        self.number += 1
        self.where[job], self.need[job] = None, (k, demand)
        self.line.append(job)
        self.started([place] if place else [])

    @precondition(lambda self: self.where)
    @rule(data=st.data())
    def depart(self, data):
        job = data.draw(st.sampled_from(sorted(self.where)))
        self.now += 1.0
        started = self.dispatcher.depart(job, now=self.now)
        if self.where.pop(job) is None:
            self.line.remove(job)
        self.started(started)

    @precondition(lambda self: self.line)
    @rule(data=st.data())
    def cancel(self, data):
        job = data.draw(st.sampled_from(self.line))
        started = self.dispatcher.cancel(job)
        self.line.remove(job)
        del self.where[job]
        self.started(started)

    @rule(configuration=st.sampled_from("mn"), own=st.booleans())
    def join(self, configuration, own):
        capacity = {"cpu": 1.5, "mem": 0.8} if own else None
        joined = self.dispatcher.join(configuration, capacity)
        standard = {"m": {"cpu": 1.0, "mem": 1.0}, "n": {"cpu": 2.0, "mem": 1.0}}
        self.capacity[joined.machine] = capacity or standard[configuration]
        self.started(joined.started)

    @precondition(lambda self: self.capacity)
    @rule(data=st.data())
    def leave(self, data):
        machine = data.draw(st.sampled_from(sorted(self.capacity)))
        left = self.dispatcher.leave(machine)
        del self.capacity[machine]
        self.draining.discard(machine)
        assert left.jobs == sorted((j for j, m in self.where.items() if m == machine), key=int)
        for job in left.jobs:
            self.where[job] = None
        self.line = left.jobs + self.line
        self.started(left.started)

    @precondition(lambda self: self.capacity)
    @rule(data=st.data())
    def drain(self, data):
        machine = data.draw(st.sampled_from(sorted(self.capacity)))
        if machine in self.draining:
            self.draining.remove(machine)
            self.started(self.dispatcher.undrain(machine))
        else:
            self.draining.add(machine)
            self.started(self.dispatcher.drain(machine))

    @rule(number=st.integers(0, 1))
    def follow(self, number):
        self.plan = mixed(number)
        self.started(self.dispatcher.follow(self.plan))

    @invariant()
    def no_machine_is_overfilled(self):
        for machine, capacity in self.capacity.items():
            for r in ("cpu", "mem"):
                assert self.free(machine, r, capacity) >= -1e-9

    def free(self, machine, r, capacity):
        on_it = (self.need[job][1][r] for job, where in self.where.items() if where == machine)
        return capacity[r] - sum(on_it)

    @invariant()
    def no_job_is_lost_and_the_line_is_in_order(self):
        assert self.dispatcher.waiting == self.line

    @invariant()
    def no_job_waits_where_its_class_has_its_place_and_there_is_room(self):
        for job in self.line:
            k, demand = self.need[job]
            homes = self.homes(k)
            if not any(
                machine.split("/")[0] in homes and self.holds(machine, demand, empty=True)
                for machine in self.capacity.keys() - self.draining
            ):
                homes = self.able(k)
            for machine in self.capacity.keys() - self.draining - self.kept():
                assert machine.split("/")[0] not in homes or not self.holds(machine, demand)

    def kept(self):
        kept = {entry.get("kept") for entry in self.dispatcher.state()["waiting"]} - {None}
        assert len(kept) <= 1
        return kept

    @invariant()
    def a_machine_is_kept_for_the_first_that_has_waited_so_long(self):
        state = self.dispatcher.state()
        if state["keep_after"] is None or not state["waiting"]:
            return
        first, able = state["waiting"][0], self.able(self.need[self.line[0]][0])
        late = state["now"] - first["since"] >= state["keep_after"]
        assert (
            not late
            or self.kept()
            or not any(
                machine.split("/")[0] in able and self.holds(machine, first["demand"], empty=True)
                for machine in self.capacity.keys() - self.draining
            )
        )

    def holds(self, machine, demand, *, empty=False):
        capacity = self.capacity[machine]
        return all(
            demand[r] <= (capacity[r] if empty else self.free(machine, r, capacity)) + 1e-10
            for r in demand
        )

    def able(self, k):
        return {"n"} if k == "o" else {"m", "n"}

    def homes(self, k):
        if self.policy == "bid-price":
            return set(self.plan["prices"]["belongs"][k])
        if self.policy != "lotes":
            return self.able(k)
        return {entry["configuration"] for entry in self.plan["bins"] if entry["jobs"].get(k)}


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
