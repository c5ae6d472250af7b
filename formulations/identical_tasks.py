"""Tasks of a job that nothing tells apart, and what is known of them in closed form."""

from __future__ import annotations

import numpy as np

from ..instances.arrays import FloatArray
from ..instances.mapreduce.instance import Instance
from ..instances.mapreduce.setups import output_share, read_seconds


def map_classes(instance: Instance) -> list[list[int]]:
    """The map tasks in classes: same job, processing, input, replicas and priorities.

    Tasks of a class take the same time as each other on every slot, and may run on the same slots.
    """
    first, last = instance.replica_offsets[:-1].tolist(), instance.replica_offsets[1:].tolist()
    replicas = instance.replicas.tolist()
    classes: dict[tuple[object, ...], list[int]] = {}
    for t, (job, processing, size) in enumerate(
        zip(
            instance.map_job.tolist(),
            instance.map_processing.tolist(),
            instance.input_mb.tolist(),
            strict=True,
        )
    ):
        data = (size, frozenset(replicas[first[t] : last[t]])) if size else ()
        allowed = b"" if instance.security is None else instance.security.priorities[t].tobytes()
        classes.setdefault((job, processing, data, allowed), []).append(t)
    return list(classes.values())


def reduce_classes(instance: Instance) -> list[list[int]]:
    """The reduce tasks in classes: same job and processing."""
    classes: dict[tuple[int, float], list[int]] = {}
    keys = zip(instance.reduce_job.tolist(), instance.reduce_processing.tolist(), strict=True)
    for w, key in enumerate(keys):
        classes.setdefault(key, []).append(w)
    return list(classes.values())


def reads_are_uniform(instance: Instance) -> bool:
    """Whether no reduce setup depends on where the job's map tasks ran: no output, or one rate."""
    if not output_share(instance).any():
        return True
    cluster = instance.cluster
    seconds = read_seconds(instance)[np.ix_(cluster.map_slot_node, cluster.reduce_slot_node)]
    return bool((seconds == seconds[:1]).all())


def least_span(seconds: FloatArray, tasks: int) -> float:
    """The least makespan of `tasks` equal tasks that take `seconds` each, by slot; exact.

    By time T slot k has finished floor(T / seconds[k]) tasks at most, and as many can be put there;
    so T is enough if that many multiples of the slots' times are not above it. 0 without slots.
    """
    if not tasks or not len(seconds):
        return 0.0
    ends = np.outer(seconds, np.arange(1, tasks + 1)).ravel()
    return float(np.partition(ends, tasks - 1)[tasks - 1])
