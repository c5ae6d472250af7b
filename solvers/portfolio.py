"""Several methods at once on one instance: the first to close the common gap ends them all."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from threading import Event, Lock

from ..heuristics.background import BackgroundWork
from ..instances.errors import InputError, one_line
from ..instances.mapreduce.instance import Instance
from ..instances.registry import Entry
from .clock import Clock
from .method import MethodOutcome, SolveRequest, not_applicable
from .progress import Progress, ProgressCallback
from .result import relative_gap
from .stop_reason import StopReason

HEAD_START = 1.0
"""Seconds after which the second method starts; small instances are solved by then."""

GRACE = 1.0
"""Seconds after the end in which the methods may still return what they have."""


@dataclass(frozen=True)
class PortfolioOutcome:
    """What several methods found together.

    Parameters
    ----------
    outcomes
        The outcome of each method by name.
    steps
        Their common progress.
    interrupted
        Whether Ctrl-C ended it.
    """

    outcomes: dict[str, MethodOutcome]
    steps: list[Progress]
    interrupted: bool


def portfolio(
    instance: Instance,
    methods: Mapping[Entry, int],
    request: SolveRequest,
    head_start: float = HEAD_START,
) -> PortfolioOutcome:
    """Run several methods at once until the common gap is closed or the time is up.

    The best makespan and the best bound count, whichever methods they come from. Ctrl-C ends all
    methods with what they have. Of a method that does not answer within `GRACE` s after the end,
    what it last kept counts. Raises what a method raises.

    Parameters
    ----------
    instance
        The instance, on usable slots.
    methods
        The entries of the methods, each with its number of threads.
    request
        What all of them start from.
    head_start
        Seconds after which the second and later methods start. They do not start if the first has
        ended by then.
    """
    run = _Run(instance, request)
    works = {
        method.name: BackgroundWork(partial(run.method, method, threads, head_start if i else 0.0))
        for i, (method, threads) in enumerate(methods.items())
    }
    interrupted = run.wait(list(works.values()))
    return PortfolioOutcome(run.found(works), run.common.steps, interrupted)


class _Run:
    """The methods' common clock, and what they have found and kept so far, by name."""

    def __init__(self, instance: Instance, request: SolveRequest) -> None:
        self.instance, self.request = instance, request
        self.clock = Clock(request.time_limit)
        self.common = _Common(request, self.clock.stop)
        self.outcomes: dict[str, MethodOutcome] = {}
        self.kept: dict[str, MethodOutcome] = {}

    def method(self, method: Entry, threads: int, wait: float) -> None:
        """Run one method after `wait` s, unless it is over by then."""
        clock, common = self.clock, self.common
        if wait > clock.left or clock.stop.wait(wait):
            return
        started = clock.elapsed
        common.running.append(method.name)
        share = replace(
            self.request,
            threads=threads,
            time_limit=clock.left,
            stop=clock.stop,
            on_progress=common.listener(started),
            best=lambda: common.incumbent,
            best_schedule=lambda: common.schedule,
            best_bound=lambda: common.bound,
            keep=partial(self._keep, method.name),
        )
        try:
            outcome = _outcome(method, self.instance, share)
        except BaseException:
            clock.stop.set()
            raise
        finally:
            common.running.remove(method.name)
        self.outcomes[method.name] = outcome
        common.ended(outcome)

    def _keep(self, name: str, outcome: MethodOutcome) -> None:
        self.kept[name] = outcome
        self.common.take(outcome)

    def wait(self, works: list[BackgroundWork[None]]) -> bool:
        """Wait until all have ended, or some do not answer; whether Ctrl-C came."""
        interrupted, over = False, None
        while waiting := [work for work in works if not work.done]:
            try:
                waiting[0].wait()
                if self.request.stop.is_set():
                    self.clock.stop.set()
                if over is None and self.clock.over:
                    over = Clock(GRACE)
                elif over is not None and over.over:
                    break
            except KeyboardInterrupt:
                interrupted = True
                self.clock.stop.set()
        return interrupted

    def found(self, works: Mapping[str, BackgroundWork[None]]) -> dict[str, MethodOutcome]:
        """The outcomes, those of methods left behind as they kept them; raises what one raised."""
        found = dict(self.outcomes)
        for name, work in works.items():
            if work.done:
                work.value()
                continue
            last = self.kept.get(name, MethodOutcome(None, None))
            having = "with what it had" if name in self.kept else "without an answer"
            why = self.clock.reason
            found[name] = replace(last, stop=why, detail=f"{why}, left behind {having}")
        return found


def _outcome(method: Entry, instance: Instance, request: SolveRequest) -> MethodOutcome:
    """What a method finds. One of another package that fails has found nothing."""
    ignored = sorted(instance.parts - method.understands)
    if ignored:
        return not_applicable(", ".join(ignored))
    try:
        outcome = method.load()(instance, request)
        if not isinstance(outcome, MethodOutcome):
            raise InputError(
                f"method {method.name!r}: must return a MethodOutcome, got {outcome!r}"
            )
    except Exception as failure:
        if not method.plugin:
            raise
        why = one_line(f"package {method.plugin!r} failed: {failure}")
        return MethodOutcome(None, None, "", StopReason.GAVE_UP, why)
    if outcome.stop is StopReason.STILL_RUNNING:
        outcome = replace(outcome, stop=StopReason.COMPLETED)
    return outcome


class _Common:
    """The best makespan and bound over all methods."""

    def __init__(self, request: SolveRequest, stop: Event) -> None:
        self.began = time.perf_counter()
        self.request, self.stop = request, stop
        self.lock = Lock()
        self.incumbent, self.bound = request.incumbent.makespan, request.lower_bound
        self.schedule = request.incumbent
        self.running: list[str] = []
        self.steps: list[Progress] = []
        self.tell(0.0, None, None)

    def listener(self, started: float) -> ProgressCallback:
        """What a method that started `started` s after the first reports to."""

        def on_progress(step: Progress) -> None:
            self.tell(started + step.seconds, step.incumbent, step.bound)

        return on_progress

    def take(self, outcome: MethodOutcome) -> None:
        """What a method has by now; the others see it."""
        schedule, bound = outcome.schedule, outcome.lower_bound
        with self.lock:
            if schedule is not None and schedule.makespan < self.schedule.makespan:
                self.schedule = schedule
                self.incumbent = min(self.incumbent, schedule.makespan)
            if bound is not None:
                self.bound = max(self.bound, bound)

    def ended(self, outcome: MethodOutcome) -> None:
        """What a method has at its end; a closed gap ends them all."""
        self.take(outcome)
        makespan = None if outcome.schedule is None else outcome.schedule.makespan
        self.tell(time.perf_counter() - self.began, makespan, outcome.lower_bound)
        gap = relative_gap(self.incumbent, self.bound)
        if gap is not None and gap <= self.request.relative_gap:
            self.stop.set()

    def tell(self, seconds: float, incumbent: float | None, bound: float | None) -> None:
        with self.lock:
            if incumbent is not None:
                self.incumbent = min(self.incumbent, incumbent)
            if bound is not None:
                self.bound = max(self.bound, bound)
            # Rounding in a method's report must not show a bound above the incumbent.
            bound = min(self.bound, self.incumbent)
            step = Progress(seconds, self.incumbent, bound, ", ".join(self.running))
            self.steps.append(step)
        if self.request.on_progress is not None:
            self.request.on_progress(step)
