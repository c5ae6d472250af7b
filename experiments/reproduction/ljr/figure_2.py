"""Figure 2 of [LJR]: a case in which LB1 exceeds LB2, computed without a run."""

from __future__ import annotations

from ....formulations.mapreduce.bounds.closed_form import lb1_as_printed, lb2
from ....instances.mapreduce.cluster import Cluster
from ....instances.mapreduce.instance import Instance, Job
from ..experiment import Claim
from ..verdicts import ordering

MAPS, REDUCE = (1.0, 3.0, 4.0, 5.0), 10.0
"""Processing times (s) of the map tasks, and of each reduce task. The figure has them as lengths of
bars only."""


def bounds() -> tuple[float, float]:
    """LB1 as printed, and LB2."""
    cluster = Cluster.uniform(1, map_slots=3, reduce_slots=2)
    jobs = [Job(f"J{k}", [map_], [REDUCE]) for k, map_ in enumerate(MAPS, 1)]
    instance = Instance.from_jobs("ljr-figure-2", cluster, jobs)
    return lb1_as_printed(instance), lb2(instance)


def claim_of(first: float, second: float) -> Claim:
    note = f"LB1 {first:g}, LB2 {second:g} with map tasks of {', '.join(f'{m:g}' for m in MAPS)} s"
    return ordering("ljr-37", [first > second], note=note)
