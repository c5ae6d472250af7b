"""Time counted in a unit that suits HiGHS, whose tolerances are absolute.

The unit is a power of two seconds, so the conversion is exact: what a method finds for the instance
in this unit holds for the instance in seconds.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import wraps

from ...instances.mapreduce.cluster import Rates
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import PhaseSchedule, Schedule
from ..progress import Progress
from .method import Method, MethodOutcome, SolveRequest

UNITS_OF_MAKESPAN = 1024.0
"""About this many units are in the makespan of the known schedule."""


def in_own_unit(method: Method) -> Method:
    """Wrap a method so that it works in a unit that suits the incumbent's makespan."""

    @wraps(method)
    def in_unit(instance: Instance, request: SolveRequest) -> MethodOutcome:
        unit = suitable_unit(request.incumbent.makespan)
        if unit == 1.0:
            return method(instance, request)
        return _longer_outcome(
            method(in_units_of(instance, unit), _counted_task(request, unit)), unit
        )

    return in_unit


def suitable_unit(makespan: float) -> float:
    """The power of two (s) of which a makespan (s) has about `UNITS_OF_MAKESPAN`; 1 s for 0."""
    return 2.0 ** round(math.log2(makespan / UNITS_OF_MAKESPAN)) if makespan > 0 else 1.0


def in_units_of(instance: Instance, unit: float) -> Instance:
    """Express all times and rates of an instance in another unit of time.

    `unit`: the unit (s).
    Returns the instance with times in that unit.
    """
    rates, security = instance.cluster.rates, instance.security
    cluster = replace(
        instance.cluster,
        rates=Rates(rates.node * unit, rates.rack * unit, rates.remote * unit),
    )
    if security is not None:
        security = replace(
            security,
            transfer_rate=security.transfer_rate * unit,
            encryption_rate=security.encryption_rate * unit,
        )
    return replace(
        instance,
        cluster=cluster,
        map_processing=instance.map_processing / unit,
        reduce_processing=instance.reduce_processing / unit,
        security=security,
    )


def _counted_task(request: SolveRequest, unit: float) -> SolveRequest:
    on_progress, best, keep = request.on_progress, request.best, request.keep
    schedule, bound = request.best_schedule, request.best_bound
    return replace(
        request,
        incumbent=_longer(request.incumbent, 1 / unit),
        lower_bound=request.lower_bound / unit,
        absolute_gap=request.absolute_gap / unit,
        on_progress=None
        if on_progress is None
        else lambda step: on_progress(_longer_step(step, unit)),
        best=None if best is None else lambda: best() / unit,
        best_schedule=None if schedule is None else lambda: _longer(schedule(), 1 / unit),
        best_bound=None if bound is None else lambda: bound() / unit,
        keep=lambda outcome: keep(_longer_outcome(outcome, unit)),
    )


def _longer_outcome(outcome: MethodOutcome, factor: float) -> MethodOutcome:
    bound, schedule = outcome.lower_bound, outcome.schedule
    return replace(
        outcome,
        schedule=None if schedule is None else _longer(schedule, factor),
        lower_bound=None if bound is None else bound * factor,
        progress=[_longer_step(step, factor) for step in outcome.progress],
    )


def _longer(schedule: Schedule, factor: float) -> Schedule:
    def phase(rows: PhaseSchedule) -> PhaseSchedule:
        return PhaseSchedule(rows.slot, rows.start * factor, rows.setup * factor, rows.end * factor)

    return replace(
        schedule,
        map=phase(schedule.map),
        reduce=phase(schedule.reduce),
        makespan=schedule.makespan * factor,
    )


def _longer_step(step: Progress, factor: float) -> Progress:
    incumbent, bound = (
        None if value is None else value * factor for value in (step.incumbent, step.bound)
    )
    return Progress(step.seconds, incumbent, bound)
