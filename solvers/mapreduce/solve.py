"""`solve`: heuristics and closed-form bounds first, then exact methods, under one time limit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event
from typing import Annotated, cast

from ...core.background import BackgroundWork, OutOfTime, attempt
from ...core.calls import solver
from ...core.clock import Clock, check_time_limit
from ...core.errors import NOT_ENOUGH_MEMORY, CertificateError, InputError
from ...core.kernels.decorators import load_compiler
from ...core.parameters import described, parameter
from ...core.registry import Choices, Entry
from ...instances.mapreduce.checker import check
from ...instances.mapreduce.eligibility import impossible
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import check_tasks
from ...instances.mapreduce.usable_slots import usable_slots, with_rates_within
from ..progress import Progress, ProgressCallback
from . import METHODS
from .choice import chosen_methods, side_by_side
from .compiling_process import compile_on_two_cores
from .first_results import Opening
from .local_search import searcher
from .method import MethodOutcome, SolveRequest
from .portfolio import portfolio
from .result import (
    OPTIMALITY_TOLERANCE,
    Result,
    Status,
    certified,
    infeasible,
    with_bound,
)

METHOD = "exact"
MOST_THREADS = 1024

HEURISTICS_SHARE, SEARCHED_SHARE = 0.5, 0.15
"""Share of the time limit for heuristics if a method follows; a search does better than most."""

NEED_NO_COMPILER = {"job-order", "sequence", "cp-sat", "heterogeneous", "unrelated-machines"}
"""Methods that need no compiler."""

GRACE = 1.5
"""Seconds after the limit, or Ctrl-C, in which the search may still return by itself."""


@dataclass(frozen=True, kw_only=True)
class SolveParams:
    """The parameters of `slotwise.solve`; raises `InputError` for senseless ones."""

    methods: Choices | None = field(
        default=None,
        metadata=described(
            "Exact methods: a name, a function from an instance and a `SolveRequest` to a "
            "`MethodOutcome`, an entry of `slotwise.solvers.METHODS`, or several, which run side "
            "by side; by default `chosen_methods` chooses. A method of one's own gets instances "
            "without optional parts only, unless its entry says that it understands them."
        ),
    )
    time_limit: float = parameter(60.0, "Wall time (s).")
    threads: int | None = parameter(None, "For all methods together; by default all cores.")
    relative_gap: float = parameter(
        OPTIMALITY_TOLERANCE / 10, "Stop at this gap, relative to the bound."
    )
    absolute_gap: float = parameter(0.0, "Stop at this gap (s).")
    on_progress: ProgressCallback | None = field(
        default=None, metadata=described("Called with each step.")
    )
    stop: Event | None = field(
        default=None,
        metadata=described("Ends the search when it is set: a `threading.Event`."),
    )
    heuristics: Choices | Sequence[Result] | None = field(
        default=None,
        metadata=described(
            "Names, functions or entries of those to run, or their results if the caller has them; "
            "by default all that keep the rules."
        ),
    )
    bounds: Choices | None = field(
        default=None,
        metadata=described(
            "Names, functions or entries of the closed-form bounds; by default all."
        ),
    )

    def __post_init__(self) -> None:
        check_time_limit(self.time_limit)
        for name in ("relative_gap", "absolute_gap"):
            if not getattr(self, name) >= 0:
                raise InputError(f"{name}: need at least 0, got {getattr(self, name)}")
        if self.threads is not None and not 1 <= self.threads <= MOST_THREADS:
            raise InputError(f"threads: must be 1 to {MOST_THREADS}, got {self.threads}")

    @property
    def named(self) -> list[Entry]:
        """The methods asked for, none if they are to be chosen. Raises `InputError`."""
        return [] if self.methods is None else METHODS.resolve_all(self.methods)

    @property
    def known(self) -> list[Result]:
        """The results of heuristics that the caller has."""
        given = self.heuristics
        if isinstance(given, str) or not isinstance(given, Sequence):
            return []
        return [each for each in given if isinstance(each, Result)]

    @property
    def asked_heuristics(self) -> Choices | None:
        """The heuristics to run, unless their results are known."""
        return None if self.known else cast(Choices | None, self.heuristics)


@solver(SolveParams)
def solve(instance: Annotated[Instance, described("The instance.")], params: SolveParams) -> Result:
    """Find a proven optimum, or the best schedule and lower bound within a time limit.

    The heuristics and closed-form bounds run first and settle the matter if they meet. The first of
    each are made whatever the limit, before anything is compiled. A limit never raises, nor does
    Ctrl-C once there is a schedule, nor an instance without any schedule: the result says what is
    known by then. What does not answer in time is left behind in a daemon thread.

    Returns
    -------
    Result
        The checked schedule with its certificate.

    Raises
    ------
    InputError
        For an unknown name or a senseless limit.
    CertificateError
        If a method made an invalid schedule or an impossible bound; it has the result without
        these.
    KeyboardInterrupt
        If Ctrl-C comes before there is a schedule.
    """
    opening = Opening(instance, params.on_progress, params.asked_heuristics, params.bounds)
    for result in params.known:
        if result.instance != instance:
            raise InputError(
                f"heuristics: {result!r} is of another instance than {instance.name!r}"
            )
        if result.schedule is not None:
            check_tasks(instance, result.schedule)
        opening.take(result)
    result = search(opening, Clock(params.time_limit, params.stop), params)
    if result.fault is not None:
        raise result.fault
    return result


def search(
    opening: Opening, clock: Clock, params: SolveParams, *, share: float | None = None
) -> Result:
    """As `solve`, within the remaining time of a clock, but the result has what `solve` raises.

    `opening`: heuristics and bounds; it is run unless it has results.
    `share`: share of the limit for the heuristics, by default `HEURISTICS_SHARE` or
    `SEARCHED_SHARE`; they have all of it if no method follows.
    """
    named = params.named
    check_time_limit(clock.seconds)
    why = impossible(opening.instance)
    if why is not None:
        return infeasible(opening.instance, METHOD, why)
    request = _Search(opening, clock, share, named, params)
    # All work is done elsewhere: here Ctrl-C loses nothing, whenever it comes.
    work = BackgroundWork(request.run)
    while True:
        try:
            while not work.wait() and not request.is_to_be_left():
                pass
            break
        except KeyboardInterrupt:
            clock.stop.set()
    try:
        result = work.value() if work.done else request.so_far(f"exact methods: {clock.reason}")
    except CertificateError as error:
        result = request.without(error)
    except MemoryError:
        if opening.best is None:
            raise
        result = request.so_far(f"exact methods: {NOT_ENOUGH_MEMORY}")
    result = replace(result, interrupted=clock.stop.is_set(), fault=opening.fault)
    if opening.fault is not None:
        opening.fault.result = result
    return result


class _Search:
    """One run of heuristics, methods, and what follows from them."""

    def __init__(
        self,
        opening: Opening,
        clock: Clock,
        share: float | None,
        named: list[Entry],
        params: SolveParams,
    ) -> None:
        self.opening, self.clock, self.share, self.params = opening, clock, share, params
        self.named, self.threads = named, params.threads or os.cpu_count() or 1
        self.outcomes: dict[str, MethodOutcome] = {}
        self.late = Clock(clock.left + GRACE)
        self.stopped = self.concluding = False

    def is_to_be_left(self) -> bool:
        """Whether to wait no longer: it is over, and nothing better is about to come."""
        if self.clock.stop.is_set() and not self.stopped:
            self.stopped, self.late = True, Clock(GRACE)
        if self.opening.best is None:
            return self.stopped
        return self.late.over and not self.concluding

    def so_far(self, *notes: str) -> Result:
        """What the heuristics found. Raises `KeyboardInterrupt` if that is nothing."""
        best = self.opening.best
        if best is None:
            raise KeyboardInterrupt
        return replace(
            best,
            method=METHOD,
            found_by=best.method,
            seconds=max(0.0, self.clock.elapsed - self.clock.compiling),
            notes=(*best.notes, *self.opening.notes, *notes),
        )

    def without(self, error: CertificateError) -> Result:
        """The best of the valid schedules, and of the bounds that contradict none.

        Raises the error if there is no schedule.
        """
        opening = self.opening
        opening.fault = opening.fault or error
        if opening.best is None:
            raise error
        best = opening.best
        bounds = [(best.lower_bound, best.bound_name)]
        for method, outcome in self.outcomes.items():
            bounds.append((outcome.lower_bound or 0.0, outcome.proof))
            if outcome.schedule is not None and check(best.instance, outcome.schedule).valid:
                other = certified(best.instance, method, outcome.schedule, 0.0, "")
                best = min(best, other, key=lambda result: result.makespan or 0.0)
        most = (best.makespan or 0.0) * (1 + OPTIMALITY_TOLERANCE)
        bound = max(bound for bound in bounds if bound[0] <= most)
        return replace(with_bound(best, *bound), method=METHOD, seconds=self.clock.elapsed)

    def _open(self, clock: Clock, improves: bool) -> None:
        """Run the heuristics, which are compiled first if the search needs them compiled too.

        That takes longer than many a limit, so one of them runs as soon as it is compiled. It is no
        part of the heuristics' share of the time.
        """
        opening = self.opening
        if improves and opening.heuristics is None:
            opening.find_bounds(self.clock.until(self.clock.elapsed + self.clock.left / 3))
            opening.tell(self.clock, "loading compiled code")
            first = partial(opening.run_first, self.clock)
            began = self.clock.elapsed
            with suppress(OutOfTime):
                attempt(partial(compile_on_two_cores, opening.instance, first), self.clock)
            compiling = self.clock.elapsed - began - sum(done.seconds for done in opening.results)
            clock = clock.until(min(clock.seconds + compiling, self.clock.seconds))
        opening.run(clock)

    def run(self) -> Result:
        opening, clock = self.opening, self.clock
        if opening.best is None:
            opening.begin(clock)
        usable = usable_slots(opening.instance)
        if self.named:
            each = max(1, self.threads // len(self.named))
            lanes = side_by_side(dict.fromkeys(self.named, each))
        else:
            lanes = chosen_methods(usable.instance, self.threads)
        methods = {turn.method for lane in lanes for turn in lane.turns}
        improves = any(method.name == "improvement" for method in methods)
        if not opening.results:
            share = self.share or (SEARCHED_SHARE if improves else HEURISTICS_SHARE)
            self._open(clock.until(share * clock.seconds) if methods else clock, improves)
        best = opening.best
        assert best is not None
        if best.status is Status.OPTIMAL or best.schedule is None:
            return self.so_far()
        if clock.over:
            return self.so_far(f"exact methods: {clock.reason}")
        if not {method.name for method in methods} <= NEED_NO_COMPILER:
            with suppress(OutOfTime):
                attempt(load_compiler, clock)
        instance = with_rates_within(usable.instance, best.schedule.makespan)
        if improves:
            searcher(instance).warm_up(clock.left)
        compiling, started = clock.compiling, clock.elapsed
        on_progress = opening.on_progress
        request = SolveRequest(
            incumbent=usable.reduced(best.schedule),
            lower_bound=best.lower_bound,
            time_limit=clock.left,
            threads=self.threads,
            relative_gap=self.params.relative_gap,
            absolute_gap=self.params.absolute_gap,
            on_progress=None if on_progress is None else _later(on_progress, started),
            stop=clock.stop,
        )
        together = portfolio(instance, lanes, request)
        self.concluding = True
        progress = [replace(step, seconds=step.seconds + started) for step in together.steps]
        self.outcomes = {
            method: replace(
                outcome, schedule=outcome.schedule and usable.restored(outcome.schedule)
            )
            for method, outcome in together.outcomes.items()
        }
        result = _conclude(best, self.outcomes, progress, opening.notes)
        if len(methods) == 1:
            # Of several methods one may have solved while another was compiled.
            compiling = clock.compiling
        return replace(result, seconds=max(0.0, clock.elapsed - compiling))


def _later(on_progress: ProgressCallback, started: float) -> ProgressCallback:
    def told(step: Progress) -> None:
        on_progress(replace(step, seconds=step.seconds + started))

    return told


def _conclude(
    best: Result,
    outcomes: dict[str, MethodOutcome],
    progress: list[Progress],
    notes: Sequence[str],
) -> Result:
    assert best.schedule is not None
    found_by, schedule = best.method, best.schedule
    lower_bound, bound = best.lower_bound, best.bound_name
    for method, outcome in outcomes.items():
        if outcome.schedule is not None and outcome.schedule.makespan < schedule.makespan:
            found_by, schedule = method, outcome.schedule
        if outcome.lower_bound is not None and outcome.lower_bound > lower_bound:
            lower_bound, bound = outcome.lower_bound, outcome.proof
    said = [f"{method}: {outcome.why}" for method, outcome in outcomes.items()]
    if schedule is best.schedule:
        result = with_bound(replace(best, method=METHOD), lower_bound, bound)
    else:
        result = certified(best.instance, METHOD, schedule, lower_bound, bound)
    return replace(
        result,
        found_by=found_by,
        assumptions_dropped=(),
        notes=(*notes, *(said or ["no exact method takes an instance of this size"])),
        progress=progress,
        outcomes=outcomes,
    )
