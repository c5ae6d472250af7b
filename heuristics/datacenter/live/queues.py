"""The jobs that wait."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence

from .cluster import Cluster
from .machine import Job, Machine
from .plan import Units, fits

NOTHING = 1 << 62
"""The least demand where there is no job."""


class Queue:
    """Waiting jobs by rank: a binary tree; a node has the least demands of the jobs below it."""

    def __init__(self, resources: int, jobs: Iterable[Job] = ()) -> None:
        self._resources = resources
        self._lay_out(list(jobs))

    def _lay_out(self, jobs: list[Job]) -> None:
        """Give all jobs new leaves, from the left."""
        places = 64
        while places < 2 * len(jobs):
            places *= 2
        self.waiting, self._used, self._places = len(jobs), len(jobs), places
        self._jobs: list[Job | None] = [*jobs, *[None] * (places - len(jobs))]
        for leaf, job in enumerate(jobs):
            job.leaf = leaf
        self._least: list[list[int]] = []
        for r in range(self._resources):
            row = [job.demand[r] for job in jobs] + [NOTHING] * (places - len(jobs))
            tree = [row]
            while len(row) > 1:
                row = list(map(min, row[::2], row[1::2]))
                tree.append(row)
            self._least.append([NOTHING, *(entry for row in reversed(tree) for entry in row)])

    def __iter__(self) -> Iterator[Job]:
        return (job for job in self._jobs if job is not None)

    def append(self, job: Job) -> None:
        if self._used == self._places:
            self._lay_out(list(self))
        job.leaf = self._used
        self._jobs[self._used] = job
        at = self._places + self._used
        for least, need in zip(self._least, job.demand, strict=True):
            i = at
            while i and least[i] > need:
                least[i] = need
                i >>= 1
        self._used += 1
        self.waiting += 1

    def remove(self, job: Job) -> None:
        self._jobs[job.leaf] = None
        self.waiting -= 1
        for least in self._least:
            i = self._places + job.leaf
            least[i] = NOTHING
            while i > 1:
                one, other = least[i], least[i ^ 1]
                i >>= 1
                smaller = one if one < other else other
                if least[i] == smaller:
                    break
                least[i] = smaller
        job.leaf = -1
        if not self.waiting:
            self._used = 0

    def first(self, free: Units) -> Job | None:
        """The first job that needs no more than is free."""
        i, pairs = 1, list(zip(self._least, free, strict=True))
        while True:
            for least, amount in pairs:
                if least[i] > amount:
                    while i & 1:
                        i >>= 1
                    if not i:
                        return None
                    i += 1
                    break
            else:
                if i >= self._places:
                    return self._jobs[i - self._places]
                i *= 2


class Line:
    """The waiting jobs by class: those with a `home`, and `stray` ones, which fit no home.

    `homes` are the configurations where jobs of a class start when others wait, shape (K, M); a
    stray job starts wherever it can run.
    """

    def __init__(
        self,
        cluster: Cluster,
        homes: Sequence[Sequence[bool]],
        jobs: Iterable[Job],
    ) -> None:
        self._plan, self._cluster, self.homes = cluster.plan, cluster, homes
        self.watch: Callable[[Job, Machine], None] | None = None
        self.sort(jobs)

    def sort(self, jobs: Iterable[Job]) -> bool:
        """Queue up these jobs, and no others; whether one has become stray that had a home."""
        by_queue: list[list[list[Job]]] = [[[] for _ in self._plan.classes] for _ in range(2)]
        jobs = sorted(jobs, key=lambda job: job.rank)
        homeless = False
        for job in jobs:
            stray = self.is_stray(job)
            homeless |= stray and not job.stray
            job.stray = stray
            by_queue[stray][job.job_class].append(job)
        self.length = len(jobs)
        self.home, self.stray = (
            [Queue(len(self._plan.resources), group) for group in groups] for groups in by_queue
        )
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
        return heapq.merge(*self.home, *self.stray, key=lambda job: job.rank)

    def append(self, job: Job) -> None:
        job.stray = self.is_stray(job)
        self._queue_of(job).append(job)
        self.length += 1

    def remove(self, job: Job) -> None:
        self._queue_of(job).remove(job)
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
        firsts = []
        for queue in queues:
            job = queue.first(machine.free) if queue.waiting else None
            if job is not None:
                firsts.append((job.rank, job, queue))
        heapq.heapify(firsts)  # ranks differ
        started = []
        while firsts:
            _, job, queue = firsts[0]
            if only_missing and machine.more(job.job_class) <= 0:
                heapq.heappop(firsts)
                continue
            if fits(job.demand, machine.free):
                self.start(job, machine)
                started.append(job)
            following = queue.first(machine.free) if queue.waiting else None
            if following is None:
                heapq.heappop(firsts)
            else:
                heapq.heapreplace(firsts, (following.rank, following, queue))
        return started
