"""Improve a schedule by searching over blocks of nodes, in several threads under one clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock

import numpy as np

from ....core.arrays import IntArray
from ....core.background import BackgroundWork, OutOfTime, attempt
from ....core.clock import Clock
from ....core.kernels.decorators import is_kept
from ....instances.mapreduce.cluster import Cluster
from ....instances.mapreduce.instance import Instance, Job, MapTask
from ....instances.mapreduce.schedule import Schedule, check_tasks, map_completions, timed
from ....instances.mapreduce.usable_slots import usable_slots
from .order_changes import reorder
from .polish import SlotAssignment, Timing
from .scaled_instance import ScaledInstance, scaled, schedule_of, slots_of
from .slot_exchange import run_exchanges
from .worker import Search

POLL_SECONDS = 0.02
"""Seconds between two looks at the clock."""

HAND_OVER = 2.0
"""Seconds between two schedules that are handed to whoever started the search."""


def can_search(instance: Instance) -> bool:
    """Whether the search can handle an instance: it has no speed factors."""
    return instance.speed_factors is None


def improve_blocks(
    instance: Instance,
    schedule: Schedule,
    stop: Clock,
    *,
    seed: int = 0,
    threads: int = 1,
    on_progress: Callable[[float, float], None] | None = None,
    on_end: Callable[[Schedule], None] | None = None,
) -> Schedule:
    """Search for a schedule that is shorter than a valid one.

    The search ends when `stop` says so, or on Ctrl-C. The result depends on the speed of the
    machine unless iterations end the search. The first use after installation compiles the
    kernels; that time counts.

    `stop`: when to end. An iteration is a greedy start and a perturbation in each thread. The
    greedy starts take half of the time, at most 30 s, and show nothing before they end.
    `seed`: seed of the random numbers; every thread has a stream of its own.
    `on_progress`: called with the seconds so far and each better makespan (s).
    `on_end`: called with the shorter schedule known every `HAND_OVER` s and when the search ends,
    and again if a thread that is still waited for has a better one.
    """
    began = time.perf_counter()
    none = stop.left <= 0 or instance.jobs == 0 or schedule.makespan <= max(stop.target, 0.0)
    if none or not can_search(instance):
        return schedule
    check_tasks(instance, schedule)
    try:
        attempt(_kernels_ready, stop)
    except (OutOfTime, KeyboardInterrupt):
        return schedule
    usable = usable_slots(instance)
    run = _Run(usable.instance, usable.reduced(schedule), stop, seed, max(1, threads))
    handed, ending, due = schedule, False, began
    while any(not work.done for work in run.works):
        try:
            run.wait()
            ending |= run.is_to_end()
            if on_progress is not None and run.has_news():
                on_progress(time.perf_counter() - began, run.makespan())
        except KeyboardInterrupt:
            ending = True
        run.watch(ending)
        if not ending and time.perf_counter() < due:
            continue
        due = time.perf_counter() + HAND_OVER
        if on_end is not None and run.schedule().makespan < handed.makespan:
            handed = run.schedule()
            on_end(usable.restored(handed))
    for work in run.works:
        work.value()
    with suppress(KeyboardInterrupt):
        if on_progress is not None and run.has_news():
            on_progress(time.perf_counter() - began, run.makespan())
    best = usable.restored(run.schedule())
    return best if best.makespan < schedule.makespan else schedule


def _placement(instance: Instance, scale: ScaledInstance, schedule: Schedule) -> SlotAssignment:
    """Slots and job order of a schedule; the jobs come by map completion."""
    order = np.argsort(map_completions(instance, schedule.map.end), kind="stable")
    return SlotAssignment(order, *slots_of(instance, scale, schedule))


class _Run:
    """The searches, each in a thread, and what they share: the problem and the best schedule."""

    def __init__(
        self, instance: Instance, schedule: Schedule, stop: Clock, seed: int, threads: int
    ) -> None:
        self.instance, self.stop = instance, stop
        self.scale: ScaledInstance = scaled(instance, schedule.makespan)
        self.target = int(stop.target / self.scale.unit_seconds)
        self.lock = Lock()
        self.best: tuple[int, int] = (int(np.ceil(schedule.makespan / self.scale.unit_seconds)), -1)
        self.shown = schedule.makespan
        self.found: tuple[SlotAssignment, IntArray] | None = None
        self.made: tuple[tuple[SlotAssignment, IntArray] | None, Schedule] = None, schedule
        given = _placement(instance, self.scale, schedule)
        self.searches = [
            Search(
                self.scale.problem, given, self.target, seed, thread, stop.iterations, self.offer
            )
            for thread in range(threads)
        ]
        self.works = [BackgroundWork(partial(self._search, search)) for search in self.searches]

    def _search(self, search: Search) -> None:
        search.run(self.stop.left)

    def wait(self) -> None:
        """Wait `POLL_SECONDS` s, or until the first search that goes on has ended."""
        for work in self.works:
            if not work.done:
                work.wait(POLL_SECONDS)
                return

    def is_to_end(self) -> bool:
        """Whether the rule, the target, or what a search raised ends all searches."""
        over = self.stop(self.makespan())
        return over or self.best[0] <= self.target or any(work.failed for work in self.works)

    def watch(self, ending: bool) -> None:
        """Let the searches look at the clock, or end."""
        for search in self.searches:
            search.watch(ending)

    def has_news(self) -> bool:
        """Whether the best is better than when this was asked before."""
        before, self.shown = self.shown, min(self.shown, self.makespan())
        return self.shown < before

    def makespan(self) -> float:
        return self.best[0] * self.scale.unit_seconds

    def offer(self, placement: SlotAssignment, timing: Timing, thread: int) -> None:
        """Take a schedule if it is better; of equally good ones keep that of the first thread."""
        with self.lock:
            if (timing.makespan, thread) < self.best:
                self.best = timing.makespan, thread
                # The rest of the times would fill the memory on large instances.
                self.found = placement, timing.by_end

    def schedule(self) -> Schedule:
        best = self.found
        if best is not None and best is not self.made[0]:
            self.made = best, self._schedule(*best)
        return self.made[1]

    def _schedule(self, placement: SlotAssignment, by_end: IntArray) -> Schedule:
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
            np.argsort(by_end)[reduce_job],
        )


def is_compiled() -> bool:
    return is_kept(run_exchanges) and is_kept(reorder)


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
        jobs = [Job("a", [MapTask(3.0, 1.0, ["n0"]), 2.0], [4.0, 3.0], 1.0)]
        jobs += [Job("b", [1.0], [9.0])]
        instance = Instance.from_jobs("toy", Cluster.uniform(2, map_slots=1), jobs)
        none = np.zeros(3, dtype=np.int64)
        schedule = timed(instance, none, np.arange(3), none, np.arange(3))
        scale = scaled(instance, schedule.makespan)
        given = _placement(instance, scale, schedule)
        Search(scale.problem, given, 0, 0, 0, 1, lambda placement, timing, thread: None).run(60.0)
        _ready.append(None)
