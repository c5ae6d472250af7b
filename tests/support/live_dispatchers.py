"""Small plans and dispatchers for the tests of the live dispatcher."""

import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from slotwise import Configuration, Datacenter, Dispatcher, JobClass
from slotwise.core.files.json_files import JsonFile
from slotwise.instances.datacenter.guidance import ClassPrices
from slotwise.instances.datacenter.guidance_file import guidance_document, read_guidance
from slotwise.solvers.datacenter.guide import guide

HALF = {"cpu": 0.5}


def plan_of(configurations, classes, resources=("cpu",)):
    """A document; tests change its bins, so it says that it carries nothing."""
    plan = guide(Datacenter.from_classes("d", resources, configurations, classes))
    return guidance_document(plan) | {"arrival_rate": 0.0}


def priced(plan, value, belongs=None, **prices):
    """Guidance with other prices by class, of any sum, and perhaps where each class belongs."""
    made = read_guidance(JsonFile("plan", json.dumps(plan).encode(), plan))
    data, there = made.datacenter, made.class_prices.belongs
    if belongs is not None:
        there = np.array([[j in belongs[k] for j in data.configurations] for k in data.classes])
    value = np.array([value[k] for k in data.classes], dtype=float)
    return replace(made, class_prices=ClassPrices(value, there, **prices))


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
