"""Improve a schedule by searching on numbers of equal tasks, in several threads under one clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import NamedTuple

import numpy as np

from ....core.background import BackgroundWork, OutOfTime, attempt
from ....core.clock import Clock
from ....instances.mapreduce.cluster import Cluster
from ....instances.mapreduce.instance import Instance, Job
from ....instances.mapreduce.schedule import Schedule, check_tasks, map_completions, timed
from ....instances.mapreduce.usable_slots import usable_slots
from ..random_numbers import seeded
from .rounds import Placement, timing_of
from .task_classes import ClassedInstance, classed, number_of_times
from .timing import Timing
from .worker import Search

POLL_SECONDS = 0.02
"""Seconds between two looks at the clock."""

LOOK_SECONDS = 0.3
"""Seconds between two looks at what the threads and others have found."""

MOST_TIMES = 4_000_000
"""Most times, of each class of equal tasks on each slot, that the search stores."""


class Exchange(NamedTuple):
    """Schedules pass between the search and others that run beside it."""

    give: Callable[[Schedule], None] = lambda schedule: None
    """Called with each better schedule."""
    take: Callable[[], Schedule | None] = lambda: None
    """Gives the shortest schedule that anyone else has by now, asked from time to time."""


ALONE = Exchange()


def can_search(instance: Instance) -> bool:
    """Whether the search can handle an instance: its classes on all slots fit into memory."""
    return instance.jobs > 0 and number_of_times(instance) <= MOST_TIMES


def improve_classes(
    instance: Instance,
    schedule: Schedule,
    stop: Clock,
    *,
    seed: int = 0,
    threads: int = 1,
    exchange: Exchange = ALONE,
) -> Schedule:
    """Search for a schedule that is shorter than a valid one.

    The search ends when `stop` says so, or on Ctrl-C. The result depends on the speed of the
    machine unless iterations end the search. The first use after installation compiles the
    kernels; that time counts.

    `stop`: when to end. An iteration is a repair in each thread; they get longer.
    `seed`: seed of the random numbers; every thread has a stream of its own.
    `exchange`: with what runs beside it.
    """
    began = time.perf_counter()
    none = stop.left <= 0 or instance.jobs == 0 or schedule.makespan <= max(stop.target, 0.0)
    if none or not can_search(instance):
        return schedule
    check_tasks(instance, schedule)
    usable = usable_slots(instance)
    try:
        attempt(_kernels_ready, stop)
    except (OutOfTime, KeyboardInterrupt):
        return schedule
    run = _Run(usable.instance, usable.reduced(schedule), stop, seed, max(1, threads))
    shown, looked = schedule, began

    def show() -> Schedule:
        best = run.schedule()
        if best.makespan >= shown.makespan:
            return shown
        best = usable.restored(best)
        exchange.give(best)
        return best

    while any(not work.done for work in run.works):
        try:
            run.wait()
            if run.is_to_end():
                run.end()
            elif time.perf_counter() - looked > LOOK_SECONDS:
                looked = time.perf_counter()
                shown = show()
                theirs = exchange.take()
                if theirs is not None and theirs.makespan < shown.makespan:
                    run.take(usable.reduced(theirs))
        except KeyboardInterrupt:
            run.end()
    for work in run.works:
        work.value()
    shorter = run.schedule()
    with suppress(KeyboardInterrupt):
        show()
    return usable.restored(shorter) if shorter.makespan < schedule.makespan else schedule


class _Run:
    """The searches, each in a thread, and what they share: the problem and the best placement."""

    def __init__(
        self,
        instance: Instance,
        schedule: Schedule,
        stop: Clock,
        seed: int,
        threads: int,
    ) -> None:
        self.stop, self.lock = stop, Lock()
        self.problem: ClassedInstance = classed(instance, schedule.makespan)
        self.target = int(stop.target / self.problem.unit_seconds)
        self.best = self._laid_out(schedule)
        self.thread = -1
        self.made: tuple[tuple[Placement, Timing], Schedule] = self.best, schedule
        given = self.best
        # The rounds of one thread must not depend on the pace of another.
        known = self._best if stop.iterations is None else lambda: given
        self.searches = [
            Search(
                self.problem,
                self.target,
                seeded(seed, thread),
                stop.iterations,
                known,
                partial(self.offer, thread=thread),
            )
            for thread in range(threads)
        ]
        self.works = [BackgroundWork(partial(self._search, search)) for search in self.searches]

    def _search(self, search: Search) -> None:
        search.run(self.stop.left)

    def _best(self) -> tuple[Placement, Timing]:
        return self.best

    def _laid_out(self, schedule: Schedule) -> tuple[Placement, Timing]:
        """A schedule as a placement; its jobs come by map completion, so it may be shorter."""
        end = map_completions(self.problem.instance, schedule.map.end)
        placement = Placement(*self.problem.counts(schedule), self.problem.in_units(end))
        return placement, timing_of(self.problem, placement)

    def wait(self) -> None:
        """Wait `POLL_SECONDS` s, or until the first search that goes on has ended."""
        for work in self.works:
            if not work.done:
                work.wait(POLL_SECONDS)
                return

    def is_to_end(self) -> bool:
        """Whether the rule, the target, or what a search raised ends all searches."""
        makespan = self.best[1].makespan
        over = self.stop(makespan * self.problem.unit_seconds)
        return over or makespan <= self.target or any(work.failed for work in self.works)

    def end(self) -> None:
        for search in self.searches:
            search.end()

    def take(self, schedule: Schedule) -> None:
        """Go on from another's schedule if it is better."""
        placement, timing = self._laid_out(schedule)
        self.offer(placement, timing, -1)

    def offer(self, placement: Placement, timing: Timing, thread: int) -> None:
        """Take a placement if it is better; of equally good ones keep that of the first thread."""
        with self.lock:
            if (timing.makespan, thread) < (self.best[1].makespan, self.thread):
                self.best, self.thread = (placement, timing), thread

    def schedule(self) -> Schedule:
        best = self.best
        if best is not self.made[0]:
            placement, timing = best
            schedule = self.problem.schedule(*placement, timing.end)
            self.made = best, min(schedule, self.made[1], key=lambda each: each.makespan)
        return self.made[1]


def warm_up(seconds: float = math.inf) -> None:
    """Compile the kernels or load them; after `seconds` s that goes on in the background."""
    with suppress(OutOfTime):
        attempt(_kernels_ready, Clock(seconds))


_compiling = Lock()
_ready: list[None] = []


def _kernels_ready() -> None:
    """Run every kernel on a tiny instance, once; a second caller waits for the first."""
    with _compiling:
        if _ready:
            return
        jobs = [Job("a", [3.0, 2.0], [4.0, 3.0]), Job("b", [1.0], [9.0])]
        instance = Instance.from_jobs("toy", Cluster.uniform(2, map_slots=1), jobs)
        none = np.zeros(3, dtype=np.int64)
        schedule = timed(instance, none, np.arange(3), none, np.arange(3))
        problem = classed(instance, schedule.makespan)
        placement = Placement(*problem.counts(schedule), np.arange(2))
        start = placement, timing_of(problem, placement)
        Search(problem, 0, seeded(0, 0), 1, lambda: start, lambda *offer: None).run(60.0)
        _ready.append(None)
