"""Get the compiled kernels ready, so that a heuristic's time is its own; or do without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter

import numpy as np

from ...core.kernels.decorators import plain
from ...core.registry import Entry
from ...instances.mapreduce.cluster import Cluster
from ...instances.mapreduce.instance import Instance, Job, MapTask, SpeedFactors
from ...instances.mapreduce.parts import SECURITY, SPEED_FACTORS
from ...instances.mapreduce.security import Security
from . import HEURISTICS

MOST_PLAIN_STEPS = 10_000
"""Most steps, examinations of a slot, that run without compiling: some hundredths of a second."""

PLAIN_SECONDS = 1.0
"""Most time that a process spends on uncompiled heuristics. Compiling takes longer, but only once.
"""

_ready: set[tuple[str, frozenset[str]]] = set()
_plain_seconds = 0.0


@contextmanager
def ready(entry: Entry, instance: Instance) -> Iterator[None]:
    """Within it the heuristic runs on the instance without compiling anything.

    It is compiled before. If the instance is small and uncompiled heuristics took little time so
    far, it runs as plain Python instead, with the same result.
    """
    global _plain_seconds
    get_ready(entry, instance)
    if not isinstance(entry.target, str) or not _runs_plain(entry, instance):
        yield
        return
    began = perf_counter()
    try:
        with plain():
            yield
    finally:
        _plain_seconds += perf_counter() - began


def _runs_plain(entry: Entry, instance: Instance) -> bool:
    cluster = instance.cluster
    slots = len(cluster.map_slot_node) + len(cluster.reduce_slot_node)
    small = (instance.map_tasks + instance.reduce_tasks) * slots <= MOST_PLAIN_STEPS
    compiled = (entry.name, instance.parts) in _ready
    return small and not compiled and _plain_seconds <= PLAIN_SECONDS


def get_ready(entry: Entry, instance: Instance) -> None:
    """Compile one of our heuristics, unless it runs on the instance as plain Python."""
    if isinstance(entry.target, str) and not _runs_plain(entry, instance):
        warm_up(instance.parts, [entry])


def warm_up(parts: frozenset[str] = frozenset(), entries: Iterable[Entry] = HEURISTICS.own) -> None:
    """Run heuristics on a tiny instance, once per process.

    Kernels are compiled on the first use after installation and loaded from a cache afterwards.
    """
    missing = [entry for entry in entries if (entry.name, parts) not in _ready]
    cluster = Cluster.uniform(2, map_slots=1)
    jobs = [Job("a", [MapTask(1.0, 1.0, ["n0"]), 2.0], [1.0], 1.0), Job("b", [1.0], [2.0])]
    toy = Instance.from_jobs("toy", cluster, jobs)
    if SPEED_FACTORS in parts:
        toy = replace(toy, speed_factors=SpeedFactors(np.ones((2, 2)), np.ones((2, 2))))
    if SECURITY in parts:
        security = Security(np.ones((3, 2), dtype=bool), np.array([[0, 1], [1, 0]], np.int8))
        toy = replace(toy, security=security)
    for entry in missing:
        entry.load()(toy)
        _ready.add((entry.name, parts))
