"""Jobs drawn from those of a workload: what a trace might have been on another day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .workload import BLOCK, Jobs, Workload


def redrawn(workload: Workload, seed: int) -> Workload:
    """The same arrivals; each job is one of the workload's, drawn with replacement.

    Raises `InputError` if the jobs are too many to be held.
    """
    jobs = workload.whole()
    number = len(jobs.arrival)
    pick = np.random.default_rng(seed).integers(number, size=number)
    drawn = Jobs(jobs.arrival, jobs.job_class[pick], jobs.duration[pick], jobs.demand[pick])

    def blocks() -> Iterator[Jobs]:
        for start in range(0, number, BLOCK):
            yield Jobs._make(np.ascontiguousarray(c[start : start + BLOCK]) for c in drawn)

    return replace(workload, source=f"{workload.source}, redrawn with seed {seed}", blocks=blocks)
