"""Several exact roads at once on one instance: the first to close the common gap ends them all."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock, Semaphore, Thread

from ..instances.mapreduce import Instance
from ..instances.registry import Entry
from .progress import Progress, ProgressCallback
from .result import relative_gap
from .road import Arrival, Task

HEAD_START = 1.0
"""Seconds that spare small instances the start of a second road."""


@dataclass(frozen=True)
class Journey:
    """Each road's arrival by name, the progress of all together, and whether Ctrl-C ended it."""

    arrivals: dict[str, Arrival]
    steps: list[Progress]
    interrupted: bool


def portfolio(
    instance: Instance,
    roads: Mapping[Entry, int],
    task: Task,
    head_start: float = HEAD_START,
) -> Journey:
    """Run `roads`, each with its number of threads, until `task` is done.

    Bounds and makespans of all roads count together: the best of each, whoever proved it. Ctrl-C
    ends all roads, which keep what they have. The roads after the first set out `head_start` s
    later, and not at all if it has arrived or the time is up by then. Raises what a road raises.
    """
    common = _Common(task)
    arrivals: dict[str, Arrival] = {}
    errors: list[BaseException] = []
    arrived = Semaphore(0)

    def travel(road: Entry, threads: int, wait: float) -> None:
        if wait > max(0.0, task.time_limit) or task.stop.wait(wait):
            arrived.release()
            return
        started = time.perf_counter() - common.began
        share = replace(
            task,
            threads=threads,
            time_limit=task.time_limit - started,
            on_progress=common.listener(started),
            best=lambda: common.incumbent,
        )
        try:
            arrivals[road.name] = road.load()(instance, share)
            common.arrived(arrivals[road.name])
        except BaseException as error:
            errors.append(error)
            task.stop.set()
        finally:
            arrived.release()

    for place, (road, threads) in enumerate(roads.items()):
        wait = head_start if place else 0.0
        Thread(target=travel, args=(road, threads, wait), daemon=True).start()
    waiting_for, interrupted = len(roads), False
    while waiting_for:
        try:
            # Not `join`: Ctrl-C within it can make a living thread look dead.
            waiting_for -= arrived.acquire(timeout=0.1)
        except KeyboardInterrupt:
            interrupted = True
            task.stop.set()
    if errors:
        raise errors[0]
    return Journey(arrivals, common.steps, interrupted)


class _Common:
    """The best makespan and bound over all roads."""

    def __init__(self, task: Task) -> None:
        self.began = time.perf_counter()
        self.task = task
        self.lock = Lock()
        self.incumbent, self.bound = task.incumbent.makespan, task.lower_bound
        self.steps: list[Progress] = []
        self.tell(0.0, None, None)

    def listener(self, started: float) -> ProgressCallback:
        """What a road that set out `started` s after the others reports to."""

        def on_progress(step: Progress) -> None:
            self.tell(started + step.seconds, step.incumbent, step.bound)

        return on_progress

    def arrived(self, arrival: Arrival) -> None:
        makespan = None if arrival.schedule is None else arrival.schedule.makespan
        self.tell(time.perf_counter() - self.began, makespan, arrival.lower_bound)
        gap = relative_gap(self.incumbent, self.bound)
        if gap is not None and gap <= self.task.relative_gap:
            self.task.stop.set()

    def tell(self, seconds: float, incumbent: float | None, bound: float | None) -> None:
        with self.lock:
            if incumbent is not None:
                self.incumbent = min(self.incumbent, incumbent)
            if bound is not None:
                self.bound = max(self.bound, bound)
            # Rounding in a road's report must not show a bound above the incumbent.
            step = Progress(seconds, self.incumbent, min(self.bound, self.incumbent))
            self.steps.append(step)
        if self.task.on_progress is not None:
            self.task.on_progress(step)
