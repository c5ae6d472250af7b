"""An instance without what nothing can use: lost slots, and rates at which nothing reads."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace

import numpy as np

from ...core.arrays import IntArray
from ...core.values import once
from .cluster import Rates
from .instance import Instance, SpeedFactors
from .schedule import PhaseSchedule, Schedule
from .setups import output_share


@dataclass(frozen=True, eq=False)
class UsableSlots:
    """An instance with what can be used, and the numbers of the remaining slots."""

    instance: Instance
    """The instance, without outages. A rate that no read can have is the next faster one."""
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
    """Remove the lost slots, and rates at which nothing reads.

    A node that lost all its slots stays, because its data does.

    Raises `InputError` if a phase has tasks but no slot left.
    """
    cluster, outages = instance.cluster, instance.outages
    if outages is None:
        return UsableSlots(
            _with_used_rates(instance),
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
    usable = replace(
        instance, cluster=smaller, speed_factors=factors, security=security, outages=None
    )
    return UsableSlots(_with_used_rates(usable), maps, reduces)


def _with_used_rates(instance: Instance) -> Instance:
    """The instance with the next faster rate in place of one that no read can have."""
    cluster, rates = instance.cluster, instance.cluster.rates
    copies = np.diff(instance.replica_offsets)
    holders = np.zeros(cluster.nodes, dtype=bool)
    holders[instance.replicas[np.repeat(instance.input_mb > 0, copies)]] = True
    maps, reduces = cluster.map_slots > 0, cluster.reduce_slots > 0
    in_rack, remote = False, bool(np.any(instance.input_mb[copies == 0] > 0))
    for sources, readers in ((holders, maps), (maps, reduces)):
        by_rack = [np.bincount(cluster.rack_of, nodes) for nodes in (sources, readers)]
        near = np.prod(by_rack, axis=0).sum()
        in_rack |= bool(near > np.count_nonzero(sources & readers))
        remote |= bool(np.count_nonzero(sources) * np.count_nonzero(readers) > near)
    rack = rates.rack if in_rack else rates.node
    used = Rates(rates.node, rack, rates.remote if remote else rack)
    return instance if used == rates else replace(instance, cluster=replace(cluster, rates=used))


def with_rates_within(instance: Instance, makespan: float) -> Instance:
    """The instance with faster rates for those at which every read takes twice a makespan (s).

    No schedule as short as the makespan reads so slowly, and one that does stays longer. Solvers
    work within tolerances, which such durations do not survive.
    """
    reads = np.append(instance.input_mb, output_share(instance))
    reads = reads[reads > 0]
    if instance.security is not None or not (reads.size and makespan > 0):
        return instance
    least, rates = reads.min() / (2 * makespan), instance.cluster.rates
    within = Rates(*(float(max(rate, least)) for rate in astuple(rates)))
    if within == rates:
        return instance
    return replace(instance, cluster=replace(instance.cluster, rates=within))


def _renumbered(phase: PhaseSchedule, number: IntArray) -> PhaseSchedule:
    return replace(phase, slot=number[phase.slot])


def _inverse(slots: IntArray) -> IntArray:
    number = np.full(int(slots.max(initial=-1)) + 1, -1, dtype=np.int64)
    number[slots] = np.arange(len(slots))
    return number
