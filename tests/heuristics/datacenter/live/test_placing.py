"""The live dispatcher beside another program: costs, starts decided there, names, whole states."""

import json
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from live_dispatchers import HALF, full, mixed, pair, plan_of, priced, refused

import slotwise
from slotwise import Configuration, Dispatcher, JobClass


def test_costs_of_best_fit_are_what_is_free_and_nothing_changes():
    dispatcher = Dispatcher(pair(), policy="best-fit")
    dispatcher.arrive("a", "k", HALF)
    before = dispatcher.state()
    assert dispatcher.score("k", HALF) == {"c/0": pytest.approx(0.5), "c/1": pytest.approx(1.0)}
    assert dispatcher.score("k", HALF, machines=["c/1"]) == {"c/1": pytest.approx(1.0)}
    assert list(dispatcher.score("k", {"cpu": 0.7})) == ["c/1"]
    assert dispatcher.score("k", {"cpu": 3.0}) == {}
    assert dispatcher.state() == before


def test_costs_of_bid_price_are_prices_also_where_a_class_has_none():
    """Only gpus are scarce: g has all the price, 1 over its share of a half, and k none."""
    plan = plan_of(
        [Configuration("c", 1, {"cpu": 9.0}), Configuration("d", 1, {"cpu": 9.0, "gpu": 1.0})],
        [JobClass("k", 0.5, 1.0, {"cpu": 1.0}), JobClass("g", 0.5, 1.0, {"cpu": 1.0, "gpu": 1.0})],
        ("cpu", "gpu"),
    )
    prices = plan["prices"]["classes"]
    assert prices == {"k": pytest.approx(0.0), "g": pytest.approx(2.0)}
    jobs = {"c": {"k": 2}, "d": {"g": 1}}
    bins = [{"configuration": j, "machines": 1, "jobs": jobs[j]} for j in "cd"]
    plan = priced({**plan, "bins": bins}, prices, draws=0)
    dispatcher = Dispatcher(plan, policy="bid-price")
    # Where a bin lacks the class it costs less by 0.3 times the median price, 2.
    assert dispatcher.score("k", {"cpu": 1.0}) == {"c/0": pytest.approx(-0.6), "d/0": 0.0}
    assert dispatcher.score("g", {"cpu": 1.0, "gpu": 1.0}) == {"d/0": pytest.approx(2.0 - 0.6)}


@settings(max_examples=20, deadline=None)
@given(st.tuples(*[st.sampled_from((0.0, 1e-9, 0.7, 3.0))] * 3).filter(any))
def test_costs_follow_the_prices_also_where_some_are_0(prices):
    need = {"cpu": 0.3, "mem": 0.2}

    def scores(factor):
        value = {k: factor * price for k, price in zip("klo", prices, strict=True)}
        dispatcher = Dispatcher(priced(mixed(0), value, draws=1), policy="bid-price")
        return {k: dispatcher.score(k, need) for k in "klo"}

    once, twice = scores(1.0), scores(2.0)
    for k, costs in once.items():
        assert twice[k] == {machine: 2 * cost for machine, cost in costs.items()}
        # At most 10 jobs fit, 4 of them in the time of one: 40 prices, and draws not twice that.
        assert all(
            math.isfinite(cost) and abs(cost) <= 100 * max(prices) for cost in costs.values()
        )


def test_costs_where_only_gpus_are_scarce(traces):
    file = traces / "regressions" / "score-price-zero.json"
    if not file.is_file():
        pytest.skip(f"no {file}")
    dispatcher = Dispatcher(slotwise.guide(slotwise.read_datacenter(file)), policy="bid-price")
    # db has no price, and its bin is on one of the two fat machines: 0.3 times 20, that of train.
    costs = dispatcher.score("db", {"cpu": 4, "memory": 30})
    assert len(costs) == 7
    assert sorted(costs.values()) == [pytest.approx(-6.0)] + 6 * [0.0]


def test_prices_that_are_all_0_are_refused():
    plan = pair()
    plan = {**plan, "prices": {**plan["prices"], "classes": {"k": 0.0}}}
    refused(lambda: Dispatcher(plan, policy="bid-price"), "they add up to 0, need 1")


@pytest.mark.parametrize("policy", ["best-fit", "bid-price", "lotes-unrestricted"])
def test_the_least_cost_is_where_a_job_starts(policy):
    draws = random.Random(1)
    dispatcher = Dispatcher(mixed(1), policy=policy)
    starts = 0
    for number in range(200):
        k = draws.choice("klo")
        need = {"cpu": draws.choice((0.2, 0.3, 0.5)), "mem": draws.choice((0.1, 0.2))}
        costs = dispatcher.score(k, need)
        place = dispatcher.arrive(str(number), k, need, draw=0.0)
        if place is None:
            assert policy == "lotes-unrestricted" or costs == {}
            dispatcher.cancel(str(number))
        elif policy == "lotes-unrestricted":  # the configuration is drawn first
            drawn = [c for m, c in costs.items() if m.startswith(place.configuration)]
            assert costs[place.name] == min(drawn)
        else:
            assert costs[place.name] == min(costs.values())
        starts += place is not None
        if number % 3 == 2:
            running = [j["job"] for m in dispatcher.state()["machines"] for j in m["jobs"]]
            dispatcher.depart(draws.choice(running))
    assert starts > 50


def test_a_waiting_job_that_another_program_starts_waits_no_more():
    dispatcher = full()
    dispatcher.join("c", name="node-7")
    dispatcher.drain("node-7")
    assert dispatcher.arrive("e", "k", HALF) is None
    assert dispatcher.place("e", "node-7") == []
    assert dispatcher.waiting == []
    assert [one.job for one in dispatcher.depart("e")] == []
    assert dispatcher.place("f", "node-7", "k", HALF) == []
    assert dispatcher.undrain("node-7") == []
    assert dispatcher.arrive("g", "k", HALF).name == "node-7"
    refused(lambda: dispatcher.place("h", "node-7", "k", HALF), "node-7 has no room for it")


def test_jobs_that_run_already_are_taken_over_all_or_none():
    dispatcher = Dispatcher(pair())
    before = dispatcher.state()
    three = dict.fromkeys("abc", ("c/0", "k", HALF))
    refused(lambda: dispatcher.adopt(three), "job 'c': c/0 has no room for it")
    refused(lambda: dispatcher.adopt({"a": ("c/9", "k", HALF)}), "unknown machine c/9")
    refused(lambda: dispatcher.adopt({"a": ("c/1", None, None)}), "job 'a' is not there")
    refused(lambda: dispatcher.adopt({"a": ("c/1", "k")}), "need machine, class and demand")
    refused(lambda: dispatcher.adopt([1]), "need machine, class and demand by name")
    assert dispatcher.state() == before
    assert dispatcher.adopt({**three, "c": ("c/1", "k", HALF)}) == []
    refused(lambda: dispatcher.adopt({"a": ("c/1", "k", HALF)}), "job 'a' is there already")
    assert dispatcher.arrive("d", "k", HALF).name == "c/1"
    assert dispatcher.arrive("e", "k", HALF) is None
    assert [one.job for one in dispatcher.depart("a")] == ["e"]


def test_wrong_calls_change_nothing():
    dispatcher = full()
    dispatcher.arrive("e", "k", HALF)
    before = dispatcher.state()
    for call, message in [
        (lambda: dispatcher.place("a", "c/0"), "job 'a' runs on c/0"),
        (lambda: dispatcher.place("z", "c/0"), "a new job needs its class and demand"),
        (lambda: dispatcher.place("e", "c/0", "k", HALF), "job 'e' is there already"),
        (lambda: dispatcher.place("e", "c/0"), "job 'e': c/0 has no room for it"),
        (lambda: dispatcher.place("e", "x"), "unknown machine x"),
        (lambda: dispatcher.place(["e"], "c/0", "k", HALF), "need a name"),
        (lambda: dispatcher.score("a"), "job 'a' runs on c/0"),
        (lambda: dispatcher.score("k", HALF, machines=["x"]), "unknown machine x"),
        (lambda: dispatcher.score("k", HALF, machines="c/0"), "machines: need names, got 'c/0'"),
        (lambda: dispatcher.score("k", HALF, machines=3), "machines: need names, got 3"),
        (lambda: dispatcher.join("c", name="c/1"), "machine 'c/1' is there already"),
        (lambda: dispatcher.join("c", name=""), "machine of c: need a name, got ''"),
        (lambda: dispatcher.prepare({}), "need a slotwise/guidance/1 document"),
        (lambda: Dispatcher.resume(before), "document with its guidance"),
        (lambda: Dispatcher.resume({**before, "document": {}}), "document with its guidance"),
    ]:
        refused(call, message)
        assert dispatcher.state() == before


def test_a_number_whose_name_is_taken_is_left_out():
    dispatcher = Dispatcher(pair())
    dispatcher.join("c", name="c/3")  # it has number 2
    assert dispatcher.join("c").machine == "c/4"
    assert dispatcher.machines == ["c/0", "c/1", "c/3", "c/4"]
    twice = dispatcher.state()
    twice["machines"][3].update(number=2, name="other")
    refused(lambda: dispatcher.restore(twice), "state: machine other is there twice")


def test_tables_that_are_prepared_are_not_filled_by_arrivals(monkeypatch):
    from slotwise.heuristics.datacenter.worth import tables

    dispatcher = Dispatcher(mixed(0), policy="bid-price")
    dispatcher.prepare()
    beside = dispatcher.prepare(mixed(1))

    def filled(recipe):
        raise AssertionError("a table is filled")

    monkeypatch.setattr(tables, "_total", filled)
    assert dispatcher.arrive("a", "k", {"cpu": 0.2}) is not None
    dispatcher.follow(beside)
    assert dispatcher.arrive("b", "l", {"cpu": 0.2}) is not None


def test_a_state_may_be_kept_job_by_job():
    dispatcher = full("best-fit")
    for name in ("w", "x", "y"):
        dispatcher.arrive(name, "k", HALF)
    dispatcher.leave("c/0")  # its jobs wait before the others
    entries = [dispatcher.entry(name) for name in "xaywbcd"]
    state = dispatcher.state(jobs=False, whole=True)
    for entry in sorted(entries, key=lambda entry: entry["rank"]):
        (machine,) = state["machines"]
        (state["waiting"] if entry["machine"] is None else machine["jobs"]).append(entry)
    again = Dispatcher.resume(json.loads(json.dumps(state)))
    assert again.waiting == dispatcher.waiting == ["a", "b", "w", "x", "y"]
    assert again.counts == dispatcher.counts == (1, 2, 5)
    assert again.depart("c") == dispatcher.depart("c")
    assert again.arrive("z", "k", HALF) == dispatcher.arrive("z", "k", HALF)
    assert again.entry("z")["number"] == dispatcher.entry("z")["number"]
