"""Improve a schedule by a search, in several threads under one clock.

With speed factors the search is on numbers of equal tasks, else over blocks of nodes;
`docs/heuristics/improvement-search.md` describes both.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from types import ModuleType
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...core.background import BackgroundWork, OutOfTime, attempt
from ...core.clock import Clock
from ...instances.mapreduce.cluster import Cluster
from ...instances.mapreduce.instance import Instance, Job, MapTask
from ...instances.mapreduce.schedule import Schedule, check_tasks, timed
from ...instances.mapreduce.usable_slots import usable_slots
from . import block_search, class_search

POLL_SECONDS = 0.02
"""Seconds between two looks at the clock."""

LOOK_SECONDS = 0.3
"""Least seconds between two looks at the schedules that the threads and others have found."""

LOOK_SHARE = 0.05
"""Most of the time that making these schedules may take."""


class Shared(NamedTuple):
    """How schedules pass between the search and others that run beside it."""

    news: Callable[[float], None] = lambda makespan: None
    """Called with each better makespan (s), before there is a schedule of it."""
    give: Callable[[Schedule], None] = lambda schedule: None
    """Called with better schedules from time to time and when the search ends."""
    take: Callable[[], Schedule | None] = lambda: None
    """Gives the shortest schedule that anyone else has by now, asked from time to time."""


ALONE = Shared()


class Search(Protocol):
    """The search of one thread."""

    def run(self, seconds: float) -> None:
        """Search for so many seconds, or as many iterations as were asked for."""

    def watch(self, over: bool) -> None:
        """Look at the clock, or end; another thread calls it often."""


class Problem(Protocol):
    """An instance as one of the searches lays it out, in integer time units."""

    @property
    def unit_seconds(self) -> float:
        """Length of the time unit (s)."""

    def state(self, schedule: Schedule) -> tuple[int, Any]:
        """A schedule's makespan in time units, and its state in the search."""

    def schedule(self, state: Any) -> Schedule:
        """The schedule of a state, timed in s."""

    def search(self, team: Team, thread: int) -> Search:
        """The search of one thread, which offers what it finds to its team."""


def search_of(instance: Instance) -> ModuleType:
    """The package that searches."""
    return block_search if instance.speed_factors is None else class_search


def can_search(instance: Instance) -> bool:
    """Whether the search can handle an instance: it may have too many different tasks."""
    return bool(search_of(instance).can_search(instance))


def improve(
    instance: Instance,
    schedule: Schedule,
    stop: Clock,
    *,
    seed: int = 0,
    threads: int = 1,
    shared: Shared = ALONE,
) -> Schedule:
    """Search for a schedule that is shorter than a valid one.

    The search ends when `stop` says so, or on Ctrl-C. The result depends on the speed of the
    machine unless iterations end the search. The first use after installation compiles the
    kernels; that time counts.

    `stop`: when to end. An iteration is a repair in each thread with speed factors, else a greedy
    start and a perturbation. The greedy starts take half of the time, at most 30 s, and show
    nothing before they end.
    `seed`: seed of the random numbers; every thread has a stream of its own.
    `shared`: with what runs beside it.
    """
    none = stop.left <= 0 or instance.jobs == 0 or schedule.makespan <= max(stop.target, 0.0)
    if none or not can_search(instance):
        return schedule
    check_tasks(instance, schedule)
    package = search_of(instance)
    try:
        attempt(partial(_get_ready, package), stop)
    except (OutOfTime, KeyboardInterrupt):
        return schedule
    usable = usable_slots(instance)
    problem = package.problem_of(usable.instance, schedule.makespan)
    team = Team(problem, usable.reduced(schedule), stop, seed, max(1, threads))
    shown, given, ending = schedule.makespan, schedule, False
    due = time.perf_counter() + LOOK_SECONDS

    def give() -> None:
        nonlocal given
        best = team.schedule()
        if best.makespan < given.makespan:
            given = usable.restored(best)
            shared.give(given)

    while any(not work.done for work in team.works):
        try:
            team.wait()
            ending |= team.is_to_end()
            if team.makespan < shown:
                shown = team.makespan
                shared.news(shown)
            began = time.perf_counter()
            if ending or began >= due:
                give()
                theirs = None if ending else shared.take()
                if theirs is not None and theirs.makespan < given.makespan:
                    makespan, state = problem.state(usable.reduced(theirs))
                    team.offer(makespan, state, -1)
                ended = time.perf_counter()
                due = ended + max(LOOK_SECONDS, (ended - began) / LOOK_SHARE)
        except KeyboardInterrupt:
            ending = True
        for search in team.searches:
            search.watch(ending)
    for work in team.works:
        work.value()
    with suppress(KeyboardInterrupt):
        give()
    best = usable.restored(team.schedule())
    return best if best.makespan < schedule.makespan else schedule


class Team:
    """The searches, each in a thread, and the best state that they have found."""

    def __init__(
        self, problem: Problem, schedule: Schedule, stop: Clock, seed: int, threads: int
    ) -> None:
        self.problem, self.stop, self.seed, self.lock = problem, stop, seed, Lock()
        self.target = int(stop.target / problem.unit_seconds)
        self.given = self.best = problem.state(schedule)
        self.thread, self.made = -1, (self.best, schedule)
        self.searches = [problem.search(self, thread) for thread in range(threads)]
        self.works = [BackgroundWork(partial(self._run, search)) for search in self.searches]

    def _run(self, search: Search) -> None:
        search.run(self.stop.left)

    @property
    def makespan(self) -> float:
        return self.best[0] * self.problem.unit_seconds

    def known(self) -> tuple[int, Any]:
        """The best makespan and state that a thread may go on from.

        If iterations end the search, a thread must not depend on the pace of another.
        """
        return self.best if self.stop.iterations is None else self.given

    def offer(self, makespan: int, state: Any, thread: int) -> None:
        """Take a state if it is better; of equally good ones keep that of the first thread."""
        with self.lock:
            if (makespan, thread) < (self.best[0], self.thread):
                self.best, self.thread = (makespan, state), thread

    def wait(self) -> None:
        """Wait `POLL_SECONDS` s, or until the first search that goes on has ended."""
        for work in self.works:
            if not work.done:
                work.wait(POLL_SECONDS)
                return

    def is_to_end(self) -> bool:
        """Whether the rule, the target, or what a search raised ends all searches."""
        over = self.stop(self.makespan)
        return over or self.best[0] <= self.target or any(work.failed for work in self.works)

    def schedule(self) -> Schedule:
        best = self.best
        if best is not self.made[0]:
            made = self.problem.schedule(best[1])
            self.made = best, min(made, self.made[1], key=lambda each: each.makespan)
        return self.made[1]


def warm_up(instance: Instance, seconds: float = math.inf) -> None:
    """Compile the kernels for an instance or load them; after so many seconds in the background."""
    with suppress(OutOfTime):
        attempt(partial(_get_ready, search_of(instance)), Clock(seconds))


_compiling = Lock()
_ready: set[str] = set()


def _get_ready(package: ModuleType) -> None:
    """Run every kernel on a tiny instance, once; a second caller waits for the first."""
    with _compiling:
        if package.__name__ not in _ready:
            jobs = [Job("a", [MapTask(3.0, 1.0, ["n0"]), 2.0], [4.0, 3.0], 1.0)]
            jobs += [Job("b", [1.0], [9.0])]
            toy = Instance.from_jobs("toy", Cluster.uniform(2, map_slots=1), jobs)
            none = np.zeros(3, dtype=np.int64)
            schedule = timed(toy, none, np.arange(3), none, np.arange(3))
            problem = package.problem_of(toy, schedule.makespan)
            Team(problem, schedule, Clock(60.0, iterations=1), 0, 1).works[0].value()
            _ready.add(package.__name__)
