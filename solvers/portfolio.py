"""Several exact roads at once on one instance: the first to close the common gap ends them all."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from threading import Event, Lock

from ..instances.mapreduce.instance import Instance
from ..instances.registry import Entry
from .clock import Clock, Work
from .method import Arrival, Task
from .progress import Progress, ProgressCallback
from .result import relative_gap

HEAD_START = 1.0
"""Seconds that spare small instances the start of a second road."""

GRACE = 1.0
"""Seconds after the end in which the roads give what they have."""


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
    ends all roads, which keep what they have; of one that does not answer within `GRACE` s after
    the end, what it last kept counts. The roads after the first set out `head_start` s later, and
    not at all if it has arrived or the time is up by then. Raises what a road raises.
    """
    clock = Clock(task.time_limit)
    common = _Common(task, clock.stop)
    arrivals: dict[str, Arrival] = {}
    kept: dict[str, Arrival] = {}

    def travel(road: Entry, threads: int, wait: float) -> None:
        if wait > clock.left or clock.stop.wait(wait):
            return
        started = clock.elapsed
        common.running.append(road.name)
        share = replace(
            task,
            threads=threads,
            time_limit=clock.left,
            stop=clock.stop,
            on_progress=common.listener(started),
            best=lambda: common.incumbent,
            keep=partial(kept.__setitem__, road.name),
        )
        try:
            arrival = road.load()(instance, share)
        except BaseException:
            clock.stop.set()
            raise
        finally:
            common.running.remove(road.name)
        arrivals[road.name] = arrival
        common.arrived(arrival)

    works = {
        road.name: Work(partial(travel, road, threads, head_start if place else 0.0))
        for place, (road, threads) in enumerate(roads.items())
    }
    interrupted, over = False, None
    while waiting := [work for work in works.values() if not work.done]:
        try:
            waiting[0].wait()
            if task.stop.is_set():
                clock.stop.set()
            if over is None and clock.over:
                over = Clock(GRACE)
            elif over is not None and over.over:
                break
        except KeyboardInterrupt:
            interrupted = True
            clock.stop.set()
    found = dict(arrivals)
    for name, work in works.items():
        if work.done:
            work.value()
        else:
            last = kept.get(name, Arrival(None, None, "", ""))
            having = "with what it had" if name in kept else "without an answer"
            found[name] = replace(last, stop=f"{clock.why()}, left behind {having}")
    return Journey(found, common.steps, interrupted)


class _Common:
    """The best makespan and bound over all roads."""

    def __init__(self, task: Task, stop: Event) -> None:
        self.began = time.perf_counter()
        self.task, self.stop = task, stop
        self.lock = Lock()
        self.incumbent, self.bound = task.incumbent.makespan, task.lower_bound
        self.running: list[str] = []
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
            self.stop.set()

    def tell(self, seconds: float, incumbent: float | None, bound: float | None) -> None:
        with self.lock:
            if incumbent is not None:
                self.incumbent = min(self.incumbent, incumbent)
            if bound is not None:
                self.bound = max(self.bound, bound)
            # Rounding in a road's report must not show a bound above the incumbent.
            bound = min(self.bound, self.incumbent)
            step = Progress(seconds, self.incumbent, bound, ", ".join(self.running))
            self.steps.append(step)
        if self.task.on_progress is not None:
            self.task.on_progress(step)
