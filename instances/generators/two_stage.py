"""Two-stage hybrid flow shops: every job has one map and one reduce task, and there is no data.

The classical problem F2(P) || Cmax, which the MapReduce model contains: equal machines in each
stage, uniform integer times, as its literature draws them. All machines are slots of one node. One
stream, `numpy.random.default_rng(seed)`, gives the times of the first stage, then those of the
second. The machines draw nothing: one seed, the same jobs everywhere.
"""

from __future__ import annotations

import numpy as np

from ..mapreduce.cluster import Cluster
from ..mapreduce.instance import Instance
from .parameters import call, need


def generate(
    jobs: int = 20,
    map_machines: int = 3,
    reduce_machines: int = 3,
    *,
    seed: int,
    times: tuple[int, int] = (1, 99),
) -> Instance:
    """Times (s) are uniform integers on `times`, bounds included.

    Raises `InputError` for parameters that describe no flow shop.
    """
    source = call("generate", dict(locals()))
    need(jobs >= 1, "jobs", "at least 1", jobs)
    need(map_machines >= 1, "map_machines", "at least 1", map_machines)
    need(reduce_machines >= 1, "reduce_machines", "at least 1", reduce_machines)
    need(seed >= 0, "seed", "an integer >= 0", seed)
    low, high = times
    need(0 <= low <= high, "times", "0 <= low <= high", times)
    rng = np.random.default_rng(seed)
    map_times, reduce_times = rng.integers(low, high, (2, jobs), endpoint=True)
    one_each = np.arange(jobs + 1)
    nothing = np.zeros(jobs)
    return Instance(
        name=f"two-stage-{jobs}x{map_machines}+{reduce_machines}-seed{seed}",
        cluster=Cluster.uniform(1, map_slots=map_machines, reduce_slots=reduce_machines),
        job_names=tuple(f"j{i}" for i in range(jobs)),
        output_ratio=nothing,
        map_offsets=one_each,
        map_processing=map_times.astype(float),
        input_mb=nothing,
        replica_offsets=np.zeros(jobs + 1, dtype=np.int64),
        replicas=np.zeros(0, dtype=np.int64),
        reduce_offsets=one_each,
        reduce_processing=reduce_times.astype(float),
        source=f"two-stage hybrid flow shop, {source}",
    )
