"""Which class a request belongs to."""

import pytest
from live_dispatchers import plan_of, refused

from slotwise import Configuration, Dispatcher, JobClass


@pytest.fixture
def dispatcher():
    return Dispatcher(
        plan_of(
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
    )


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
