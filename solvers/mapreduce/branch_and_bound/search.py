"""The branch-and-bound method; `docs/formulations/proofs/branch-and-bound.md` proves it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....core.background import interruptible
from ....core.clock import Clock, StopReason
from ....core.kernels.decorators import is_kept
from ....formulations.mapreduce.coefficients import Coefficients
from ....heuristics.mapreduce import annealing, order_annealing
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule
from ....instances.mapreduce.subset import with_jobs
from ...progress import Progress
from ..method import MethodOutcome, SolveRequest, exact_method, not_applicable
from .integer_times import UNITS_OF_HORIZON, common_unit
from .map_placement import search_map_placements
from .placements import Placements
from .reduce_placement import LEFT, OFFER, STOP, TARGET, next_placement
from .subset_bounds import UNREACHABLE, least_makespans

PROOF = "branch and bound"

MOST_JOBS = 12
"""Tables over all sets of more jobs are not made; then only a subset of the jobs is searched."""

MOST_SLOTS = 24
"""Most slots of each phase: beyond this no proof is within reach."""
MOST_NODES = 24
"""Most nodes of the cluster, likewise."""

IMPROVEMENT = 1.0
"""Most seconds of local search before the branch and bound."""

NEARBY = 1e-3
"""A search that does not aim at the bound aims so much, relatively, below the best makespan."""

IMPROVEMENT_SHARE = 0.25
"""Share of the time of a round without result that is spent on local search afterwards."""

FIRST_LIMIT = 200_000
"""Nodes of the first search."""
GROWTH = 4
"""Each round without result multiplies the limit on nodes by this."""

RELAXED_SHARE = 8
"""Searches over reduce placements alone may visit this fraction of the nodes, which cost more."""

BISECTION = 3e-4
"""Relative width at which the search for the bound by reduce placements alone ends."""

LEAST_CUT = 1 << 14
"""Time units: proofs are no finer than 1.5e-8 of the makespan, far above all rounding."""


def can_search(instance: Instance) -> bool:
    return _refusal(instance) is None


def is_compiled() -> bool:
    searches = is_kept(next_placement) and is_kept(search_map_placements)
    return searches and is_kept(annealing.anneal) and is_kept(least_makespans)


def _refusal(instance: Instance) -> str | None:
    if instance.parts:
        return ", ".join(sorted(instance.parts))
    cluster = instance.cluster
    slots = max(cluster.map_slots.sum(), cluster.reduce_slots.sum())
    for count, most, what in ((slots, MOST_SLOTS, "slots"), (cluster.nodes, MOST_NODES, "nodes")):
        if count > most:
            return f"{count} {what}, at most {most}"
    return None


@exact_method
def branch_and_bound_method(instance: Instance, request: SolveRequest) -> MethodOutcome:
    """Local search, then branch and bound over reduce and map placements.

    The search looks for schedules shorter than the best that any method has (`SolveRequest.best`);
    its bound holds for all schedules. Ctrl-C or `SolveRequest.stop` ends it with what it has.
    Instances with speed factors, too many slots or too many nodes are declined. Of more than
    `MOST_JOBS` jobs only a subset, the longest, is searched; if makespans are multiples of a common
    unit, local search follows.
    """
    refusal = _refusal(instance)
    if refusal is not None:
        return not_applicable(refusal, PROOF)
    return _Run(instance, request).run()


class _Run:
    """One run of the method: the incumbent, the lower bound (in time units) and the clock."""

    def __init__(self, instance: Instance, request: SolveRequest) -> None:
        self.instance = instance
        self.request = request
        self.clock = request.clock()
        self.incumbent = request.incumbent
        self.adopted: Schedule | None = None
        self.control = np.zeros(5, dtype=np.int64)
        self.unit = common_unit(instance)
        self.unit_seconds = 0.0
        self.bound = 0
        self.progress: list[Progress] = []
        self.interrupted = False
        self.seed = 0
        self.alike = Coefficients(instance).places_alike
        self.improve = order_annealing.improve if self.alike else annealing.improve
        # The least target for which a reduce placement is known to pass.
        self.passed = int(UNREACHABLE)

    def run(self) -> MethodOutcome:
        try:
            self._run_all()
        except KeyboardInterrupt:
            self.interrupted = True
        detail = ""
        if self._closed():
            stop = StopReason.GAP_CLOSED
        elif self.interrupted:
            stop = StopReason.INTERRUPTED
        elif self.clock.over:
            stop = self.clock.reason
        else:
            stop = StopReason.NOT_APPLICABLE
            detail = f"not applicable: {self.instance.jobs} jobs, searched {MOST_JOBS} at most"
        proof = PROOF
        if self.bound * self.unit_seconds <= self.request.lower_bound:
            proof = f"makespans are multiples of {self.unit:g} s"
        own = None if self.incumbent is self.adopted else self.incumbent
        return MethodOutcome(own, self._own_bound(), proof, stop, detail, self.progress)

    def _run_all(self) -> None:
        if self._closed():
            return
        # Annealing over slots would be misled by a loose bound.
        first = self._within(
            min(IMPROVEMENT, self.clock.left / 4), self._proven() if self.alike else 0.0
        )
        self.incumbent = self.improve(self.instance, self.incumbent, first)
        self._tell()
        if self._closed():
            return
        self.horizon = self.incumbent.makespan
        self.unit_seconds = self.horizon / UNITS_OF_HORIZON
        self._few_jobs()
        if self.instance.jobs <= MOST_JOBS:
            if not self._closed() and not self._over():
                self._all_jobs()
        elif self.unit:
            # Among few possible makespans it often finds the bound.
            self._improve(self.clock.left)

    def _improve(self, seconds: float) -> None:
        """Local search from other seeds for about so many seconds."""
        share = self._within(seconds)
        if self.request.best_schedule is not None:
            other = self.request.best_schedule()
            if other.makespan < self.incumbent.makespan:
                self.incumbent = self.adopted = other
        while not self._closed() and not self._over() and not share():
            self.seed += 1
            stop = self._within(min(IMPROVEMENT, share.left), self._target())
            self.incumbent = self.improve(self.instance, self.incumbent, stop, seed=self.seed)
            self._tell()

    def _within(self, seconds: float, target: float = 0.0) -> Clock:
        """So many seconds of the clock from now on, or until a makespan (s) is reached."""
        return self.clock.until(
            min(self.clock.seconds, self.clock.elapsed + seconds), target=target
        )

    def _target(self) -> float:
        """The makespan (s) to aim at: the bound and one just below the best in turn.

        A loose bound misleads.
        """
        if self.seed % 2:
            return self._proven()
        best = self._possible(self._best())
        return best - (self.unit or NEARBY * best)

    def _few_jobs(self) -> None:
        """Solve for one job, two jobs, … with the longest phases, as long as this is easy."""
        data = Coefficients(self.instance)
        longest = np.argsort(-(data.head + data.tail), kind="stable").tolist()
        for count in range(1, min(self.instance.jobs, MOST_JOBS + 1)):
            search = self._prepared(with_jobs(self.instance, sorted(longest[:count])))
            if search is None or self._over():
                return
            self._settle(search, self._goal(), FIRST_LIMIT)
            if self._closed():
                return

    def _all_jobs(self) -> None:
        """Bound by reduce placements, full search and local search, with growing limits."""
        search = self._prepared(self.instance)
        if search is None:
            return
        limit = FIRST_LIMIT
        while not self._closed() and not self._over():
            began = self.clock.elapsed
            self._bisect(search, limit // RELAXED_SHARE)
            if self._closed() or self._over():
                return
            if not self._settle(search, self._goal(), limit) and not self._over():
                self._settle(search, (self._low() + self._goal()) // 2, limit)
            self._improve((self.clock.elapsed - began) * IMPROVEMENT_SHARE)
            limit *= GROWTH

    def _bisect(self, search: Placements, limit: int) -> None:
        low, high = self._low(), min(self._goal(), self.passed)
        probe = (low + high) // 2 if high == self.passed else high
        while high - low > BISECTION * high and not self._over():
            if self._settle(search, probe, limit, relaxed=True):
                low = probe
            else:
                high = probe
                if self.control[LEFT] >= 0:
                    self.passed = probe
            probe = (low + high) // 2

    def _prepared(self, instance: Instance) -> Placements | None:
        made: list[Placements] = []
        self.control[:] = 0
        self.control[OFFER] = self._goal()
        self._run(lambda: made.append(Placements(instance, self.horizon, self.control)))
        return made[0] if made else None

    def _low(self) -> int:
        """The lower bound in time units."""
        return max(self.bound, int(self._proven() / self.unit_seconds * (1 - 1e-12)))

    def _goal(self) -> int:
        """The greatest makespan in time units that would still be worth finding."""
        return int(np.ceil(self._possible(self._best()) / self.unit_seconds)) - 1 - self._cut()

    def _cut(self) -> int:
        """Time units by which the bound may stay below the incumbent's makespan."""
        least = self._low() * self.unit_seconds
        gap = max(self.request.relative_gap * least, self.request.absolute_gap)
        return max(
            LEAST_CUT, int(gap / self.unit_seconds), int(self.unit / self.unit_seconds) - LEAST_CUT
        )

    def _possible(self, seconds: float) -> float:
        """The least possible optimal makespan (s) that is not below `seconds`."""
        if not self.unit:
            return seconds
        return float(np.ceil(seconds / self.unit * (1 - 1e-9))) * self.unit

    def _proven(self) -> float:
        """The lower bound (s) from what the method was given and what it found."""
        given = self.request.lower_bound
        if self.request.best_bound is not None:
            given = max(given, self.request.best_bound())
        return self._possible(max(self.bound * self.unit_seconds, given))

    def _own_bound(self) -> float | None:
        own = self.bound * self.unit_seconds
        if self.unit:
            own = self._possible(max(own, self.request.lower_bound))
        return own or None

    def _settle(self, search: Placements, target: int, limit: int, relaxed: bool = False) -> bool:
        """Whether all schedules up to `target` units were found or excluded."""
        proven: list[bool] = []
        search.begin(target, self._cut(), limit)
        self._run(lambda: proven.append(search.exhaust(relaxed)))
        if proven == [True]:
            settled = min(self.control[TARGET], self.control[OFFER])
            self.bound = max(self.bound, int(settled) + 1)
        schedule = search.found() if search.instance is self.instance else None
        if schedule is not None and schedule.makespan < self.incumbent.makespan:
            self.incumbent = schedule
        self._tell()
        return proven == [True]

    def _run(self, work: Callable[[], object]) -> None:
        """Run compiled work in a thread of its own until it ends or has to stop."""

        def watch() -> None:
            self.control[OFFER] = min(self.control[OFFER], self._goal())

        stop = self.control[STOP : STOP + 1]
        self.interrupted |= not interruptible(work, stop, self.clock, watch)

    def _best(self) -> float:
        """The shortest makespan (s) known to any method."""
        known = self.request.best() if self.request.best is not None else np.inf
        return min(self.incumbent.makespan, known)

    def _over(self) -> bool:
        return self.interrupted or self.clock.over

    def _closed(self) -> bool:
        if self.unit_seconds and self._goal() < self._low():
            return True
        bound = self._proven()
        gap = self._best() - bound
        return gap <= max(self.request.relative_gap * bound, self.request.absolute_gap)

    def _tell(self) -> None:
        bound = self._own_bound()
        own = None if self.incumbent is self.adopted else self.incumbent
        self.request.keep(MethodOutcome(own, bound, PROOF))
        step = Progress(self.clock.elapsed, self.incumbent.makespan, bound)
        self.progress.append(step)
        if self.request.on_progress is not None:
            self.request.on_progress(step)
