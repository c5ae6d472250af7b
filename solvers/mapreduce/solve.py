"""`solve`: heuristics and closed-form bounds first, then exact methods, under one time limit."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Event
from typing import Annotated

from ...core.background import BackgroundWork, OutOfTime, attempt
from ...core.calls import taking
from ...core.clock import Clock, check_time_limit
from ...core.errors import NOT_ENOUGH_MEMORY, CertificateError, InputError, PluginError
from ...core.kernels.decorators import load_compiler
from ...core.parameters import described
from ...core.registry import Choices
from ...formulations.mapreduce.bounds import BOUNDS
from ...formulations.mapreduce.bounds.closed_form import asked_bounds, best_of, lower_bounds
from ...heuristics.mapreduce import HEURISTICS
from ...heuristics.mapreduce.improvement import warm_up as warm_up_search
from ...heuristics.mapreduce.warm_up import get_ready
from ...instances.mapreduce.eligibility import impossible
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.parts import SECURITY
from ...instances.mapreduce.schedule import check_tasks
from ...instances.mapreduce.usable_slots import usable_slots
from .choice import chosen_methods, side_by_side
from .heuristic import FIRST, at_once, certified_heuristic, expected_seconds
from .params import SolveParams
from .race import Race
from .result import (
    OPTIMALITY_TOLERANCE,
    Result,
    Status,
    no_schedule,
    relative_gap,
    with_bound,
)

METHOD = "exact"

HEURISTICS_SHARE, SEARCHED_SHARE = 0.5, 0.15
"""Share of the time limit for heuristics if a method follows; a search does better than most."""

BOUND_AT_ONCE = "LB2"
"""The bound that comes first, whatever the clock says."""

QUICK_BOUNDS = ("heads and tails", "one job's reads")
"""Bounds that precede the first schedule, where one job may take longer than `BOUND_AT_ONCE` knows.
They take a tenth of a second each on a quarter of a million tasks."""

BOUNDS_SHARE, BOUNDS_SECONDS = 1 / 3, 1.0
"""Share of the time left for closed-form bounds, and the least time (s), however short the limit.
"""

GRACE = 1.5
"""Seconds after the limit, or Ctrl-C, in which the search may still return by itself."""


@taking(SolveParams)
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
    for known in params.known:
        if known.instance != instance:
            raise InputError(f"heuristics: {known!r} is of another instance than {instance.name!r}")
        if known.schedule is not None:
            check_tasks(instance, known.schedule)
    result = Solving(instance, Clock(params.time_limit, params.stop), params).result()
    if result.fault is not None:
        raise result.fault
    return result


class Solving:
    """One search: a schedule and a bound at once, all bounds and heuristics, then the methods.

    `clock`: when it ends, and who may stop it.
    `share`: share of the limit for the heuristics, by default `HEURISTICS_SHARE` or
    `SEARCHED_SHARE`; they have all of it if no method follows.
    """

    def __init__(
        self, instance: Instance, clock: Clock, params: SolveParams, share: float | None = None
    ) -> None:
        self.instance, self.params, self.share = instance, params, share
        self.stop = clock.stop
        # A closed gap ends all methods, but is no interruption.
        self.clock = clock.until(clock.seconds)
        self.clock.stop = Event()
        self.race = Race(
            instance, self.clock, params.relative_gap, params.absolute_gap, params.on_progress
        )
        self.named = params.named
        self.bounds: dict[str, float] = {}
        """Every closed-form bound (s) by name."""
        self.results: list[Result] = []
        """The results of the heuristics."""
        self.notes: list[str] = []
        """Why heuristics or bounds are missing."""
        self.best: Result | None = None
        """The best of the heuristics' results."""
        self.compiling: float | None = None
        """Seconds of compiling before several methods began."""

    def result(self) -> Result:
        """The best result; its `fault` is what `solve` raises.

        All work is done in another thread: here Ctrl-C loses nothing, whenever it comes.
        """
        check_time_limit(self.clock.seconds)
        why = impossible(self.instance)
        if why is not None:
            return no_schedule(self.instance, METHOD, (why,), status=Status.INFEASIBLE)
        work = BackgroundWork(self._run)
        while True:
            try:
                self._wait(work)
                break
            except KeyboardInterrupt:
                self.stop.set()
        if self.best is None and not work.done:
            raise KeyboardInterrupt
        why = self.clock.reason
        try:
            if work.done:
                work.value()
        except MemoryError:
            if self.best is None:
                raise
            why = NOT_ENOUGH_MEMORY
        fault = self.race.fault
        result = replace(self._concluded(why), interrupted=self.stop.is_set(), fault=fault)
        if fault is not None:
            fault.result = result
        return result

    def _wait(self, work: BackgroundWork[None]) -> None:
        """Wait for the work, or until nothing better is about to come."""
        late: Clock | None = None
        while not work.wait():
            if self.stop.is_set() and not self.clock.stop.is_set():
                self.clock.stop.set()
                late = None
            if self.clock.over and late is None:
                late = Clock(GRACE)
            if self.stop.is_set() if self.best is None else late is not None and late.over:
                return

    def _run(self) -> None:
        """Everything, in this order."""
        for result in self.params.known:
            self._take(result)
        if self.best is None:
            self.first_schedule()
        else:
            self.race.prove({known.bound_name: known.lower_bound for known in self.results})
        threads = self.params.threads or os.cpu_count() or 1
        if self.named:
            each = max(1, threads // len(self.named))
            lanes = side_by_side(dict.fromkeys(self.named, each))
        else:
            lanes = chosen_methods(usable_slots(self.instance).instance, threads)
        methods = {turn.method for lane in lanes for turn in lane.turns}
        searches = any(method.name == "improvement" for method in methods)
        if not self.results:
            usual = SEARCHED_SHARE if searches else HEURISTICS_SHARE
            share = (self.share or usual) if methods else 1.0
            self.closed_forms(max(share, BOUNDS_SHARE))
            self.heuristics(share)
        gap = relative_gap(self.race.makespan, self.race.bound)
        if self.clock.over or (gap is not None and gap <= OPTIMALITY_TOLERANCE):
            return
        with suppress(OutOfTime):
            if any(method.compiled for method in methods):
                attempt(load_compiler, self.clock)
        if searches:
            warm_up_search(usable_slots(self.instance).instance, self.clock.left)
        if len(methods) > 1:
            # One of them may have solved while another was compiled.
            self.compiling = self.clock.compiling
        if not self.clock.over:
            self.race.run(lanes)

    def first_schedule(self) -> None:
        """A schedule, and a bound unless others are asked for; nothing is compiled.

        On huge instances it may overrun the clock.
        """
        self.race.report("first schedule")
        if self.params.bounds is None:
            self.bounds = lower_bounds(self.instance, BOUND_AT_ONCE)
            quick = BOUNDS.resolve_all(QUICK_BOUNDS)
            self._compute([each for each in quick if self.instance.parts <= each.understands], 1.0)
        # Priorities are kept by moving tasks afterwards, which does not look at all slots in turn.
        entry = at_once(self.instance)
        entry = replace(entry, understands=entry.understands - {SECURITY})
        first = certified_heuristic(self.instance, entry, (0.0, ""), uncompiled=True)
        assert first.schedule is not None
        self.race.start(first.schedule, entry.name)
        self._prove()
        self.best = first

    def closed_forms(self, share: float) -> None:
        """All closed-form bounds; those not known in this share of the time left are left out."""
        self.race.report("closed-form bounds")
        asked = [entry.name for entry in asked_bounds(self.params.bounds)]
        if not self._compute(self.params.bounds, share):
            missing = ", ".join(name for name in asked if name not in self.bounds)
            self.notes.append(f"{missing}: not computed, {self.clock.reason}")
        self.bounds = {name: self.bounds[name] for name in asked if name in self.bounds}
        self._prove()

    def _compute(self, bounds: Choices | None, share: float) -> bool:
        """Compute bounds; whether all were ready in time. Those that were are kept."""
        values, clock = self.bounds.copy(), self.clock  # what is abandoned goes on and changes it
        seconds = clock.elapsed + max(share * clock.left, BOUNDS_SECONDS)
        try:
            attempt(lambda: lower_bounds(self.instance, bounds, values), clock.until(seconds))
        except OutOfTime:
            return False
        finally:
            self.bounds = values.copy()
        return True

    def _prove(self) -> None:
        """Tell the best closed-form bound. One above a schedule is a fault, and goes."""
        while True:
            bound, name = best_of(self.bounds, self.params.bounds)
            self.race.prove({name: bound})
            if self.race.proofs:
                return
            del self.bounds[name]

    def heuristics(self, share: float) -> None:
        """Run the heuristics as far as there is time.

        Those that would not end in time, by what the first one took, are skipped. What still runs
        at the end is abandoned. Of heuristics that were asked for, one runs to its end. Compiling
        is no part of their share of the time.
        """
        clock, asked = self.clock, self.params.asked_heuristics
        entries = HEURISTICS.usual if asked is None else HEURISTICS.resolve_all(asked)
        seconds = {entry.name: expected_seconds(entry, self.instance) for entry in entries}
        skipped, compiling, pace = [], 0.0, 1.0
        quickest = sorted(entries, key=lambda each: (each.name != FIRST, seconds[each.name]))
        for place, entry in enumerate(quickest):
            whole = clock if place or asked is None else Clock(stop=clock.stop)
            its = whole
            if whole is clock:
                its = clock.until(min(share * clock.seconds + compiling, clock.seconds))
            if its.over:
                skipped.append(entry.name)
                continue
            expected = seconds[entry.name] * pace
            if expected > its.left:
                limit = f"about {expected:.2g} s of the {its.seconds:.3g} s for heuristics"
                self.notes.append(f"{entry.name}: skipped, {limit}")
                continue
            self.race.report(entry.name)
            began = clock.elapsed
            try:
                attempt(partial(get_ready, entry, self.instance), whole)
                spent = clock.elapsed - began
                its = its.until(min(its.seconds + spent, whole.seconds))
                compiling, began = compiling + spent, began + spent
                result = attempt(partial(certified_heuristic, self.instance, entry, (0.0, "")), its)
                self._take(result)
                if entry.name == FIRST and result.seconds and expected:
                    pace = max(1.0, result.seconds / expected)
            except OutOfTime:
                spent = clock.elapsed - began
                self.notes.append(f"{entry.name}: cut off after {spent:.2g} s, {clock.reason}")
            except InputError as failure:
                if not entry.plugin:
                    raise
                self.notes.append(f"left out: {entry.name}: {failure}")
            except (PluginError, CertificateError) as failure:
                if isinstance(failure, CertificateError) and not entry.plugin:
                    self.race.fault = self.race.fault or failure
                self.notes.append(f"left out: {failure}")
            except MemoryError:
                self.notes.append(f"{entry.name}: left out, {NOT_ENOUGH_MEMORY}")
        if skipped:
            self.notes.append(f"{', '.join(skipped)}: not run, {clock.reason}")
        order = [entry.name for entry in entries]
        self.results.sort(key=lambda result: order.index(result.method))
        assert self.best is not None
        if asked is not None and self.results:
            self.best = min(self.results, key=lambda result: result.makespan or 0.0)
            assert self.best.schedule is not None
            self.race.start(self.best.schedule, self.best.method)
        elif asked is not None:
            ran = self.best.method
            self.notes.append(f"none of the heuristics asked for has a schedule, so {ran} ran")
        self._prove()
        bound, name = best_of(self.bounds, self.params.bounds)
        self.results = [with_bound(result, bound, name) for result in self.results]

    def _take(self, result: Result) -> None:
        """Add the result of a heuristic; of one without a schedule only a note."""
        if result.schedule is None:
            self.notes.append(f"{result.method}: no schedule, {'; '.join(result.notes[:2])}")
            return
        self.results.append(result)
        if self.best is None or (result.makespan or 0.0) < (self.best.makespan or 0.0):
            self.race.start(result.schedule, result.method)
            self.best = result

    def _concluded(self, why: str) -> Result:
        """The best schedule and bound; `why` no method ran, if none did."""
        race, best = self.race, self.best
        assert best is not None
        assert race.schedule is not None
        found = replace(best, schedule=race.schedule, makespan=race.schedule.makespan)
        proofs = dict(race.proofs) or {"no makespan is negative": 0.0}
        proof = max(proofs, key=proofs.__getitem__)
        result = with_bound(
            replace(found, method=METHOD, found_by=race.found_by), proofs[proof], proof
        )
        notes = (*best.notes, *self.notes)
        if race.begun:
            said = [f"{method}: {outcome.why}" for method, outcome in race.outcomes.items()]
            notes = (*self.notes, *(said or ["no exact method takes an instance of this size"]))
            result = replace(
                result, assumptions_dropped=(), progress=race.steps, outcomes=race.outcomes
            )
        elif result.status is not Status.OPTIMAL:
            notes = (*notes, f"exact methods: {why}")
        compiling = self.clock.compiling if self.compiling is None else self.compiling
        return replace(result, notes=notes, seconds=max(0.0, self.clock.elapsed - compiling))
