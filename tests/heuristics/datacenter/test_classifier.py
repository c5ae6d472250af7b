"""Which class a request belongs to."""

import pytest
from live_dispatchers import plan_of, refused

from slotwise import Configuration, Dispatcher, JobClass


@pytest.fixture
def plan():
    return plan_of(
        [
            Configuration("small", 1, {"cpu": 4.0, "mem": 100.0}),
            Configuration("large", 1, {"cpu": 8.0, "mem": 100.0}),
        ],
        [
            JobClass("thin", 0.5, {"small": 1.0}, {"cpu": 1.0, "mem": 10.0}),
            JobClass("wide", 0.3, 1.0, {"cpu": 4.0, "mem": 10.0}),
            JobClass("deep", 0.2, 1.0, {"cpu": 1.0, "mem": 60.0}),
        ],
        ("cpu", "mem"),
    )


@pytest.fixture
def dispatcher(plan):
    return Dispatcher(plan)


@pytest.mark.parametrize(
    ("demand", "job_class"),
    [
        ({"cpu": 1.0, "mem": 10.0}, "thin"),
        ({"cpu": 2.5, "mem": 10.0}, "thin"),  # as far from wide: the first
        ({"cpu": 2.6, "mem": 10.0}, "wide"),
        # In parts of 8 cpu and 100 mem: 0.125 from wide's cpu, 0.3 from its mem; deep 0.25, 0.2.
        ({"cpu": 3.0, "mem": 40.0}, "deep"),
        ({"mem": 5}, "thin"),
        ({"cpu": 5.0}, "wide"),  # thin runs on no machine that could hold it
        ({"cpu": 4.1, "mem": 100.0}, "deep"),
    ],
)
def test_a_request_belongs_to_the_nearest_class(dispatcher, demand, job_class):
    before = dispatcher.state()
    assert dispatcher.classify(demand) == job_class
    assert dispatcher.state() == before


def test_what_no_machine_holds_is_refused(dispatcher):
    refused(lambda: dispatcher.classify({"cpu": 9}), "request: cpu 9: larger than any machine")
    refused(lambda: dispatcher.classify({"cpu": 0}), "request: demands nothing")
    refused(lambda: dispatcher.classify({"gpu": 1}), "request: unknown resource 'gpu'")
    refused(lambda: dispatcher.classify(None), "request: need amounts by resource, got None")
    dispatcher.drain("large/0")
    refused(lambda: dispatcher.classify({"cpu": 5}), "larger than any machine that may start jobs")
    refused(lambda: dispatcher.classify({"cpu": 9}, job="job 'a'"), "job 'a': cpu 9: larger than")


def test_the_metric_of_the_plan_says_what_is_near(plan):
    # From 3 cpu and 40 mem, in units of 1 cpu and 100 mem: thin 2^2 + 0.3^2, wide 1^2 + 0.3^2,
    # deep 2^2 + 0.2^2; in parts of the largest machine deep was nearest.
    plan["datacenter"]["classifier"] = {"metric": {"cpu": 1.0, "mem": 100.0}}
    assert Dispatcher(plan).classify({"cpu": 3.0, "mem": 40.0}) == "wide"
    plan["datacenter"]["classifier"] = {"metric": {"cpu": 8.0, "mem": 100.0}}
    assert Dispatcher(plan).classify({"cpu": 3.0, "mem": 40.0}) == "deep"


@pytest.mark.parametrize(
    ("labels", "job_class"),
    [
        ({}, "thin"),
        ({"team": "ml"}, "deep"),
        ({"team": "ML"}, "thin"),
        ({"team": "ml", "tier": ""}, "deep"),  # the first rule
        ({"team": "web", "tier": ""}, "wide"),
        ({"tier": "", "slotwise.dev/class": "thin"}, "thin"),
        ({"tier": "", "slotwise.dev/class": "who"}, "wide"),  # no such class
    ],
)
def test_a_label_comes_before_a_rule_and_a_rule_before_the_nearest_class(plan, labels, job_class):
    plan["datacenter"]["classifier"] = {
        "rules": [
            {"label": "team", "value": "ml", "class": "deep"},
            {"label": "tier", "value": "", "class": "wide"},
        ]
    }
    assert Dispatcher(plan).classify({"cpu": 1.0, "mem": 10.0}, labels) == job_class


def test_a_class_that_labels_name_has_to_run_somewhere(dispatcher):
    # thin runs on small alone. What is too large for it is refused where it arrives.
    large, label = {"cpu": 5.0}, {"slotwise.dev/class": "thin"}
    assert dispatcher.classify(large, label) == "thin"
    refused(lambda: dispatcher.arrive("a", "thin", large), "job 'a' fits no machine")
    dispatcher.leave("small/0")
    assert dispatcher.named(label) is None
    assert dispatcher.classify(large, label) == "wide"


def test_labels_are_text_by_name(dispatcher):
    for labels in (["a"], {"a": 1}, {"slotwise.dev/class": []}, 3):
        refused(lambda labels=labels: dispatcher.named(labels), "labels: need text by name, got ")
