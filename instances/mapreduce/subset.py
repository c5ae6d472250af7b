"""An instance with a subset of its jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.arrays import offsets
from .instance import Instance


def with_jobs(instance: Instance, jobs: Sequence[int]) -> Instance:
    """Keep a subset of the jobs, on the same cluster.

    The optimal makespan of the subset is a lower bound for the whole instance: removing the other
    jobs from a schedule leaves a valid schedule.
    """
    maps = np.concatenate(
        [np.arange(*instance.map_offsets[i : i + 2]) for i in jobs], dtype=np.int64
    )
    reduces = np.concatenate(
        [np.arange(*instance.reduce_offsets[i : i + 2]) for i in jobs], dtype=np.int64
    )
    replicas = [
        instance.replicas[slice(*instance.replica_offsets[t : t + 2])] for t in maps.tolist()
    ]
    return replace(
        instance,
        job_names=tuple(instance.job_names[i] for i in jobs),
        output_ratio=instance.output_ratio[list(jobs)],
        map_offsets=offsets(instance.maps_of[list(jobs)]),
        map_processing=instance.map_processing[maps],
        input_mb=instance.input_mb[maps],
        replica_offsets=offsets(len(copies) for copies in replicas),
        replicas=np.concatenate([*replicas, np.empty(0, dtype=np.int64)], dtype=np.int64),
        reduce_offsets=offsets(instance.reduces_of[list(jobs)]),
        reduce_processing=instance.reduce_processing[reduces],
        history=None,
    )
