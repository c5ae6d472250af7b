"""One phase of the heterogeneous model: classes of equal tasks and how long they take where."""

from __future__ import annotations

from ...instances.arrays import BoolArray, FloatArray
from ..identical_tasks import least_span


class ClassPhase:
    """One phase: `classes` by first task, each with its `job` and all its tasks (`tasks`).

    `seconds[t, k]` is how long a task of class t takes on slot k, `allowed[t, k]` whether it may
    run there, `of[i]` the classes of job i and `span[i]` the least time for all tasks of job i.
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
            max((least_span(seconds[t, allowed[t]], self.count[t]) for t in of), default=0.0)
            for of in self.of
        ]
        self.others = [(t, i) for t in self.classes for i in jobs if i != self.job[t]]
