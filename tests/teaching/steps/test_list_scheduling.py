"""Recorders of list scheduling: the kernels' schedules bit for bit, and sentences that are true."""

from collections import Counter

import numpy as np
import pytest
import random_instances as random
import step_checks

import slotwise
from slotwise import Instance
from slotwise.instances.mapreduce.eligibility import impossible

METHODS = ("EASS", "EFSS", "EFSS-L")
SEEDS = 400


def drawn(seed: int) -> Instance:
    """A random instance: a third each plain, with speed factors, with security; some outages."""
    rng = np.random.default_rng(seed)
    while True:
        instance = random.tiny(int(rng.integers(10**9)), tasks=int(rng.integers(3, 14)))
        if seed % 3 == 1 or seed % 12 == 2:
            instance = random.with_speed_factors(instance, seed)
        if seed % 3 == 2:
            instance = random.with_security(instance, seed)
        if seed % 5 == 4:
            instance = random.with_outages(instance, seed)
        if impossible(instance) is None:
            return instance


@pytest.mark.parametrize("method", METHODS)
def test_the_recorder_is_the_kernel(method: str) -> None:
    rules: Counter[str] = Counter()
    for seed in range(SEEDS):
        instance = drawn(seed)
        omega = {"omega": [0.0, 0.35, 1.0][seed % 3]} if seed % 2 else {}
        steps = slotwise.steps(method, instance, parameters=omega)
        result = slotwise.heuristic(instance, method, parameters=omega)
        assert result.schedule is not None
        step_checks.schedule_steps_are_sound(steps, instance, result.schedule)
        rules.update(step.rule for step in steps.steps if step.kind == "place")
    expected = {"first available", "lowest number", "only slot"}
    if method != "EASS":
        expected |= {"earliest finish", "shorter setup"}
    assert rules.keys() == expected
    assert min(rules.values()) >= 2
