"""The live dispatcher: reasons in words, bid prices."""

import random

from live_dispatchers import mixed, pair, plan_of, priced, refused

from slotwise import Configuration, Dispatcher, JobClass, Placement


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
    plan = priced(plan, {"a": 5.0, "b": 3.0}, {"a": ["c"], "b": ["c"]}, spread=0.3, draws=0)
    dispatcher = Dispatcher(plan, policy=policy)
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
    plan = priced(plan, {"a": 1.0, "b": 2.0}, {"a": ["c"], "b": ["d"]}, draws=0)
    dispatcher = Dispatcher(plan, policy="bid-price")
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


def test_a_reason_counts_the_machines_with_room_and_names_where_the_job_starts():
    draws, running = random.Random(5), []
    dispatcher = Dispatcher(mixed(0), policy="bid-price", reasons=True)
    for number in range(200):
        demand = {"cpu": draws.choice((0, 0.1, 0.3, 0.33)), "mem": draws.choice((0, 0.2, 0.21))}
        if not any(demand.values()):
            continue
        counted = None if dispatcher.waiting else len(dispatcher.score("k", demand))
        place = dispatcher.arrive(str(number), "k", demand)
        why = dispatcher.explain(str(number))
        assert why.machine == (place and place.name)
        if place is not None and counted is not None:
            assert why.room == counted
        running.append(str(number))
        if len(running) > 10:
            dispatcher.depart(running.pop(draws.randrange(len(running))))
