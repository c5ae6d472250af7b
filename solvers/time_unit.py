"""Time counted in a unit that suits HiGHS, whose tolerances are absolute.

The unit is a power of two, so that counting in it rounds nothing: what a road says of the instance
in this unit it says of the instance in seconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import wraps

from ..instances.mapreduce.instance import Instance, Rates
from ..instances.mapreduce.schedule import Phase, Schedule
from .method import Arrival, Task
from .progress import Progress

UNITS = 1024.0
"""About so many units are in the makespan of the known schedule."""

Road = Callable[[Instance, Task], Arrival]


def in_own_unit(road: Road) -> Road:
    """The road, given instance and task in the unit that suits the incumbent's makespan."""

    @wraps(road)
    def travelled(instance: Instance, task: Task) -> Arrival:
        unit = suitable_unit(task.incumbent.makespan)
        if unit == 1.0:
            return road(instance, task)
        return _longer_arrival(road(counted(instance, unit), _counted_task(task, unit)), unit)

    return travelled


def suitable_unit(makespan: float) -> float:
    """The power of two (s) of which about `UNITS` make up a makespan (s); 1 s for no makespan."""
    return 2.0 ** round(math.log2(makespan / UNITS)) if makespan > 0 else 1.0


def counted(instance: Instance, unit: float) -> Instance:
    """The instance with all times, and what passes in a time, in units of `unit` s."""
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


def _counted_task(task: Task, unit: float) -> Task:
    on_progress, best, keep = task.on_progress, task.best, task.keep
    return replace(
        task,
        incumbent=_longer(task.incumbent, 1 / unit),
        lower_bound=task.lower_bound / unit,
        absolute_gap=task.absolute_gap / unit,
        on_progress=None
        if on_progress is None
        else lambda step: on_progress(_longer_step(step, unit)),
        best=None if best is None else lambda: best() / unit,
        keep=lambda arrival: keep(_longer_arrival(arrival, unit)),
    )


def _longer_arrival(arrival: Arrival, factor: float) -> Arrival:
    bound, schedule = arrival.lower_bound, arrival.schedule
    return replace(
        arrival,
        schedule=None if schedule is None else _longer(schedule, factor),
        lower_bound=None if bound is None else bound * factor,
        progress=[_longer_step(step, factor) for step in arrival.progress],
    )


def _longer(schedule: Schedule, factor: float) -> Schedule:
    def phase(rows: Phase) -> Phase:
        return Phase(rows.slot, rows.start * factor, rows.setup * factor, rows.end * factor)

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
