"""Jobs of a datacenter that are given one by one."""

from typing import Any

import numpy as np

from slotwise import Datacenter
from slotwise.instances.datacenter.workload import Jobs, Workload


def workload_of(problem: Datacenter, *jobs: tuple[Any, ...]) -> Workload:
    """Jobs given as (arrival, class, duration, demand of each resource)."""
    arrival, job_class, duration, *demand = zip(*jobs, strict=True)
    whole = Jobs(
        np.array(arrival, dtype=float),
        np.array(job_class, dtype=np.int64),
        np.array(duration, dtype=float),
        np.ascontiguousarray(problem.in_units(np.array(demand, dtype=float).T)),
    )
    return Workload(problem, len(jobs), whole.arrival[-1] or 1.0, "by hand", lambda: iter([whole]))
