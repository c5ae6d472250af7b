"""Classes of identical tasks of a job, and their least makespan in closed form."""

from __future__ import annotations

import numpy as np

from ...core.arrays import BoolArray, FloatArray
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.setups import output_share, read_seconds


def map_classes(instance: Instance) -> list[list[int]]:
    """Group the map tasks into classes of equal job, processing, input, replicas and priorities.

    The tasks of a class take the same time on every slot and may run on the same slots.
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
    """Group the reduce tasks into classes of equal job and processing time."""
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
    holders, readers = np.unique(cluster.map_slot_node), np.unique(cluster.reduce_slot_node)
    seconds = read_seconds(instance)[np.ix_(holders, readers)]
    return bool((seconds == seconds[:1]).all())


def least_makespan_of_equals(seconds: FloatArray, tasks: int) -> float:
    """The least makespan of identical tasks on slots of different speed, exactly.

    `seconds`: time of one task on each slot (s), shape (slots,).
    Returns the least makespan (s), 0 without slots.

    Notes
    -----
    By time T slot k has finished at most floor(T / seconds[k]) tasks, and so many fit. So T
    suffices if at least `tasks` multiples of the slots' times are not above T. They are not above
    the time in which slots that share tasks do one more for each slot.
    """
    if not tasks or not len(seconds):
        return 0.0
    fastest = float(seconds.min())
    if not 0.0 < fastest < np.inf:
        return fastest
    pace = fastest / seconds
    most = np.minimum(tasks, 1 + pace * ((tasks + len(seconds)) / pace.sum())).astype(np.int64)
    number = np.arange(1, most.sum() + 1) - np.repeat(np.cumsum(most) - most, most)
    ends = np.repeat(seconds, most) * number
    return float(np.partition(ends, tasks - 1)[tasks - 1])


class ClassPhase:
    """The classes of one phase, identified by their first tasks.

    `classes`: the tasks of each class.
    `job_of`: job of each task.
    `jobs`: all jobs.
    `seconds`: time of each task on each slot (s), shape (tasks, slots).
    `allowed`: whether each task may run on each slot, shape (tasks, slots).
    `of`: the classes of each job.
    `span`: least time in which all tasks of each job can be done (s).
    `others`: pairs of a class and a job that the class does not belong to.
    """

    def __init__(
        self,
        classes: list[list[int]],
        job_of: list[int],
        jobs: range,
        seconds: FloatArray,
        allowed: BoolArray,
    ) -> None:
        self.tasks = {tasks[0]: tasks for tasks in classes}
        self.classes = list(self.tasks)
        self.count = {t: len(tasks) for t, tasks in self.tasks.items()}
        self.slots = range(seconds.shape[1])
        self.job = {t: job_of[t] for t in self.classes}
        self.of: list[list[int]] = [[] for _ in jobs]
        for t in self.classes:
            self.of[self.job[t]].append(t)
        self.seconds = seconds
        self.allowed = allowed
        self.span = [
            max(
                (least_makespan_of_equals(seconds[t, allowed[t]], self.count[t]) for t in of),
                default=0.0,
            )
            for of in self.of
        ]
        self.others = [(t, i) for t in self.classes for i in jobs if i != self.job[t]]
