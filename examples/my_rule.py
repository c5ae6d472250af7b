"""A heuristic of my own: the jobs with the most work first, each of them on few slots."""

import numpy as np
from numpy.typing import NDArray

import slotwise

Array = NDArray[np.int64]


def widest_first(instance: slotwise.Instance, width: int = 4) -> slotwise.Schedule:
    """The tasks of a job share `width` slots of a phase, those with the least to do so far."""
    work = np.bincount(instance.map_job, instance.map_processing, instance.jobs)
    order = np.argsort(-work, kind="stable")
    slots, rank = instance.cluster, np.argsort(order)
    maps = spread(instance.map_job, instance.map_processing, order, slots.map_slot_node.size, width)
    reduces = spread(
        instance.reduce_job, instance.reduce_processing, order, slots.reduce_slot_node.size, width
    )
    return slotwise.timed(
        instance, maps, rank[instance.map_job], reduces, rank[instance.reduce_job]
    )


def spread(
    job_of: Array, seconds: NDArray[np.float64], order: Array, slots: int, width: int
) -> Array:
    """The slot of each task: the least loaded of the slots of its job."""
    load, slot = np.zeros(slots), np.zeros(len(job_of), dtype=np.int64)
    for job in order:
        own = np.argsort(load, kind="stable")[:width]
        for task in np.flatnonzero(job_of == job):
            slot[task] = own[np.argmin(load[own])]
            load[slot[task]] += seconds[task]
    return slot
