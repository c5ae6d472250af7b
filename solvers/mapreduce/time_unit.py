"""Time counted in a unit that suits HiGHS, whose tolerances are absolute.

The unit is a power of two seconds, so the conversion is exact: what a method finds for the instance
in this unit holds for the instance in seconds.
"""

from __future__ import annotations

import math
from dataclasses import replace

from ...instances.mapreduce.cluster import Rates
from ...instances.mapreduce.instance import Instance
from ...instances.mapreduce.schedule import PhaseSchedule, Schedule

UNITS_OF_MAKESPAN = 1024.0
"""About this many units are in the makespan of the known schedule."""


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


def in_unit(schedule: Schedule, unit: float) -> Schedule:
    """A schedule with all times in another unit (s)."""
    if unit == 1.0:
        return schedule

    def phase(rows: PhaseSchedule) -> PhaseSchedule:
        return PhaseSchedule(rows.slot, rows.start / unit, rows.setup / unit, rows.end / unit)

    maps, reduces = phase(schedule.map), phase(schedule.reduce)
    return replace(schedule, map=maps, reduce=reduces, makespan=schedule.makespan / unit)
