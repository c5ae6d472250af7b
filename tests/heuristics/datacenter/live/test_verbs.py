"""The live dispatcher: machines that join, drain and leave, jobs taken back, other plans."""

import pytest
from live_dispatchers import HALF, full, pair, plan_of, refused

from slotwise import Configuration, Datacenter, Dispatcher, JobClass, Placement
from slotwise.heuristics.datacenter.live.dispatcher import POLICIES
from slotwise.instances.datacenter.guidance_file import guidance_document
from slotwise.solvers.datacenter.guide import guide


def test_it_takes_guidance_as_slotwise_makes_it():
    problem = Datacenter.from_classes(
        "d", ("cpu",), [Configuration("c", 2, {"cpu": 1.0})], [JobClass("k", 1.0, 1.0, HALF)]
    )
    plan = guide(problem)
    dispatcher = Dispatcher(plan)
    assert dispatcher.state() == Dispatcher(guidance_document(plan)).state()
    assert dispatcher.arrive("a", "k", HALF) == Placement("a", "c", 0)
    dispatcher.follow(guide(problem.with_count([3])))
    assert [entry["bin"] for entry in dispatcher.state()["machines"]] == [0, 0]


def test_a_plan_that_lacks_what_runs_is_refused_and_nothing_changes():
    dispatcher = full()
    dispatcher.arrive("e", "k", {"cpu": 0.5})
    before = dispatcher.state()
    other = plan_of([Configuration("d", 1, {"cpu": 1.0})], [JobClass("k", 1.0, 1.0, {"cpu": 0.5})])
    refused(
        lambda: dispatcher.follow(other),
        "machine c/0 runs 2 jobs: drain it first or use leave()",
    )
    assert dispatcher.state() == before


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
def test_a_machine_much_larger_than_its_configuration_is_filled_once(policy):
    dispatcher = Dispatcher(pair(), policy=policy)
    dispatcher.join("c", {"cpu": 200.0}, name="huge")
    assert dispatcher.arrive("a", "k", {"cpu": 150.0}).name == "huge"
    assert dispatcher.arrive("b", "k", {"cpu": 60.0}) is None


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
