"""Improve a schedule by searching over blocks of nodes, in several threads under one clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from threading import Event, Lock, Thread

import numpy as np

from ...instances.mapreduce.cluster import Cluster
from ...instances.mapreduce.instance import Instance, Job, MapTask, job_instance
from ...instances.mapreduce.schedule import Schedule, map_completions, timed
from .polish import SlotAssignment, Timing
from .scaled_instance import ScaledInstance, scaled, schedule_of, slots_of
from .worker import Search

POLL_SECONDS = 0.02
"""Seconds between two looks at the clock."""


def can_search(instance: Instance) -> bool:
    """Whether the search can handle an instance: no speed factors, security or outages."""
    return not instance.parts


def improve_blocks(
    instance: Instance,
    schedule: Schedule,
    *,
    seconds: float,
    seed: int = 0,
    target: float = 0.0,
    threads: int = 1,
    iterations: int | None = None,
    patience: float | None = None,
    on_progress: Callable[[float, float], None] | None = None,
    stop: Callable[[], bool] | None = None,
    on_end: Callable[[Schedule], None] | None = None,
) -> Schedule:
    """Search for a schedule that is shorter than a valid one.

    The search ends when one of the limits is reached, when `stop()` is true, or on Ctrl-C. The
    result depends on the speed of the machine unless `iterations` ends the search. The first use
    after installation compiles the kernels; that time counts.

    Parameters
    ----------
    instance
        An instance that `can_search` accepts.
    schedule
        A valid schedule.
    seconds
        Wall time (s).
    seed
        Seed of the random numbers; every thread has a stream of its own.
    target
        Makespan (s) at which the search ends.
    threads
        Number of threads.
    iterations
        Greedy starts, and perturbations, of each thread; None for no limit.
    patience
        The search ends after so many seconds without a shorter schedule. The greedy starts take
        half of the time, at most 30 s, and show nothing before they end, so it should be longer.
    on_progress
        Called with the seconds so far and each better makespan (s).
    stop
        Asked often whether to end.
    on_end
        Called with the shorter schedule known when the search ends, and again if a thread that is
        still waited for has a better one.

    Returns
    -------
    Schedule
        The best schedule found, or the given one.
    """
    began = time.perf_counter()
    none = seconds <= 0 or instance.jobs == 0 or schedule.makespan <= max(target, 0.0)
    if none or not can_search(instance):
        return schedule
    try:
        if not _compiled(began + seconds, stop):
            return schedule
    except KeyboardInterrupt:
        return schedule
    run = _Run(instance, schedule, target, began, seconds)
    given = _placement(instance, run.scale, schedule)
    searches = [
        Search(run.scale.problem, given, run.target, seed, thread, iterations, run.offer)
        for thread in range(max(1, threads))
    ]
    done = [Event() for _ in searches]

    def work(search: Search, its_end: Event) -> None:
        try:
            search.run(run.left())
        except BaseException as error:
            run.errors.append(error)
        finally:
            its_end.set()

    for search, its_end in zip(searches, done, strict=True):
        Thread(target=work, args=(search, its_end), daemon=True).start()
    shown, handed, ending = schedule.makespan, schedule, False
    while waiting := [its_end for its_end in done if not its_end.is_set()]:
        try:
            # Not `join`: Ctrl-C within it can make a living thread look dead.
            waiting[0].wait(POLL_SECONDS)
            ending |= run.left() <= 0 or run.reached() or bool(run.errors)
            ending |= patience is not None and run.elapsed() - run.improved > patience
            ending |= stop is not None and stop()
            best = run.makespan()
            if on_progress is not None and best < shown:
                shown = best
                on_progress(run.elapsed(), best)
        except KeyboardInterrupt:
            ending = True
        for search in searches:
            search.watch(ending)
        if ending and on_end is not None and run.schedule().makespan < handed.makespan:
            handed = run.schedule()
            on_end(handed)
    if run.errors:
        raise run.errors[0]
    found = run.schedule()
    return found if found.makespan < schedule.makespan else schedule


def _placement(instance: Instance, scale: ScaledInstance, schedule: Schedule) -> SlotAssignment:
    """Slots and job order of a schedule; the jobs come by map completion."""
    order = np.argsort(map_completions(instance, schedule.map.end), kind="stable")
    return SlotAssignment(order, *slots_of(instance, scale, schedule))


class _Run:
    """What the threads share: the problem, the clock, the best schedule."""

    def __init__(
        self, instance: Instance, schedule: Schedule, target: float, began: float, seconds: float
    ) -> None:
        self.instance = instance
        self.began, self.seconds = began, seconds
        self.scale: ScaledInstance = scaled(instance, schedule.makespan)
        self.target = int(target / self.scale.unit_seconds)
        self.lock = Lock()
        self.best: tuple[int, int] = (int(np.ceil(schedule.makespan / self.scale.unit_seconds)), -1)
        self.found: tuple[SlotAssignment, Timing] | None = None
        self.made: tuple[tuple[SlotAssignment, Timing] | None, Schedule] = None, schedule
        self.improved = self.elapsed()
        self.errors: list[BaseException] = []

    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    def left(self) -> float:
        return self.seconds - self.elapsed()

    def makespan(self) -> float:
        return self.best[0] * self.scale.unit_seconds

    def reached(self) -> bool:
        return self.best[0] <= self.target

    def offer(self, placement: SlotAssignment, timing: Timing, thread: int) -> None:
        """Take a schedule if it is better; of equally good ones keep that of the first thread."""
        with self.lock:
            if (timing.makespan, thread) < self.best:
                if timing.makespan < self.best[0]:
                    self.improved = self.elapsed()
                self.best = timing.makespan, thread
                self.found = placement, timing

    def schedule(self) -> Schedule:
        """The best schedule so far."""
        found = self.found
        if found is not None and found is not self.made[0]:
            self.made = found, self._schedule(*found)
        return self.made[1]

    def _schedule(self, placement: SlotAssignment, timing: Timing) -> Schedule:
        problem = self.scale.problem
        jobs = np.arange(self.instance.jobs)
        map_job = np.repeat(jobs, np.diff(problem.map_begin))
        reduce_job = np.repeat(jobs, np.diff(problem.reduce_begin))
        return schedule_of(
            self.instance,
            self.scale,
            placement.map_slot,
            np.argsort(placement.order)[map_job],
            placement.reduce_slot,
            np.argsort(timing.by_end)[reduce_job],
        )


def warm_up(seconds: float = math.inf) -> None:
    """Compile the kernels or load them; after `seconds` s compilation goes on in the background."""
    _compiled(time.perf_counter() + seconds, None)


_compiling = Lock()
_ready: list[Event] = []


def _compiled(deadline: float, stop: Callable[[], bool] | None) -> bool:
    """Whether the kernels are ready before a deadline; they are compiled in another thread."""
    with _compiling:
        if not _ready:
            _ready.append(Event())
            Thread(target=_compile, args=(_ready[0],), daemon=True).start()
    while not _ready[0].wait(POLL_SECONDS):
        if (stop is not None and stop()) or time.perf_counter() >= deadline:
            return False
    return True


def _compile(ready: Event) -> None:
    """Run every kernel on a tiny instance."""
    try:
        jobs = [Job("a", [MapTask(3.0, 1.0, ["n0"]), 2.0], [4.0, 3.0], 1.0)]
        jobs += [Job("b", [1.0], [9.0])]
        instance = job_instance("toy", Cluster.uniform(2, map_slots=1), jobs)
        none = np.zeros(3, dtype=np.int64)
        schedule = timed(instance, none, np.arange(3), none, np.arange(3))
        scale = scaled(instance, schedule.makespan)
        given = _placement(instance, scale, schedule)
        Search(scale.problem, given, 0, 0, 0, 1, lambda placement, timing, thread: None).run(60.0)
    finally:
        ready.set()
