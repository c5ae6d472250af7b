"""Get the compiled kernels ready, so that a heuristic's time is its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..instances.mapreduce import Cluster, Job, MapTask, SpeedFactors, job_instance
from ..instances.parts import SECURITY, SPEED_FACTORS
from ..instances.security import Security
from . import HEURISTICS

PATIENCE = 0.7
"""Seconds after which a person is told what the wait is for; a warm cache takes less."""

_ready: set[frozenset[str]] = set()


def warm_up(parts: frozenset[str] = frozenset(), say: Callable[[str], None] | None = None) -> None:
    """Run every heuristic on a toy instance with these optional parts, once per process.

    Kernels are compiled on the first use after installation and read from a cache afterwards;
    `say` is called if it takes long.
    """
    if parts in _ready:
        return
    message = "compiling the heuristics for their first use, some seconds"
    timer = threading.Timer(PATIENCE, say or (lambda _: None), [message])
    timer.start()
    try:
        cluster = Cluster.uniform(2, map_slots=1)
        jobs = [Job("a", [MapTask(1.0, 1.0, ["n0"]), 2.0], [1.0], 1.0), Job("b", [1.0], [2.0])]
        instance = job_instance("toy", cluster, jobs)
        if SPEED_FACTORS in parts:
            instance = replace(
                instance, speed_factors=SpeedFactors(np.ones((2, 2)), np.ones((2, 2)))
            )
        if SECURITY in parts:
            security = Security(np.ones((3, 2), dtype=bool), np.array([[0, 1], [1, 0]], np.int8))
            instance = replace(instance, security=security)
        for entry in HEURISTICS:
            entry.load()(instance)
    finally:
        timer.cancel()
    _ready.add(parts)
