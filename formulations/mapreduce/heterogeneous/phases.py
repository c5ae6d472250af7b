"""One phase of the heterogeneous model: classes of identical tasks and their times."""

from __future__ import annotations

from ....core.arrays import BoolArray, FloatArray
from ..identical_tasks import least_makespan_of_equals


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
