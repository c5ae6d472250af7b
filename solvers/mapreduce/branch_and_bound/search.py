"""The branch-and-bound method; `docs/formulations/branch-and-bound.md` proves it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....core.background import interruptible
from ....core.clock import Clock, StopReason
from ....core.kernels.decorators import is_kept
from ....formulations.mapreduce.coefficients import Coefficients
from ....heuristics.mapreduce import annealing, order_annealing
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.integer_time import common_unit
from ....instances.mapreduce.schedule import Schedule
from ....instances.mapreduce.subset import with_jobs
from ..race import Runner
from .integer_times import UNITS_OF_HORIZON
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


def branch_and_bound_method(instance: Instance, runner: Runner) -> str:
    """Local search, then branch and bound over reduce and map placements.

    The search looks for schedules shorter than the best that any method has; its bound holds for
    all schedules. Instances with speed factors, too many slots or too many nodes are declined. Of
    more than `MOST_JOBS` jobs only a subset, the longest, is searched; if makespans are multiples
    of a common unit, local search follows.
    """
    refusal = _refusal(instance)
    if refusal is not None:
        return f"{StopReason.NOT_APPLICABLE}: {refusal}"
    search = _Search(instance, runner)
    search.run()
    search.tell_bound()
    if search.closed():
        return StopReason.GAP_CLOSED
    if runner.clock.over:
        return runner.clock.reason
    return f"{StopReason.NOT_APPLICABLE}: {instance.jobs} jobs, searched {MOST_JOBS} at most"


class _Search:
    """One run of the method: its schedule, its lower bound (in time units) and the clock."""

    def __init__(self, instance: Instance, runner: Runner) -> None:
        self.instance, self.runner, self.clock = instance, runner, runner.clock
        self.schedule = runner.schedule
        self.given = runner.bound
        self.control = np.zeros(5, dtype=np.int64)
        self.unit = common_unit(instance)
        self.unit_seconds = 0.0
        self.bound = 0
        self.seed = 0
        self.identical_slots = Coefficients(instance).identical_slots
        self.improve = order_annealing.improve if self.identical_slots else annealing.improve
        # The least target for which a reduce placement is known to pass.
        self.passed = int(UNREACHABLE)

    def run(self) -> None:
        self.runner.tell(self.schedule)
        if self.closed():
            return
        # Annealing over slots would be misled by a loose bound.
        first = self._within(
            min(IMPROVEMENT, self.clock.left / 4), self._proven() if self.identical_slots else 0.0
        )
        self.schedule = self.improve(self.instance, self.schedule, first)
        self.runner.tell(self.schedule)
        if self.closed():
            return
        self.horizon = self.schedule.makespan
        self.unit_seconds = self.horizon / UNITS_OF_HORIZON
        self._few_jobs()
        if self.instance.jobs <= MOST_JOBS:
            if not self._over():
                self._all_jobs()
        elif self.unit:
            # Among few possible makespans it often finds the bound.
            self._improve(self.clock.left)

    def _improve(self, seconds: float) -> None:
        """Local search from other seeds for about so many seconds."""
        share = self._within(seconds)
        self.schedule = min(self.schedule, self.runner.schedule, key=lambda one: one.makespan)
        while not self._over() and not share():
            self.seed += 1
            stop = self._within(min(IMPROVEMENT, share.left), self._target())
            self._found(self.improve(self.instance, self.schedule, stop, seed=self.seed))

    def _found(self, schedule: Schedule | None) -> None:
        if schedule is not None and schedule.makespan < self.schedule.makespan:
            self.schedule = schedule
            self.runner.tell(schedule)

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
        best = self._possible(self.runner.makespan)
        return best - (self.unit or NEARBY * best)

    def _few_jobs(self) -> None:
        """Solve for one job, two jobs, … with the longest phases, as long as this is easy."""
        data = Coefficients(self.instance)
        longest = np.argsort(-(data.head + data.tail), kind="stable").tolist()
        for count in range(1, min(self.instance.jobs, MOST_JOBS + 1)):
            placements = self._prepared(with_jobs(self.instance, sorted(longest[:count])))
            if placements is None or self.clock.over:
                return
            self._settle(placements, self._goal(), FIRST_LIMIT)
            if self.closed():
                return

    def _all_jobs(self) -> None:
        """Bound by reduce placements, full search and local search, with growing limits."""
        placements = self._prepared(self.instance)
        if placements is None:
            return
        limit = FIRST_LIMIT
        while not self._over():
            began = self.clock.elapsed
            self._bisect(placements, limit // RELAXED_SHARE)
            if self._over():
                return
            if not self._settle(placements, self._goal(), limit) and not self.clock.over:
                self._settle(placements, (self._low() + self._goal()) // 2, limit)
            self._improve((self.clock.elapsed - began) * IMPROVEMENT_SHARE)
            limit *= GROWTH

    def _bisect(self, placements: Placements, limit: int) -> None:
        low, high = self._low(), min(self._goal(), self.passed)
        probe = (low + high) // 2 if high == self.passed else high
        while high - low > BISECTION * high and not self.clock.over:
            if self._settle(placements, probe, limit, relaxed=True):
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
        self._compiled(lambda: made.append(Placements(instance, self.horizon, self.control)))
        return made[0] if made else None

    def _settle(
        self, placements: Placements, target: int, limit: int, relaxed: bool = False
    ) -> bool:
        """Whether all schedules up to `target` units were found or excluded."""
        proven: list[bool] = []
        placements.begin(target, self._cut(), limit)
        self._compiled(lambda: proven.append(placements.exhaust(relaxed)))
        if proven == [True]:
            settled = min(self.control[TARGET], self.control[OFFER])
            self.bound = max(self.bound, int(settled) + 1)
        if placements.instance is self.instance:
            self._found(placements.found())
        if self.bound * self.unit_seconds > self.given:
            self.tell_bound()
        return proven == [True]

    def _compiled(self, work: Callable[[], object]) -> None:
        """Run compiled work until it ends or has to stop."""

        def watch() -> None:
            self.control[OFFER] = min(self.control[OFFER], self._goal())

        interruptible(work, self.control[STOP : STOP + 1], self.clock, watch)

    def tell_bound(self) -> None:
        """Tell the bound; makespans are multiples of the unit, if there is one."""
        own, proof = self.bound * self.unit_seconds, PROOF
        if self.unit and own <= self.given:
            proof = f"makespans are multiples of {self.unit:g} s"
        if self.unit:
            own = self._possible(max(own, self.given))
        self.runner.tell(bound=own or None, proof=proof)

    def _low(self) -> int:
        """The lower bound in time units."""
        return max(self.bound, int(self._proven() / self.unit_seconds * (1 - 1e-12)))

    def _goal(self) -> int:
        """The greatest makespan in time units that would still be worth finding."""
        best = self._possible(self.runner.makespan)
        return int(np.ceil(best / self.unit_seconds)) - 1 - self._cut()

    def _cut(self) -> int:
        """Time units by which the bound may stay below the best makespan."""
        least = self._low() * self.unit_seconds
        gap = max(self.runner.relative_gap * least, self.runner.absolute_gap)
        return max(
            LEAST_CUT, int(gap / self.unit_seconds), int(self.unit / self.unit_seconds) - LEAST_CUT
        )

    def _possible(self, seconds: float) -> float:
        """The least possible optimal makespan (s) that is not below `seconds`."""
        if not self.unit:
            return seconds
        return float(np.ceil(seconds / self.unit * (1 - 1e-9))) * self.unit

    def _proven(self) -> float:
        """The lower bound (s) from what anyone has proved."""
        return self._possible(max(self.bound * self.unit_seconds, self.runner.bound))

    def closed(self) -> bool:
        """Whether no better schedule is worth finding."""
        if self.unit_seconds and self._goal() < self._low():
            return True
        bound = self._proven()
        gap = self.runner.makespan - bound
        return gap <= max(self.runner.relative_gap * bound, self.runner.absolute_gap)

    def _over(self) -> bool:
        return self.clock.over or self.closed()
