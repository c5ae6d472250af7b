"""From a datacenter to guidance for its dispatcher ([LoTES], sections 4.1 and 4.2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from threading import Event

import numpy as np

from ...core.arrays import FloatArray, IntArray
from ...core.background import BackgroundWork
from ...core.calls import checked
from ...core.clock import Clock, check_time_limit
from ...core.errors import CertificateError, InputError
from ...instances.datacenter.checker import RATE_TOLERANCE, check_guidance
from ...instances.datacenter.datacenter import Datacenter
from ...instances.datacenter.datacenter_file import datacenter_document
from ...instances.datacenter.guidance import Guidance, Prices
from .column_generation import GAP, Columns, NoRate, generate_columns
from .gains import machine_gains, resource_gains
from .knapsack import fill_up, resource_prices
from .prices import check_spread, class_prices
from .rounding import printed_rounding, rate_of
from .whole_machines import WholePlan, whole_plan

__all__ = ["NoRate", "guide"]

IN_USE = 1e-9
"""A share δ_jkl above this counts as positive; the linear program leaves smaller rounding errors.
"""


@checked
def guide(
    datacenter: Datacenter,
    *,
    target_rate: float | None = None,
    as_printed: bool = False,
    time_limit: float = 1.0,
    spread: float = 0.0,
    gains: bool = False,
) -> Guidance:
    """Compute bins for all machines that carry the highest arrival rate, with a bound; checked.

    Ctrl-C ends it with the best plan so far.

    Parameters
    ----------
    datacenter
        The datacenter.
    target_rate
        Arrival rate (jobs per time unit) to carry on the fewest machines. All machines count alike,
        and the others get empty bins.
    as_printed
        Whether to follow [LoTES] literally: allocation program without the fit rule, Algorithm 1
        without the reset on the classes in its solution, rounding by the largest fractions. Which
        classes those are depends on the solver, because the optimum is degenerate.
    time_limit
        Wall time (s) for whole machines, after the linear program, and as much for the gains.
    spread
        Coefficient of variation of the jobs' demands within their class, for the dispatcher that
        follows the prices. Plan and bound are for jobs that need what their class does.
    gains
        Whether to solve the linear program again with more of each resource and more machines, to
        say what they would bring.

    Returns
    -------
    Guidance
        The guidance.

    Raises
    ------
    NoRate
        If the datacenter cannot carry the target, or some class cannot run anywhere.
    InputError
        If the target is not positive, the spread is negative, the two options are combined, or
        Algorithm 1 makes too many bins.
    """
    if target_rate is not None and not target_rate > 0:
        raise InputError(f"target rate: need a positive number, got {target_rate}")
    check_time_limit(time_limit)
    check_spread(spread)
    if as_printed:
        guidance = _as_printed(datacenter, target_rate)
    else:
        guidance = _until_stopped(
            lambda stop: _planned(datacenter, target_rate, time_limit, spread, stop, gains=gains)
        )
    for violation in check_guidance(guidance).violations:
        raise CertificateError(
            f"{guidance.method} made invalid guidance: {violation}",
            lambda: datacenter_document(datacenter),
        )
    return guidance


def _until_stopped(work: Callable[[Event], Guidance]) -> Guidance:
    """Do work in the background, so that Ctrl-C, which sets the event, loses nothing."""
    stop = Event()
    begun = BackgroundWork(lambda: work(stop))
    while True:
        try:
            while not begun.wait():
                pass
            return begun.value()
        except KeyboardInterrupt:
            stop.set()


def _planned(
    datacenter: Datacenter,
    target_rate: float | None,
    time_limit: float,
    spread: float,
    stop: Event,
    *,
    gains: bool,
) -> Guidance:
    columns = generate_columns(datacenter, gains=True, stop=stop)
    each = resource_prices(datacenter, columns.worth[:, None] * datacenter.rate)
    limit: FloatArray = each * datacenter.capacity * datacenter.count[:, None]
    prices = Prices(
        resource=limit / limit.sum(),
        work=columns.worth * datacenter.share,
        machine=columns.machine_gain,
        machine_bound=columns.machine_price,
    )
    if gains:
        # First, as an integer program that does not end in time keeps the solver from others.
        clock = Clock(time_limit, stop)
        prices = replace(
            prices,
            gains=resource_gains(datacenter, columns, clock),
            machine=machine_gains(datacenter, columns, clock),
        )
    clock = Clock(time_limit, stop)
    if target_rate is None:
        plan = whole_plan(datacenter, columns, clock)
        guidance = _guidance(datacenter, plan, columns)
        most = min(max(plan.bound, guidance.arrival_rate), guidance.arrival_rate_bound)
        proof = plan.proof or guidance.bound_name
        guidance = replace(guidance, integer_bound=most, integer_proof=proof)
    else:
        guidance = _fewest_machines(datacenter, columns, target_rate, clock)
    notes = ("interrupted: a longer run may find a better plan",) if stop.is_set() else ()
    return replace(
        guidance,
        prices=prices,
        class_prices=class_prices(datacenter, columns.worth, spread=spread),
        notes=(*guidance.notes, *notes),
    )


def _fewest_machines(
    datacenter: Datacenter, columns: Columns, target_rate: float, clock: Clock
) -> Guidance:
    unit = f"jobs per {datacenter.time_unit}"
    if target_rate > columns.bound:
        raise NoRate(
            f"no plan carries {target_rate:.9g} {unit}: at most {columns.bound:.9g} are possible",
            columns.bound,
        )
    target, enough = min(target_rate, columns.value), target_rate * (1 - RATE_TOLERANCE)
    fewest = generate_columns(datacenter, target_rate=target, start=columns.bins, stop=clock.stop)
    part = clock.until(clock.elapsed + 0.7 * clock.left)
    plan = whole_plan(datacenter, fewest, part, target_rate=target_rate)
    if rate_of(datacenter, plan.bins, plan.machines) < enough:
        highest = whole_plan(datacenter, columns, clock)
        bound = math.inf if highest.bound < enough else plan.bound
        plan = highest._replace(bound=bound, proof=plan.proof)
    carried = rate_of(datacenter, plan.bins, plan.machines)
    if carried < enough:
        subject = "no plan of whole machines" if math.isinf(plan.bound) else "found no plan that"
        raise NoRate(
            f"{subject} carries {target_rate:.9g} {unit}, only {carried:.9g}; "
            f"{columns.bound:.9g} would be possible with fractions of machines",
            columns.bound,
        )
    guidance = _guidance(datacenter, plan, columns)
    return replace(
        guidance,
        target_rate=target_rate,
        machines_bound=int(plan.bound),
        integer_proof=plan.proof or guidance.bound_name,
    )


def _as_printed(datacenter: Datacenter, target_rate: float | None) -> Guidance:
    from ...formulations.datacenter.allocation import model as allocation
    from ...formulations.datacenter.machine_assignment import model as machine_assignment
    from ...formulations.datacenter.machine_assignment.bins import algorithm_1
    from ..backends import highs

    if target_rate is not None:
        raise InputError("target rate: the printed method has none")
    first = allocation.build(datacenter, as_printed=True)
    bound = highs.solve(first).incumbent or 0.0
    used = allocation.delta(first).max(axis=2) > IN_USE
    empty = np.zeros((1, len(datacenter.classes)), dtype=np.int64)
    made = [algorithm_1(datacenter, j, np.flatnonzero(row).tolist()) for j, row in enumerate(used)]
    # Without the reset it makes the same bin several times.
    bins = [np.unique(rows, axis=0) if len(rows) else empty for rows in made]
    second = machine_assignment.build(datacenter, bins)
    rate = highs.solve(second).incumbent or 0.0
    plan = printed_rounding(bins, machine_assignment.machines(second))
    kept = [np.flatnonzero(whole) for whole in plan]
    return Guidance(
        datacenter=datacenter,
        arrival_rate=rate_of(datacenter, bins, plan),
        arrival_rate_bound=bound,
        bin_configuration=np.repeat(np.arange(len(bins)), [len(rows) for rows in kept]),
        bin_machines=np.concatenate([x[rows] for x, rows in zip(plan, kept, strict=True)]),
        bin_jobs=np.concatenate([x[rows] for x, rows in zip(bins, kept, strict=True)]),
        bound_name="allocation program (1)-(5) as printed",
        method="LoTES as printed",
        notes=(
            f"machine assignment program (6)-(10): {rate:.9g} jobs per {datacenter.time_unit} on "
            f"{sum(map(len, bins))} bins of the classes in one solution of the allocation program",
        ),
    )


def _guidance(datacenter: Datacenter, plan: WholePlan, columns: Columns) -> Guidance:
    """The guidance of a plan: its bins, filled up; machines without a bin get an empty one."""
    entries: list[tuple[int, int, IntArray]] = []
    bins = [rows.copy() for rows in plan.bins]
    for j, (rows, whole) in enumerate(zip(bins, plan.machines, strict=True)):
        order = np.argsort(-whole, kind="stable")[: np.count_nonzero(whole)]
        for i in order.tolist():
            capacity = datacenter.capacity_units[j]
            fill_up(rows[i], datacenter.fits[:, j], datacenter.request_units, capacity)
            entries.append((j, int(whole[i]), rows[i]))
        idle = int(datacenter.count[j] - whole.sum())
        if idle:
            entries.append((j, idle, np.zeros(len(datacenter.classes), dtype=np.int64)))
    rate = rate_of(datacenter, bins, plan.machines)
    notes = []
    if columns.gap > GAP:
        notes.append(f"column generation stopped at a gap of {columns.gap:.2e}")
    total = float(datacenter.share.sum())
    if abs(total - 1) > 1e-6:
        notes.append(
            f"shares add up to {total:.6g}: arrival rates count all jobs, also those of no class"
        )
    return Guidance(
        datacenter=datacenter,
        arrival_rate=rate,
        arrival_rate_bound=max(columns.bound, rate),
        bin_configuration=np.array([j for j, _, _ in entries], dtype=np.int64),
        bin_machines=np.array([machines for _, machines, _ in entries], dtype=np.int64),
        bin_jobs=np.array([jobs for _, _, jobs in entries], dtype=np.int64),
        bound_name="Lagrangian bound of column generation",
        method=plan.method,
        notes=tuple(notes),
    )
