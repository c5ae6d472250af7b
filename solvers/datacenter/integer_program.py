"""The integer machine assignment program on given bins, in numbers that suit a solver."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...core.arrays import IntArray
from ...core.background import BackgroundWork, OutOfTime, attempt
from ...core.clock import Clock, StopReason
from ...instances.datacenter.datacenter import Datacenter
from ...instances.limits import MOST

if TYPE_CHECKING:
    from ..backends.highs import HighsOutcome

_RELATIVE_GAP = 1e-6

_SCALE, _SECOND_SCALE = 10.0, 100.0
"""Sizes of the coefficients. Near 1, with rates near the number of machines, HiGHS was wrong about
2 of 157 small programs, from 10 on about none."""

_MACHINE = 1e-6
"""A bound on a number of machines may be wrong by this for rounding errors."""

_GRACE = 0.5
"""Seconds that the solver has to end after its time; then it is left behind in its thread."""


class ProgramOutcome(NamedTuple):
    """What the integer program found and proved."""

    machines: tuple[IntArray, ...] | None
    """Machines with each bin, shapes (bins,); None if it found no plan."""
    bound: float | None
    """No plan of these bins carries more or, with a target rate, needs fewer machines, infinitely
    many if there is none; None if nothing was proved."""


def solve_program(
    datacenter: Datacenter,
    bins: Sequence[IntArray],
    rate_bound: float,
    clock: Clock,
    *,
    start: Sequence[IntArray] | None = None,
    target_rate: float | None = None,
    prove: bool = True,
) -> ProgramOutcome:
    """Solve the integer machine assignment program.

    HiGHS has been wrong about programs of seven bins. For a bound it solves the program twice, the
    second time in other units, with other cuts and branches, and without a start. What counts is
    the weaker bound of both, and none if one contradicts a plan of the other.

    `rate_bound`: an arrival rate > 0 that no plan exceeds (jobs per time unit).
    `clock`: when to end with what there is.
    `target_rate`: arrival rate to carry on the fewest machines, None to maximise it.
    """
    rate = rate_bound if target_rate is None else target_rate
    plan = None if start is None else tuple(start)
    costs: list[float] = []
    bounds: list[float | None] = []
    for second in (False, True) if prove else (False,):
        scaled, unit = _scaled(datacenter, rate, _SECOND_SCALE if second else _SCALE)
        part = clock.until(clock.elapsed + clock.left / 2) if prove and not second else clock
        made = _run(
            scaled, bins, part, None if second else plan, target_rate and target_rate / unit
        )
        if made is None:
            break
        outcome, counts = made
        in_rates = unit if target_rate is None else 1.0
        if counts is not None:
            costs.append((outcome.incumbent or 0.0) * in_rates)
            if plan is None or costs[-1] == (max if target_rate is None else min)(costs):
                plan = counts
        impossible = outcome.stop == StopReason.INFEASIBLE
        bounds.append(math.inf if impossible else outcome.bound and outcome.bound * in_rates)
    bound = _agreed(bounds, costs, maximised=target_rate is None) if prove else None
    return ProgramOutcome(plan if costs else None, bound)


def _run(
    datacenter: Datacenter,
    bins: Sequence[IntArray],
    clock: Clock,
    start: tuple[IntArray, ...] | None,
    target_rate: float | None,
) -> tuple[HighsOutcome, tuple[IntArray, ...] | None] | None:
    """Run HiGHS in the background: what came of it, and the plan.

    With a start it searches as usual, without one with other cuts and branches. None if it did not
    end in time and was left behind.
    """
    from ...formulations.datacenter.machine_assignment import model as program
    from ..backends import highs

    def search() -> HighsOutcome:
        return highs.solve(
            model,
            time_limit=clock.left,
            stop=clock.stop,
            warm_start=start is not None,
            settings=highs.HighsSettings(relative_gap=_RELATIVE_GAP, alternative=start is None),
        )

    try:
        model = attempt(
            lambda: program.build(datacenter, bins, integer=True, target_rate=target_rate), clock
        )
    except OutOfTime:
        return None
    if start is not None:
        program.start(model, start)
    begun, late = BackgroundWork(search), None
    while not begun.wait():
        if clock.over:
            # HiGHS does not look at its clock everywhere.
            late = late or Clock(_GRACE)
            if late.over:
                return None
    outcome = begun.value()
    if outcome.incumbent is None:
        return outcome, None
    return outcome, tuple(np.rint(x).astype(np.int64) for x in program.machines(model))


def _agreed(
    bounds: Sequence[float | None], costs: Sequence[float], *, maximised: bool
) -> float | None:
    """The weaker of two bounds; None unless there are two, and no plan contradicts either."""
    known = [bound for bound in bounds if bound is not None]
    if len(known) < 2:
        return None
    if maximised:
        wrong = max(costs, default=0.0) > min(known) * (1 + 2 * _RELATIVE_GAP)
        return None if wrong else max(known)
    wrong = min(costs, default=math.inf) < max(known) - _MACHINE
    return None if wrong else min(known)


def _scaled(datacenter: Datacenter, rate: float, scale: float) -> tuple[Datacenter, float]:
    """An equivalent datacenter for rates up to this one, and the unit of its rates.

    All classes have equal shares, and `rate` becomes `scale` times the number of machines, so that
    coefficients are near the scale. A job that alone serves more than all arrivals of its class is
    slowed down until it just serves them: whole machines run no parts of jobs.
    """
    arriving = datacenter.share > 0
    equal, machines = 1.0 / np.count_nonzero(arriving), datacenter.machines
    unit = rate / (machines * scale)
    weight = np.where(arriving, datacenter.share * (unit / equal), 1.0)
    time = np.clip(datacenter.mean_time * weight[:, None], 1 / (equal * machines * scale), MOST)
    scaled = replace(
        datacenter,
        share=np.where(arriving, equal, 0.0),
        mean_time=np.where(datacenter.fits, time, np.inf),
    )
    return scaled, unit
