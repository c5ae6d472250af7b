"""Heuristics give the same schedules to the last bit, compiled or as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_instances import instances, with_outages, with_security, with_speed_factors

from slotwise.core.kernels.decorators import plain
from slotwise.heuristics.mapreduce import HEURISTICS, warm_up
from slotwise.instances.generators import generate
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.eligibility import impossible
from slotwise.instances.mapreduce.instance import Instance, Job

ENTRIES = {entry.name: entry for entry in HEURISTICS}
PARTS = (with_speed_factors, with_security, with_outages)


def assert_same_schedules(instance: Instance) -> None:
    for entry in HEURISTICS:
        compiled = entry.load()(instance)
        with plain():
            interpreted = entry.load()(instance)
        assert compiled.makespan == interpreted.makespan
        for one, other in ((compiled.map, interpreted.map), (compiled.reduce, interpreted.reduce)):
            for name in ("slot", "start", "setup", "end"):
                a, b = getattr(one, name), getattr(other, name)
                assert a.dtype == b.dtype, entry.name
                np.testing.assert_array_equal(a, b, entry.name)


@settings(max_examples=60, deadline=None)
@given(instances(tasks=9), st.sets(st.sampled_from(PARTS)), st.integers(0, 9))
def test_compiled_and_plain_agree_on_small_oddities(instance, parts, seed) -> None:
    for part in PARTS:
        if part in parts:
            instance = part(instance, seed)
    if impossible(instance) is None:
        assert_same_schedules(instance)


FEW: dict[str, dict[str, Any]] = {
    "ljr": {"jobs": 5, "nodes": 4, "maps_range": (1, 9), "reduces_range": (1, 5)},
    "smso": {"jobs": 5, "nodes": 4, "maps_range": (1, 9), "reduces_range": (1, 5), "gamma": 0.3},
    "hmhs": {"jobs": 5, "map_machines": 7, "reduce_machines": 5, "maps": (1, 9), "reduces": (1, 5)},
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", FEW)
def test_compiled_and_plain_agree_on_generated_instances(kind, seed) -> None:
    assert_same_schedules(generate(kind, seed=seed, **FEW[kind]))


def test_little_instances_never_wait_for_a_compiler() -> None:
    code = (
        "import sys, slotwise\n"
        "jobs = [slotwise.Job(str(j), [3.0, 2.0 + j], [4.0]) for j in range(4)]\n"
        "instance = slotwise.Instance.from_jobs('i', slotwise.Cluster.uniform(2), jobs)\n"
        "print([slotwise.heuristic(instance, name).makespan for name in sys.argv[1:]])\n"
        "assert 'numba' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *ENTRIES],
        env=os.environ | {"NUMBA_CACHE_DIR": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    jobs = [Job(str(j), [3.0, 2.0 + j], [4.0]) for j in range(4)]
    instance = Instance.from_jobs("i", Cluster.uniform(2), jobs)
    expected = [entry.load()(instance).makespan for entry in HEURISTICS]
    assert done.stdout.strip() == str(expected)


def test_what_is_compiled_and_when(monkeypatch) -> None:
    compiled = []
    monkeypatch.setattr(warm_up, "_ready", set())
    monkeypatch.setattr(warm_up, "_plain_seconds", 0.0)
    monkeypatch.setattr(warm_up, "warm_up", lambda parts, entries: compiled.extend(entries))
    little = generate("ljr", seed=0, **FEW["ljr"])
    large = generate("ljr", jobs=40, nodes=20, seed=0)
    first, second, *_ = HEURISTICS
    for instance, expected in ((little, []), (large, [first])):
        with warm_up.ready(first, instance):
            assert compiled == expected
    warm_up._ready.add((second.name, frozenset()))
    for entry, expected in ((first, [first]), (second, [first, second])):
        with warm_up.ready(entry, little):
            assert compiled == expected, "what is compiled is used"
    monkeypatch.setattr(warm_up, "_plain_seconds", 2 * warm_up.PLAIN_SECONDS)
    with warm_up.ready(first, little):
        assert compiled == [first, second, first], "after a while compiling pays"
