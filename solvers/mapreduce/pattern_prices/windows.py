"""Horizons excluded by branching on when the map phases of a few long jobs end."""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from ....core.clock import Clock
from .patterns import Kinds
from .prices import PhasePrices

MOST_NODES = 200
"""Most nodes of the search for one horizon."""

NARROWEST = 5e-4
"""A window this narrow, as a part of the horizon, is not halved."""

ROUNDING = 1e-12
"""Relative error allowed for in sums of two least durations."""


class Windows:
    """Windows in which the map phases of some jobs end, the other jobs being left out.

    `phases`: the kinds of map and of reduce tasks of all jobs.
    `heads`, `tails`: least durations (s) of each job's map phase and reduce phase, shape (jobs,).
    `jobs`: the jobs chosen, shape (chosen,).
    `cells`: number of cells into which a horizon is cut.
    `clock`: when to give up.
    """

    def __init__(
        self,
        phases: tuple[Kinds, Kinds],
        heads: FloatArray,
        tails: FloatArray,
        jobs: IntArray,
        cells: int,
        clock: Clock,
    ) -> None:
        self.heads, self.tails, self.clock = heads[jobs], tails[jobs], clock
        self.maps, self.reduces = (
            DueDates(_of_jobs(kinds, jobs), cells, clock) for kinds in phases
        )

    def exclude(self, horizon: float, most_nodes: int = MOST_NODES) -> bool:
        """Whether no schedule of the jobs is as short as the horizon (s), as far as is found."""
        if (self.heads + self.tails > horizon * (1 + ROUNDING)).any():
            return True
        # Due dates after the horizon would be remembered as impossible without being so.
        latest = np.minimum(np.maximum(self.heads, horizon - self.tails), horizon)
        nodes = [(np.minimum(self.heads, latest), latest)]
        for _ in range(most_nodes):
            if not nodes:
                return True
            node = self._narrowed(*nodes.pop(), horizon)
            if node is None:
                continue
            earliest, latest = node
            width = latest - earliest
            job = int(np.argmax(width))
            if self.clock.over or width[job] < NARROWEST * horizon:
                return False
            middle = (earliest[job] + latest[job]) / 2
            nodes.append((_with(earliest, job, middle), latest))
            nodes.append((earliest, _with(latest, job, middle)))
        return not nodes

    def _narrowed(
        self, earliest: FloatArray, latest: FloatArray, horizon: float
    ) -> tuple[FloatArray, FloatArray] | None:
        """Narrow the windows by what is known to be impossible; None if nothing is left."""
        while True:
            # Backwards from the horizon, reduce tasks have their maps' end as a due date.
            if self.maps.impossible(latest, horizon):
                return None
            if self.reduces.impossible(horizon - earliest, horizon):
                return None
            first = np.maximum(earliest, self.maps.impossible_alone(latest))
            last = np.minimum(latest, horizon - self.reduces.impossible_alone(horizon - earliest))
            if (first > last).any():
                return None
            if (first == earliest).all() and (last == latest).all():
                return earliest, latest
            earliest, latest = first, last


class DueDates:
    """What is known of due dates of one phase: earlier ones than impossible ones are impossible.

    `kinds`: the kinds of tasks, their jobs counted among those chosen.
    """

    def __init__(self, kinds: Kinds, cells: int, clock: Clock) -> None:
        self.job, self.clock = kinds.job, clock
        self.prices = PhasePrices(kinds, cells, clock)
        self.excluded: list[tuple[FloatArray, FloatArray]] = []
        """Due dates (s), shape (chosen,), and the prices that exclude them, shape (kinds,)."""
        self.open: list[FloatArray] = []

    def impossible(self, due: FloatArray, horizon: float) -> bool:
        """Whether the due dates (s), shape (chosen,), are proven to be impossible."""
        if any((due <= other).all() for other, _ in self.excluded):
            return True
        if any((due >= other).all() for other in self.open):
            return False
        if self.prices.impossible(due[self.job], horizon):
            self.excluded = [one for one in self.excluded if not (one[0] <= due).all()]
            self.excluded.append((due, self.prices.known[-1]))
            return True
        if not self.clock.over:
            self.open.append(due)
        return False

    def impossible_alone(self, due: FloatArray) -> FloatArray:
        """For each job the latest due date (s) known to be impossible beside the others' own."""
        alone = np.zeros(len(due))
        for other, _ in self.excluded:
            later = np.flatnonzero(due > other)
            if len(later) == 1:
                alone[later] = np.maximum(alone[later], other[later])
        return alone


def _of_jobs(kinds: Kinds, jobs: IntArray) -> Kinds:
    """The kinds of some jobs, each job's number being its place among them."""
    some = np.isin(kinds.job, jobs)
    place = np.argmax(kinds.job[some, None] == jobs, axis=1)
    return Kinds(place, kinds.number[some], np.ascontiguousarray(kinds.seconds[some]))


def _with(values: FloatArray, at: int, value: float) -> FloatArray:
    changed = values.copy()
    changed[at] = value
    return changed
