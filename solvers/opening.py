"""What precedes the exact methods: closed-form bounds, then the heuristics, under a clock."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..formulations.bounds.closed_form import asked_bounds, best_of, lower_bounds
from ..heuristics import HEURISTICS
from ..heuristics.background import OutOfTime, attempt
from ..heuristics.expected_time import expected_seconds
from ..instances.errors import one_line
from ..instances.mapreduce.instance import Instance
from ..instances.registry import Choices, Entry
from .clock import Clock
from .heuristic import certified_heuristic
from .progress import Progress, ProgressCallback
from .result import Result

FIRST = "EFSS"
"""Runs to its end whatever the clock says: without it there might be no schedule at all."""

BOUNDS_SECONDS = 1.0
"""Seconds that the closed-form bounds have at least, however short the limit."""


@dataclass
class Opening:
    """The heuristics and bounds to run, and what is known of the instance so far.

    Parameters
    ----------
    instance
        The instance.
    on_progress
        Called before each heuristic and with each result.
    heuristics
        Names, functions or entries; by default all of `HEURISTICS` that keep the rules.
    bounds_asked
        Names, functions or entries; by default all of `BOUNDS`.
    bounds
        Every closed-form bound (s) by name.
    results
        The results of the heuristics.
    notes
        Why heuristics are missing.
    best
        The result with the shortest schedule by now.
    """

    instance: Instance
    on_progress: ProgressCallback | None = None
    heuristics: Choices | None = None
    bounds_asked: Choices | None = None
    bounds: dict[str, float] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    best: Result | None = None

    def run(self, clock: Clock) -> None:
        """Run bounds and heuristics as far as there is time.

        Heuristics that would not end in time, by what the first ones took, are skipped. What still
        runs at the end is abandoned.
        """
        self.tell(clock, "closed-form bounds")
        self._run_bounds(clock)
        bound = best_of(self.bounds, self.bounds_asked)
        entries = self._entries()
        seconds = {entry.name: expected_seconds(entry, self.instance) for entry in entries}
        skipped, pace = [], 1.0
        quickest = sorted(entries, key=lambda one: (one.name != FIRST, seconds[one.name]))
        for place, entry in enumerate(quickest):
            its_clock = Clock() if place == 0 else clock
            if its_clock.over:
                skipped.append(entry.name)
                continue
            expected = seconds[entry.name]
            if pace * expected > its_clock.left:
                limit = f"about {pace * expected:.2g} s of the {clock.seconds:.3g} s for heuristics"
                self.notes.append(f"{entry.name}: skipped, {limit}")
                continue
            self.tell(clock, entry.name)
            began = clock.elapsed
            try:
                result = self._result(entry, bound, its_clock)
                self.take(result)
                if entry.name == FIRST and expected:
                    pace = max(1.0, result.seconds / expected)
            except OutOfTime:
                spent = clock.elapsed - began
                self.notes.append(f"{entry.name}: cut off after {spent:.2g} s, {clock.reason}")
            except Exception as failure:
                if not entry.plugin:
                    raise
                why = one_line(f"package {entry.plugin!r} failed: {failure}")
                self.notes.append(f"{entry.name}: left out, {why}")
        if skipped:
            self.notes.append(f"{', '.join(skipped)}: not run, {clock.reason}")
        order = [entry.name for entry in entries]
        self.results.sort(key=lambda result: order.index(result.method))
        self.best = min(self.results, key=lambda result: result.makespan or 0.0, default=None)
        if self.best is None:
            self.best = self._result(HEURISTICS.lookup(FIRST), bound, Clock())
            self.notes.append(f"none of the heuristics asked for has a schedule, so {FIRST} ran")

    def _run_bounds(self, clock: Clock) -> None:
        """Compute the closed-form bounds; those not known in time are left out."""
        known: dict[str, float] = {}
        its_clock = clock.until(max(clock.seconds, clock.elapsed + BOUNDS_SECONDS))
        try:
            attempt(lambda: lower_bounds(self.instance, self.bounds_asked, known), its_clock)
        except OutOfTime:
            self.bounds = known.copy()
            asked = [entry.name for entry in asked_bounds(self.bounds_asked)]
            missing = ", ".join(name for name in asked if name not in self.bounds)
            self.notes.append(f"{missing}: not computed, {clock.reason}")
        else:
            self.bounds = known

    def _entries(self) -> list[Entry]:
        if self.heuristics is None:
            return [entry for entry in HEURISTICS if entry.valid]
        return HEURISTICS.resolve_all(self.heuristics)

    def _result(self, entry: Entry, bound: tuple[float, str], clock: Clock) -> Result:
        return attempt(lambda: certified_heuristic(self.instance, entry, bound), clock)

    def take(self, result: Result) -> None:
        """Add a result; of one without a schedule only a note."""
        if result.schedule is None:
            self.notes.append(f"{result.method}: no schedule, {'; '.join(result.notes[:2])}")
            return
        self.results.append(result)
        if self.best is None or (result.makespan or 0.0) < (self.best.makespan or 0.0):
            self.best = result

    def tell(self, clock: Clock, doing: str) -> None:
        """Report what is being done.

        Parameters
        ----------
        clock
            The clock.
        doing
            What is being done, in words.
        """
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
