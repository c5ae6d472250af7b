"""The integer machine assignment program on given bins, in numbers that suit a solver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...heuristics.background import BackgroundWork, OutOfTime, attempt
from ...instances.arrays import IntArray
from ...instances.datacenter.datacenter import Datacenter
from ...instances.limits import MOST
from ..clock import Clock
from ..stop_reason import StopReason

_RELATIVE_GAP = 1e-6

_GRACE = 0.5
"""Seconds that the solver has to end after its time; then it is left behind in its thread."""


class ProgramOutcome(NamedTuple):
    """What the integer program found and proved.

    Parameters
    ----------
    machines
        Machines with each bin, shapes (bins,); None if it found no plan.
    bound
        No plan of these bins carries more or, with a target rate, needs fewer machines, infinitely
        many if there is none; None if nothing was proved.
    """

    machines: tuple[IntArray, ...] | None
    bound: float | None


def solve_program(
    datacenter: Datacenter,
    bins: Sequence[IntArray],
    rate_bound: float,
    clock: Clock,
    *,
    start: Sequence[IntArray] | None = None,
    target_rate: float | None = None,
) -> ProgramOutcome:
    """Solve the integer machine assignment program.

    Parameters
    ----------
    datacenter
        The datacenter.
    bins
        Bins of each configuration, shapes (bins, K).
    rate_bound
        An arrival rate > 0 that no plan exceeds (jobs per time unit).
    clock
        When to end with what there is.
    start
        A plan, shapes (bins,).
    target_rate
        Arrival rate to carry on the fewest machines, None to maximise it.

    Returns
    -------
    ProgramOutcome
        Plan and bound.
    """
    from ...formulations.machine_assignment import model as machine_assignment
    from ..backends import highs

    rate = rate_bound if target_rate is None else target_rate
    scaled, unit = _scaled(datacenter, rate)
    target = None if target_rate is None else target_rate / unit
    try:
        model = attempt(
            lambda: machine_assignment.build(scaled, bins, integer=True, target_rate=target), clock
        )
    except OutOfTime:
        return ProgramOutcome(None, None)
    if start is not None:
        machine_assignment.start(model, start)
    settings = highs.HighsSettings(relative_gap=_RELATIVE_GAP)
    begun = BackgroundWork(
        lambda: highs.solve(
            model,
            time_limit=clock.left,
            stop=clock.stop,
            warm_start=start is not None,
            settings=settings,
        )
    )
    late = None
    while not begun.wait():
        if clock.over:
            # HiGHS does not look at its clock everywhere.
            late = late or Clock(_GRACE)
            if late.over:
                return ProgramOutcome(None, None)
    outcome = begun.value()
    bound = math.inf if outcome.stop == StopReason.INFEASIBLE else outcome.bound
    if bound is not None and target_rate is None:
        bound *= unit
    if outcome.incumbent is None:
        return ProgramOutcome(None, bound)
    found = tuple(np.rint(x).astype(np.int64) for x in machine_assignment.machines(model))
    return ProgramOutcome(found, bound)


def _scaled(datacenter: Datacenter, rate: float) -> tuple[Datacenter, float]:
    """An equivalent datacenter for rates up to this one, and the unit of its rates.

    All classes have equal shares, and `rate` becomes the number of machines, so that coefficients
    are near 1. A job that alone serves more than all arrivals of its class is slowed down until it
    just serves them: whole machines run no parts of jobs.
    """
    arriving = datacenter.share > 0
    equal, machines = 1.0 / np.count_nonzero(arriving), datacenter.machines
    unit = rate / machines
    weight = np.where(arriving, datacenter.share * (unit / equal), 1.0)
    time = np.clip(datacenter.mean_time * weight[:, None], 1 / (equal * machines), MOST)
    scaled = replace(
        datacenter,
        share=np.where(arriving, equal, 0.0),
        mean_time=np.where(datacenter.fits, time, np.inf),
    )
    return scaled, unit
