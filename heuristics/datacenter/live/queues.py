"""The jobs that wait."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter

from .cluster import Cluster
from .machine import Job, Machine
from .plan import Units, fits

Queue = list[Job]
"""Jobs of one class by rank."""


def first_fitting(queue: Queue, free: Units) -> Job | None:
    """The first job that needs no more than is free."""
    return next((job for job in queue if fits(job.demand, free)), None)


class Line:
    """The waiting jobs by class: those with a `home`, and `stray` ones, which fit no home.

    `homes` are the configurations where jobs of a class start when others wait, shape (K, M); a
    stray job starts wherever it can run.
    """

    def __init__(
        self, cluster: Cluster, homes: Sequence[Sequence[bool]], jobs: Iterable[Job]
    ) -> None:
        self._plan, self._cluster, self.homes = cluster.plan, cluster, homes
        self.watch: Callable[[Job, Machine], None] | None = None
        self.sort(jobs)

    def sort(self, jobs: Iterable[Job]) -> bool:
        """Queue up these jobs, and no others; whether one has become stray that had a home."""
        jobs = sorted(jobs, key=attrgetter("rank"))
        self.home: list[Queue] = [[] for _ in self._plan.classes]
        self.stray: list[Queue] = [[] for _ in self._plan.classes]
        self.length, homeless = 0, False
        for job in jobs:
            had_home = not job.stray
            self.append(job)
            homeless |= job.stray and had_home
        return homeless

    def is_stray(self, job: Job) -> bool:
        """Whether no machine of its homes could hold the job."""
        return not self._cluster.holds(job.demand, self.homes[job.job_class])

    def places_for(self, job: Job) -> Sequence[bool]:
        """The configurations where the job may start when others wait."""
        k = job.job_class
        return self._plan.runs[k] if self.is_stray(job) else self.homes[k]

    def queues_for(self, machine: Machine) -> list[Queue]:
        """The queues whose jobs may start on a machine."""
        j = machine.configuration
        home = [queue for queue, row in zip(self.home, self.homes, strict=True) if row[j]]
        return home + self.stray_for(machine)

    def stray_for(self, machine: Machine) -> list[Queue]:
        """Those of stray jobs."""
        j = machine.configuration
        return [queue for queue, row in zip(self.stray, self._plan.runs, strict=True) if row[j]]

    def __iter__(self) -> Iterator[Job]:
        return heapq.merge(*self.home, *self.stray, key=attrgetter("rank"))

    def append(self, job: Job) -> None:
        """Put a job behind those of its class."""
        job.stray, job.waits = self.is_stray(job), True
        self._queue_of(job).append(job)
        self.length += 1

    def remove(self, job: Job) -> None:
        self._queue_of(job).remove(job)
        job.waits = False
        self.length -= 1

    def _queue_of(self, job: Job) -> Queue:
        return (self.stray if job.stray else self.home)[job.job_class]

    def start(self, job: Job, machine: Machine) -> None:
        """A job of the line starts; `watch`, if there is one, sees how things were before."""
        if self.watch is not None:
            self.watch(job, machine)
        self.remove(job)
        machine.start(job)

    def start_in_order(
        self, queues: Iterable[Queue], machine: Machine, *, only_missing: bool = False
    ) -> list[Job]:
        """Start those that fit, the first first.

        With `only_missing` those whose class has more jobs in the machine's bin than run.
        """
        queues, started = list(queues), list[Job]()
        while True:
            firsts = [
                job
                for queue in queues
                if queue
                and (not only_missing or machine.more(queue[0].job_class) > 0)
                and (job := first_fitting(queue, machine.free)) is not None
            ]
            if not firsts:
                return started
            job = min(firsts, key=attrgetter("rank"))
            self.start(job, machine)
            started.append(job)
