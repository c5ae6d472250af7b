"""Compile the exact roads' kernels into the cache: `python -m slotwise.solvers.warm_up ROAD`.

In a process of its own it uses a second core while the heuristics are compiled.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from ..heuristics import block_search
from ..instances.mapreduce import Cluster, Job, job_instance
from ..instances.schedule import timed
from .branch_and_bound import branch_and_bound_road
from .road import Task


def start(road: str) -> subprocess.Popen[bytes]:
    """Start compiling what the road needs; the caller may wait for the process, and need not."""
    return subprocess.Popen(
        [sys.executable, "-m", __name__, road], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def main() -> None:
    """Load the improvement search, or run the branch and bound on a toy that its bounds leave
    open."""
    if sys.argv[1:] == ["improvement"]:
        block_search.warm_up()
        return
    jobs = [Job("a", [3.0, 2.0, 2.0], [4.0, 3.0]), Job("b", [1.0, 4.0], [2.0, 5.0, 3.0])]
    instance = job_instance("toy", Cluster.uniform(2, map_slots=1), jobs)
    first = np.zeros(5, dtype=np.int64)
    schedule = timed(instance, first, np.arange(5), first, np.arange(5))
    branch_and_bound_road(instance, Task(schedule, 0.0, 60.0, 1, 1e-7))


if __name__ == "__main__":
    main()
