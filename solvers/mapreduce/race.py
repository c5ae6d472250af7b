"""Methods side by side on one instance: what one of them finds, all of them see."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import RLock

from ...core.background import BackgroundWork
from ...core.clock import Clock, StopReason
from ...core.errors import (
    NOT_ENOUGH_MEMORY,
    CertificateError,
    InputError,
    InvalidSchedule,
    PluginError,
)
from ...core.registry import Entry
from ...instances.mapreduce.checker import check
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.instance_file import instance_document
from ...instances.mapreduce.schedule import Schedule, check_tasks
from ...instances.mapreduce.usable_slots import usable_slots, with_rates_within
from ..progress import Progress, ProgressCallback
from .result import OPTIMALITY_TOLERANCE, MethodOutcome, contradiction, relative_gap
from .time_unit import in_unit, in_units_of, suitable_unit

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
    """The methods. Each starts when the one before has ended."""
    threads: int
    """Number of threads."""
    head_start: float = 0.0
    """Seconds that the other lanes have before this one starts, unless all is over by then."""


class Race:
    """The best schedule and bound that anyone has found, and what each method found by itself.

    A schedule is checked before it becomes the best. What is wrong, a schedule that breaks a rule
    or a bound above a valid schedule, is left out and kept as `fault`.

    `clock`: when it ends. A closed gap stops the clock, too.
    `relative_gap`, `absolute_gap`: the gap is closed when it is this small; relative to the bound,
    and in s.
    """

    def __init__(
        self,
        instance: Instance,
        clock: Clock,
        relative_gap: float = OPTIMALITY_TOLERANCE / 10,
        absolute_gap: float = 0.0,
        on_progress: ProgressCallback | None = None,
    ) -> None:
        self.instance, self.clock, self.on_progress = instance, clock, on_progress
        self.relative_gap, self.absolute_gap = relative_gap, absolute_gap
        self.schedule: Schedule | None = None
        self.found_by = ""
        self.makespan = math.inf
        """The shortest makespan (s) that anyone reports; its schedule may follow later."""
        self.proofs: dict[str, float] = {}
        """The best valid lower bound (s) by each proof."""
        self.outcomes: dict[str, MethodOutcome] = {}
        self.steps: list[Progress] = []
        self.fault: CertificateError | None = None
        self.begun = self.closed = self.over = False
        self._running: list[str] = []
        self._lock = RLock()

    @property
    def bound(self) -> float:
        """The best lower bound (s)."""
        with self._lock:
            return max(self.proofs.values(), default=0.0)

    def start(self, schedule: Schedule, found_by: str) -> None:
        """Begin with a schedule that was checked before, whatever was known."""
        with self._lock:
            self.schedule, self.found_by, self.makespan = schedule, found_by, schedule.makespan
            self._drop_contradicted()

    def prove(self, proofs: dict[str, float]) -> None:
        """Bounds (s) by proof, in place of those known so far."""
        with self._lock:
            self.proofs = dict(proofs)
            self._drop_contradicted()

    def tell(
        self,
        method: Entry,
        schedule: Schedule | None = None,
        bound: float | None = None,
        proof: str = "",
        makespan: float = math.inf,
    ) -> None:
        """What a method has by now, as in `Runner.tell`; times are in s."""
        assert self.schedule is not None
        with self._lock:
            if self.over:
                return
            mine = self.outcomes.setdefault(method.name, MethodOutcome())
            if schedule is not None and self._is_valid(method, schedule):
                makespan = min(makespan, schedule.makespan)
                if mine.schedule is None or schedule.makespan < mine.schedule.makespan:
                    mine.schedule = schedule
                if schedule.makespan < self.schedule.makespan:
                    self.schedule, self.found_by = schedule, method.name
            self.makespan = min(self.makespan, makespan)
            if mine.lower_bound is None:
                mine.proof = proof or mine.proof
            if bound is not None and (mine.lower_bound is None or bound > mine.lower_bound):
                mine.lower_bound, mine.proof = bound, proof
                self.proofs[proof] = max(bound, self.proofs.get(proof, 0.0))
            self._drop_contradicted()
        self.report()
        self._end_if_closed(self.relative_gap)

    def _is_valid(self, method: Entry, schedule: Schedule) -> bool:
        """Whether a schedule may be seen; one as long as the best is not checked in full.

        Raises `InputError` or `PluginError` if it is not even one of the instance.
        """
        assert self.schedule is not None
        try:
            check_tasks(self.instance, schedule)
        except InputError as fault:
            rule = f"must return schedules of the instance ({fault})"
            raise method.misbehaved("method", rule, schedule) from None
        if schedule.makespan >= self.schedule.makespan:
            return True
        violations = check(self.instance, schedule).violations
        if violations:
            document = partial(instance_document, self.instance)
            self.fault = self.fault or InvalidSchedule(method.name, violations[0], document)
        return not violations

    def _drop_contradicted(self) -> None:
        """Leave out bounds above a valid schedule."""
        if self.schedule is None:
            return
        makespan = self.schedule.makespan
        for proof, bound in list(self.proofs.items()):
            if not bound <= makespan * (1 + OPTIMALITY_TOLERANCE):
                wrong = contradiction(self.instance, proof, bound, makespan, self.found_by)
                self.fault = self.fault or wrong
                del self.proofs[proof]
                for outcome in self.outcomes.values():
                    if outcome.proof == proof:
                        outcome.lower_bound = None

    def report(self, *doing: str) -> None:
        """Report what is being done, and makespan and bound, unless nothing has changed."""
        with self._lock:
            doing = doing or tuple(dict.fromkeys(self._running))
            incumbent = None if self.schedule is None else self.makespan
            # Rounding in a method's report must not show a bound above the incumbent.
            bound = min(self.bound, self.makespan) if self.proofs else None
            step = Progress(self.clock.elapsed, incumbent, bound, ", ".join(doing))
            if self.steps and replace(self.steps[-1], seconds=step.seconds) == step:
                return
            self.steps.append(step)
        if self.on_progress is not None:
            self.on_progress(step)

    def _end_if_closed(self, enough: float) -> None:
        gap = relative_gap(self.makespan, self.bound)
        small = gap is not None and gap <= enough
        if small or self.makespan - self.bound <= self.absolute_gap:
            self.closed = True
            self.clock.stop.set()

    def run(self, lanes: Sequence[Lane]) -> None:
        """Run the methods of all lanes until the gap is closed or the time is up.

        Of a method that does not answer within `GRACE` s after the end, what it told counts. Raises
        what a method raises, but for errors of another package, which are why its method ended.
        """
        assert self.schedule is not None
        usable = usable_slots(self.instance).instance
        self.usable = with_rates_within(usable, self.schedule.makespan)
        self.begun, self.steps = True, []
        works = [BackgroundWork(partial(self._lane, lane, n)) for n, lane in enumerate(lanes)]
        late: Clock | None = None
        while (waiting := [work for work in works if not work.done]) and not (late and late.over):
            waiting[0].wait()
            if self.clock.over and late is None:
                late = Clock(GRACE)
        with self._lock:
            self.over = True
        for work in works:
            if work.done:
                work.value()
        for outcome in self.outcomes.values():
            if outcome.why == StopReason.STILL_RUNNING:
                nothing = outcome.schedule is None and outcome.lower_bound is None
                having = "without an answer" if nothing else "with what it had"
                reason = StopReason.GAP_CLOSED if self.closed else self.clock.reason
                outcome.why = f"{reason}, left behind {having}"

    def _lane(self, lane: Lane, number: int) -> None:
        clock = self.clock
        if lane.head_start > clock.left or clock.stop.wait(lane.head_start):
            return
        try:
            for turn in lane.turns:
                if clock.over:
                    return
                its = clock.until(clock.elapsed + min(turn.share * clock.left, turn.seconds))
                self._turn(turn.method, Runner(self, turn.method, its, lane.threads, number))
        except CertificateError as fault:
            self.fault = self.fault or fault
            clock.stop.set()
        except BaseException:
            clock.stop.set()
            raise

    def _turn(self, method: Entry, runner: Runner) -> None:
        # Of a method in two lanes, how it ended is told of the first.
        first = method.name not in self.outcomes
        mine = self.outcomes.setdefault(method.name, MethodOutcome())
        self._running.append(method.name)
        self.report()
        ignored = sorted(self.usable.parts - method.understands)
        try:
            if ignored:
                why = f"{StopReason.NOT_APPLICABLE}: {', '.join(ignored)}"
            else:
                with method.guarded("method"):
                    why = method.load()(self.usable, runner) or StopReason.COMPLETED
            if not isinstance(why, str):
                raise method.misbehaved("method", "must return why it ended, or nothing", why)
        except MemoryError:
            why = NOT_ENOUGH_MEMORY
        except PluginError as failure:
            why = str(failure)
        finally:
            self._running.remove(method.name)
        if self.closed and why.startswith(StopReason.INTERRUPTED):
            why = StopReason.GAP_CLOSED
        with self._lock:
            if self.over:
                return
            if first:
                mine.why = str(why)
        if mine.lower_bound is not None:
            # A method that has proved an optimum may leave more than was asked, by rounding.
            self._end_if_closed(max(self.relative_gap, OPTIMALITY_TOLERANCE))


@dataclass(frozen=True)
class Runner:
    """What a method is given beside its instance: what anyone knows by now, and its time.

    Makespans, bounds and gaps are in `unit`s of so many seconds, 1 s unless the method asked for
    another with `in_unit`; so are all times of schedules, and of the instance.

    Parameters
    ----------
    race
        What all methods of a search share.
    method
        The entry of the method.
    clock
        The method's time: `clock.left` is what is left of it (s), `clock.over` says whether it has
        to end, because the time is up or a gap is closed.
    threads
        Number of threads the method may use.
    seed
        Seed of random numbers; a method that runs twice at once has two.
    unit
        The unit of time (s).
    """

    race: Race
    method: Entry
    clock: Clock
    threads: int
    seed: int
    unit: float = 1.0

    @property
    def schedule(self) -> Schedule:
        """The best schedule that anyone has told. Only better ones are looked for."""
        schedule = self.race.schedule
        assert schedule is not None
        if self.race.instance.outages is not None:
            schedule = usable_slots(self.race.instance).reduced(schedule)
        return in_unit(schedule, self.unit)

    @property
    def makespan(self) -> float:
        """The shortest makespan that anyone has told; its schedule may follow later."""
        return self.race.makespan / self.unit

    @property
    def bound(self) -> float:
        """The greatest lower bound that anyone has told."""
        return self.race.bound / self.unit

    @property
    def relative_gap(self) -> float:
        """The method may end when the gap is this small, relative to the bound."""
        return self.race.relative_gap

    @property
    def absolute_gap(self) -> float:
        """The method may end when the gap is this small."""
        return self.race.absolute_gap / self.unit

    def tell(
        self,
        schedule: Schedule | None = None,
        bound: float | None = None,
        proof: str = "",
        makespan: float = math.inf,
    ) -> None:
        """Tell what the method has by now, final or not; methods that run beside it see it.

        Parameters
        ----------
        schedule
            A schedule of the instance.
        bound
            A lower bound on the makespan of all schedules.
        proof
            What the bound rests on, in words.
        makespan
            The makespan of a schedule that is to follow.

        Raises
        ------
        InputError, PluginError
            If the schedule is none of the instance.
        """
        if schedule is not None:
            schedule = in_unit(schedule, 1 / self.unit)
            if self.race.instance.outages is not None:
                schedule = usable_slots(self.race.instance).restored(schedule)
        bound = None if bound is None else bound * self.unit
        self.race.tell(self.method, schedule, bound, proof, makespan * self.unit)

    def in_unit(self, unit: float) -> Runner:
        """The same in another unit of time (s)."""
        return replace(self, unit=unit)

    def within(self, seconds: float) -> Runner:
        """The same, for so many seconds from now on at most."""
        clock = self.clock
        return replace(self, clock=clock.until(min(clock.seconds, clock.elapsed + seconds)))


Method = Callable[[Instance, Runner], str | None]
"""An exact method, or one that only bounds or only improves; it returns why it ended."""


def in_own_unit(instance: Instance, runner: Runner) -> tuple[Instance, Runner]:
    """What a method is given, in a unit that suits the best makespan."""
    unit = suitable_unit(runner.makespan)
    if unit == 1.0:
        return instance, runner
    return in_units_of(instance, unit), runner.in_unit(runner.unit * unit)
