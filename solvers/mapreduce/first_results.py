"""What precedes the exact methods: a schedule at once, then bounds and heuristics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from ...core.background import OutOfTime, attempt
from ...core.clock import Clock
from ...core.errors import NOT_ENOUGH_MEMORY, CertificateError, InputError, PluginError
from ...core.registry import Choices, Entry
from ...formulations.mapreduce.bounds import BOUNDS
from ...formulations.mapreduce.bounds.closed_form import asked_bounds, best_of, lower_bounds
from ...heuristics.mapreduce import HEURISTICS
from ...heuristics.mapreduce.hmhs.fifo import longest_paths
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.parts import SECURITY, SPEED_FACTORS
from ..progress import Progress, ProgressCallback
from .heuristic import certified_heuristic
from .result import OPTIMALITY_TOLERANCE, Result, with_bound

AT_ONCE, LONG_JOBS_AT_ONCE, BOUND_AT_ONCE = "FIFO-Pri", "FIFO-path", "LB2"
"""Schedules and bound that need no compiler: one of each comes first, whatever the clock says. As
plain Python a heuristic takes some seconds on a quarter of a million tasks."""

QUICK_BOUNDS = ("heads and tails", "one job's reads")
"""Bounds that precede the first schedule, where one job may take longer than `BOUND_AT_ONCE` knows.
They take a tenth of a second each on a quarter of a million tasks."""

MANY_TASKS = 10_000
"""With fewer, better heuristics follow soon enough."""

FIRST = "EFSS"
"""The first of the heuristics; its time tells how fast the machine is."""

BOUNDS_SECONDS = 1.0
"""Seconds that the closed-form bounds have at least, however short the limit."""


@dataclass
class Opening:
    """The heuristics and bounds to run, and what is known of the instance so far."""

    instance: Instance
    on_progress: ProgressCallback | None = None
    """Called before each heuristic and with each result."""
    heuristics: Choices | None = None
    """Names, functions or entries; by default all of `HEURISTICS` that keep the rules."""
    bounds_asked: Choices | None = None
    """Names, functions or entries; by default all of `BOUNDS`."""
    bounds: dict[str, float] = field(default_factory=dict)
    """Every closed-form bound (s) by name."""
    results: list[Result] = field(default_factory=list)
    """The results of the heuristics."""
    notes: list[str] = field(default_factory=list)
    """Why heuristics are missing."""
    best: Result | None = None
    """The best result by now."""
    fault: CertificateError | None = None
    """An error of ours on the way; what it made is left out."""
    _bounded: bool = field(default=False, init=False, repr=False)

    def begin(self, clock: Clock) -> None:
        """Find a first schedule, and a bound unless others are asked for; nothing is compiled.

        On huge instances it may overrun the clock.
        """
        self.tell(clock, "first schedule")
        if self.bounds_asked is None:
            self.bounds = lower_bounds(self.instance, BOUND_AT_ONCE)
            quick = BOUNDS.resolve_all(QUICK_BOUNDS)
            self._bound([each for each in quick if self.instance.parts <= each.understands], clock)
        # Priorities are kept by moving tasks afterwards, which does not look at all slots in turn.
        at_once = HEURISTICS.lookup(_at_once(self.instance))
        entry = replace(at_once, understands=at_once.understands - {SECURITY})
        first = partial(certified_heuristic, self.instance, entry, uncompiled=True)
        self.best = self._bounded_by_all(first)

    def find_bounds(self, clock: Clock) -> None:
        """Compute the closed-form bounds, after `begin`; those not known in time are left out."""
        if self._bounded:
            return
        self._bounded = True
        assert self.best is not None
        self.tell(clock, "closed-form bounds")
        asked = [entry.name for entry in asked_bounds(self.bounds_asked)]
        if not self._bound(self.bounds_asked, clock):
            missing = ", ".join(name for name in asked if name not in self.bounds)
            self.notes.append(f"{missing}: not computed, {clock.reason}")
        self.bounds = {name: self.bounds[name] for name in asked if name in self.bounds}
        best = self.best
        self.best = self._bounded_by_all(lambda bound: with_bound(best, *bound))

    def _bounded_by_all(self, made: Callable[[tuple[float, str]], Result]) -> Result:
        """A result made with the best bound. Bounds above its schedule are a fault, and go."""
        try:
            return made(best_of(self.bounds, self.bounds_asked))
        except CertificateError as error:
            if error.result is None:
                raise
            self.fault, schedule = self.fault or error, error.result
            most = schedule.makespan * (1 + OPTIMALITY_TOLERANCE)
            self.bounds = {name: each for name, each in self.bounds.items() if each <= most}
            return with_bound(schedule, *best_of(self.bounds, self.bounds_asked))

    def _bound(self, bounds: Choices | None, clock: Clock) -> bool:
        """Compute closed-form bounds; whether all were ready in time. Those that were are kept."""
        values = self.bounds.copy()  # what is abandoned goes on and changes it
        its_clock = clock.until(max(clock.seconds, clock.elapsed + BOUNDS_SECONDS))
        try:
            attempt(lambda: lower_bounds(self.instance, bounds, values), its_clock)
        except OutOfTime:
            return False
        finally:
            self.bounds = values.copy()
        return True

    def run_first(self, clock: Clock) -> None:
        """Run the first of the heuristics, after `find_bounds`, if it is among those to run.

        Raises `OutOfTime`; the time that compiling takes counts.
        """
        for entry in self._entries():
            if entry.name == FIRST:
                self.tell(clock, FIRST)
                with suppress(MemoryError):  # `run` tries again, and says so
                    self.take(self._result(entry, clock))

    def run(self, clock: Clock) -> None:
        """Run bounds and heuristics as far as there is time, after `begin`.

        Heuristics that would not end in time, by what the first one took, are skipped. What still
        runs at the end is abandoned. Of heuristics that were asked for, one runs to its end.
        """
        if self.best is None:
            self.begin(clock)
        self.find_bounds(clock)
        entries = self._entries()
        seconds = {entry.name: expected_seconds(entry, self.instance) for entry in entries}
        skipped, done = [], {result.method for result in self.results}
        entries_left = [entry for entry in entries if entry.name not in done]
        quickest = sorted(entries_left, key=lambda each: (each.name != FIRST, seconds[each.name]))
        for place, entry in enumerate(quickest):
            its_clock = clock if place or self.heuristics is None else Clock()
            if its_clock.over:
                skipped.append(entry.name)
                continue
            expected = seconds[entry.name] * self._pace()
            if expected > its_clock.left:
                limit = f"about {expected:.2g} s of the {clock.seconds:.3g} s for heuristics"
                self.notes.append(f"{entry.name}: skipped, {limit}")
                continue
            self.tell(clock, entry.name)
            began = clock.elapsed
            try:
                self.take(self._result(entry, its_clock))
            except OutOfTime:
                spent = clock.elapsed - began
                self.notes.append(f"{entry.name}: cut off after {spent:.2g} s, {clock.reason}")
            except PluginError as failure:
                self.notes.append(f"left out: {failure}")
            except CertificateError as error:
                if not entry.plugin:
                    self.fault = self.fault or error
                self.notes.append(f"left out: {error}")
            except InputError as failure:
                if not entry.plugin:
                    raise
                self.notes.append(f"left out: {entry.name}: {failure}")
            except MemoryError:
                self.notes.append(f"{entry.name}: left out, {NOT_ENOUGH_MEMORY}")
        if skipped:
            self.notes.append(f"{', '.join(skipped)}: not run, {clock.reason}")
        order = [entry.name for entry in entries]
        self.results.sort(key=lambda result: order.index(result.method))
        if self.heuristics is not None and self.results:
            self.best = min(self.results, key=lambda result: result.makespan or 0.0)
        elif self.heuristics is not None:
            assert self.best is not None
            ran = self.best.method
            self.notes.append(f"none of the heuristics asked for has a schedule, so {ran} ran")

    def _pace(self) -> float:
        """How many times as long as expected the first of the heuristics took, at least 1."""
        for result in self.results:
            if result.method == FIRST and result.seconds:
                expected = expected_seconds(HEURISTICS.lookup(FIRST), self.instance)
                return max(1.0, result.seconds / expected) if expected else 1.0
        return 1.0

    def _entries(self) -> Sequence[Entry]:
        asked = self.heuristics
        return HEURISTICS.usual if asked is None else HEURISTICS.resolve_all(asked)

    def _result(self, entry: Entry, clock: Clock) -> Result:
        run = partial(certified_heuristic, self.instance, entry)
        return attempt(lambda: self._bounded_by_all(run), clock)

    def take(self, result: Result) -> None:
        """Add a result; of one without a schedule only a note."""
        if result.schedule is None:
            self.notes.append(f"{result.method}: no schedule, {'; '.join(result.notes[:2])}")
            return
        self.results.append(result)
        if self.best is None or (result.makespan or 0.0) < (self.best.makespan or 0.0):
            self.best = result

    def tell(self, clock: Clock, doing: str) -> None:
        if self.on_progress is not None:
            best = self.best
            self.on_progress(
                Progress(
                    clock.elapsed,
                    None if best is None else best.makespan,
                    None if best is None else best.lower_bound,
                    doing,
                )
            )


def _at_once(instance: Instance) -> str:
    """The first heuristic: which order of the jobs suits depends on what makes the batch long."""
    cluster = instance.cluster
    if instance.map_tasks + instance.reduce_tasks < MANY_TASKS:
        return AT_ONCE
    loads = (
        instance.map_processing.sum() / max(1, cluster.map_slots.sum()),
        instance.reduce_processing.sum() / max(1, cluster.reduce_slots.sum()),
    )
    return LONG_JOBS_AT_ONCE if longest_paths(instance).max() > max(loads) else AT_ONCE


PER_TASK = 3e-6
"""Seconds that a task takes to be sorted, placed, timed and checked."""

PER_SLOT = 15e-9
"""Seconds that a task takes on each slot, or node, that is examined for it."""

BY_COMPLETION = ("HMHS", "R-HMHS", "Min-Min")
"""These examine all nodes for a reduce task; other rules find its slot in trees."""


def expected_seconds(entry: Entry, instance: Instance) -> float:
    """About how long a heuristic takes, compiled, on one core.

    `entry`: entry of the heuristic. Of one of another package nothing is known but the tasks.
    Returns the time (s), within a factor of five of what was measured on traces of a day.
    """
    cluster, maps, reduces = instance.cluster, instance.map_tasks, instance.reduce_tasks
    examined = 0
    if instance.parts & entry.understands & {SPEED_FACTORS, SECURITY}:
        examined = maps * int(cluster.map_slots.sum()) + reduces * int(cluster.reduce_slots.sum())
    elif entry.name in BY_COMPLETION:
        examined = reduces * cluster.nodes
    return (maps + reduces) * PER_TASK + examined * PER_SLOT
