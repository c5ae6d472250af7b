"""An instance whose best schedule reads nothing at the remote rate, however slow that is."""

import numpy as np

from slotwise.instances.mapreduce.cluster import Cluster, Rates
from slotwise.instances.mapreduce.instance import Instance, Job, MapTask


def far(remote: float, small: float | None = None, *, racks: int = 2) -> Instance:
    """Both map tasks of j on n1 end at 3 and 5 s; its reduce task there reads for 2 s: 11 s.

    Each at home they end at 2 and 5 s, and the reduce task reads for 3 s; both on n0 they end at
    6 s. Of two racks the second has n2 alone, where job k takes 2 s, whatever is small.
    """
    cluster = Cluster(
        ("n0", "n1", "n2")[: racks + 1],
        ("r0", "r1")[:racks],
        np.array([0, 0, 1][: racks + 1]),
        np.full(racks + 1, 2),
        np.full(racks + 1, 1),
        Rates(100.0, 50.0, remote),
    )
    jobs = [Job("j", [MapTask(1.0, 100.0, ["n0"]), MapTask(4.0, 100.0, ["n1"])], [4.0], 1.0)]
    if small is not None:
        jobs.append(Job("k", [MapTask(1.0, small, ["n2"])], [1.0], 1.0))
    return Instance.from_jobs("far", cluster, jobs)
