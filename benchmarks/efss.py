"""EFSS against a compiled scan of all slots, side by side: `python benchmarks/efss.py`.

Both run on the same instances, LJR's workload with 250 jobs, 8 map and 2 reduce slots per node, in
alternating rounds; the best round counts. "placing" is the compiled choice of slots alone, "whole"
the call from instance to schedule; "first" is EFSS's first call on an instance, which also works
out what is kept with it: lengths of tasks, their order within jobs, output for each reduce task.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from types import ModuleType
from unittest.mock import patch

import numpy as np

from slotwise.heuristics.mapreduce.list_scheduling import placement as phases
from slotwise.heuristics.mapreduce.list_scheduling import rules as list_scheduling
from slotwise.instances.mapreduce.generators.ljr import generate
from slotwise.instances.mapreduce.instance import Instance
from slotwise.instances.mapreduce.schedule import Schedule

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
import plain_scan

JOBS, ROUNDS = 250, 7
FIRST_CALL = """
from time import perf_counter
begin = perf_counter()
from slotwise.heuristics.mapreduce.list_scheduling.rules import tbs
from slotwise.instances.mapreduce.instance import Cluster, Instance, Job
instance = Instance.from_jobs("toy", Cluster.uniform(1), [Job("a", [1.0], [1.0])])
imported = perf_counter()
tbs(instance)
print(imported - begin, perf_counter() - imported)
"""


def main() -> None:
    for label, whole, kernels in first_calls():
        print(f"first call, {label} cache: import {whole:.2f} s, kernels {kernels:.2f} s")

    print(f"\n{JOBS} jobs      placing, us/task             whole, us/task")
    print("nodes   tasks   EFSS    scan   ratio        EFSS    scan   ratio   first   same")
    for nodes in (10, 30, 100, 300):
        instance = generate(JOBS, nodes, map_slots=8, reduce_slots=2, seed=1)
        tasks = instance.map_tasks + instance.reduce_tasks
        placing, whole, same = compare(instance)
        columns = [
            "{:6.3f}  {:6.3f}  {:5.1f}x".format(*(s / tasks * 1e6 for s in pair), pair[1] / pair[0])
            for pair in (placing, whole)
        ]
        first = min(measure(list_scheduling.efss, replace(instance))[0] for _ in range(ROUNDS))
        columns.append(f"{first / tasks * 1e6:6.3f}")
        print(f"{nodes:5d}  {tasks:6d} {columns[0]}      {columns[1]}  {columns[2]}   {same}")

    big = generate(JOBS, 300, map_slots=8, reduce_slots=2, maps_range=(600, 600), seed=1)
    tasks = big.map_tasks + big.reduce_tasks
    seconds = min(measure(list_scheduling.efss, big)[0] for _ in range(ROUNDS))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\n{tasks} tasks on 300 nodes: {seconds:.3f} s, {seconds / tasks * 1e6:.3f} us/task")
    print(f"peak memory of this process: {peak:.0f} MB")


def compare(instance: Instance) -> tuple[list[float], list[float], bool]:
    """Best seconds of EFSS and of the scan, placing and whole, and whether the schedules agree."""
    methods: list[tuple[Callable[..., Schedule], ModuleType, tuple[str, str]]] = [
        (list_scheduling.efss, phases, ("place_maps", "place_reduces")),
        (plain_scan.plain_efss, plain_scan, ("scan_maps", "scan_reduces")),
    ]
    found, expected = [method(instance) for method, _, _ in methods]
    same = all(
        np.array_equal(a.slot, b.slot) and np.array_equal(a.start, b.start)
        for a, b in ((found.map, expected.map), (found.reduce, expected.reduce))
    )
    placing, whole = [np.inf, np.inf], [np.inf, np.inf]
    for _ in range(ROUNDS):
        for k, (method, module, kernels) in enumerate(methods):
            whole[k] = min(whole[k], measure(method, instance)[0])
            clocks = [Clock(getattr(module, name)) for name in kernels]
            with (
                patch.object(module, kernels[0], clocks[0]),
                patch.object(module, kernels[1], clocks[1]),
            ):
                method(instance)
            placing[k] = min(placing[k], sum(clock.seconds for clock in clocks))
    return placing, whole, same


class Clock:
    """A function that adds up the seconds spent in it."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.function, self.seconds = function, 0.0

    def __call__(self, *arguments: object) -> object:
        seconds, result = measure(self.function, *arguments)
        self.seconds += seconds
        return result


def measure(function: Callable[..., object], *arguments: object) -> tuple[float, object]:
    begin = perf_counter()
    result = function(*arguments)
    return perf_counter() - begin, result


def first_calls() -> list[tuple[str, float, float]]:
    """Seconds to import and to get the kernels in a new process, without and with a cache."""
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for label in ("empty", "filled"):
            done = subprocess.run(
                [sys.executable, "-c", FIRST_CALL],
                env=os.environ | {"NUMBA_CACHE_DIR": cache},
                capture_output=True,
                text=True,
                check=True,
            )
            imported, kernels = map(float, done.stdout.split())
            rows.append((label, imported, kernels))
    return rows


if __name__ == "__main__":
    main()
