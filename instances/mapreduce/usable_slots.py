"""An instance without its lost slots, for methods that do not handle outages."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import IntArray
from ...core.once import once
from .instance import Instance, SpeedFactors
from .schedule import PhaseSchedule, Schedule


@dataclass(frozen=True, eq=False)
class UsableSlots:
    """An instance without its lost slots, and the numbers of the remaining slots."""

    instance: Instance
    """The instance, without outages."""
    map_slots: IntArray
    reduce_slots: IntArray
    """`map_slots`, `reduce_slots`: number of each slot in the whole instance."""

    def restored(self, schedule: Schedule) -> Schedule:
        """The schedule with slots numbered as in the whole instance."""
        return replace(
            schedule,
            map=_renumbered(schedule.map, self.map_slots),
            reduce=_renumbered(schedule.reduce, self.reduce_slots),
        )

    def reduced(self, schedule: Schedule) -> Schedule:
        """A schedule of the whole instance that uses no lost slot, with slots renumbered."""
        return replace(
            schedule,
            map=_renumbered(schedule.map, _inverse(self.map_slots)),
            reduce=_renumbered(schedule.reduce, _inverse(self.reduce_slots)),
        )


@once
def usable_slots(instance: Instance) -> UsableSlots:
    """Remove the lost slots.

    A node that lost all its slots stays, because its data does.

    Raises `InputError` if a phase has tasks but no slot left.
    """
    cluster, outages = instance.cluster, instance.outages
    if outages is None:
        return UsableSlots(
            instance,
            np.arange(len(cluster.map_slot_node)),
            np.arange(len(cluster.reduce_slot_node)),
        )
    maps, reduces = np.flatnonzero(~outages.map), np.flatnonzero(~outages.reduce)
    factors, security = instance.speed_factors, instance.security
    if factors is not None:
        factors = SpeedFactors(factors.map[:, maps], factors.reduce[:, reduces])
    if security is not None:
        security = replace(
            security, priorities=security.priorities[:, maps], levels=security.levels[:, maps]
        )
    smaller = replace(
        cluster,
        map_slots=np.bincount(cluster.map_slot_node[maps], minlength=cluster.nodes),
        reduce_slots=np.bincount(cluster.reduce_slot_node[reduces], minlength=cluster.nodes),
    )
    return UsableSlots(
        replace(instance, cluster=smaller, speed_factors=factors, security=security, outages=None),
        maps,
        reduces,
    )


def _renumbered(phase: PhaseSchedule, number: IntArray) -> PhaseSchedule:
    return replace(phase, slot=number[phase.slot])


def _inverse(slots: IntArray) -> IntArray:
    number = np.full(int(slots.max(initial=-1)) + 1, -1, dtype=np.int64)
    number[slots] = np.arange(len(slots))
    return number
