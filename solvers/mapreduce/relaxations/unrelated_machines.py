"""The linear programs for unrelated slots, one after another under one time limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import pyomo.environ as pyo

from ....core.background import OutOfTime, attempt
from ....core.stop_reason import StopReason
from ....formulations.mapreduce.unrelated_machines import model as unrelated_machines
from ....heuristics.mapreduce.hmhs.priority import by_priority
from ....instances.mapreduce.instance import Instance
from ....instances.mapreduce.schedule import Schedule
from ...backends import highs
from ...progress import Progress
from ..method import SolveRequest
from .round_shares import rounded
from .waves import poured

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
        """Why it ended."""
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
