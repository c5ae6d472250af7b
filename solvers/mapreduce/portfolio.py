"""Several methods at once on one instance: the first to close the common gap ends them all."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from threading import Event, Lock

from ...core.background import BackgroundWork
from ...core.clock import Clock, StopReason
from ...core.errors import NOT_ENOUGH_MEMORY, InputError, PluginError
from ...core.registry import Entry
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import check_tasks
from ..progress import Progress, ProgressCallback
from .method import MethodOutcome, SolveRequest, not_applicable
from .result import OPTIMALITY_TOLERANCE, relative_gap

GRACE = 1.0
"""Seconds after the end in which the methods may still return what they have."""


@dataclass(frozen=True)
class Turn:
    """A method's turn in a lane."""

    method: Entry
    """The entry of the method."""
    share: float = 1.0
    """Share of the time left that it may take."""
    seconds: float = math.inf
    """Most seconds that it may take."""


@dataclass(frozen=True)
class Lane:
    """Methods that take turns in the same threads; lanes run side by side."""

    turns: tuple[Turn, ...]
    """The methods. Each starts when the one before has ended, from the best schedule and bound of
    all lanes."""
    threads: int
    """Number of threads."""
    head_start: float = 0.0
    """Seconds that the other lanes have before this one starts, unless all is over by then."""


@dataclass(frozen=True)
class PortfolioOutcome:
    """What several methods found together."""

    outcomes: dict[str, MethodOutcome]
    """The outcome of each method by name."""
    steps: list[Progress]
    """Their common progress."""
    interrupted: bool
    """Whether Ctrl-C ended it."""


def portfolio(instance: Instance, lanes: Sequence[Lane], request: SolveRequest) -> PortfolioOutcome:
    """Run several methods at once until the common gap is closed or the time is up.

    The best schedule and the best bound count, whichever methods they come from. Ctrl-C ends all
    methods with what they have. Of a method that does not answer within `GRACE` s after the end,
    what it last kept counts. Raises what a method raises.

    `lanes`: the methods, with their threads and turns. A method may have turns in several lanes.
    `request`: what all of them start from; the threads and the seed come from the lanes.
    """
    run = _Run(instance, request)
    works = [BackgroundWork(partial(run.lane, number, lane)) for number, lane in enumerate(lanes)]
    interrupted = run.wait(works)
    return PortfolioOutcome(run.found(works), run.common.steps, interrupted)


_Key = tuple[str, int]
"""Name of a method and number of its lane."""


class _Run:
    """The methods' common clock, and what they have found and kept so far, by name and lane."""

    def __init__(self, instance: Instance, request: SolveRequest) -> None:
        self.instance, self.request = instance, request
        self.clock = Clock(request.time_limit)
        self.common = _Common(request, self.clock.stop)
        self.outcomes: dict[_Key, MethodOutcome] = {}
        self.kept: dict[_Key, MethodOutcome] = {}
        self.begun: dict[int, _Key] = {}

    def lane(self, number: int, lane: Lane) -> None:
        """Run the methods of a lane, unless it is over before."""
        clock = self.clock
        if lane.head_start > clock.left or clock.stop.wait(lane.head_start):
            return
        try:
            for turn in lane.turns:
                if clock.over:
                    return
                self._turn(turn, number, lane.threads)
        except BaseException:
            clock.stop.set()
            raise

    def _turn(self, turn: Turn, number: int, threads: int) -> None:
        clock, common, name = self.clock, self.common, turn.method.name
        key = self.begun[number] = name, number
        started = clock.elapsed
        common.running.append(name)
        request = replace(
            self.request,
            incumbent=common.schedule,
            lower_bound=common.bound,
            threads=threads,
            seed=number,
            time_limit=min(turn.share * clock.left, turn.seconds),
            stop=clock.stop,
            on_progress=common.listener(started),
            best=lambda: common.incumbent,
            best_schedule=lambda: common.schedule,
            best_bound=lambda: common.bound,
            keep=partial(self._keep, turn.method, key),
        )
        try:
            outcome = _outcome(turn.method, self.instance, request)
        except MemoryError:
            so_far = self.kept.get(key, MethodOutcome(None, None))
            outcome = replace(so_far, stop=StopReason.GAVE_UP, detail=NOT_ENOUGH_MEMORY)
        finally:
            common.running.remove(name)
        if outcome.stop is StopReason.INTERRUPTED and common.closed:
            outcome = replace(outcome, stop=StopReason.GAP_CLOSED, detail="")
        self.outcomes[key] = outcome
        common.ended(outcome)

    def _keep(self, method: Entry, key: _Key, outcome: MethodOutcome) -> None:
        _check_schedule(method, self.instance, outcome)
        self.kept[key] = outcome
        self.common.take(outcome)

    def wait(self, works: Sequence[BackgroundWork[None]]) -> bool:
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

    def found(self, works: Sequence[BackgroundWork[None]]) -> dict[str, MethodOutcome]:
        """The outcomes, those of methods left behind as they kept them; raises what one raised."""
        outcomes = dict(self.outcomes)
        for number, work in enumerate(works):
            if work.done:
                work.value()
                continue
            key = self.begun.get(number)
            if key is None or key in outcomes:
                continue
            last = self.kept.get(key, MethodOutcome(None, None))
            having = "with what it had" if key in self.kept else "without an answer"
            why = self.clock.reason
            outcomes[key] = replace(last, stop=why, detail=f"{why}, left behind {having}")
        by_name: dict[str, MethodOutcome] = {}
        for (name, _), outcome in sorted(outcomes.items(), key=lambda item: item[0][1]):
            if name in by_name:
                outcome = self._together(by_name[name], outcome)
            by_name[name] = outcome
        return by_name

    def _together(self, one: MethodOutcome, other: MethodOutcome) -> MethodOutcome:
        """What a method found in two lanes; how it ended is told of the first."""
        schedules = [each.schedule for each in (one, other) if each.schedule is not None]
        proved = max((one, other), key=lambda each: each.lower_bound or 0.0)
        return replace(
            one,
            schedule=min(schedules, key=attrgetter("makespan"), default=None),
            lower_bound=proved.lower_bound,
            proof=proved.proof,
        )


def _outcome(method: Entry, instance: Instance, request: SolveRequest) -> MethodOutcome:
    """What a method finds. One of another package that fails has found nothing."""
    ignored = sorted(instance.parts - method.understands)
    if ignored:
        return not_applicable(", ".join(ignored))
    try:
        with method.guarded("method"):
            outcome = method.load()(instance, request)
        if not isinstance(outcome, MethodOutcome):
            raise method.misbehaved("method", "must return a MethodOutcome", outcome)
        _check_schedule(method, instance, outcome)
    except PluginError as failure:
        return MethodOutcome(None, None, "", StopReason.GAVE_UP, str(failure))
    if outcome.stop is StopReason.STILL_RUNNING:
        outcome = replace(outcome, stop=StopReason.COMPLETED)
    return outcome


def _check_schedule(method: Entry, instance: Instance, outcome: MethodOutcome) -> None:
    """Raise `InputError` or `PluginError` unless the other methods can read the schedule."""
    if outcome.schedule is not None:
        try:
            check_tasks(instance, outcome.schedule)
        except InputError as fault:
            rule = f"must return schedules of the instance ({fault})"
            raise method.misbehaved("method", rule, outcome.schedule) from None


class _Common:
    """The best schedule and bound over all methods."""

    def __init__(self, request: SolveRequest, stop: Event) -> None:
        self.began = time.perf_counter()
        self.request, self.stop = request, stop
        self.lock = Lock()
        self.incumbent, self.bound = request.incumbent.makespan, request.lower_bound
        self.schedule = request.incumbent
        self.closed = False
        self.running: list[str] = []
        self.steps: list[Progress] = []
        self.tell(0.0, None, None)

    def listener(self, started: float) -> ProgressCallback:
        """What a method that started `started` s after the first reports to."""

        def on_progress(step: Progress) -> None:
            self.tell(started + step.seconds, step.incumbent, step.bound)

        return on_progress

    def take(self, outcome: MethodOutcome) -> None:
        """What a method has by now; the others see it, and a closed gap ends them all."""
        schedule, bound = outcome.schedule, outcome.lower_bound
        with self.lock:
            if schedule is not None and schedule.makespan < self.schedule.makespan:
                self.schedule = schedule
                self.incumbent = min(self.incumbent, schedule.makespan)
            if bound is not None:
                self.bound = max(self.bound, bound)
        self.end_if_closed()

    def end_if_closed(self, enough: float = 0.0) -> None:
        """End all methods if the common gap is small enough: as asked, or relatively `enough`."""
        request = self.request
        gap = relative_gap(self.incumbent, self.bound)
        small = gap is not None and gap <= max(request.relative_gap, enough)
        if small or self.incumbent - self.bound <= request.absolute_gap:
            self.closed = True
            self.stop.set()

    def ended(self, outcome: MethodOutcome) -> None:
        self.take(outcome)
        found = None if outcome.schedule is None else outcome.schedule.makespan
        self.tell(time.perf_counter() - self.began, found, outcome.lower_bound)
        if outcome.lower_bound is not None:
            # A method that has proved an optimum may leave more than was asked, by rounding.
            self.end_if_closed(OPTIMALITY_TOLERANCE)

    def tell(self, seconds: float, incumbent: float | None, bound: float | None) -> None:
        with self.lock:
            if incumbent is not None:
                self.incumbent = min(self.incumbent, incumbent)
            if bound is not None:
                self.bound = max(self.bound, bound)
            # Rounding in a method's report must not show a bound above the incumbent.
            bound = min(self.bound, self.incumbent)
            step = Progress(seconds, self.incumbent, bound, ", ".join(dict.fromkeys(self.running)))
            self.steps.append(step)
        if self.request.on_progress is not None:
            self.request.on_progress(step)
        self.end_if_closed()
