"""What kube-scheduler asks an extender, in the wire form of k8s.io/kube-scheduler/extender/v1."""

import json

import pytest
from fake_api_server import node, pod
from live_dispatchers import mixed, pair, plan_of

from slotwise import Configuration, Dispatcher, JobClass
from slotwise.commands.serving.journal import Journal
from slotwise.commands.serving.kubernetes.extender import Asked, Extender, ranks
from slotwise.commands.serving.service import Service
from slotwise.core.errors import InputError
from slotwise.heuristics.datacenter.live.answers import Offer
from slotwise.instances.datacenter.kubernetes.resources import KubernetesResources


def service(plan, policy="best-fit"):
    return Service(Journal(None), Dispatcher(plan, policy=policy), policy)


def extender(made, waits=False):
    names = KubernetesResources.of(made.dispatcher.plan.resources)
    return Extender(made, names, lambda name: waits)


def asked(made, *names):
    return Asked.of({"Pod": made, "Nodes": None, "NodeNames": list(names)})


def scores(made, question):
    return {entry["Host"]: entry["Score"] for entry in made.prioritize(question)}


def test_scores_are_0_to_10_and_the_place_of_the_policy_has_10():
    made = service(pair(3))
    made.arrive("a", "k", {"cpu": 0.3})
    made.arrive("b", "k", {"cpu": 0.9})  # c/0 has 0.7 free, c/1 0.1 and c/2 1.0
    answer = extender(made).prioritize(asked(pod("p", 0.5), "c/2", "c/1", "c/0", "elsewhere"))
    # Best fit takes the fullest with room; c/1 has none, and of the last nothing is known.
    assert answer == [
        {"Host": "c/2", "Score": 9},
        {"Host": "c/1", "Score": 0},
        {"Host": "c/0", "Score": 10},
        {"Host": "elsewhere", "Score": 0},
    ]
    assert all(type(entry["Score"]) is int for entry in answer)
    # Candidates that kube-scheduler has ruled out do not count: of the others one has 10.
    assert scores(extender(made), asked(pod("p", 0.5), "c/2")) == {"c/2": 10}


def test_equal_machines_have_equal_scores():
    assert scores(extender(service(pair(3))), asked(pod("p", 0.5), "c/0", "c/1", "c/2")) == {
        "c/0": 10, "c/1": 10, "c/2": 10,
    }  # fmt: skip


def test_scores_of_many_fall_in_order_and_stay_above_0():
    offers = [Offer(f"m{i}", float(i), 1.0, True) for i in range(633)]
    made = list(ranks(offers, bars=False).items())
    ranked = [score for _, score in sorted(made, key=lambda pair: int(pair[0][1:]))]
    assert ranked[:2] == [10, 9]
    assert ranked == sorted(ranked, reverse=True)
    assert set(ranked) == set(range(1, 11))
    assert ranks([], bars=True) == {}


def test_where_a_class_does_not_belong_comes_last_while_others_wait_and_is_never_barred():
    # Of the two plans the first has l at home on n alone; an empty m costs less at its price.
    made = service(mixed(0), "bid-price")
    label = {"slotwise.dev/class": "l"}
    question = asked(pod("p", 0.5, memory="0.7Gi", labels=label), "m/0", "m/1", "n/0")
    offers = made.dispatcher.offers("l", {"cpu": 0.5, "mem": 0.7})
    assert {offer.machine for offer in offers if offer.home} == {"n/0"}
    alone = scores(extender(made), question)
    assert alone[offers[0].machine] == 10
    assert scores(extender(made, waits=True), question) == {"m/0": 9, "m/1": 9, "n/0": 10}
    assert extender(made, waits=True).filter(question)["NodeNames"] == ["m/0", "m/1", "n/0"]
    # Only m has room: the pod may start there, whoever waits.
    made.arrive("x", "o", {"cpu": 2.0, "mem": 1.0})
    assert scores(extender(made, waits=True), question) == {"m/0": 10, "m/1": 10, "n/0": 0}


def test_filter_answers_in_the_form_of_the_question_and_keeps_all_nodes():
    made = extender(service(pair()))
    things = [node("c/0", 1), node("unknown", 1)]
    whole = Asked.of({"Pod": pod("p", 0.5), "Nodes": {"items": things}, "NodeNames": None})
    assert made.filter(whole) == {
        "Nodes": {"metadata": {}, "items": things},
        "NodeNames": None,
        "FailedNodes": {},
        "FailedAndUnresolvableNodes": {},
        "Error": "",
    }
    by_name = made.filter(asked(pod("p", 5), "c/0", "unknown"))
    assert (by_name["Nodes"], by_name["NodeNames"]) == (None, ["c/0", "unknown"])
    assert scores(made, whole) == {"c/0": 10, "unknown": 0}


@pytest.fixture
def partial():
    """Class k runs on c alone, class l on both."""
    return service(
        plan_of(
            [Configuration("c", 1, {"cpu": 1.0}), Configuration("d", 1, {"cpu": 4.0})],
            [JobClass("k", 0.5, {"c": 1.0}, {"cpu": 0.5}), JobClass("l", 0.5, 1.0, {"cpu": 0.9})],
        )
    )


def test_filter_bars_only_what_cannot_run_the_class_that_a_label_names(partial):
    made = extender(partial)

    def failed(**more):
        return made.filter(asked(pod("p", 0.5, **more), "c/0", "d/0"))["FailedAndUnresolvableNodes"]

    why = "class k cannot run on its configuration"
    assert failed(labels={"slotwise.dev/class": "k"}) == {"d/0": why}
    assert failed(labels={"slotwise.dev/class": "l"}) == {}
    assert failed(labels={"slotwise.dev/class": "who"}) == {}
    assert failed() == {}  # nearest to k, but that is a guess
    partial.leave("c/0")
    assert failed(labels={"slotwise.dev/class": "k"}) == {}  # or it would wait for ever


def test_a_pod_is_of_the_class_of_its_label_else_of_the_nearest(partial):
    made = extender(partial)
    # k cannot run on d. 0.5 cpu is k's request, 0.9 that of l.
    for request, label, there in (
        (0.5, None, 0),
        (0.9, None, 9),
        (0.5, "l", 9),
        (0.9, "k", 0),
        (0.9, "who", 9),
    ):
        labels = {} if label is None else {"slotwise.dev/class": label}
        question = asked(pod("p", request, labels=labels), "c/0", "d/0")
        assert scores(made, question) == {"c/0": 10, "d/0": there}, (request, label)


def test_a_rule_of_the_plan_on_a_pod_s_labels_counts_as_its_label(partial):
    plan = partial.dispatcher.plan.document
    rule = {"label": "team", "value": "ml", "class": "k"}
    ruled = {**plan["datacenter"], "classifier": {"rules": [rule]}}
    made = extender(service({**plan, "datacenter": ruled}))
    for labels, there in (
        ({"team": "ml"}, 0),
        ({"team": "web"}, 9),
        ({"team": "ml", "slotwise.dev/class": "l"}, 9),
    ):
        question = asked(pod("p", 0.9, labels=labels), "c/0", "d/0")
        assert scores(made, question) == {"c/0": 10, "d/0": there}, labels
        assert bool(made.filter(question)["FailedAndUnresolvableNodes"]) == (there == 0)


def test_pods_that_request_nothing_or_too_much_are_all_the_same():
    made = extender(service(pair()))
    assert scores(made, asked(pod("p", 0), "c/0", "c/1")) == {"c/0": 0, "c/1": 0}
    assert scores(made, asked(pod("p", 7), "c/0", "c/1")) == {"c/0": 0, "c/1": 0}


@pytest.mark.parametrize("policy", ["bid-price", "best-fit", "lotes", "lotes-unrestricted"])
def test_the_first_offer_is_where_the_policy_starts_a_job(policy):
    dispatcher = Dispatcher(mixed(1), policy=policy)
    demands = {"k": {"cpu": 0.3, "mem": 0.2}, "l": {"cpu": 0.4, "mem": 0.6}}
    for number, job_class in enumerate("klklkkl"):
        offers = dispatcher.offers(job_class, demands[job_class])
        costs = dispatcher.score(job_class, demands[job_class])
        assert {offer.machine: offer.cost for offer in offers} == costs
        assert [o.cost for o in offers] == sorted(o.cost for o in offers)
        place = dispatcher.arrive(str(number), job_class, demands[job_class])
        if policy in ("bid-price", "best-fit") and place is not None:
            first = offers[0]
            here = next(offer for offer in offers if offer.machine == place.name)
            assert (here.cost, here.free) == (first.cost, first.free)
        assert (place is None) >= (not offers)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "pod, metadata: need a name"),
        ({"Pod": pod("p", 1)}, "need Nodes or NodeNames"),
        ({"Pod": pod("p", 1), "NodeNames": "a"}, "NodeNames: need a list of names"),
        ({"Pod": pod("p", 1), "NodeNames": [1]}, "NodeNames: need a list of names"),
        ({"Pod": pod("p", 1), "Nodes": {"items": [3]}}, "items: need a list of mappings"),
        ({"Pod": pod("p", 1), "Nodes": {"items": [{}]}}, "node, metadata: need a name"),
        ({"Pod": pod("p", "x"), "NodeNames": []}, "need a quantity"),
    ],
)
def test_what_is_no_question_is_said(document, message):
    with pytest.raises(InputError, match=message):
        Asked.of(json.loads(json.dumps(document)))
