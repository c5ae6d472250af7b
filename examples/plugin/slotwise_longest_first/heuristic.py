"""A heuristic: jobs by the time of all their tasks, each task to the slot that is free first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from slotwise import Entry, Instance, Schedule, timed


def in_order(instance: Instance, jobs: Sequence[int]) -> Schedule:
    """The schedule that takes the jobs in an order, each task to the slot that is free first.

    Parameters
    ----------
    instance
        The instance. Setup times are left out when slots are chosen; the schedule has them.
    jobs
        Numbers of all jobs, in the order in which their tasks are placed.

    Returns
    -------
    Schedule
        With all setup times.
    """
    rank = np.empty(instance.jobs, dtype=np.int64)
    rank[list(jobs)] = np.arange(instance.jobs)
    phases = []
    for job_of, processing, slots in (
        (instance.map_job, instance.map_processing, len(instance.cluster.map_slot_node)),
        (instance.reduce_job, instance.reduce_processing, len(instance.cluster.reduce_slot_node)),
    ):
        order = np.lexsort((-processing, rank[job_of]))
        free = np.zeros(slots)
        slot = np.empty(len(processing), dtype=np.int64)
        for task in order:
            slot[task] = free.argmin()
            free[slot[task]] += processing[task]
        position = np.empty(len(processing), dtype=np.int64)
        position[order] = np.arange(len(processing))
        phases += [slot, position]
    return timed(instance, *phases)


def longest_job_first(instance: Instance) -> Schedule:
    """Jobs in the order of their total processing time, the longest first."""
    work = np.bincount(instance.map_job, instance.map_processing, instance.jobs) + np.bincount(
        instance.reduce_job, instance.reduce_processing, instance.jobs
    )
    return in_order(instance, np.argsort(-work, kind="stable").tolist())


ENTRY = Entry(
    "longest-job-first",
    longest_job_first,
    source="example plug-in",
    summary="jobs with the most work first, each task to the slot that is free first",
)
