"""The linear programs for unrelated slots, one after another under one time limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pyomo.environ as pyo

from ....core.arrays import FloatArray, IntArray
from ....core.background import OutOfTime, attempt
from ....core.clock import StopReason
from ....formulations.mapreduce.unrelated_machines import model as unrelated_machines
from ....formulations.mapreduce.unrelated_machines.model import JobPhase, phases
from ....heuristics.mapreduce.hmhs.priority import by_priority
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule, timed_by_job
from ...backends import highs
from ...progress import Progress
from ..method import SolveRequest
from .waves import Poured, poured

SLACK = 1e-7
"""Subtracted, relatively, from the value of a linear program, which is optimal within tolerances.
"""


class LinearPrograms:
    """Runs the linear programs of one instance.

    `request`: incumbent, lower bound and limits.
    """

    def __init__(self, instance: Instance, request: SolveRequest) -> None:
        self.instance, self.request = instance, request
        self.clock = request.clock()
        self.stop = StopReason.GAP_CLOSED

    @property
    def ended(self) -> StopReason:
        solved = (StopReason.GAP_CLOSED, StopReason.INFEASIBLE)
        return StopReason.PROGRAMS_SOLVED if self.stop in solved else self.stop

    def bound(self, horizon: float | None = None) -> float | None:
        """A lower bound (s) on all schedules not longer than `horizon`, infinite if there is none.

        None if the time was up before there was any bound. Once the bound exceeds the horizon the
        rest is not computed.
        """
        greatest = 0.0
        for phase in ("map", "reduce"):
            build = partial(unrelated_machines.build, self.instance, horizon=horizon, only=[phase])
            model = self._built(build)
            value = None if model is None else self._optimum(model)
            if value is None:
                return greatest or None
            greatest = max(greatest, value * (1 - SLACK))
            if horizon is not None and greatest >= horizon:
                break
        return greatest

    def schedules(self, bound: float) -> Iterator[Schedule]:
        """Ever shorter schedules of the jobs by Pri ([HMHS]), shorter than the incumbent.

        The first may place tasks anywhere. The others aim at a horizon half way to the bound,
        because a task that is too long for a slot is the worst to round.
        """
        if self.instance.security is not None or self.instance.outages is not None:
            return
        best, horizon = self.request.incumbent, None
        order = by_priority(self.instance)
        while True:
            optimum = poured(self.instance, order, self.clock, horizon=horizon)
            if optimum is None:
                return
            schedule = rounded(self.instance, order, optimum)
            if schedule.makespan >= best.makespan:
                return
            yield schedule
            best, horizon = schedule, (schedule.makespan + max(bound, optimum.makespan)) / 2

    def tell(self, makespan: float, bound: float) -> None:
        """Report progress.

        `makespan`: the best makespan (s).
        `bound`: the best lower bound (s).
        """
        if self.request.on_progress is not None:
            self.request.on_progress(Progress(self.clock.elapsed, makespan, bound))

    def _built(self, build: Callable[[], pyo.ConcreteModel]) -> pyo.ConcreteModel | None:
        """The program, None if there is no time to build it."""
        try:
            return attempt(build, self.clock)
        except OutOfTime:
            self.stop = self.clock.reason
            return None

    def _optimum(self, model: pyo.ConcreteModel) -> float | None:
        """Infinite if the program is infeasible, None if it did not end."""
        outcome = highs.solve(
            model, time_limit=self.clock.left, threads=self.request.threads, stop=self.clock.stop
        )
        self.stop = outcome.stop
        if outcome.stop is StopReason.INFEASIBLE:
            return math.inf
        return outcome.incumbent if outcome.stop is StopReason.GAP_CLOSED else None


WHOLE = 1e-6
"""A number of tasks that lacks no more than this is an integer; solvers leave such errors."""


def rounded(instance: Instance, order: IntArray, optimum: Poured) -> Schedule:
    """Place every task on one slot, near the shares that a linear program found.

    Each slot gets the whole tasks of its share. The few left over go, the longest first, where they
    exceed least: over all later waves, the work on the slot beyond the end that the program has for
    them. Setups are timed, not considered.
    """
    maps, reduces = phases(instance)
    wave, end = optimum.wave, optimum.end
    left = optimum.makespan - end
    last = len(left) - 1
    map_count = _counts(maps, optimum.map_share, wave, end)
    reduce_count = _counts(reduces, optimum.reduce_share, last - wave, left[::-1])
    return timed_by_job(instance, _slots(map_count), _slots(reduce_count), order)


def _counts(phase: JobPhase, shares: FloatArray, wave: IntArray, ends: FloatArray) -> IntArray:
    """Whole numbers of tasks of each job on each slot, shape (jobs, slots).

    `wave` numbers the waves in the order in which their `ends` (s) rise.
    """
    seconds = (phase.work / np.maximum(phase.tasks, 1))[:, None] * phase.factors
    count = np.floor(shares * phase.tasks[:, None] + WHOLE).astype(np.int64)
    load = np.zeros((len(ends), seconds.shape[1]))
    np.add.at(load, wave, count * seconds)
    overrun = np.cumsum(load, axis=0) - ends[:, None]
    shortest = seconds.min(axis=1, initial=np.inf)
    for i in np.argsort(-shortest, kind="stable").tolist():
        for _ in range(phase.tasks[i] - count[i].sum()):
            k = np.argmin(overrun[wave[i] :].max(axis=0) + seconds[i])
            count[i, k] += 1
            overrun[wave[i] :, k] += seconds[i, k]
    return count


def _slots(count: IntArray) -> IntArray:
    """The slot of each task, job after job; a job's tasks fill its slots in ascending order."""
    jobs, slots = count.shape
    return np.repeat(np.tile(np.arange(slots), jobs), count.ravel())
