"""The same jobs on one machine that has all resources: the part of the waits that is due to load.

Jobs need not fit any single machine, as if they were split at will, and start in order of arrival,
past those that do not fit what is left in all. What jobs wait above this is due to packing. It is a
reference and no bound: another order of the jobs can have shorter waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...core.arrays import FloatArray
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.workload import Jobs, Workload
from .simulator import simulate


def pooled_mean_wait(workload: Workload, warm_up: float = 0.0) -> float:
    """Simulate first come with skipping on one machine that has all resources.

    `warm_up`: part of the jobs, the first ones, that is not measured; from 0 to below 1.
    Raises `InputError` for a wrong part.
    """
    return simulate(pooled(workload), "first-fit", warm_up=warm_up).mean_wait


def pooled(workload: Workload) -> Workload:
    """The same jobs for one machine with the resources of all.

    A job takes as long as on the fastest configuration that has machines and can run its class.
    """
    data = workload.datacenter
    times = np.where(data.count > 0, data.mean_time, np.inf)
    first = data.mean_time[np.arange(len(times)), np.isfinite(data.mean_time).argmax(axis=1)]
    fastest = times.min(axis=1)
    large = replace(
        data,
        name=f"{data.name}, one machine",
        configurations=("all",),
        count=np.array([1]),
        capacity=(data.capacity * data.count[:, None]).sum(axis=0)[None],
        mean_time=fastest[:, None],
    )
    factor = np.divide(fastest, first, out=np.ones_like(first), where=np.isfinite(first))

    def blocks() -> Iterator[Jobs]:
        for block in workload.blocks():
            yield _moved(block, data, large, factor)

    running = None if workload.running is None else _moved(workload.running, data, large, factor)
    return replace(workload, datacenter=large, blocks=blocks, running=running)


def _moved(jobs: Jobs, data: Datacenter, large: Datacenter, factor: FloatArray) -> Jobs:
    return jobs._replace(
        duration=jobs.duration * factor[jobs.job_class],
        demand=np.ascontiguousarray(large.in_units(jobs.demand * data.unit)),
    )
