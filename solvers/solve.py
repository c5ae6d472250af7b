"""`solve`: heuristics and closed-form bounds first, then exact methods, under one time limit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from typing import Annotated, cast

from ..formulations.job_order import model as job_order
from ..formulations.spread_bound import model as spread_bound
from ..heuristics import block_search
from ..heuristics.background import BackgroundWork, OutOfTime, attempt
from ..instances.errors import InputError
from ..instances.limits import MOST_THREADS
from ..instances.mapreduce.eligibility import impossible
from ..instances.mapreduce.instance import Instance
from ..instances.mapreduce.usable_slots import usable_slots
from ..instances.needs import need
from ..instances.parameters import described, of_one, parameter
from ..instances.registry import Choices, Entry
from . import METHODS
from .backends import cp_sat
from .branch_and_bound import search as branch_and_bound
from .clock import Clock, check_time_limit
from .integer_programs import MOST_TERMS, heterogeneous_fits
from .method import MethodOutcome, SolveRequest
from .opening import Opening
from .portfolio import portfolio
from .progress import Progress, ProgressCallback
from .result import OPTIMALITY_TOLERANCE, Result, Status, certified, infeasible, with_bound
from .warm_up import compile_on_two_cores

METHOD = "exact"

MOST_TASKS = 200
"""Most tasks of instances that exact methods are tried on."""

UNCOMPILED = 8.0
"""Seconds that the other method gets before branch and bound is compiled: about what that takes, so
the first use costs at most twice the better choice."""

HEURISTICS_SHARE = 0.5
"""Share of the time limit for heuristics if a method follows."""

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
    model: str | None = parameter(None, "Another name for `methods`.")
    time_limit: float = parameter(60.0, "Wall time (s).")
    threads: int | None = parameter(None, "For all methods together; by default all cores.")
    relative_gap: float = parameter(
        OPTIMALITY_TOLERANCE / 10, "Stop at this gap, relative to the bound."
    )
    absolute_gap: float = parameter(0.0, "Stop at this gap (s).")
    on_progress: ProgressCallback | None = field(
        default=None, metadata=described("Called with each step.")
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
        if self.threads is not None and not 1 <= self.threads <= MOST_THREADS:
            raise InputError(f"threads: must be 1 to {MOST_THREADS}, got {self.threads}")

    @property
    def named(self) -> list[Entry]:
        """The methods asked for, none if they are to be chosen. Raises `InputError`."""
        asked = self.model if self.methods is None else self.methods
        return [] if asked is None else METHODS.resolve_all(asked)

    @property
    def known(self) -> list[Result]:
        """The results of heuristics that the caller has."""
        given = self.heuristics
        if isinstance(given, str) or not isinstance(given, Sequence):
            return []
        return [one for one in given if isinstance(one, Result)]

    @property
    def asked_heuristics(self) -> Choices | None:
        """The heuristics to run, unless their results are known."""
        return None if self.known else cast(Choices | None, self.heuristics)


@of_one(SolveParams)
def solve(instance: Annotated[Instance, described("The instance.")], params: SolveParams) -> Result:
    """Find a proven optimum, or the best schedule and lower bound within a time limit.

    The heuristics and closed-form bounds run first and settle the matter if they meet; only the
    first heuristic runs to its end whatever the limit. A limit never raises, nor does Ctrl-C once
    there is a schedule, nor an instance without any schedule: the result says what is known by
    then. What does not answer in time is left behind in a daemon thread.

    Returns
    -------
    Result
        The checked schedule with its certificate.

    Raises
    ------
    InputError
        For an unknown name or a senseless limit.
    CertificateError
        If a method made an invalid schedule or an impossible bound.
    KeyboardInterrupt
        If Ctrl-C comes before there is a schedule.
    """
    need("solve", instance, Instance)
    opening = Opening(instance, params.on_progress, params.asked_heuristics, params.bounds)
    for result in params.known:
        opening.take(result)
    return search(opening, Clock(params.time_limit), params)


def search(
    opening: Opening, clock: Clock, params: SolveParams, *, share: float = HEURISTICS_SHARE
) -> Result:
    """As `solve`, within the remaining time of a clock.

    Parameters
    ----------
    opening
        Heuristics and bounds; it is run unless it has results.
    clock
        The clock, which counts instead of the time limit.
    params
        Methods, threads and gaps.
    share
        Share of the limit for the heuristics; they have all of it if no method follows.

    Returns
    -------
    Result
        The result.
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
    result = work.value() if work.done else request.so_far(f"exact methods: {clock.reason}")
    return replace(result, interrupted=clock.stop.is_set())


class _Search:
    """One run of heuristics, methods, and what follows from them."""

    def __init__(
        self,
        opening: Opening,
        clock: Clock,
        share: float,
        named: list[Entry],
        params: SolveParams,
    ) -> None:
        self.opening, self.clock, self.share, self.params = opening, clock, share, params
        self.named, self.threads = named, params.threads or os.cpu_count() or 1
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

    def run(self) -> Result:
        opening, clock = self.opening, self.clock
        usable = usable_slots(opening.instance)
        if self.named:
            each = max(1, self.threads // len(self.named))
            methods = dict.fromkeys(self.named, each)
        else:
            methods = chosen_methods(usable.instance, self.threads)
        improves = any(method.name == "improvement" for method in methods)
        if not opening.results:
            if improves and opening.heuristics is None:
                opening.tell(clock, "loading compiled code")
                with suppress(OutOfTime):
                    attempt(partial(compile_on_two_cores, opening.instance), clock)
            opening.run(clock.until(self.share * clock.seconds) if methods else clock)
        best = opening.best
        assert best is not None
        if best.status is Status.OPTIMAL or best.schedule is None:
            return self.so_far()
        if clock.over:
            return self.so_far(f"exact methods: {clock.reason}")
        told = opening.on_progress
        request = SolveRequest(
            incumbent=usable.reduced(best.schedule),
            lower_bound=best.lower_bound,
            time_limit=clock.left,
            threads=self.threads,
            relative_gap=self.params.relative_gap,
            absolute_gap=self.params.absolute_gap,
            stop=clock.stop,
        )
        if improves:
            block_search.warm_up(clock.left)
        compiling = clock.compiling
        started = clock.elapsed
        request = replace(
            request,
            time_limit=clock.left,
            on_progress=None if told is None else _later(told, started),
        )
        if _waits_for_compiler(methods):
            together = portfolio(
                usable.instance, dict(reversed(methods.items())), request, UNCOMPILED
            )
        else:
            together = portfolio(usable.instance, methods, request)
        self.concluding = True
        progress = [replace(step, seconds=step.seconds + started) for step in together.steps]
        outcomes = {
            method: replace(
                outcome, schedule=outcome.schedule and usable.restored(outcome.schedule)
            )
            for method, outcome in together.outcomes.items()
        }
        result = _conclude(best, outcomes, progress, opening.notes)
        if len(methods) == 1:
            # Of several methods one may have solved while another was compiled.
            compiling = clock.compiling
        return replace(result, seconds=max(0.0, clock.elapsed - compiling))


def chosen_methods(instance: Instance, threads: int) -> dict[Entry, int]:
    """Choose the methods for an instance; the first of them has a head start.

    Parameters
    ----------
    instance
        The instance.
    threads
        Number of threads of all methods together.

    Returns
    -------
    dict[Entry, int]
        The entries of the methods with the threads of each.

    Notes
    -----
    benchmarks/README.md has the measurements. Branch and bound settles small instances in a tenth
    of a second. CP-SAT, where OR-Tools is installed, proves most of the larger ones, and more with
    two threads than with one; otherwise the job-order model with HiGHS takes its place, which does
    not gain from a second thread. Branch and bound cannot handle slots of different speed; there
    the heterogeneous model comes first where it applies, and linear programs give bound and
    schedule where no exact method fits. Beyond `MOST_TASKS` tasks no exact method is of use: the
    improvement search has all threads, and where the reduce phase is the bottleneck a linear
    program raises the bound beside it for some seconds.
    """
    small = instance.map_tasks + instance.reduce_tasks <= MOST_TASKS
    names: dict[str, int] = {}
    if small and branch_and_bound.can_search(instance):
        names["branch-and-bound"] = 1
    elif heterogeneous_fits(instance):
        names["heterogeneous"] = 1
    elif block_search.can_search(instance):
        names["improvement"] = 1
    if "improvement" in names and not small:
        names["improvement"] = threads
        if spread_bound.is_promising(instance):
            names["spread-bound"] = 1
        return _methods(names)
    if find_spec("ortools") is not None and cp_sat.can_model(instance):
        names["cp-sat"] = max(1, threads - len(names))
    elif "heterogeneous" in names:
        names["heterogeneous"] = threads
    elif job_order.estimated_terms(instance) <= MOST_TERMS:
        names["job-order"] = max(1, threads - len(names))
    elif instance.speed_factors is not None:
        names["unrelated-machines"] = threads
    if threads == 1 and len(names) > 1:
        many = instance.map_tasks + instance.reduce_tasks > 50
        first, second = names
        gives_way = first == "improvement" or (many and first == "branch-and-bound")
        names.pop(first if gives_way else second)
    return _methods(names)


def _waits_for_compiler(methods: dict[Entry, int]) -> bool:
    """Whether the first of two methods has to be compiled: then the other may be done before."""
    names = [method.name for method in methods]
    two = len(names) > 1 and names[0] == "branch-and-bound"
    return two and not branch_and_bound.is_compiled()


def _methods(names: dict[str, int]) -> dict[Entry, int]:
    return {METHODS.lookup(name): share for name, share in names.items()}


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
    lower_bound, bound = best.lower_bound, best.bound
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
    )
