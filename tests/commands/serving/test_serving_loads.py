"""Loads, kills and bad requests: a service in a process of its own, over HTTP."""

import os

import pytest

pytest.importorskip("starlette", reason="needs the extra `serve`")
pytest.importorskip("uvicorn", reason="needs the extra `serve`")

from serving_campaigns import hold_idle, kill_again_and_again, mutate, same_decisions

from slotwise import Configuration, Datacenter, JobClass
from slotwise.solvers.datacenter.guide import guide

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks services")


def test_answers_are_those_of_a_dispatcher(tmp_path):
    places = [
        Configuration("m", 3, {"cpu": 1.0, "mem": 1.0}),
        Configuration("n", 2, {"cpu": 2.0, "mem": 1.0}),
    ]
    classes = [
        JobClass("k", 0.6, {"m": 1.0, "n": 0.5}, {"cpu": 0.3, "mem": 0.2}),
        JobClass("l", 0.4, 2.0, {"cpu": 0.5, "mem": 0.7}),
    ]
    plan = guide(Datacenter.from_classes("d", ("cpu", "mem"), places, classes))
    text = same_decisions(tmp_path, plan, "bid-price", 300, noise=0.3)
    assert text.startswith("300 arrivals")
    assert " 0 of them waited" not in text


def test_what_was_answered_outlives_kills(tmp_path):
    assert kill_again_and_again(tmp_path, 4, seed=3).startswith("4 kills")


def test_wrong_requests_are_no_failures(tmp_path):
    assert " 400" in mutate(tmp_path, 150, seed=2)


def test_connections_that_rest_and_long_bodies_stop_nothing(tmp_path):
    ends = hold_idle(tmp_path, 40, megabytes=3).partition(": ")[2].split(", ")
    assert set(ends) <= {"413", "closed"}
