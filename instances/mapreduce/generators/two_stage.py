"""Two-stage hybrid flow shops: every job has one map and one reduce task, and there is no data.

This is the classical problem F2(P) || Cmax, a special case of the MapReduce model: identical
machines in each stage, uniform integer times, as in its literature. All machines are slots of one
node. One stream, `numpy.random.default_rng(seed)`, gives the times of the first stage, then those
of the second. The machines draw nothing: one seed gives the same jobs on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from ....core.arrays import FloatArray
from ....core.calls import generator
from ....core.parameters import parameter
from ...generator_options import SEED, Checked, Counts, call, require
from ..cluster import Cluster
from ..instance import Instance


@dataclass(frozen=True)
class TwoStageParameters(Checked):
    """Parameters of a two-stage hybrid flow shop."""

    jobs: int = parameter(20, "Number of jobs.", least=1)
    map_machines: int = parameter(3, "Equal machines of the first stage.", least=1)
    reduce_machines: int = parameter(3, "Equal machines of the second stage.", least=1)
    _: KW_ONLY
    seed: int = field(metadata=SEED)
    times: Counts = parameter((1, 99), "Times of both stages, uniform integers.", unit="s")

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = self.times
        require(0 <= low <= high, "times", "0 <= low <= high", self.times)


@generator(TwoStageParameters)
def generate(parameters: TwoStageParameters) -> Instance:
    """Draw a two-stage hybrid flow shop; times are uniform integers on `times`, bounds included."""
    p = parameters
    rng = np.random.default_rng(p.seed)
    map_times, reduce_times = rng.integers(*p.times, (2, p.jobs), endpoint=True)
    return two_stage_shop(
        f"two-stage-{p.jobs}x{p.map_machines}+{p.reduce_machines}-seed{p.seed}",
        f"two-stage hybrid flow shop, {call('generate', p)}",
        (p.map_machines, p.reduce_machines),
        (map_times, reduce_times),
    )


def two_stage_shop(
    name: str, source: str, machines: tuple[int, int], times: Sequence[FloatArray]
) -> Instance:
    """The instance of a shop: one map and one reduce task for each job, no data, one node.

    `times`: of both stages (s), one for each job.
    """
    first, second = times
    jobs = len(first)
    one_each = np.arange(jobs + 1)
    nothing = np.zeros(jobs)
    return Instance(
        name=name,
        cluster=Cluster.uniform(1, map_slots=machines[0], reduce_slots=machines[1]),
        job_names=tuple(f"j{i}" for i in range(jobs)),
        output_ratio=nothing,
        map_offsets=one_each,
        map_processing=first.astype(float),
        input_mb=nothing,
        replica_offsets=np.zeros(jobs + 1, dtype=np.int64),
        replicas=np.zeros(0, dtype=np.int64),
        reduce_offsets=one_each,
        reduce_processing=second.astype(float),
        source=source,
    )
